// For what is measured beside a TCP socket: the socket, and loops of rank 0 that rank 1 attends to.
#pragma once

#include <weft/job.h>
#include <weft/rma.h>

#include "common/tcp.hpp"
#include "weft/benchmarks.hpp"

namespace bench {

/// Collective. The socket uses the interface of WEFT_NET_INTERFACE, else the first one by which rank 0 reaches rank 1,
/// as the job does.
void connect(const Bench& bench, Tcp& tcp);

/// The loop on rank 0, while rank 1 looks after the network as a program does that waits for it. The socket's other end
/// polls, too. The last word tells rank 1 that the block is over: one put more per block.
template <class Body>
Loop attended(const Bench& bench, const Symmetric& flag, Body body) {
  const size_t offset = flag.offset();
  const uint32_t rank = bench.job.rank();
  return [=, blocks = uint64_t{0}](uint64_t iterations) mutable {
    ++blocks;
    if (rank == 0) {
      body(iterations);
      weft_put(1, offset, &blocks, sizeof blocks);
    } else if (rank == 1) {
      auto* word = static_cast<uint64_t*>(weft_pointer(1, offset));
      while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != blocks) weft_poll();
    }
  };
}

}  // namespace bench
