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
// A large transfer goes in parts, a window of them at a time (state.hpp). Several rails: small transfers and parts of
// large ones take turns. Parts that the network declines wait for the next poll.
//
// A target's libfabric takes a put in without telling the target, which would count itself idle and sleep in the midst
// of many. So who goes on putting or getting sends it a word now and then (keep_awake).
//
// All functions are called under the lock of State.
#pragma once

#include <vector>

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
  bool idle() const { return hungry_.empty() && gatherings_.empty(); }

  /// WEFT_ORDER=strict: whether an operation of this kind may begin now.
  bool may_write(const Peer& peer, const Rail& rail) const;
  bool may_read(const Peer& peer, const Rail& rail) const;
  bool may_serve(const Peer& peer, const Rail& rail) const;

 private:
  static constexpr size_t part_unit = 4096;
  static constexpr size_t gather_size = size_t{16} << 10, gather_bytes = size_t{128} << 10;
  // A rank without events stays awake for longer than announce_ns (WEFT_YIELD_US). A lone operation needs no word.
  static constexpr uint32_t announce_operations = 4;
  static constexpr uint64_t announce_ns = 200'000;

  Rail& next_rail(RankId peer);
  bool large(size_t size, size_t least = large_least) const { return size >= least && state_.order != Order::strict; }
  size_t size_of_parts(const Operation& whole) const;
  static void fill_in(Operation& operation, Operation::Kind kind, RankId peer, uint64_t offset, std::byte* local,
                      size_t size, Completion* completion);
  Operation* make(Operation::Kind kind, RankId peer, uint64_t offset, std::byte* local, size_t size,
                  Completion* completion);
  bool lend_local(Operation& operation, Rail& rail, bool at_once);
  ssize_t begin(Operation& operation);
  Result begin_or_decline(Operation& operation);
  Result begin_large(Operation& whole);
  bool begin_part(Operation& whole);
  void feed(RankId to);
  void keep_awake(RankId target, uint32_t operations);
  bool gathers(size_t size, uint32_t under_way) const {
    return size <= gather_size && under_way != 0 && state_.order != Order::strict;
  }
  Result gather(Gathering& gathering, Operation& operation, Rail& next);
  bool send_gathered(Gathering& gathering);
  void finish(Operation& operation);
  void count(const Operation& operation, int change);
  void release(Operation& operation);
  void send_signal(Operation& operation);
  void signal_data_written(Operation& operation);
  void finish_signal_put(Operation& operation);

  State& state_;
  Messenger& messenger_;
  std::vector<RankId> hungry_;          // peers whose next part the network has declined
  std::vector<Gathering*> gatherings_;  // those that are not empty, and some that are
  size_t turn_ = 0;
};

}  // namespace weft::conduit::ofi
