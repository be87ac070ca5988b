// Who has ever sent a rank something: the queues that it must look at. With many ranks on a host most pairs never talk,
// so a queue is made, and looked at, only from its first message on.
//
// A list in the receiver's part of the shared memory that only grows. A sender enters itself once, before its first
// message is visible; the receiver looks at the first entry that it has not taken, one word, at every poll. A sender
// that lost its processor between the two stores of add() keeps those behind it waiting until it has it back.
//
// The atomics are a template parameter so that tests/conduit/callers_interleavings_test.cpp can run every interleaving.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "conduit/smp/ring.hpp"

namespace weft::conduit::smp {

/// The entries follow in memory. Lives in zeroed shared memory.
template <template <class> class Atomic>
struct alignas(cache_line) BasicCallers {
  Atomic<uint32_t> added;

  /// The last entry stays 0, so that whoever has taken all may look for another.
  static constexpr size_t bytes(uint32_t ranks) {
    const size_t entries = (size_t{ranks} + 1) * sizeof(Atomic<uint32_t>);
    return sizeof(BasicCallers) + (entries + cache_line - 1) / cache_line * cache_line;
  }

  /// Once for each sender, before its first message is made visible.
  void add(uint32_t rank) {
    const uint32_t place = added.fetch_add(1, std::memory_order_relaxed);
    // release: whoever sees a later store of this sender with acquire order sees the entry.
    entries()[place].store(rank + 1, std::memory_order_release);
  }

  /// The caller in this place, if it has come.
  bool at(size_t place, uint32_t& rank) {
    const uint32_t entry = entries()[place].load(std::memory_order_acquire);
    rank = entry - 1;
    return entry != 0;
  }

  Atomic<uint32_t>* entries() { return reinterpret_cast<Atomic<uint32_t>*>(this + 1); }
};

using Callers = BasicCallers<std::atomic>;

}  // namespace weft::conduit::smp
