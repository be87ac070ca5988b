// One thing a program can wait for: a non-blocking operation, an access region, or a thread's implicit operations.
//
// A transfer may be carried out in several pieces (chunks of a message protocol, parts of a strided put). Each piece
// counts once in `completion`; `expected` is how many pieces were begun. The operation is complete when the counts are
// equal, so one comparison tells all of it, however many pieces there are.
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

  // acquire: pairs with Completion's release, so the data is there when these say so.
  bool remote_done() const { return completion.remote.load(std::memory_order_acquire) == expected; }
  bool local_done() const { return completion.local.load(std::memory_order_acquire) == expected; }

  /// Makes a finished operation ready for another use.
  void reset() {
    completion.local.store(0, std::memory_order_relaxed);
    completion.remote.store(0, std::memory_order_relaxed);
    expected = 0;
  }
};

}  // namespace weft::rma
