#include "common/limits.hpp"

#include <sched.h>

#include <atomic>
#include <cstring>

#include "common/opaque.hpp"

namespace bench {
namespace {

// The hint that this is a waiting loop: it leaves the core's resources, and the awaited line, to others.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits as bare as it can be; yields only when the other rank seems not to run (ranks outnumber the processors).
template <class Done>
void spin_until(Done done) {
  for (uint32_t spins = 1; !done(); ++spins)
    if (spins % 4096 == 0) sched_yield();
}

void await(uint64_t& word, uint64_t value) {
  // acquire: the payload written before the word is visible.
  spin_until([&] { return std::atomic_ref(word).load(std::memory_order_acquire) == value; });
}

void await_politely(uint64_t& word, uint64_t value) {
  spin_until([&] {
    if (std::atomic_ref(word).load(std::memory_order_acquire) == value) return true;
    relax();
    return false;
  });
}

void tell(uint64_t& word, uint64_t value) {
  // release: so is the payload to the other side.
  std::atomic_ref(word).store(value, std::memory_order_release);
}

}  // namespace

Loop line_round_trip(uint32_t rank, Box* box) {
  return [=, turn = uint64_t{0}](uint64_t iterations) mutable {
    for (uint64_t i = 0; rank < 2 && i < iterations; ++i, turn += 2) {
      if (rank == 1) await(box->word, turn + 1);
      tell(box->word, turn + 1 + rank);
      if (rank == 0) await(box->word, turn + 2);
    }
  };
}

Loop turn_of_each(uint32_t rank, uint32_t ranks, uint64_t* board) {
  return [=, turn = uint64_t{0}](uint64_t iterations) mutable {
    for (uint64_t i = 0; i < iterations; ++i) {
      tell(board[rank], ++turn);
      // A rank may be one turn ahead.
      for (uint32_t other = 0; other < ranks; ++other)
        while (std::atomic_ref(board[other]).load(std::memory_order_acquire) < turn) sched_yield();
    }
  };
}

Loop bare_echo(uint32_t rank, Box* own, Box* others, size_t size) {
  if (size <= sizeof(Box::payload)) {
    Box* shared = rank == 0 ? own : others;
    return [=, turn = uint64_t{0}](uint64_t iterations) mutable {
      char kept[sizeof(Box::payload)] = {};
      for (uint64_t i = 0; rank < 2 && i < iterations; ++i, turn += 2) {
        if (rank == 1) await(shared->word, turn + 1), std::memcpy(kept, shared->payload, size);
        std::memcpy(shared->payload, kept, size);
        tell(shared->word, turn + 1 + rank);
        if (rank == 0) await(shared->word, turn + 2), std::memcpy(kept, shared->payload, size);
      }
    };
  }
  return [=, turn = uint64_t{0}](uint64_t iterations) mutable {
    for (uint64_t i = 0; rank < 2 && i < iterations; ++i) {
      ++turn;
      if (rank == 1) await(own->word, turn);
      std::memcpy(others->payload, own->payload, size);
      tell(others->word, turn);
      if (rank == 0) await(own->word, turn);
    }
  };
}

Loop two_line_round_trip(uint32_t rank, Box* own, Box* others) {
  return [=, turn = uint64_t{0}](uint64_t iterations) mutable {
    for (uint64_t i = 0; rank < 2 && i < iterations; ++i) {
      ++turn;
      if (rank == 1) await_politely(own->word, turn);
      tell(others->word, turn);
      if (rank == 0) await_politely(own->word, turn);
    }
  };
}

Loop bare_barrier(uint32_t rank, Box* own, Box* others) {
  return [=, turn = uint64_t{0}](uint64_t iterations) mutable {
    for (uint64_t i = 0; rank < 2 && i < iterations; ++i) {
      ++turn;
      tell(others[turn & 1].word, turn);
      await_politely(own[turn & 1].word, turn);
    }
  };
}

Loop line_flood(uint32_t rank, LineQueue* queue) {
  constexpr uint64_t batch = 64;
  return [=, next = uint64_t{0}, room = LineQueue::lines, sum = uint64_t{0}](uint64_t iterations) mutable {
    const uint64_t end = next + iterations;
    for (; rank == 0 && next < end; ++next) {
      LineQueue::Line& line = queue->line[next % LineQueue::lines];
      if (next == room)
        spin_until([&] {
          room = std::atomic_ref(queue->consumed).load(std::memory_order_acquire) + LineQueue::lines;
          return next < room;
        });
      line.words[0] = next;
      tell(line.sequence, next + 1);
    }
    for (; rank == 1 && next < end; ++next) {
      LineQueue::Line& line = queue->line[next % LineQueue::lines];
      await(line.sequence, next + 1);
      sum += line.words[0];
      if ((next + 1) % batch == 0 || next + 1 == end) tell(queue->consumed, next + 1);
    }
    // The sender's time counts until everything has been received.
    if (rank == 0) spin_until([&] { return std::atomic_ref(queue->consumed).load(std::memory_order_acquire) == end; });
    opaque(sum);
  };
}

}  // namespace bench
