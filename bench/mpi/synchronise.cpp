// What crosses between two cores: barriers, ping-pongs of small messages, atomics.
#include <vector>

#include "mpi/benchmarks.hpp"

namespace bench {
namespace {

constexpr int tag = 2;

Bare line_limit(const Bench& bench, const Window& memory) {
  if (!one_host()) return {"line round trip", {}};
  return {"line round trip", line_round_trip(bench.job.rank(), memory.on<Box>(0))};
}

Loop ping_pong(const Bench& bench, size_t size) {
  return two_sides(
      bench,
      [=, data = std::vector<char>(size + 1)](uint64_t iterations) mutable {
        for (uint64_t i = 0; i < iterations; ++i) {
          MPI_Send(data.data(), static_cast<int>(size), MPI_BYTE, 1, tag, MPI_COMM_WORLD);
          MPI_Recv(data.data(), static_cast<int>(size), MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      },
      [=, data = std::vector<char>(size + 1)](uint64_t iterations) mutable {
        for (uint64_t i = 0; i < iterations; ++i) {
          MPI_Recv(data.data(), static_cast<int>(size), MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Send(data.data(), static_cast<int>(size), MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        }
      });
}

// `per_trip`: 1 for a round trip, 2 for one way.
void ping_pongs(const Bench& bench, const char* name, double per_trip) {
  const Window memory(sizeof(Box));
  std::vector<Subject> subjects;
  for (size_t size : {size_t{0}, size_t{8}, size_t{64}, size_t{512}, size_t{4096}})
    subjects.push_back({name, size, ping_pong(bench, size), 0, per_trip});
  bench.compare(Unit::ns, {line_limit(bench, memory)}, subjects);
}

}  // namespace

void message_round_trip(const Bench& bench) {
  bench.section("message there and back");
  ping_pongs(bench, "message_round_trip", 1);
}

void message_one_way(const Bench& bench) {
  bench.section("message, one way");
  ping_pongs(bench, "message_one_way", 2);
}

void barriers(const Bench& bench) {
  const Window memory(sizeof(Box));
  bench.section("barrier");
  bench.compare(Unit::ns, {line_limit(bench, memory)}, {{"barrier", 0, [](uint64_t iterations) {
                                                           for (uint64_t i = 0; i < iterations; ++i)
                                                             MPI_Barrier(MPI_COMM_WORLD);
                                                         }}});
}

void atomics(const Bench& bench) {
  const Window memory(2 * line_bytes);
  const auto add = [&](int owner, MPI_Aint at) {
    return [=, window = memory.handle()](uint64_t iterations) {
      const uint64_t one = 1;
      uint64_t before = 0;
      for (uint64_t i = 0; i < iterations; ++i) {
        MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, owner, at, MPI_SUM, window);
        MPI_Win_flush(owner, window);
      }
    };
  };
  const auto swap = [&](int owner, MPI_Aint at) {
    return [=, window = memory.handle()](uint64_t iterations) {
      const uint64_t zero = 0;
      uint64_t before = 0;
      for (uint64_t i = 0; i < iterations; ++i) {
        MPI_Compare_and_swap(&zero, &zero, &before, MPI_UINT64_T, owner, at, window);
        MPI_Win_flush(owner, window);
      }
    };
  };
  const auto bare = [&](int owner, size_t at) {
    auto* const place = reinterpret_cast<uint64_t*>(memory.on(owner) + at);
    return [=](uint64_t iterations) {
      for (uint64_t i = 0; i < iterations; ++i) __atomic_fetch_add(place, 1, __ATOMIC_SEQ_CST);
    };
  };
  const auto limit = [&](const Loop& loop) { return Bare{"bare atomic", one_host() ? loop : Loop()}; };
  bench.section("atomics");
  for (const int owner : {0, 1}) {
    const char* where = owner == 0 ? "own" : "peer";
    bench.compare(Unit::ns, {limit(on_rank_0(bench, bare(owner, 0)))},
                  {{std::string("fetch_add_") + where, 8, on_rank_0(bench, add(owner, 0))},
                   {std::string("compare_swap_") + where, 8, on_rank_0(bench, swap(owner, 0))}});
  }
  constexpr size_t contended = line_bytes;
  bench.compare(Unit::ns, {limit(two_sides(bench, bare(1, contended), bare(1, contended)))},
                {{"fetch_add_contended", 8, two_sides(bench, add(1, contended), add(1, contended))},
                 {"compare_swap_contended", 8, two_sides(bench, swap(1, contended), swap(1, contended))}});
}

}  // namespace bench
