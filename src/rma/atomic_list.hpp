// One atomic operation on many locations of a peer that is not mapped, packed into active messages where single
// operations are messages, too, which the peer's calls take in; else one native operation each.
//
// A message: the type and operation, the number of locations and a base; then a distance from the base for each
// location, of 16 bits if all lie within 65,536 operands of each other, else of 32; then the operands. Messages of one
// thread to one peer arrive in order. Native operations may not, so those whose order shows are waited for one by one,
// and all others before the next list.
#pragma once

#include "rma/one_sided.hpp"

namespace weft::rma {

struct AtomicList {
  conduit::AtomicType type;
  conduit::AtomicOp op;
  size_t count;
  const size_t* offsets;
  const std::byte* operands;  // null if the operation has none
};

/// done, posted or retry as OneSided's functions.
Result begin_atomics(OneSided& rma, Operation& operation, RankId peer, const AtomicList& list, Flags flags);

/// On memory that is mapped.
void run_atomics(std::byte* base, const AtomicList& list);

/// Installs the target's handler.
void install_atomic_list(core::Rank& rank);

}  // namespace weft::rma
