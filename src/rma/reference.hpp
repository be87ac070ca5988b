// One-sided operations in terms of active messages: what every conduit can do. Used where a conduit has no native
// operation, and by the tests to check the native ones against.
//
// Large transfers go in pieces of the conduit's message size. A put's piece is a long message that the target
// acknowledges; a get's piece is a short request whose reply is the data; fills and atomics are short requests. The
// arguments carry the address of the requester's Completion there and back, so nothing is allocated or looked up.
// A signal travels with the last piece of its data: messages from one thread to one peer arrive in order.
#pragma once

#include <cstdint>

#include "core/rank.hpp"
#include "rma/operation.hpp"

namespace weft::rma {

using conduit::RankId;
using conduit::Result;

class Reference {
 public:
  explicit Reference(core::Rank& rank);

  Result put(Operation& operation, RankId peer, uint64_t offset, const void* source, size_t size, bool immediate);
  Result get(Operation& operation, void* destination, RankId peer, uint64_t offset, size_t size, bool immediate);
  Result fill(Operation& operation, RankId peer, uint64_t offset, uint8_t byte, size_t size, bool immediate);
  Result atomic(Operation& operation, RankId peer, uint64_t offset, const conduit::AtomicRequest& request,
                bool immediate);
  Result put_signal(Operation& operation, RankId peer, uint64_t offset, const void* source, size_t size,
                    uint64_t signal_offset, uint64_t value, conduit::SignalOp op, bool immediate);

  /// Sends one piece of an operation; waits for room unless `immediate`. On `posted` the piece has been counted, its
  /// local completion too.
  Result send_piece(Operation& operation, RankId peer, const conduit::AmMessage& message, bool immediate);

  std::byte* segment() const { return conduit_.segment(); }
  /// Answers a piece: the requester's completion, whose address is `completion`, counts it.
  void acknowledge(RankId source, uint64_t completion);

 private:
  core::Rank& rank_;
  conduit::Conduit& conduit_;
  size_t max_medium_;
  size_t max_long_;
};

}  // namespace weft::rma
