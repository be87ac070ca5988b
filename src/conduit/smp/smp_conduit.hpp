// The shared-memory transport: ranks of one host, as processes or as threads of one process. Puts and gets are memory
// copies, atomics are the processor's, active messages go through one queue per pair of ranks and class (ring.hpp),
// which both sides make when the first message goes that way (callers.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"
#include "conduit/smp/host_memory.hpp"

namespace weft::conduit::smp {

class SmpConduit final : public Conduit {
 public:
  static Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

  SmpConduit(const Environment& environment, const base::Settings& settings, std::shared_ptr<HostMemory> memory);

  Capabilities capabilities() const override;
  RankId rank() const override { return rank_; }
  RankId size() const override { return size_; }
  RankId host_rank() const override { return rank_; }
  RankId host_size() const override { return size_; }
  std::byte* segment() const override { return memory_->segment(rank_); }
  size_t segment_size() const override { return memory_->geometry().segment_size; }
  std::byte* mapped(RankId peer) const override;

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
             Completion* completion) override;
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override;
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override;
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override;
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override;

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override;
  Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) override;
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override;
  void am_cancel(RankId peer, AmClass message_class) override;

  int poll() override;
  int poll_all() override;
  void doze(uint64_t timeout_ns) override;
  void nudge(RankId peer) override;
  Status finalize() override { return {}; }

  /// What a rank takes of memory for each rank of its host; for each that it has sent something, or had something
  /// from.
  static size_t bytes_per_rank() { return sizeof(std::atomic<Called*>); }
  static size_t bytes_per_called(const Geometry& geometry) {
    return sizeof(Called) + 2 * geometry.am_slots * sizeof(uint64_t);
  }
  static size_t bytes_per_caller() { return sizeof(Incoming); }

 private:
  // The sending end of one queue. The lock is taken only when the program uses several threads.
  struct alignas(cache_line) Outgoing {
    Outgoing(Queue queue, const Geometry& geometry)
        : writer(queue.ring, geometry.am_slots, queue.payload, geometry.payload_bytes) {}
    RingWriter writer;
    base::SpinLock lock;
    uint32_t prepared_position = 0;
  };
  // Those of the two queues to one rank.
  struct Called {
    Outgoing requests, replies;
    Outgoing& of(AmClass message_class) { return message_class == AmClass::request ? requests : replies; }
  };
  // The receiving ends of the two queues from one rank.
  struct alignas(cache_line) Incoming {
    RankId source;
    RingReader requests, replies;
  };

  Outgoing& outgoing(RankId peer, AmClass message_class) {
    // acquire: another thread may have made it.
    Called* called = called_[peer].load(std::memory_order_acquire);
    if (__builtin_expect(called == nullptr, 0)) called = &call_first(peer);
    return called->of(message_class);
  }
  Called& call_first(RankId peer);
  void admit_callers();
  Result send_any(Outgoing& out, RankId peer, const AmMessage& message);
  void push(Outgoing& out, RankId peer, const AmMessage& message, uint32_t payload_position);
  int poll_in_turns();
  int receive_from(Incoming& in);
  int receive_from_all();
  int receive_ready(Incoming& in);
  template <AmClass message_class>
  int receive(RankId source, RingReader& reader);
  bool reply_will_fit(RankId source);
  bool make_sure_of_reply(RankId source);
  template <AmClass message_class>
  void deliver(RankId source, RingReader& reader, uint32_t description);
  void deliver_payload(RankId source, RingReader& reader, AmClass message_class, uint32_t description);
  bool message_waiting();

  std::shared_ptr<HostMemory> memory_;
  AmSink* sink_;
  RankId rank_;
  RankId size_;
  bool map_peers_;
  bool threads_multiple_;
  size_t max_medium_;
  Sleeper* sleepers_;                                  // by rank
  Callers& callers_;                                   // of this rank
  std::unique_ptr<std::atomic<Called*>[]> called_;     // by rank; null: nothing was sent there yet
  std::vector<std::unique_ptr<Called>> called_first_;  // in the order of the first messages
  base::SpinLock call_lock_;                           // guards that
  std::vector<Incoming> incoming_;                     // in the order of callers_
  base::SpinLock poll_lock_;
  size_t next_ = 0;             // of incoming_: where the rotating part of the next poll starts
  std::vector<size_t> recent_;  // of incoming_: looked at by every poll when there are many
};

}  // namespace weft::conduit::smp
