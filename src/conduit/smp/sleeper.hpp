// How a rank sleeps until a message or a nudge comes, and how others wake it; a word to look at per rank, and a futex.
//
// A sender makes its message visible and then looks at `sleeping`; a sleeper sets `sleeping` and then looks for
// messages. If each sees the other's store, one of them notices: the sleeper does not sleep, or the sender wakes it.
// `wakeups` changes before the wake call, so a wake-up between the sleeper's look and its sleep makes the sleep return
// at once. The sender's store may still be on its way when it looks (it takes no fence, which would cost every
// message); such a sleeper sleeps until its timeout.
//
// The atomics are a template parameter so that tests/conduit/sleeper_interleavings_test.cpp can run every interleaving.
#pragma once

#include <atomic>
#include <cstdint>

#include "conduit/smp/ring.hpp"

namespace weft::conduit::smp {

/// On a line of its own. Lives in zeroed shared memory.
template <template <class> class Atomic>
struct alignas(cache_line) BasicSleeper {
  Atomic<uint32_t> sleeping;  // how many threads of the rank are about to sleep or sleep; written by them alone
  Atomic<uint32_t> wakeups;   // the futex: counts wake-ups

  /// sleep(word, expected) returns at once if the word is not `expected`, else when woken or the time is over.
  template <class MessageWaiting, class Sleep>
  void doze(MessageWaiting message_waiting, Sleep sleep) {
    const uint32_t before = wakeups.load(std::memory_order_relaxed);
    // seq_cst: visible before the look for messages.
    sleeping.fetch_add(1, std::memory_order_seq_cst);
    if (!message_waiting()) sleep(wakeups, before);
    sleeping.fetch_sub(1, std::memory_order_relaxed);
  }

  /// wake(word) wakes who sleeps on the word. Called after the message was made visible.
  template <class Wake>
  void nudge(Wake wake) {
    if (__builtin_expect(sleeping.load(std::memory_order_relaxed) == 0, 1)) return;
    wakeups.fetch_add(1, std::memory_order_release);
    wake(wakeups);
  }
};

using Sleeper = BasicSleeper<std::atomic>;

}  // namespace weft::conduit::smp
