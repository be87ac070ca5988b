// What it costs that memory outside the segment must be known to the network before it takes part in a transfer: puts
// from such memory beside the same puts from the segment, which is registered at start. The buffers take turns, so that
// each is met again; WEFT_PIN_LIMIT decides whether it is still registered then. Networks over IP need no registration;
// WEFT_REGISTER_LOCAL=1 makes Weft register all the same.
//
//  outside_wN  N puts at a time, each from a buffer of its own, until all are complete. Limit: from the segment
#include <weft/rma.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr size_t buffers = 32;

Loop puts(const Bench& bench, size_t offset, char* from, size_t size, size_t window) {
  return on_rank_0(bench, [=, turn = size_t{0}](uint64_t iterations) mutable {
    for (uint64_t i = 0; i < iterations; ++i) {
      for (size_t k = 0; k < window; ++k) {
        turn = (turn + 1) % buffers;
        weft_put_nbi(1, offset + turn * size, from + turn * size, size, 0);
      }
      weft_nbi_wait();
    }
  });
}

}  // namespace

void registration(const Bench& bench) {
  const size_t largest = std::min(bench.max_size, size_t{1} << 20);
  const Symmetric memory(bench, buffers * largest);
  const std::unique_ptr<char, decltype(&std::free)> outside(
      static_cast<char*>(std::aligned_alloc(4096, (buffers * largest + 4095) / 4096 * 4096)), &std::free);
  require(outside != nullptr, "not enough memory for the local buffers");
  std::memset(outside.get(), 1, buffers * largest);
  char* inside = memory.on(bench.job.rank());
  bench.section("puts from memory outside the segment");
  for (size_t window : {size_t{1}, size_t{4}, size_t{16}})
    for (size_t size : sizes(4096, largest, 4)) {
      const auto amount = static_cast<double>(window);
      const Bare limit = {"from segment", puts(bench, memory.offset(), inside, size, window), amount};
      bench.compare(Unit::ns, {limit},
                    {{"outside_w" + std::to_string(window), size,
                      puts(bench, memory.offset(), outside.get(), size, window), 0, amount}});
    }
}

}  // namespace bench
