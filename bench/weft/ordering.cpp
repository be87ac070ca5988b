// The bidirectional multi-pair test of Ibrahim, Hargrove, Iancu and Yelick (IPDPS 2014), section IV: the first half of
// the ranks is paired with the second, both ranks of a pair keep a window of transfers under way to each other, all
// pairs at once. The order that is asked of the network is the job's setting WEFT_ORDER; bench/ordering.py runs all of
// them, with several ranks per host, and plots.
//
//  ordering_put_wN, ordering_get_wN   bandwidth of one pair, both directions together, windows of N
#include <weft/rma.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr size_t widest = 64;

template <class Transfer>
Loop windows(size_t window, Transfer transfer) {
  return [=](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) {
      for (size_t k = 0; k < window; ++k) transfer(k);
      weft_nbi_wait();
    }
  };
}

}  // namespace

void ordering(const Bench& bench) {
  const size_t pairs = bench.job.size() / 2;
  const size_t largest = std::min(bench.max_size, size_t{1} << 20);
  const Symmetric memory(bench, widest * largest);
  const std::unique_ptr<char, decltype(&std::free)> local(
      static_cast<char*>(std::aligned_alloc(4096, (widest * largest + 4095) / 4096 * 4096)), &std::free);
  require(local != nullptr, "not enough memory for the local buffers");
  std::memset(local.get(), 1, widest * largest);
  const uint32_t rank = bench.job.rank();
  const auto partner = static_cast<weft_rank_t>(rank < pairs ? rank + pairs : rank - pairs);
  const bool paired = rank < 2 * pairs;
  const size_t offset = memory.offset();
  char* mine = local.get();
  bench.section("pairs in both directions at once");
  for (size_t window : {size_t{1}, size_t{4}, size_t{16}, widest}) {
    for (size_t size : sizes(64, largest, 16)) {
      const auto put = [=](size_t k) { weft_put_nbi(partner, offset + k * size, mine + k * size, size, 0); };
      const auto get = [=](size_t k) { weft_get_nbi(mine + k * size, partner, offset + k * size, size, 0); };
      const Loop nothing = [](uint64_t) {};
      const auto amount = static_cast<double>(2 * window * size);
      const std::string suffix = "_w" + std::to_string(window);
      bench.compare(Unit::gigabytes_per_second, {{"none", {}, amount}},
                    {{"ordering_put" + suffix, size, paired ? windows(window, put) : nothing, 0, amount},
                     {"ordering_get" + suffix, size, paired ? windows(window, get) : nothing, 0, amount}});
    }
  }
}

}  // namespace bench
