// One-sided operations of a rank: natively where the conduit has them, else over active messages (reference.cpp).
//
// Every function begins an operation on behalf of an Operation and returns
//   done    complete, nothing was counted
//   posted  `operation.expected` went up; progress completes it
//   retry   declined, nothing happened; only with `immediate`
#pragma once

#include <cstdint>

#include "core/rank.hpp"
#include "rma/handles.hpp"
#include "rma/operation.hpp"
#include "rma/reference.hpp"

namespace weft::rma {

struct Flags {
  bool immediate = false;
  bool stream = false;
};

class OneSided {
 public:
  explicit OneSided(core::Rank& rank);

  Result put(Operation& operation, RankId peer, uint64_t offset, const void* source, size_t size, Flags flags);
  Result get(Operation& operation, void* destination, RankId peer, uint64_t offset, size_t size, Flags flags);
  Result fill(Operation& operation, RankId peer, uint64_t offset, uint8_t byte, size_t size, Flags flags);
  Result atomic(Operation& operation, RankId peer, uint64_t offset, const conduit::AtomicRequest& request, Flags flags);
  Result put_signal(Operation& operation, RankId peer, uint64_t offset, const void* source, size_t size,
                    uint64_t signal_offset, uint64_t value, conduit::SignalOp op, Flags flags);

  core::Rank& rank() { return rank_; }
  HandleTable& handles() { return handles_; }
  Reference& reference() { return reference_; }

  /// Waits, making progress.
  void wait_remote(const Operation& operation);
  void wait_local(const Operation& operation);

 private:
  // Runs `attempt` until it is not declined, or once if `immediate`. It is counted if it was posted.
  template <class Attempt>
  Result issue(Operation& operation, bool immediate, Attempt attempt);

  core::Rank& rank_;
  conduit::Conduit& conduit_;
  conduit::Capabilities capabilities_;
  HandleTable handles_;
  Reference reference_;
};

}  // namespace weft::rma
