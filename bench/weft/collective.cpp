// Collectives over all ranks, buffers in the segment: blocking, strictly synchronised, and eight in flight. A loop ends
// with a barrier, so that what runs ahead is counted. The limit is a memcpy of what a rank receives.
#include <weft/barrier.h>
#include <weft/coll.h>
#include <weft/job.h>
#include <weft/rma.h>

#include "common/opaque.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr size_t depth = 8;

template <class Call>
Loop looped(Call call) {
  return [=](uint64_t iterations) mutable {
    for (uint64_t i = 0; i < iterations; ++i) call();
    weft_barrier();
  };
}

template <class Begin>
Loop in_flight(Begin begin) {
  return [=](uint64_t iterations) mutable {
    weft_handle handles[depth];
    for (uint64_t i = 0; i < iterations; ++i) {
      for (size_t d = 0; d < depth; ++d) begin(d, &handles[d]);
      weft_handle_wait_all(handles, depth);
    }
    weft_barrier();
  };
}

struct Buffers {
  Buffers(const Bench& bench, size_t bytes) : from(bench, bytes), to(bench, bytes) {
    const weft_rank_t me = bench.job.rank();
    source = static_cast<char*>(weft_pointer(me, from.offset()));
    destination = static_cast<char*>(weft_pointer(me, to.offset()));
    std::memset(source, 1, bytes);
  }
  Symmetric from, to;
  char* source;
  char* destination;
};

constexpr weft_team world = WEFT_TEAM_WORLD;

void one_size(const Bench& bench, const Buffers& b, size_t size) {
  const uint32_t n = bench.job.size();
  char* const to = b.destination;
  const char* const from = b.source;
  const weft_reduction sum = weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD);
  const unsigned strict = WEFT_IN_ALLSYNC | WEFT_OUT_ALLSYNC;
  std::vector<Subject> subjects = {
      {"broadcast", size, looped([=] { weft_broadcast(world, to, from, size, 0, 0); })},
      {"broadcast_strict", size, looped([=] { weft_broadcast(world, to, from, size, 0, strict); })},
      {"reduce", size, looped([=] { weft_reduce(world, to, from, size / 8, sum, 0, 0); })},
      {"reduce_all", size, looped([=] { weft_reduce_all(world, to, from, size / 8, sum, 0); })},
  };
  if (size * depth <= bench.max_size)
    subjects.push_back({"broadcast_in_flight", size, in_flight([=](size_t d, weft_handle* handle) {
                          weft_broadcast_nb(world, to + d * size, from + d * size, size, 0, 0, handle);
                        }),
                        0, depth});
  if (size * n <= 2 * bench.max_size) {
    subjects.push_back({"scatter", size, looped([=] { weft_scatter(world, to, from, size, 0, 0); })});
    subjects.push_back({"gather", size, looped([=] { weft_gather(world, to, from, size, 0, 0); })});
    subjects.push_back({"gather_all", size, looped([=] { weft_gather_all(world, to, from, size, 0); })});
    subjects.push_back({"exchange", size, looped([=] { weft_exchange(world, to, from, size, 0); })});
    subjects.push_back({"exchange_nb", size, looped([=] {
                          weft_handle handle;
                          weft_exchange_nb(world, to, from, size, 0, &handle);
                          weft_handle_wait(handle);
                        })});
  }
  const Bare copy = {"memcpy", [=](uint64_t iterations) {
                       for (uint64_t i = 0; i < iterations; ++i) {
                         std::memcpy(to, from, size);
                         opaque(*to);
                       }
                     }};
  bench.compare(Unit::ns, {copy}, subjects);
}

}  // namespace

void collectives(const Bench& bench) {
  const Buffers buffers(bench, 2 * bench.max_size);
  bench.section("collectives");
  for (const size_t size : sizes(8, bench.max_size, 8)) one_size(bench, buffers, size);
  bench.section("teams");
  bench.compare(Unit::ns, {Bare{"none", {}}},
                {{"team_split", 0, looped([] {
                    weft_team team = WEFT_TEAM_NONE;
                    weft_team_split(world, static_cast<int32_t>(weft_rank() % 2), 0, &team);
                    weft_team_free(team);
                  })},
                 {"team_barrier", 0, looped([] { weft_team_barrier(world); })}});
}

}  // namespace bench
