// Floods: a window of non-blocking transfers, each to a place of its own, and a wait for all of them. The limit is the
// same window by memcpy.
#include <weft/rma.h>

#include <cstdlib>
#include <memory>

#include "common/opaque.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr size_t window = 16;

template <class Transfer>
Loop flood(size_t size, Transfer transfer) {
  return [=](uint64_t iterations) mutable {
    repeat(iterations, [&] {
      for (size_t i = 0; i < window; ++i) {
        opaque(size);
        transfer(i * size, size);
      }
      weft_nbi_wait();
    });
  };
}

void any_size(const Bench& bench, const Symmetric& memory, char* local, size_t size) {
  const size_t offset = memory.offset();
  char* mapped = memory.mapped() ? memory.on(1) : nullptr;
  const Loop put = flood(size, [=](size_t at, size_t n) { weft_put_nbi(1, offset + at, local + at, n, 0); });
  const Loop get = flood(size, [=](size_t at, size_t n) { weft_get_nbi(local + at, 1, offset + at, n, 0); });
  const Loop stream =
      flood(size, [=](size_t at, size_t n) { weft_put_nbi(1, offset + at, local + at, n, WEFT_STREAM); });
  const auto amount = static_cast<double>(window * size);
  Bare put_limit = {"memcpy", {}, amount};
  Bare get_limit = {"memcpy", {}, amount};
  if (mapped) {
    put_limit.loop =
        on_rank_0(bench, flood(size, [=](size_t at, size_t n) { std::memcpy(mapped + at, local + at, n); }));
    get_limit.loop =
        on_rank_0(bench, flood(size, [=](size_t at, size_t n) { std::memcpy(local + at, mapped + at, n); }));
  }
  bench.compare(
      Unit::gigabytes_per_second, {put_limit, get_limit},
      {{"put_flood", size, on_rank_0(bench, put), 0, amount}, {"get_flood", size, on_rank_0(bench, get), 1, amount}});
  // By itself: it leaves the caches empty for whatever is measured in turn with it.
  bench.compare(Unit::gigabytes_per_second, {put_limit},
                {{"put_stream_flood", size, on_rank_0(bench, stream), 0, amount}});
}

}  // namespace

void bandwidth(const Bench& bench) {
  const size_t bytes = window * bench.max_size;
  const Symmetric memory(bench, bytes);
  // Page-aligned, as the memory of the peer is.
  const std::unique_ptr<char, decltype(&std::free)> local(
      static_cast<char*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)), &std::free);
  require(local != nullptr, "not enough memory for the flood's local buffers");
  std::memset(local.get(), 1, bytes);
  bench.section("flood, windows of 16");
  for (size_t size : sizes(64, bench.max_size, 4)) any_size(bench, memory, local.get(), size);
}

}  // namespace bench
