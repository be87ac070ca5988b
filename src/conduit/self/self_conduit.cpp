#include "conduit/self/self_conduit.hpp"

#include <array>
#include <cstring>

#include "base/log.hpp"
#include "base/spin_lock.hpp"
#include "boot/boot.hpp"
#include "conduit/cpu_atomic.hpp"
#include "conduit/segment_size.hpp"
#include "os/clock.hpp"
#include "os/shared_memory.hpp"

namespace weft::conduit::self {
namespace {

constexpr size_t queue_length = 64;
constexpr size_t largest_medium = 16384;

// A message at rest. Its payload lies in the segment (long) or here (medium).
struct Message {
  AmKind kind;
  uint16_t handler;
  uint8_t arg_count;
  uint64_t args[am_max_args];
  size_t size;
  uint64_t offset;
  alignas(16) std::byte payload[largest_medium];
};

// First in, first out, of fixed length.
struct Queue {
  std::array<Message, queue_length> messages;
  size_t head = 0, count = 0;

  bool full() const { return count == queue_length; }
  Message& next_free() { return messages[(head + count) % queue_length]; }
  Message& front() { return messages[head]; }
  void pop() {
    head = (head + 1) % queue_length;
    --count;
  }
};

class SelfConduit final : public Conduit {
 public:
  SelfConduit(const Environment& environment, os::Mapping segment)
      : segment_(std::move(segment)),
        sink_(environment.sink),
        threads_multiple_(environment.threads_multiple),
        requests_(std::make_unique<Queue>()),
        replies_(std::make_unique<Queue>()) {}

  Capabilities capabilities() const override {
    return {.put_get = true,
            .atomics = true,
            .signals = true,
            .max_medium = largest_medium,
            .max_long = SIZE_MAX,
            .may_forbid = true};
  }
  RankId rank() const override { return 0; }
  RankId size() const override { return 1; }
  RankId host_rank() const override { return 0; }
  RankId host_size() const override { return 1; }
  std::byte* segment() const override { return segment_.address(); }
  size_t segment_size() const override { return segment_.size(); }
  std::byte* mapped(RankId) const override { return segment(); }

  // ---- One-sided operations: done at once ----

  Result put(RankId, uint64_t offset, const void* source, size_t size, TransferFlags, Completion*) override {
    std::memcpy(segment() + offset, source, size);
    return Result::done;
  }
  Result get(void* destination, RankId, uint64_t offset, size_t size, Completion*) override {
    std::memcpy(destination, segment() + offset, size);
    return Result::done;
  }
  Result fill(RankId, uint64_t offset, uint8_t byte, size_t size, Completion*) override {
    std::memset(segment() + offset, byte, size);
    return Result::done;
  }
  Result atomic(RankId, uint64_t offset, const AtomicRequest& request, Completion*) override {
    run_atomic(segment() + offset, request);
    return Result::done;
  }
  Result put_signal(RankId, uint64_t offset, const void* source, size_t size, uint64_t signal_offset, uint64_t value,
                    SignalOp op, Completion*) override {
    if (size != 0) std::memcpy(segment() + offset, source, size);
    apply_signal(segment() + signal_offset, value, op);
    return Result::done;
  }

  // ---- Messages: one queue per class, so that replies never wait behind requests ----

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    AmRoom room;
    if (am_prepare(peer, message_class, 0, room) == Result::retry) return Result::retry;
    if (message.kind == AmKind::medium)
      std::memcpy(room.data, message.payload, message.size);
    else if (message.kind == AmKind::long_ && message.payload != nullptr)
      std::memcpy(segment() + message.offset, message.payload, message.size);
    am_commit(peer, message_class, message);
    return Result::done;
  }
  // The lock is held from here to commit or cancel: the room is the queue's next free place.
  Result am_prepare(RankId, AmClass message_class, size_t capacity, AmRoom& room) override {
    if (threads_multiple_) queue_lock_.lock();
    Queue& queue = queue_of(message_class);
    if (queue.full()) {
      if (threads_multiple_) queue_lock_.unlock();
      return Result::retry;
    }
    room = {queue.next_free().payload, capacity};
    return Result::done;
  }
  void am_commit(RankId, AmClass message_class, const AmMessage& message) override {
    Queue& queue = queue_of(message_class);
    Message& stored = queue.next_free();
    stored.kind = message.kind;
    stored.handler = message.handler;
    stored.arg_count = message.arg_count;
    for (uint32_t i = 0; i < message.arg_count; ++i) stored.args[i] = message.args[i];
    stored.size = message.size;
    stored.offset = message.offset;
    // A long message that was prepared here moves to its place.
    if (message.kind == AmKind::long_ && message.payload == stored.payload)
      std::memcpy(segment() + message.offset, stored.payload, message.size);
    ++queue.count;
    if (threads_multiple_) queue_lock_.unlock();
  }
  void am_cancel(RankId, AmClass) override {
    if (threads_multiple_) queue_lock_.unlock();
  }

  int poll() override {
    if (threads_multiple_ && !poll_lock_.try_lock()) return 0;
    int handled = 0;
    // A request is taken only while its reply is sure to fit (conduit.hpp, AmSink).
    for (AmClass message_class : {AmClass::reply, AmClass::request})
      while (ready(message_class)) {
        deliver(message_class);
        ++handled;
      }
    if (threads_multiple_) poll_lock_.unlock();
    return handled;
  }

  // Nobody else could wake this rank.
  void doze(uint64_t timeout_ns) override { os::sleep_ns(timeout_ns); }
  void nudge(RankId) override {}

  Status finalize() override { return {}; }

 private:
  Queue& queue_of(AmClass message_class) { return message_class == AmClass::request ? *requests_ : *replies_; }

  bool ready(AmClass message_class) {
    base::OptionalGuard guard(queue_lock_, threads_multiple_);
    if (message_class == AmClass::reply) return replies_->count > 0;
    return requests_->count > 0 && !replies_->full();
  }

  // The front of a queue stays in place until it is popped, so the handler may read it while others append.
  void deliver(AmClass message_class) {
    Queue& queue = queue_of(message_class);
    Message& message = queue.front();
    AmDelivery delivery{};
    delivery.message_class = message_class;
    delivery.kind = message.kind;
    delivery.handler = message.handler;
    delivery.arg_count = message.arg_count;
    delivery.args = message.args;
    delivery.size = message.size;
    if (message.kind == AmKind::medium) delivery.payload = message.payload;
    if (message.kind == AmKind::long_) delivery.payload = segment() + message.offset;
    sink_->deliver(delivery);
    base::OptionalGuard guard(queue_lock_, threads_multiple_);
    queue.pop();
  }

  os::Mapping segment_;
  AmSink* sink_;
  bool threads_multiple_;
  std::unique_ptr<Queue> requests_;
  std::unique_ptr<Queue> replies_;
  base::SpinLock queue_lock_;
  base::SpinLock poll_lock_;
};

}  // namespace

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  if (environment.boot->size() != 1) {
    base::log_error("WEFT_CONDUIT=self is for jobs of one rank; this job has %u", environment.boot->size());
    return WEFT_ERR_BOOT;
  }
  os::Mapping segment;
  const Status status = os::Mapping::make("weft-self", wanted_segment_size(settings, 1), segment);
  if (!status.ok()) return status;
  conduit = std::make_unique<SelfConduit>(environment, std::move(segment));
  return {};
}

}  // namespace weft::conduit::self
