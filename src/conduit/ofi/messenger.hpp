// Messages: the program's active ones, and those of the conduit itself.
//
// Sending. A small message is injected (libfabric copies it), a larger one is copied into a pooled buffer, which is
// free again when libfabric is done with it. A request needs credits of its receiver and declines without them, without
// a buffer, or when the network does. A message that must not decline (a reply; the signal after its data) waits in a
// list of its own instead; later messages to the same peer queue up behind it. The list is bounded by the credits that
// the peer holds, so the pools grow only so far.
//
// Receiving. Receive buffers hold many messages each (FI_MULTI_RECV), one where the provider cannot. take_in() looks at
// each arrival: one without the right token is refused; the conduit's own are carried out at once; the program's are
// listed and handed to the sink by deliver_some(), outside the lock. A receive buffer is posted again when all that
// arrived in it is delivered; one for a single message at once, because its message moves to a pooled buffer.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "conduit/ofi/state.hpp"
#include "conduit/ofi/wire.hpp"

namespace weft::conduit::ofi {

/// Room in a pooled buffer for a message whose payload the caller writes.
struct Prepared {
  Buffer* buffer = nullptr;
  uint32_t credits = 0;
  std::byte* payload() const { return buffer->data + front_max; }
};

class Messenger {
 public:
  /// Carries out a message of the conduit itself. Called under the lock.
  using ControlHandler = std::function<void(RankId source, const WireMessage& message)>;

  Messenger(State& state, AmSink* sink) : state_(state), sink_(sink) {}
  Status open();
  void on_control(ControlHandler handler) { on_control_ = std::move(handler); }

  // ---- Under the lock ----

  /// Sends, or declines if !must. A request takes credits, unless the caller has taken them (`credits_taken`).
  Result send(RankId to, const WireMessage& message, bool must, bool credits_taken = false);
  bool take_credits(RankId to, uint32_t count);
  void return_credits(RankId to, uint32_t count) { state_.peers[to].credits += count; }

  /// A prepared request, of at most `capacity` bytes, holds a buffer and credits, so that commit() cannot decline.
  bool prepare(RankId to, AmClass message_class, size_t capacity, Prepared& prepared);
  void commit(RankId to, WireMessage message, const Prepared& prepared);
  void cancel(RankId to, const Prepared& prepared);

  /// A completion of one of the Messenger's operations: an arrival, or a message that has gone.
  void take_in(Rail& rail, Operation& operation, const fi_cq_data_entry& entry);
  void sent(Operation& operation);
  /// An arrival that libfabric could not place.
  void take_unplaced(Rail& rail, Operation& operation, const fi_cq_err_entry& entry);

  /// Sends what waits and gives credits back. How much it did.
  int flush();
  /// For the end: gives back credits however few. True if all of this rank's own have come back.
  bool give_all_credits_back();
  bool idle() const { return arrived_count_ == 0 && pending_.empty(); }

  // ---- Outside the lock, by one thread at a time ----

  int deliver_some();

 private:
  // Per rail: a few buffers for many messages each; one per peer where each lets but one sender go on, so that when all
  // have been used up and are posted again all go on; or many for one message, see Rail::datagrams().
  static constexpr size_t shared_buffers = 4, shared_bytes = 16 * message_max, least_shared_bytes = 2 * message_max;
  static constexpr size_t single_bytes = message_max;
  static constexpr int deliver_batch = 64;
  static constexpr uint32_t enough_owed = request_credits / 4;  // for a message of their own

  struct ReceiveBuffer {
    Operation operation;
    AlignedBytes memory;
    size_t size = 0;
    Owned<fid_mr> registration;
    Rail* rail = nullptr;
    uint32_t undelivered = 0;
    bool used_up = false;  // libfabric has given it back
    // Of what libfabric has put into it since it was posted: bytes of complete messages, and of all, known when used
    // up.
    size_t complete = 0, total = 0;
  };
  // A message of the program in a receive buffer, or in a pooled one.
  struct Arrival {
    const std::byte* data;
    size_t size;
    RankId source;
    ReceiveBuffer* receive_buffer;
    Buffer* buffer;
  };
  struct Pending {
    RankId to;
    Buffer* buffer;
    std::byte* start;
    size_t size;
  };

  uint8_t credits_for(Peer& peer) const;
  bool may_go(const Peer& peer, const Rail& rail) const;
  void count(const Operation& operation, int change);
  Result dispatch(RankId to, Buffer* buffer, std::byte* start, size_t size, bool must);
  void send_failed(RankId to, Rail& rail, ssize_t result);
  Status post(ReceiveBuffer& buffer);
  size_t receive_buffers(const Rail& rail) const;
  size_t receive_bytes(const Rail& rail) const;
  Status add_receive_buffer(Rail& rail);
  void give_back(ReceiveBuffer& buffer, size_t total);
  void release(ReceiveBuffer& buffer);
  bool any_posted(const Rail& rail) const;
  void refuse(const char* what, RankId claimed);
  void fail_on(RankId source);
  void accept(ReceiveBuffer& buffer, const std::byte* data, size_t size);
  void push(const Arrival& arrival);
  void deliver(const Arrival& arrival);
  void owe(RankId to, uint32_t credits);
  void give_credits_back(RankId to, uint32_t least = enough_owed);

  State& state_;
  AmSink* sink_;
  ControlHandler on_control_;
  std::vector<std::unique_ptr<ReceiveBuffer>> buffers_;
  std::deque<Pending> pending_;
  std::vector<RankId> owing_;  // peers that are owed many credits
  // A ring that grows; its length is a power of two.
  std::vector<Arrival> arrivals_ = std::vector<Arrival>(256);
  size_t arrived_first_ = 0, arrived_count_ = 0;
  AlignedBytes control_scratch_, deliver_scratch_;  // for arrivals that are not aligned
  size_t sends_ = 0;                                // under way
  uint64_t flush_number_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace weft::conduit::ofi
