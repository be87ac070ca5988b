#include "conduit/ofi/ofi_conduit.hpp"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <mutex>
#include <vector>

#include "base/log.hpp"
#include "boot/fence_while.hpp"
#include "boot/hosts.hpp"
#include "conduit/cpu_atomic.hpp"
#include "conduit/ofi/messenger.hpp"
#include "conduit/ofi/service.hpp"
#include "conduit/ofi/start.hpp"
#include "conduit/ofi/state.hpp"
#include "conduit/ofi/transfers.hpp"
#include "conduit/progress_thread.hpp"
#include "os/clock.hpp"
#include "os/processor.hpp"

namespace weft::conduit::ofi {
namespace {

constexpr uint64_t microsecond = 1000, millisecond = 1'000'000;
// libfabric's descriptor has been seen to stay silent though a message had come (two tcp rails, 1.17): look at least so
// often.
constexpr uint64_t longest_sleep_ns = 10 * millisecond;
// Without a descriptor. While nothing comes each sleep is a sixteenth longer than the one before, so that a rank wakes
// late by a sixteenth of its wait at most.
constexpr uint64_t first_blind_sleep_ns = 100 * microsecond, longest_blind_sleep_ns = millisecond;

class OfiConduit final : public Conduit {
 public:
  OfiConduit(const Environment& environment, const base::Settings& settings)
      : state_(*environment.boot),
        messenger_(state_, environment.sink),
        transfers_(state_, messenger_),
        service_(state_, messenger_, transfers_),
        native_(settings.map_peers),
        host_rank_(environment.hosts->host_rank(state_.rank)),
        host_size_(environment.hosts->host_size(state_.rank)) {}

  Status open(const Environment& environment, const base::Settings& settings);

  Capabilities capabilities() const override {
    return {.put_get = native_,
            .atomics = native_,
            .signals = native_,
            .pack_pieces = pack_pieces_,
            .max_medium = state_.payload_max(),
            .max_long = state_.payload_max(),
            .lossless = state_.lossless,
            .crowded = host_size_ > os::processor_count()};
  }
  RankId rank() const override { return state_.rank; }
  RankId size() const override { return state_.size; }
  RankId host_rank() const override { return host_rank_; }
  RankId host_size() const override { return host_size_; }
  std::byte* segment() const override { return state_.segment; }
  size_t segment_size() const override { return state_.segment_size; }
  std::byte* mapped(RankId peer) const override { return peer == state_.rank ? state_.segment : nullptr; }

  // ---- One-sided operations; those on this rank itself are done at once ----

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags,
             Completion* completion) override {
    if (peer == state_.rank || size == 0) {
      if (size != 0) std::memcpy(state_.segment + offset, source, size);
      return Result::done;
    }
    std::lock_guard guard(state_.lock);
    return transfers_.put(peer, offset, source, size, completion);
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    if (peer == state_.rank || size == 0) {
      if (size != 0) std::memcpy(destination, state_.segment + offset, size);
      return Result::done;
    }
    std::lock_guard guard(state_.lock);
    return transfers_.get(destination, peer, offset, size, completion);
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    if (peer == state_.rank || size == 0) {
      if (size != 0) std::memset(state_.segment + offset, byte, size);
      return Result::done;
    }
    std::lock_guard guard(state_.lock);
    return service_.fill(peer, offset, byte, size, completion);
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    if (peer == state_.rank) {
      run_atomic(state_.segment + offset, request);
      return Result::done;
    }
    std::lock_guard guard(state_.lock);
    return service_.atomic(peer, offset, request, completion);
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    if (peer == state_.rank) {
      if (size != 0) std::memcpy(state_.segment + offset, source, size);
      apply_signal(state_.segment + signal_offset, value, op);
      return Result::done;
    }
    std::lock_guard guard(state_.lock);
    if (size <= Service::signal_payload_max)
      return service_.put_signal(peer, offset, source, size, signal_offset, value, op, completion);
    return transfers_.put_signal(peer, offset, source, size, signal_offset, value, op, completion);
  }

  // ---- Messages ----

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    std::lock_guard guard(state_.lock);
    return messenger_.send(peer, on_wire(message_class, message), message_class == AmClass::reply);
  }
  Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) override {
    std::lock_guard guard(state_.lock);
    Prepared prepared;
    if (!messenger_.prepare(peer, message_class, capacity, prepared)) return Result::retry;
    room = {prepared.payload(), capacity};
    preparing() = prepared;
    return Result::done;
  }
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override {
    std::lock_guard guard(state_.lock);
    messenger_.commit(peer, on_wire(message_class, message), preparing());
  }
  void am_cancel(RankId peer, AmClass) override {
    std::lock_guard guard(state_.lock);
    messenger_.cancel(peer, preparing());
  }

  // ---- Progress ----

  int poll() override {
    if (!poll_lock_.try_lock()) return 0;
    progress_thread_.rank_polls();
    int handled = drain() + events_in_doze_.exchange(0, std::memory_order_relaxed);
    handled += messenger_.deliver_some();
    if (__builtin_expect(broken_, 0)) give_up(*state_.boot, state_.failure);
    poll_lock_.unlock();
    return handled;
  }
  void doze(uint64_t timeout_ns) override;
  void nudge(RankId) override {}  // peers' memory is not mapped
  Status finalize() override;

 private:
  static WireMessage on_wire(AmClass message_class, const AmMessage& message) {
    WireMessage wire;
    const bool carries = message.kind != AmKind::short_ && message.payload != nullptr;
    wire.description = {static_cast<WireKind>(message.kind), message_class, message.arg_count, !carries};
    wire.handler = message.handler;
    wire.args = message.args;
    wire.payload = carries ? static_cast<const std::byte*>(message.payload) : nullptr;
    wire.size = message.kind == AmKind::short_ ? 0 : message.size;
    wire.offset = message.offset;
    return wire;
  }
  // Between am_prepare() and am_commit() a thread makes no other call, so one per thread is enough.
  static Prepared& preparing() {
    static thread_local Prepared prepared;
    return prepared;
  }

  int drain();
  void complete(Rail& rail, const fi_cq_data_entry& entry);
  void handle_error(Rail& rail);
  bool nothing_to_do();
  bool look_around();
  bool wait_for_events(uint64_t timeout_ns, int also);
  bool drain_for_rank();

  os::Mapping own_segment_;  // outlives the registrations in state_
  State state_;
  Messenger messenger_;
  Transfers transfers_;
  Service service_;
  bool native_, pack_pieces_ = false;
  RankId host_rank_, host_size_;
  bool timers_ = false;  // the provider resends by the clock, so it may not sleep for long
  std::atomic<uint64_t> blind_sleep_ns_{first_blind_sleep_ns};
  std::atomic<uint64_t> empty_look_ns_{UINT64_MAX};  // about the shortest time that drain() has taken
  std::atomic<int> events_in_doze_{0};               // the next poll() tells of them, so that who waits stays awake
  std::vector<fi_cq_data_entry> entries_;            // of drain()
  bool broken_ = false;                              // a copy of "state_.failure has a text" for poll()
  base::SpinLock poll_lock_;
  ProgressThread progress_thread_;  // ends before the rest
};

Status OfiConduit::open(const Environment& environment, const base::Settings& settings) {
  Status status = start(environment, settings, state_, own_segment_);
  if (status.ok()) status = messenger_.open();
  // Nobody sends before everybody can receive.
  const Status fenced = environment.boot->fence();
  if (!status.ok()) return status;
  if (!fenced.ok()) return fenced;
  timers_ = std::ranges::any_of(state_.rails, [](const auto& rail) { return rail->datagrams(); });
  const bool targets_poll = std::ranges::any_of(state_.rails, [](const auto& rail) { return rail->target_polls(); });
  pack_pieces_ = targets_poll && settings.progress == "poll" && state_.order != Order::strict;
  for (const auto& rail : state_.rails) entries_.resize(std::max(entries_.size(), rail->completions_per_look()));
  if (settings.progress == "thread") {
    const auto sleep = [this](int stop) { return !nothing_to_do() || wait_for_events(longest_sleep_ns, stop); };
    progress_thread_.start(sleep, [this] { return drain_for_rank(); });
  }
  return {};
}

// Takes what the network has: completions of own operations, and messages, of which the conduit's own are carried out.
int OfiConduit::drain() {
  std::lock_guard guard(state_.lock);
  int handled = transfers_.flush();
  for (auto& rail : state_.rails) {
    const ssize_t count = rail->take(entries_);
    for (ssize_t i = 0; i < count; ++i) complete(*rail, entries_[static_cast<size_t>(i)]);
    if (count > 0) handled += static_cast<int>(count);
    if (count == -FI_EAVAIL) handle_error(*rail);
    if (count < 0 && count != -FI_EAVAIL && count != -FI_EAGAIN)
      state_.fail({std::string("the completion queue cannot be read: ") + rail->library().error(count)});
  }
  handled += messenger_.flush();
  broken_ = !state_.failure.text.empty();
  return handled;
}

void OfiConduit::complete(Rail& rail, const fi_cq_data_entry& entry) {
  if (entry.op_context == nullptr) return;
  auto& operation = *static_cast<Operation*>(entry.op_context);
  switch (operation.kind) {
    case Operation::Kind::receive:
      return messenger_.take_in(rail, operation, entry);
    case Operation::Kind::send:
      return messenger_.sent(operation);
    default:
      return transfers_.finished(operation);
  }
}

void OfiConduit::handle_error(Rail& rail) {
  fi_cq_err_entry entry;
  if (!rail.take_error(entry)) return;
  // Datagrams are checked before they get so far: it is the job's own data that is lost.
  if (rail.datagrams() && entry.err == FI_ETRUNC)
    return state_.fail({"lost data through " + interface_of(rail.info()) + ": " + rail.error_text(entry)});
  if (entry.op_context == nullptr) return;
  auto& operation = *static_cast<Operation*>(entry.op_context);
  if (operation.kind == Operation::Kind::receive) {
    if (entry.err != FI_ECANCELED) messenger_.take_unplaced(rail, operation, entry);
    return;
  }
  state_.fail({"lost contact with rank " + std::to_string(operation.peer) + ": " + rail.error_text(entry), true});
}

// ---- Sleeping ----

bool OfiConduit::nothing_to_do() {
  std::lock_guard guard(state_.lock);
  if (!messenger_.idle() || !transfers_.idle() || !state_.failure.text.empty()) return false;
  return std::ranges::all_of(state_.rails, [](auto& rail) { return rail->wait_descriptor() < 0 || rail->may_sleep(); });
}

// Sleeps until a completion may be there, the descriptor `also` (if not -1) is readable, or the time is over. False if
// nothing came.
bool OfiConduit::wait_for_events(uint64_t timeout_ns, int also) {
  std::array<pollfd, max_rails + 1> descriptors{};
  nfds_t count = 0;
  timeout_ns = std::min(timeout_ns, longest_sleep_ns);
  for (auto& rail : state_.rails) {
    if (rail->wait_descriptor() < 0)
      timeout_ns = std::min(timeout_ns, blind_sleep_ns_.load(std::memory_order_relaxed));
    else
      descriptors[count++] = {rail->wait_descriptor(), POLLIN, 0};
  }
  if (also >= 0) descriptors[count++] = {also, POLLIN, 0};
  if (timers_) timeout_ns = std::min(timeout_ns, millisecond);
  const timespec timeout = os::timespec_of(timeout_ns);
  return ::ppoll(descriptors.data(), count, &timeout, nullptr) > 0;
}

void OfiConduit::doze(uint64_t timeout_ns) {
  // What the network has declined so far needs another try soon.
  if (!nothing_to_do()) return;
  wait_for_events(timeout_ns, -1);
  if (state_.rails.front()->wait_descriptor() >= 0) return;
  const uint64_t slept = blind_sleep_ns_.load(std::memory_order_relaxed);
  const uint64_t next = look_around() ? first_blind_sleep_ns : std::min(slept * 17 / 16, longest_blind_sleep_ns);
  blind_sleep_ns_.store(next, std::memory_order_relaxed);
}

// After a blind sleep. Several messages may have come meanwhile, and a look takes in one; puts and gets of others are
// no events, so only the time that a look takes tells that there was something: it includes sending an answer. While
// there is, the rank stays awake. True if there was something.
bool OfiConduit::look_around() {
  constexpr uint64_t at_least_ns = 5 * microsecond, after_something_ns = 50 * microsecond;
  uint64_t now = os::now_ns();
  bool found = false;
  for (uint64_t end = now + at_least_ns; now < end;) {
    if (const int handled = drain(); handled != 0) {
      events_in_doze_.fetch_add(handled, std::memory_order_relaxed);
      return true;
    }
    const uint64_t took = os::now_ns() - now;
    now += took;
    const uint64_t empty = std::min(empty_look_ns_.load(std::memory_order_relaxed), took);
    empty_look_ns_.store(empty, std::memory_order_relaxed);
    const bool found_now = took > 4 * empty;
    sched_yield();  // to those it waits for, if they share its processor; a long look may have been their time
    now = os::now_ns();
    if (!found_now) continue;
    found = true;
    end = now + after_something_ns;
  }
  return found;
}

// For the progress thread. Messages for the program wait for the rank itself; until it comes there is nothing to wake
// for.
bool OfiConduit::drain_for_rank() {
  (void)drain();
  std::lock_guard guard(state_.lock);
  return messenger_.idle() && transfers_.idle();
}

// Until every request has been handled: its credit is back, and the reply came before it. Then until all have come
// here, because a rank that has left the last barrier may still have to resend, acknowledge or take what others send.
Status OfiConduit::finalize() {
  const auto all_handled = [&] {
    std::lock_guard guard(state_.lock);
    return messenger_.give_all_credits_back() && messenger_.idle() && transfers_.idle();
  };
  while (!all_handled())
    if (poll() == 0) doze(millisecond);
  // Others wait for their credits, of messages that come only now.
  const Status status = boot::fence_while(*state_.boot, [&](int) {
    (void)all_handled();
    if (poll() == 0) doze(millisecond);
  });
  progress_thread_.stop();
  return status;
}

}  // namespace

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  auto made = std::make_unique<OfiConduit>(environment, settings);
  const Status status = made->open(environment, settings);
  if (status.ok()) conduit = std::move(made);
  return status;
}

}  // namespace weft::conduit::ofi
