// The shared-memory transport: ranks of one host, as processes or as threads of one process. Puts and gets are memory
// copies, atomics are the processor's, active messages go through one queue per pair of ranks and class (ring.hpp).
#pragma once

#include <memory>
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
  struct Outgoing {
    Outgoing(Queue queue, const Geometry& geometry)
        : writer(queue.ring, geometry.am_slots, queue.payload, geometry.payload_bytes) {}
    RingWriter writer;
    base::SpinLock lock;
    uint32_t prepared_position = 0;
  };
  // The receiving ends of the two queues from one rank.
  struct Incoming {
    RingReader requests;
    RingReader replies;
  };

  Outgoing& outgoing(RankId peer, AmClass message_class) {
    return *outgoing_[size_t{peer} * 2 + (message_class == AmClass::reply ? 1 : 0)];
  }
  Result send_short(Outgoing& out, RankId peer, const AmMessage& message);
  Result send_payload(Outgoing& out, RankId peer, const AmMessage& message);
  void push(Outgoing& out, RankId peer, const AmMessage& message, uint32_t payload_position);
  int receive_from(RankId source);
  template <AmClass message_class>
  int receive(RankId source, RingReader& reader);
  void deliver(RankId source, RingReader& reader, AmClass message_class, uint32_t description);
  bool message_waiting();

  std::shared_ptr<Node> node_;
  AmSink* sink_;
  RankId rank_;
  RankId size_;
  bool map_peers_;
  bool threads_multiple_;
  size_t max_medium_;
  std::vector<std::unique_ptr<Outgoing>> outgoing_;
  std::vector<Incoming> incoming_;
  base::SpinLock poll_lock_;
  RankId next_source_ = 0;              // where the rotating part of the next poll starts
  std::vector<RankId> recent_sources_;  // looked at by every poll when there are many peers
};

}  // namespace weft::conduit::smp
