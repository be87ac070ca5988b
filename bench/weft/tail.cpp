// How much single operations differ: blocking puts of 8 bytes one by one, beside round trips of a TCP socket between
// the same two processes. Blocks of 1,000 of each kind alternate, so that what disturbs the machine disturbs both
// alike.
//
//  put_median, put_p999, put_worst  of all puts: half, 99.9 % and all take at most that
//  put_slowest_1000  the mean of the slowest block: a phase in which each put is slow shows here
#include <weft/job.h>
#include <weft/rma.h>

#include <algorithm>
#include <vector>

#include "common/timing.hpp"
#include "weft/attended.hpp"

namespace bench {
namespace {

constexpr uint64_t of_block = 1000;

struct Singles {
  std::vector<double> times;  // ns
  double slowest_block = 0;   // the mean time of its operations
};

// A loop that takes the time of each operation.
template <class Operation>
auto timed(Singles& singles, Operation operation) {
  return [&singles, operation](uint64_t iterations) {
    const auto begin = static_cast<double>(weft_time_ns());
    double last = begin;
    for (uint64_t i = 0; i < iterations; ++i) {
      operation();
      const auto now = static_cast<double>(weft_time_ns());
      singles.times.push_back(now - last);
      last = now;
    }
    singles.slowest_block = std::max(singles.slowest_block, (last - begin) / static_cast<double>(iterations));
  };
}

}  // namespace

void tail(const Bench& bench) {
  const Symmetric memory(bench, 8), flag(bench, sizeof(uint64_t));
  const uint32_t rank = bench.job.rank();
  Tcp tcp;
  connect(bench, tcp);
  Singles puts, trips;
  if (rank == 0)
    for (Singles* each : {&puts, &trips}) each->times.reserve(static_cast<size_t>(bench.effort.repetitions) * of_block);
  const size_t offset = memory.offset();
  const uint64_t value = 1;
  const Loop put = attended(bench, flag, timed(puts, [&] { weft_put(1, offset, &value, sizeof value); }));
  const Loop trip = tcp.round_trip(rank, sizeof value);
  const Loop trips_one_by_one = rank == 0 ? Loop(timed(trips, [&] { trip(1); })) : trip;
  for (int block = 0; block < bench.effort.repetitions; ++block) {
    bench.job.barrier();
    put(of_block);
    bench.job.barrier();
    trips_one_by_one(of_block);
  }
  bench.job.barrier();
  if (rank != 0) return;
  bench.section("single puts of 8 bytes, beside a TCP socket");
  const auto add = [&](const char* name, double value_ns, double limit_ns) {
    bench.report->add({name, sizeof value, value_ns, "ns", Limit{"tcp round trip", limit_ns}});
  };
  add("put_median", median(puts.times), median(trips.times));
  add("put_p999", quantile(puts.times, 0.999), quantile(trips.times, 0.999));
  add("put_worst", quantile(puts.times, 1), quantile(trips.times, 1));
  add("put_slowest_1000", puts.slowest_block, trips.slowest_block);
}

}  // namespace bench
