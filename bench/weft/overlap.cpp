// How much of a non-blocking exchange is hidden behind computation, as the OSU micro-benchmarks define it: the exchange
// alone takes A, a computation C with C about A; begun, computed and waited for, both take T. Hidden is 1 - (T - C) /
// A.
//
//  exchange_alone            A; limit: memcpy of what a rank receives, on all ranks at once, as they exchange. A rank
//                            that copies alone has the memory and the shared caches for itself: its speed is printed
//                            beside
//  exchange_computing        T, the computation calls nothing of Weft; limit: C
//  exchange_computing_polls  T, the computation calls weft_poll() about every 50 us; limit: C
#include <sys/resource.h>
#include <weft/barrier.h>
#include <weft/coll.h>
#include <weft/job.h>
#include <weft/rma.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "common/opaque.hpp"
#include "common/timing.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

// Dependent arithmetic: so many steps take the same time whatever else goes on, unless the processor is taken away.
void compute(uint64_t steps) {
  uint64_t x = 1;
  for (uint64_t i = 0; i < steps; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    opaque(x);
  }
}

// What the kernel has worked for this process.
double kernel_ns() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_stime.tv_sec) * 1e9 + static_cast<double>(usage.ru_stime.tv_usec) * 1e3;
}

double slowest(double value) {
  double most = 0;
  weft_reduce_all(WEFT_TEAM_WORLD, &most, &value, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0);
  return most;
}

// The median over repetitions of the slowest rank's time; all begin together.
template <class Body>
double timed(int repetitions, Body body) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    weft_barrier();
    const uint64_t start = weft_time_ns();
    body();
    times.push_back(slowest(static_cast<double>(weft_time_ns() - start)));
  }
  return median(std::move(times));
}

void one_size(const Bench& bench, char* to, const char* from, size_t size) {
  constexpr double between_polls_ns = 50e3;
  const int repetitions = bench.effort.repetitions;
  const auto begin = [=] {
    weft_handle_t handle;
    weft_exchange_nb(WEFT_TEAM_WORLD, to, from, size, 0, &handle);
    return handle;
  };
  const double kernel_before = kernel_ns();
  const double alone = timed(repetitions, [&] { weft_handle_wait(begin()); });
  const double kernel = (kernel_ns() - kernel_before) / repetitions;

  constexpr uint64_t sample = 1 << 16;
  const double step_ns = timed(repetitions, [] { compute(sample); }) / sample;
  const auto steps = static_cast<uint64_t>(std::max(1.0, alone / step_ns));
  const uint64_t pieces = std::max<uint64_t>(1, static_cast<uint64_t>(alone / between_polls_ns));
  const double computing = timed(repetitions, [&] { compute(steps); });
  const double silent = timed(repetitions, [&] {
    const weft_handle_t handle = begin();
    compute(steps);
    weft_handle_wait(handle);
  });
  const double polling = timed(repetitions, [&] {
    const weft_handle_t handle = begin();
    for (uint64_t piece = 0; piece < pieces; ++piece) {
      compute(steps / pieces);
      weft_poll();
    }
    weft_handle_wait(handle);
  });
  const auto copy = [&] {
    std::memcpy(to, from, size * bench.job.size());
    opaque(*to);
  };
  const double copying = timed(repetitions, copy);
  const double copying_alone = timed(repetitions, [&] {
    if (bench.job.rank() == 0) copy();
  });
  if (bench.report == nullptr) return;
  bench.report->add({"exchange_alone", size, alone, "ns", Limit{"memcpy", copying}});
  bench.report->add({"exchange_computing", size, silent, "ns", Limit{"computation", computing}});
  bench.report->add({"exchange_computing_polls", size, polling, "ns", Limit{"computation", computing}});
  const auto hidden = [&](double total) { return std::clamp(100 * (1 - (total - computing) / alone), 0.0, 100.0); };
  std::printf(
      "  hidden: %.0f %%, %.0f %% with polls; alone at %.2f of the speed of memcpy on all ranks at once, %.2f of one "
      "rank's\n",
      hidden(silent), hidden(polling), copying / alone, copying_alone / alone);
  // Where ranks have a processor each, what the kernel does for a rank's exchange takes the computation's time.
  std::printf("  the kernel works %.0f us for an exchange: at most %.0f %% can be hidden with a processor per rank\n",
              kernel / 1e3, std::clamp(100 * (1 - kernel / alone), 0.0, 100.0));
}

}  // namespace

void overlap(const Bench& bench) {
  const size_t largest = std::min(bench.max_size, size_t{1} << 20);
  const Symmetric from(bench, largest * bench.job.size());
  const Symmetric to(bench, largest * bench.job.size());
  const weft_rank_t me = bench.job.rank();
  auto* source = static_cast<char*>(weft_pointer(me, from.offset()));
  auto* destination = static_cast<char*>(weft_pointer(me, to.offset()));
  std::memset(source, 1, largest * bench.job.size());
  bench.section("exchange behind computation");
  for (const size_t size : sizes(16 << 10, largest, 4)) one_size(bench, destination, source, size);
}

}  // namespace bench
