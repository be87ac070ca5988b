// Puts and gets: libfabric's own remote memory access.
//
// By size. A put that the provider can inject is injected; one of up to WEFT_BOUNCE_SIZE is copied into a pooled
// buffer; in both cases the source is free at once. A larger one goes from where it is, and its source is free when the
// data is in place. Every put asks for delivery completion: its completion means remote completion. Gets go to where
// they are wanted, through a pooled buffer only where memory must be registered and the get is small.
//
// A message costs system calls, and its acknowledgement others. So a put (or get) of up to gather_size that finds
// another one to the same peer under way waits for company: a few of them, any number where they adjoin, make one
// message of up to gather_bytes. poll() sends what found none.
//
// Several rails: small transfers take turns; one of at least stripe_least bytes is split among all. What the network
// declines of a transfer that has begun waits in a list.
//
// All functions are called under the lock of State.
#pragma once

#include <deque>

#include "conduit/ofi/messenger.hpp"
#include "conduit/ofi/state.hpp"

namespace weft::conduit::ofi {

class Transfers {
 public:
  Transfers(State& state, Messenger& messenger) : state_(state), messenger_(messenger) {}

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, Completion* completion);
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion);
  /// The data as a put, then the message that signals it (service.hpp): behind it on the same connection where the
  /// network keeps that order, else when the data is in place.
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion);
  /// The signal of this put_signal was applied.
  void signal_acknowledged(Operation& operation);

  /// A completion of one of the Transfers' operations.
  void finished(Operation& operation);
  /// Begins what the network declined. How much it did.
  int flush();
  bool idle() const { return waiting_.empty() && gatherings_.empty(); }

  /// WEFT_ORDER=strict: whether an operation of this kind may begin now.
  bool may_write(const Peer& peer, const Rail& rail) const;
  bool may_read(const Peer& peer, const Rail& rail) const;
  bool may_serve(const Peer& peer, const Rail& rail) const;

 private:
  static constexpr size_t stripe_least = size_t{128} << 10;
  static constexpr size_t stripe_unit = 4096;
  static constexpr size_t gather_size = size_t{16} << 10, gather_bytes = size_t{128} << 10;

  Rail& next_rail(RankId peer);
  bool striped(size_t size) const {
    return state_.rails.size() > 1 && size >= stripe_least && state_.order != Order::strict;
  }
  Operation* make(Operation::Kind kind, RankId peer, uint64_t offset, std::byte* local, size_t size,
                  Completion* completion);
  bool lend_local(Operation& operation, Rail& rail, bool at_once);
  ssize_t begin(Operation& operation);
  Result begin_or_decline(Operation& operation);
  Result begin_striped(Operation& whole);
  bool gathers(size_t size, uint32_t under_way) const {
    return size <= gather_size && under_way != 0 && state_.order != Order::strict;
  }
  Result gather(Gathering& gathering, Operation& operation, Rail& next);
  bool send_gathered(Gathering& gathering);
  void finish(Operation& operation);
  void count(const Operation& operation, int change);
  void release(Operation& operation);
  void send_signal(Operation& operation);
  void finish_signal_put(Operation& operation);

  State& state_;
  Messenger& messenger_;
  std::deque<Operation*> waiting_;
  std::vector<Gathering*> gatherings_;  // those that are not empty, and some that are
  size_t turn_ = 0;
};

}  // namespace weft::conduit::ofi
