// The collectives of common/collectives.hpp by Weft, buffers in the segment.
#include <weft/barrier.h>
#include <weft/coll.h>
#include <weft/job.h>
#include <weft/rma.h>

#include "common/collectives.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr weft_team_t world = WEFT_TEAM_WORLD;

weft_reduction_t sum() { return weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD); }

struct Weft {
  using Request = weft_handle_t;
  using Count = size_t;
  static void barrier() { weft_barrier(); }
  static void broadcast(char* to, const char* from, size_t size) { weft_broadcast(world, to, from, size, 0, 0); }
  static void broadcast_strict(char* to, const char* from, size_t size) {
    weft_broadcast(world, to, from, size, 0, WEFT_IN_ALLSYNC | WEFT_OUT_ALLSYNC);
  }
  static void begin_broadcast(char* to, const char* from, size_t size, Request* request) {
    weft_broadcast_nb(world, to, from, size, 0, 0, request);
  }
  static void wait_all(Request* requests, size_t count) { weft_handle_wait_all(requests, count); }
  static void reduce(char* to, const char* from, size_t size) { weft_reduce(world, to, from, size / 8, sum(), 0, 0); }
  static void reduce_all(char* to, const char* from, size_t size) {
    weft_reduce_all(world, to, from, size / 8, sum(), 0);
  }
  static void scatter(char* to, const char* from, size_t size) { weft_scatter(world, to, from, size, 0, 0); }
  static void gather(char* to, const char* from, size_t size) { weft_gather(world, to, from, size, 0, 0); }
  static void gather_all(char* to, const char* from, size_t size) { weft_gather_all(world, to, from, size, 0); }
  static void exchange(char* to, const char* from, size_t size) { weft_exchange(world, to, from, size, 0); }
  static void exchange_nb(char* to, const char* from, size_t size) {
    weft_handle_t handle;
    weft_exchange_nb(world, to, from, size, 0, &handle);
    weft_handle_wait(handle);
  }
  static void scatter_v(char* to, const char* from, const size_t* sizes, const size_t* offsets, weft_rank_t me) {
    weft_scatter_v(world, to, sizes[me], from, sizes, offsets, 0, 0);
  }
  static void gather_v(char* to, const char* from, const size_t* sizes, const size_t* offsets, weft_rank_t me) {
    weft_gather_v(world, to, sizes, offsets, from, sizes[me], 0, 0);
  }
  static void gather_all_v(char* to, const char* from, const size_t* sizes, const size_t* offsets, weft_rank_t me) {
    weft_gather_all_v(world, to, sizes, offsets, from, sizes[me], 0);
  }
  static void split_team() {
    weft_team_t team = WEFT_TEAM_NONE;
    weft_team_split(world, static_cast<int32_t>(weft_rank() % 2), 0, &team);
    weft_team_free(team);
  }
  static void team_barrier() { weft_team_barrier(world); }
};

}  // namespace

void collectives(const Bench& bench) {
  const size_t bytes = 2 * bench.max_size;
  const Symmetric from(bench, bytes), to(bench, bytes);
  const weft_rank_t me = bench.job.rank();
  std::memset(from.on(me), 1, bytes);
  compare_collectives<Weft>(bench, to.on(me), from.on(me));
}

}  // namespace bench
