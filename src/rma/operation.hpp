// One thing a program can wait for: a non-blocking operation, an access region, or a thread's implicit operations.
//
// A transfer may be carried out in several pieces (chunks of a message protocol, parts of a strided put). Each piece
// counts once in `completion`; `expected` is how many pieces were begun. The operation is complete when the counts are
// equal, so one comparison tells all of it, however many pieces there are. Only an access region is put together of
// other operations, its parts: one for each peer, because a peer's can be waited for alone (outstanding.hpp).
#pragma once

#include <cstdint>

#include "conduit/conduit.hpp"

namespace weft::rma {

// The two halves are written by different parties: `expected` by the thread that initiates, the counts by whoever
// polls.
struct Operation {
  alignas(64) conduit::Completion completion;
  alignas(64) uint64_t expected = 0;
  const char* call = nullptr;  // the function of the interface that began it, for messages
  Operation* parts = nullptr;  // the first of them; the others follow by next_part
  Operation* next_part = nullptr;
  // The list that it is in, if `place` is not null (outstanding.hpp).
  Operation* next = nullptr;
  Operation** place = nullptr;  // the pointer that points here

  // acquire: pairs with Completion's release, so the data is there when these say so.
  bool remote_done() const {
    return completion.remote.load(std::memory_order_acquire) == expected &&
           all_parts([](const Operation& part) { return part.remote_done(); });
  }
  bool local_done() const {
    return completion.local.load(std::memory_order_acquire) == expected &&
           all_parts([](const Operation& part) { return part.local_done(); });
  }

  /// Makes a finished operation ready for another use.
  void reset() {
    completion.local.store(0, std::memory_order_relaxed);
    completion.remote.store(0, std::memory_order_relaxed);
    expected = 0;
    parts = nullptr;
  }

  /// Puts it first in a list.
  void link(Operation*& first) {
    next = first;
    place = &first;
    if (first != nullptr) first->place = &next;
    first = this;
  }
  /// Takes it off its list.
  void unlink() {
    *place = next;
    if (next != nullptr) next->place = place;
    place = nullptr;
  }

 private:
  template <class Done>
  bool all_parts(Done done) const {
    for (const Operation* part = parts; part != nullptr; part = part->next_part)
      if (!done(*part)) return false;
    return true;
  }
};

}  // namespace weft::rma
