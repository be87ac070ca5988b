#include "conduit/ip/rails.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "os/clock.hpp"

namespace weft::conduit::ip {

Status Rails::open(std::span<const Interface> interfaces, const Ports& ports) {
  for (const Interface& interface : interfaces) {
    all_.push_back(std::make_unique<Traffic>(rank_, size_, options_));
    const Status status = all_.back()->open(interface, ports);
    if (!status.ok()) return status;
  }
  return {};
}

void Rails::keep(std::span<const size_t> which, std::vector<uint8_t> primary_of) {
  primary_of_ = std::move(primary_of);
  std::vector<std::unique_ptr<Traffic>> kept;
  for (const size_t index : which) {
    kept.push_back(std::move(all_[index]));
    kept.back()->set_spare(primary_of_.empty() && kept.size() > 1);
  }
  all_ = std::move(kept);
}

// ---- Sharing out ----

Rails::Paces& Rails::paces_of(RankId peer) {
  Paces& paces = paces_[peer];
  paces.peer = peer;
  look_at(paces, os::now_ns());
  return paces;
}

size_t Rails::unanswered(RankId peer) const {
  size_t bytes = 0;
  for (const auto& each : all_) bytes += each->under_way(peer);
  return bytes;
}

Parts Rails::share(Paces& paces, size_t size) {
  std::array<Load, interfaces_max> loads;
  size_t count = 0;
  for (size_t i = 0; i < all_.size(); ++i)
    if (i == 0 || all_[i]->reaches(paces.peer))
      loads[count++] = {i, paces.of[i].under_way(), paces.of[i].rate(paces.now_ns)};
  const std::span<Load> those{loads.data(), count};
  tell_of_slow(paces, those);
  level_rates(those);
  if (size >= split_least) return parts_of(those, size);
  Parts whole;
  whole.of[whole.count++] = {loads[first_done(those, size)].rail, 0, size};
  return whole;
}

// Once it has lasted: for a moment a link that others use, or behind which the peer computes, looks slow as well.
void Rails::tell_of_slow(Paces& paces, std::span<const Load> loads) {
  constexpr double megabytes = 1000;  // per second, of bytes per nanosecond
  const auto measured = [&](const Load& load) { return paces.of[load.rail].measured(); };
  const Load& most = *std::ranges::max_element(loads, {}, measured);
  for (const Load& load : loads) {
    uint64_t& since_ns = paces.slow_since_ns[load.rail];
    if (measured(load) == 0 || measured(load) >= measured(most) / 4)
      since_ns = 0;
    else if (since_ns == 0)
      since_ns = paces.now_ns;
    if (since_ns == 0 || paces.now_ns - since_ns < slow_for_ns || told_of_[load.rail]) continue;
    told_of_[load.rail] = true;
    base::log(base::LogLevel::info, "%s carries %.0f MB/s to rank %u where %s carries %.0f; it gets as much less",
              text_of(all_[load.rail]->links().interface()).c_str(), measured(load) * megabytes, paces.peer,
              text_of(all_[most.rail]->links().interface()).c_str(), measured(most) * megabytes);
  }
}

// From now on it is watched how fast what was begun crosses.
Result Rails::began(Paces& paces, size_t rail, size_t size, Result result) {
  if (result != Result::posted) return result;
  paces.of[rail].began(size, paces.now_ns);
  if (!paces.listed) watched_.push_back(&paces);
  paces.listed = true;
  return result;
}

void Rails::look_at(Paces& paces, uint64_t now_ns) {
  paces.now_ns = now_ns;
  paces.unanswered = unanswered(paces.peer);
  std::array<uint64_t, interfaces_max> took_ns{};
  for (size_t i = 0; i < all_.size(); ++i) took_ns[i] = paces.of[i].looked(all_[i]->to_cross(paces.peer), now_ns);
  const uint64_t longest_ns = *std::ranges::max_element(took_ns);
  for (size_t i = 0; i < all_.size(); ++i)
    if (!paces.of[i].watched() && took_ns[i] == 0 && longest_ns != 0) paces.of[i].passed_over(longest_ns, now_ns);
}

// False if there is nothing to watch any more.
bool Rails::watch(Paces& paces, uint64_t now_ns) {
  if (now_ns - paces.now_ns >= look_every_ns || unanswered(paces.peer) != paces.unanswered) look_at(paces, now_ns);
  paces.listed = std::ranges::any_of(paces.of, &Pace::watched);
  return paces.listed;
}

bool Rails::admitted(RankId peer, const Parts& parts) {
  return std::all_of(parts.of.begin(), parts.of.begin() + parts.count,
                     [&](const Part& part) { return all_[part.rail]->admits(peer); });
}

Rails::Split& Rails::begin_split(RankId peer, const Parts& parts, Completion* whole) {
  Split& split = *splits_.emplace_back(std::make_unique<Split>());
  split.peer = peer;
  split.whole = whole;
  split.parts = parts.count;
  return split;
}

Result Rails::split_put(Paces& paces, uint64_t offset, const void* source, const Parts& parts, Completion* completion,
                        std::optional<Signal> signal) {
  const RankId to = paces.peer;
  if (!admitted(to, parts)) return Result::retry;
  Split& split = begin_split(to, parts, completion);
  split.signal = signal;
  for (size_t i = 0; i < parts.count; ++i) {
    const Part& part = parts.of[i];
    const auto* from = static_cast<const std::byte*>(source) + part.begin;
    (void)began(paces, part.rail, part.size,
                all_[part.rail]->put(to, offset + part.begin, from, part.size, &split.done));
  }
  return Result::posted;
}

Result Rails::put(RankId to, uint64_t offset, const void* source, size_t size, Completion* completion) {
  if (!shares(to, size)) return primary(to).put(to, offset, source, size, completion);
  Paces& paces = paces_of(to);
  const Parts parts = share(paces, size);
  if (parts.count > 1) return split_put(paces, offset, source, parts, completion, {});
  const size_t rail = parts.of[0].rail;
  return began(paces, rail, size, all_[rail]->put(to, offset, source, size, completion));
}

Result Rails::get(void* destination, RankId from, uint64_t offset, size_t size, Completion* completion) {
  if (!shares(from, size)) return primary(from).get(destination, from, offset, size, completion);
  Paces& paces = paces_of(from);
  const Parts parts = share(paces, size);
  if (parts.count == 1) {
    const size_t rail = parts.of[0].rail;
    return began(paces, rail, size, all_[rail]->get(destination, from, offset, size, completion));
  }
  if (!admitted(from, parts)) return Result::retry;
  Split& split = begin_split(from, parts, completion);
  for (size_t i = 0; i < parts.count; ++i) {
    const Part& part = parts.of[i];
    auto* to = static_cast<std::byte*>(destination) + part.begin;
    (void)began(paces, part.rail, part.size,
                all_[part.rail]->get(to, from, offset + part.begin, part.size, &split.done));
  }
  return Result::posted;
}

Result Rails::put_signal(RankId to, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                         uint64_t value, SignalOp op, Completion* completion) {
  if (!shares(to, size)) return primary(to).put_signal(to, offset, source, size, signal_offset, value, op, completion);
  Paces& paces = paces_of(to);
  const Parts parts = share(paces, size);
  if (parts.count > 1) return split_put(paces, offset, source, parts, completion, Signal{signal_offset, value, op});
  const size_t rail = parts.of[0].rail;
  return began(paces, rail, size,
               all_[rail]->put_signal(to, offset, source, size, signal_offset, value, op, completion));
}

// ---- Progress ----

int Rails::progress_of_others() {
  int done = 0;
  for (size_t i = 1; i < all_.size(); ++i) done += all_[i]->progress();
  if (!watched_.empty())
    std::erase_if(watched_, [this, now_ns = os::now_ns()](Paces* paces) { return !watch(*paces, now_ns); });
  done += static_cast<int>(std::erase_if(splits_, [&](const auto& split) { return advance(*split); }));
  return done;
}

// A peer that floods one interface does not keep those of others waiting.
Arrival* Rails::next_arrival_by_turns() {
  for (size_t i = 0; i < all_.size(); ++i) {
    turn_ = (turn_ + 1) % all_.size();
    if (Arrival* arrival = all_[turn_]->next_arrival()) return arrival;
  }
  return nullptr;
}

// True when it is complete.
bool Rails::advance(Split& split) {
  const auto all_of = [&](const std::atomic<uint64_t>& counted) {
    return counted.load(std::memory_order_acquire) == split.parts;
  };
  if (!split.told_local && all_of(split.done.local)) {
    split.told_local = true;
    split.whole->finish_local();
  }
  if (!all_of(split.done.remote) || !split.told_local) return false;
  if (split.signal) {
    if (!split.sent_signal)
      split.sent_signal = primary(split.peer)
                              .put_signal(split.peer, 0, nullptr, 0, split.signal->offset, split.signal->value,
                                          split.signal->op, &split.signalled) == Result::posted;
    if (split.signalled.remote.load(std::memory_order_acquire) == 0) return false;
  }
  split.whole->finish_remote();
  return true;
}

// ---- Waiting and ending ----

Rails::Bell Rails::bell() {
  Bell made;
  for (auto& each : splits_)
    if (each->signal && !each->sent_signal && each->done.remote.load() == each->parts) return {};
  for (auto& each : all_) {
    const Traffic::Bell one = each->bell();
    if (one.count == 0) return {};
    std::copy_n(one.descriptors.begin(), one.count, made.descriptors.begin() + static_cast<std::ptrdiff_t>(made.count));
    made.count += one.count;
  }
  return made;
}

size_t Rails::refused() const {
  size_t refused = 0;
  for (const auto& each : all_) refused += each->links().refused();
  return refused;
}

void Rails::look_around() {
  for (auto& each : all_) each->look_around();
}

bool Rails::all_done() {
  bool done = splits_.empty();
  for (auto& each : all_) done = each->all_done() && done;
  return done;
}

void Rails::ending() {
  for (auto& each : all_) each->ending();
}

const Failure& Rails::failure() const {
  const auto failed = std::ranges::find_if(all_, [](const auto& each) { return !each->failure().text.empty(); });
  return failed == all_.end() ? all_.front()->failure() : (*failed)->failure();
}

}  // namespace weft::conduit::ip
