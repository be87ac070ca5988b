#include "conduit/ip/rails.hpp"

#include <algorithm>

namespace weft::conduit::ip {

namespace {

// Less than this would not pay for a frame of its own, and parts end at multiples of it.
constexpr size_t part_least = size_t{16} << 10;

}  // namespace

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

Traffic& Rails::lightest(RankId peer) {
  Traffic* best = all_.front().get();
  size_t least = best->under_way(peer);
  for (size_t i = 1; i < all_.size(); ++i) {
    if (!all_[i]->reaches(peer) || all_[i]->under_way(peer) >= least) continue;
    best = all_[i].get();
    least = best->under_way(peer);
  }
  return *best;
}

// So that all have the same number of bytes under way afterwards, as far as that can be.
Rails::Parts Rails::parts_of(RankId peer, size_t size) {
  struct Load {
    size_t rail, bytes;
  };
  std::vector<Load> loads;
  for (size_t i = 0; i < all_.size(); ++i)
    if (i == 0 || all_[i]->reaches(peer)) loads.push_back({i, all_[i]->under_way(peer)});
  std::ranges::sort(loads, {}, &Load::bytes);
  // The level to which the first `used` rise together.
  size_t used = 0, sum = size, level = 0;
  while (used < loads.size() && (used == 0 || loads[used].bytes < level)) {
    sum += loads[used++].bytes;
    level = sum / used;
  }
  Parts parts;
  size_t begin = 0;
  for (size_t i = 0; i < used && begin < size; ++i) {
    const size_t wanted = std::max(part_least, (level - loads[i].bytes) / part_least * part_least);
    const size_t rest = size - begin;
    const size_t part = i + 1 == used || rest < wanted + part_least ? rest : wanted;
    parts.of[parts.count++] = {loads[i].rail, begin, part};
    begin += part;
  }
  return parts;
}

bool Rails::splits(RankId peer, size_t size, Parts& parts) {
  if (size < split_least) return false;
  parts = parts_of(peer, size);
  return parts.count > 1;
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

Result Rails::split_put(RankId to, uint64_t offset, const void* source, const Parts& parts, Completion* completion,
                        std::optional<Signal> signal) {
  if (!admitted(to, parts)) return Result::retry;
  Split& split = begin_split(to, parts, completion);
  split.signal = signal;
  for (size_t i = 0; i < parts.count; ++i) {
    const Part& part = parts.of[i];
    (void)all_[part.rail]->put(to, offset + part.begin, static_cast<const std::byte*>(source) + part.begin, part.size,
                               &split.done);
  }
  return Result::posted;
}

Result Rails::put(RankId to, uint64_t offset, const void* source, size_t size, Completion* completion) {
  if (!shares(to, size)) return primary(to).put(to, offset, source, size, completion);
  if (Parts parts; splits(to, size, parts)) return split_put(to, offset, source, parts, completion, {});
  return lightest(to).put(to, offset, source, size, completion);
}

Result Rails::get(void* destination, RankId from, uint64_t offset, size_t size, Completion* completion) {
  if (!shares(from, size)) return primary(from).get(destination, from, offset, size, completion);
  Parts parts;
  if (!splits(from, size, parts)) return lightest(from).get(destination, from, offset, size, completion);
  if (!admitted(from, parts)) return Result::retry;
  Split& split = begin_split(from, parts, completion);
  for (size_t i = 0; i < parts.count; ++i) {
    const Part& part = parts.of[i];
    (void)all_[part.rail]->get(static_cast<std::byte*>(destination) + part.begin, from, offset + part.begin, part.size,
                               &split.done);
  }
  return Result::posted;
}

Result Rails::put_signal(RankId to, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                         uint64_t value, SignalOp op, Completion* completion) {
  if (!shares(to, size)) return primary(to).put_signal(to, offset, source, size, signal_offset, value, op, completion);
  if (Parts parts; splits(to, size, parts))
    return split_put(to, offset, source, parts, completion, Signal{signal_offset, value, op});
  return lightest(to).put_signal(to, offset, source, size, signal_offset, value, op, completion);
}

// ---- Progress ----

int Rails::progress_of_others() {
  int done = 0;
  for (size_t i = 1; i < all_.size(); ++i) done += all_[i]->progress();
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
