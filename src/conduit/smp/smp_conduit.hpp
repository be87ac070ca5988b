// The shared-memory transport: ranks of one host, as processes or as threads of one process. Puts and gets are memory
// copies, atomics are the processor's, active messages go through one queue per pair of ranks and class (ring.hpp).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"
#include "conduit/smp/node.hpp"

namespace weft::conduit::smp {

class SmpConduit final : public Conduit {
 public:
  static Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

  SmpConduit(const Environment& environment, const base::Settings& settings, std::shared_ptr<Node> node);

  Capabilities capabilities() const override;
  RankId rank() const override { return rank_; }
  RankId size() const override { return size_; }
  RankId host_rank() const override { return rank_; }
  RankId host_size() const override { return size_; }
  std::byte* segment() const override { return node_->segment(rank_); }
  size_t segment_size() const override { return node_->geometry().segment_size; }
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
  void doze(uint64_t timeout_ns) override;
  void nudge(RankId peer) override;
  Status finalize() override { return {}; }

 private:
  // The sending end of one queue. The lock is taken only when the program uses several threads.
  struct alignas(cache_line) Outgoing {
    Outgoing(Queue queue, const Geometry& geometry)
        : writer(queue.ring, geometry.am_slots, queue.payload, geometry.payload_bytes) {}
    Outgoing(Outgoing&& other) noexcept : writer(std::move(other.writer)) {}  // before it is in use
    RingWriter writer;
    base::SpinLock lock;
    uint32_t prepared_position = 0;
  };
  // The receiving ends of the two queues from one rank.
  struct alignas(cache_line) Incoming {
    RingReader requests;
    RingReader replies;
  };

  Outgoing& outgoing(RankId peer, AmClass message_class) {
    return outgoing_[size_t{peer} * 2 + (message_class == AmClass::reply ? 1 : 0)];
  }
  Result send_any(Outgoing& out, RankId peer, const AmMessage& message);
  void push(Outgoing& out, RankId peer, const AmMessage& message, uint32_t payload_position);
  int poll_in_turns();
  int receive_from(RankId source);
  int receive_ready(RankId source);
  template <AmClass message_class>
  int receive(RankId source, RingReader& reader);
  bool reply_will_fit(RankId source);
  bool make_sure_of_reply(RankId source);
  template <AmClass message_class>
  void deliver(RankId source, RingReader& reader, uint32_t description);
  void deliver_payload(RankId source, RingReader& reader, AmClass message_class, uint32_t description);
  bool message_waiting();

  std::shared_ptr<Node> node_;
  AmSink* sink_;
  RankId rank_;
  RankId size_;
  bool map_peers_;
  bool threads_multiple_;
  size_t max_medium_;
  Sleeper* sleepers_;  // by rank
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  base::SpinLock poll_lock_;
  RankId next_source_ = 0;              // where the rotating part of the next poll starts
  std::vector<RankId> recent_sources_;  // looked at by every poll when there are many peers
};

}  // namespace weft::conduit::smp
