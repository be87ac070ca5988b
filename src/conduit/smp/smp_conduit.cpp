#include "conduit/smp/smp_conduit.hpp"

#include <algorithm>
#include <cstring>

#include "conduit/cpu_atomic.hpp"
#include "conduit/stream_copy.hpp"
#include "os/processor.hpp"

namespace weft::conduit::smp {
namespace {

// With up to this many callers every poll looks at all queues; beyond, at those with recent traffic and a rotating
// window.
constexpr size_t look_at_all_limit = 32;
constexpr size_t poll_window = 16;
constexpr size_t recent_limit = 16;
// One queue is served for at most this many messages before the others get their turn.
constexpr int poll_batch = 64;

// The most words a message can have: its arguments, and two for a long message's offset and size.
constexpr uint32_t max_words = am_max_args + 2;

// The 32 bits of a slot's header that describe the message.
//   bits 0-15 handler, 16-19 number of arguments, 20-21 kind, 22 long message whose payload travels in the queue
struct Description {
  static uint32_t encode(const AmMessage& message, bool payload_in_queue) {
    return uint32_t{message.handler} | uint32_t{message.arg_count} << 16 | static_cast<uint32_t>(message.kind) << 20 |
           (payload_in_queue ? 1u << 22 : 0u);
  }
  static uint16_t handler(uint32_t bits) { return static_cast<uint16_t>(bits); }
  static uint8_t arg_count(uint32_t bits) { return bits >> 16 & 0xf; }
  static AmKind kind(uint32_t bits) { return static_cast<AmKind>(bits >> 20 & 0x3); }
  static bool payload_in_queue(uint32_t bits) { return (bits >> 22 & 1) != 0; }
};

// Words before the arguments. Medium: position and size of the payload. Long: offset, and position and size.
uint32_t leading_words(AmKind kind) { return kind == AmKind::short_ ? 0 : kind == AmKind::medium ? 1 : 2; }

uint64_t pack_payload(uint32_t position, size_t size) { return uint64_t{position} << 40 | size; }
uint32_t payload_position(uint64_t word) { return static_cast<uint32_t>(word >> 40 << 6); }
size_t payload_size(uint64_t word) { return word & ((uint64_t{1} << 40) - 1); }

}  // namespace

Status SmpConduit::make(const Environment& environment, const base::Settings& settings,
                        std::unique_ptr<Conduit>& conduit) {
  std::shared_ptr<HostMemory> memory;
  Status status = HostMemory::join(*environment.boot, settings, memory);
  if (!status.ok()) return status;
  conduit = std::make_unique<SmpConduit>(environment, settings, std::move(memory));
  return {};
}

SmpConduit::SmpConduit(const Environment& environment, const base::Settings& settings,
                       std::shared_ptr<HostMemory> memory)
    : memory_(std::move(memory)),
      sink_(environment.sink),
      rank_(environment.boot->rank()),
      size_(environment.boot->size()),
      map_peers_(settings.map_peers),
      threads_multiple_(environment.threads_multiple),
      // A quarter, so that a payload always fits somewhere however the ring's end cuts its space.
      max_medium_(memory_->geometry().payload_bytes / 4),
      sleepers_(&memory_->sleeper(0)),
      callers_(memory_->callers(rank_)),
      called_(std::make_unique<std::atomic<Called*>[]>(size_)) {
  recent_.reserve(recent_limit);
}

Capabilities SmpConduit::capabilities() const {
  return {.put_get = map_peers_,
          .atomics = map_peers_,
          .signals = map_peers_,
          .max_medium = max_medium_,
          .max_long = map_peers_ ? SIZE_MAX : max_medium_,
          .may_forbid = true,
          .crowded = size_ > memory_->processor_count()};
}

std::byte* SmpConduit::mapped(RankId peer) const {
  return map_peers_ || peer == rank_ ? memory_->segment(peer) : nullptr;
}

// ---- One-sided operations: all complete at once ----

Result SmpConduit::put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
                       Completion*) {
  std::byte* destination = memory_->segment(peer) + offset;
  if (flags.stream) {
    stream_copy(destination, source, size);
    stream_fence();
  } else {
    std::memcpy(destination, source, size);
  }
  return Result::done;
}

Result SmpConduit::get(void* destination, RankId peer, uint64_t offset, size_t size, Completion*) {
  std::memcpy(destination, memory_->segment(peer) + offset, size);
  return Result::done;
}

Result SmpConduit::fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion*) {
  std::memset(memory_->segment(peer) + offset, byte, size);
  return Result::done;
}

Result SmpConduit::atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion*) {
  run_atomic(memory_->segment(peer) + offset, request);
  return Result::done;
}

Result SmpConduit::put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                              uint64_t value, SignalOp op, Completion*) {
  std::byte* segment = memory_->segment(peer);
  if (size != 0) std::memcpy(segment + offset, source, size);
  apply_signal(segment + signal_offset, value, op);
  nudge(peer);
  return Result::done;
}

// ---- Sending messages ----

void SmpConduit::push(Outgoing& out, RankId peer, const AmMessage& message, uint32_t position) {
  uint64_t scratch[max_words];
  uint64_t* words = out.writer.place(leading_words(message.kind) + message.arg_count, scratch);
  uint32_t count = 0;
  const bool in_queue =
      message.kind == AmKind::medium || (message.kind == AmKind::long_ && !map_peers_ && message.payload != nullptr);
  if (message.kind == AmKind::long_) words[count++] = message.offset;
  if (message.kind != AmKind::short_) words[count++] = pack_payload(position >> 6, message.size);
  for (uint32_t i = 0; i < message.arg_count; ++i) words[count++] = message.args[i];
  if (in_queue) out.writer.claim_payload(message.size);
  out.writer.push(Description::encode(message, in_queue), words, count);
  nudge(peer);
}

// The queues to a rank come into use.
[[gnu::noinline, gnu::cold]] SmpConduit::Called& SmpConduit::call_first(RankId peer) {
  base::OptionalGuard guard(call_lock_, threads_multiple_);
  if (Called* called = called_[peer].load(std::memory_order_relaxed)) return *called;
  const Geometry& geometry = memory_->geometry();
  called_first_.push_back(
      std::unique_ptr<Called>(new Called{.requests = {memory_->queue(rank_, peer, AmClass::request), geometry},
                                         .replies = {memory_->queue(rank_, peer, AmClass::reply), geometry}}));
  memory_->callers(peer).add(rank_);
  called_[peer].store(called_first_.back().get(), std::memory_order_release);
  return *called_first_.back();
}

// Most messages are short, for one thread, and find room.
Result SmpConduit::am_send(RankId peer, AmClass message_class, const AmMessage& message) {
  Outgoing& out = outgoing(peer, message_class);
  if (__builtin_expect(message.kind != AmKind::short_ || threads_multiple_ || !out.writer.has_slots(), 0))
    return send_any(out, peer, message);
  out.writer.push(Description::encode(message, false), message.args, message.arg_count);
  nudge(peer);
  return Result::done;
}

[[gnu::noinline]] Result SmpConduit::send_any(Outgoing& out, RankId peer, const AmMessage& message) {
  base::OptionalGuard guard(out.lock, threads_multiple_);
  const uint32_t words = leading_words(message.kind) + message.arg_count;
  const bool carries = message.payload != nullptr;
  const bool through_queue = carries && (message.kind == AmKind::medium || !map_peers_);
  if (!out.writer.has_room(words, through_queue ? message.size : 0)) {
    nudge(peer);
    return Result::retry;
  }
  uint32_t position = 0;
  if (through_queue) {
    std::byte* room = out.writer.reserve_payload(message.size, position);
    std::memcpy(room, message.payload, message.size);
  } else if (carries && message.size != 0) {
    std::memcpy(memory_->segment(peer) + message.offset, message.payload, message.size);
  }
  push(out, peer, message, position);
  return Result::done;
}

Result SmpConduit::am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) {
  Outgoing& out = outgoing(peer, message_class);
  if (threads_multiple_) out.lock.lock();
  if (!out.writer.has_room(max_words, capacity)) {
    if (threads_multiple_) out.lock.unlock();
    nudge(peer);
    return Result::retry;
  }
  room.data = out.writer.reserve_payload(capacity, out.prepared_position);
  room.capacity = capacity;
  return Result::done;
}

void SmpConduit::am_commit(RankId peer, AmClass message_class, const AmMessage& message) {
  Outgoing& out = outgoing(peer, message_class);
  push(out, peer, message, out.prepared_position);
  if (threads_multiple_) out.lock.unlock();
}

void SmpConduit::am_cancel(RankId peer, AmClass message_class) {
  if (threads_multiple_) outgoing(peer, message_class).lock.unlock();
}

// ---- Receiving ----

template <AmClass message_class>
inline void SmpConduit::deliver(RankId source, RingReader& reader, uint32_t description) {
  if (__builtin_expect(Description::kind(description) != AmKind::short_, 0)) {
    deliver_payload(source, reader, message_class, description);
    return;
  }
  uint64_t storage[max_words];
  const uint8_t count = Description::arg_count(description);
  sink_->deliver({.message_class = message_class,
                  .kind = AmKind::short_,
                  .handler = Description::handler(description),
                  .arg_count = count,
                  .source = source,
                  .args = reader.words(count, storage),
                  .payload = nullptr,
                  .size = 0});
  reader.pop(count);
}

[[gnu::noinline]] void SmpConduit::deliver_payload(RankId source, RingReader& reader, AmClass message_class,
                                                   uint32_t description) {
  AmDelivery message{};
  message.message_class = message_class;
  message.kind = Description::kind(description);
  message.handler = Description::handler(description);
  message.arg_count = Description::arg_count(description);
  message.source = source;
  const uint32_t leading = leading_words(message.kind);
  const uint32_t count = leading + message.arg_count;
  uint64_t storage[max_words];
  const uint64_t* words = reader.words(count, storage);
  message.args = words + leading;
  if (message.kind == AmKind::medium) {
    message.size = payload_size(words[0]);
    message.payload = reader.payload(payload_position(words[0]));
  } else {
    message.size = payload_size(words[1]);
    message.payload = segment() + words[0];
    if (Description::payload_in_queue(description))
      std::memcpy(message.payload, reader.payload(payload_position(words[1])), message.size);
  }
  sink_->deliver(message);
  reader.pop(count);
}

inline bool SmpConduit::reply_will_fit(RankId source) {
  Called* called = threads_multiple_ ? nullptr : called_[source].load(std::memory_order_relaxed);
  const bool fits = called != nullptr && called->replies.writer.has_ample_room();
  return __builtin_expect(fits, 1) || make_sure_of_reply(source);
}

[[gnu::noinline]] bool SmpConduit::make_sure_of_reply(RankId source) {
  if (called_[source].load(std::memory_order_acquire) == nullptr) return true;  // it was never sent anything
  Outgoing& replies = outgoing(source, AmClass::reply);
  base::OptionalGuard guard(replies.lock, threads_multiple_);
  return replies.writer.has_room(max_words, max_medium_);
}

template <AmClass message_class>
[[gnu::always_inline]] inline int SmpConduit::receive(RankId source, RingReader& reader) {
  int handled = 0;
  uint32_t description = 0;
  while (handled < poll_batch && reader.peek(description)) {
    // A request is taken only when its reply is sure to fit; it waits in its queue otherwise.
    if (message_class == AmClass::request && !reply_will_fit(source)) break;
    // A second message in one go is the mark of a flood.
    if (handled != 0) reader.fetch_ahead();
    deliver<message_class>(source, reader, description);
    ++handled;
  }
  if (handled != 0) reader.publish();
  return handled;
}

[[gnu::noinline]] int SmpConduit::receive_ready(Incoming& in) {
  const int replies = receive<AmClass::reply>(in.source, in.replies);
  return replies + receive<AmClass::request>(in.source, in.requests);
}

inline int SmpConduit::receive_from(Incoming& in) {
  return __builtin_expect(in.replies.ready() || in.requests.ready(), 0) ? receive_ready(in) : 0;
}

inline int SmpConduit::receive_from_all() {
  RankId fresh;
  if (__builtin_expect(callers_.at(incoming_.size(), fresh), 0)) admit_callers();
  int handled = 0;
  for (Incoming& in : incoming_) handled += receive_from(in);
  return handled;
}

[[gnu::noinline, gnu::cold]] void SmpConduit::admit_callers() {
  for (RankId source; callers_.at(incoming_.size(), source);) {
    const auto reader = [&](AmClass message_class) {
      const Queue queue = memory_->queue(source, rank_, message_class);
      return RingReader(queue.ring, memory_->geometry().am_slots, queue.payload);
    };
    incoming_.push_back({source, reader(AmClass::request), reader(AmClass::reply)});
  }
}

int SmpConduit::poll() {
  if (__builtin_expect(threads_multiple_ || incoming_.size() > look_at_all_limit, 0)) return poll_in_turns();
  return receive_from_all();
}

[[gnu::noinline]] int SmpConduit::poll_in_turns() {
  if (threads_multiple_ && !poll_lock_.try_lock()) return 0;
  int handled = 0;
  if (incoming_.size() <= look_at_all_limit) {
    handled = receive_from_all();
  } else {
    admit_callers();
    for (const size_t each : recent_) handled += receive_from(incoming_[each]);
    for (size_t i = 0; i < poll_window; ++i) {
      const size_t each = next_;
      next_ = next_ + 1 == incoming_.size() ? 0 : next_ + 1;
      const int here = receive_from(incoming_[each]);
      handled += here;
      if (here == 0 || std::ranges::find(recent_, each) != recent_.end()) continue;
      if (recent_.size() == recent_limit) recent_.erase(recent_.begin());
      recent_.push_back(each);
    }
  }
  if (threads_multiple_) poll_lock_.unlock();
  return handled;
}

int SmpConduit::poll_all() {
  base::OptionalGuard guard(poll_lock_, threads_multiple_);
  return receive_from_all();
}

// ---- Sleeping and waking ----

bool SmpConduit::message_waiting() {
  if (threads_multiple_ && !poll_lock_.try_lock()) return true;  // another thread is receiving right now
  RankId fresh;
  uint32_t description = 0;
  const bool waiting = callers_.at(incoming_.size(), fresh) || std::ranges::any_of(incoming_, [&](const Incoming& in) {
                         return in.requests.peek(description) || in.replies.peek(description);
                       });
  if (threads_multiple_) poll_lock_.unlock();
  return waiting;
}

void SmpConduit::doze(uint64_t timeout_ns) {
  sleepers_[rank_].doze([this] { return message_waiting(); },
                        [=](auto& word, uint32_t expected) { os::futex_wait(word, expected, timeout_ns); });
}

void SmpConduit::nudge(RankId peer) { sleepers_[peer].nudge(os::futex_wake_all); }

}  // namespace weft::conduit::smp
