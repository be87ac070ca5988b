// What a job's start, barriers, splits, the growth of scratch space, frees and the job's end take of messages and bytes
// on 64, 256 and 1,024 simulated ranks. Nothing is quadratic if what an average rank sends grows no faster than the
// rounds of a barrier. And that the memory of a rank does not grow with the job.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "capi/state.hpp"
#include "sim/simulation.hpp"
#include "weft/weft.h"

namespace {

using weft::sim::Simulation;

struct Use {
  double messages = 0, bytes = 0;  // of an average rank
};

// What has been sent since rank 0 asked last.
class Meter {
 public:
  Use lap() {
    const Use use = so_far();
    messages_ = Simulation::current()->messages();
    bytes_ = Simulation::current()->bytes();
    return use;
  }

  Use so_far() const {
    const Simulation& simulation = *Simulation::current();
    const double ranks = simulation.ranks();
    return {static_cast<double>(simulation.messages() - messages_) / ranks,
            static_cast<double>(simulation.bytes() - bytes_) / ranks};
  }

 private:
  uint64_t messages_ = 0, bytes_ = 0;
};

struct Measured {
  Meter meter;
  std::map<std::string, Use> phases;

  // Ends with barriers, which are part of it.
  void phase(const char* name) {
    weft_barrier();
    weft_barrier();
    if (weft_rank() == 0) phases[name] = meter.lap();
    weft_barrier();
  }
};

int run_rank(void* argument) {
  auto& measured = *static_cast<Measured*>(argument);
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 1;
  measured.phase("start");
  measured.phase("barriers");
  weft_team_barrier_notify(WEFT_TEAM_WORLD, 0, WEFT_BARRIER_ANONYMOUS);
  weft_team_barrier_wait(WEFT_TEAM_WORLD, 0, WEFT_BARRIER_ANONYMOUS);
  measured.phase("team barrier");
  weft_team_t rows = WEFT_TEAM_NONE, columns = WEFT_TEAM_NONE;
  EXPECT_EQ(weft_team_split_stride(WEFT_TEAM_WORLD, 8, 1, &rows), WEFT_OK);
  EXPECT_EQ(weft_team_split_stride(WEFT_TEAM_WORLD, weft_size() / 8, 8, &columns), WEFT_OK);
  measured.phase("splits");
  EXPECT_EQ(weft_team_size(columns), weft_size() / 8);
  EXPECT_EQ(weft_team_world_rank(rows, 3), weft_rank() / 8 * 8 + 3);
  double one = 1, sum = 0;
  weft_reduce_all(WEFT_TEAM_WORLD, &sum, &one, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD), 0);
  EXPECT_EQ(sum, weft_size());
  measured.phase("reduction");
  // Needs more than a bank of the team's scratch space.
  std::vector<double> values(size_t{64} << 10, weft_team_rank(rows) == 0 ? 3 : 0);
  weft_broadcast(rows, values.data(), values.data(), values.size() * sizeof values[0], 0, 0);
  EXPECT_EQ(values.back(), 3);
  measured.phase("growth");
  weft_team_free(rows), weft_team_free(columns);
  measured.phase("free");
  const int status = weft_finalize();
  measured.phases["end"] = measured.meter.so_far();  // by the last rank: of all
  return status == WEFT_OK ? 0 : 1;
}

constexpr weft_rank_t fewest = 64;

std::map<std::string, Use> used(weft_rank_t ranks) {
  Measured measured;
  EXPECT_EQ(weft_run_threads(ranks, run_rank, &measured), WEFT_OK);
  for (const auto& [name, use] : measured.phases)
    std::printf("%5u ranks: %-12s %8.2f messages %10.1f bytes a rank\n", ranks, name.c_str(), use.messages, use.bytes);
  return measured.phases;
}

// What `ranks` may take if `fewest` took `few`.
void check_growth(weft_rank_t ranks, const std::map<std::string, Use>& few) {
  const double rounds = static_cast<double>(std::bit_width(ranks - 1)) / std::bit_width(fewest - 1);
  const std::map<std::string, Use> many = used(ranks);
  ASSERT_EQ(many.size(), few.size());
  for (const auto& [name, use] : many) {
    EXPECT_LE(use.messages, 1.2 * rounds * few.at(name).messages + 1) << name << " of " << ranks << " ranks";
    EXPECT_LE(use.bytes, 1.2 * rounds * few.at(name).bytes + 64) << name << " of " << ranks << " ranks";
  }
}

class Scale : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* setting : {"WEFT_CONDUIT=sim", "WEFT_SIM_PLATFORM=bgp", "WEFT_SEGMENT_SIZE=16M"})
      putenv(strdup(setting));
  }
};

TEST_F(Scale, MessagesAndBytesOfARankGrowNoFasterThanTheRounds) {
  const std::map<std::string, Use> few = used(fewest);
  check_growth(256, few);
  check_growth(1024, few);
}

// Bytes that have been allocated when all ranks have begun. Rank 0 looks.
int count_memory(void* bytes) {
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 1;
  weft_barrier();
  if (weft_rank() == 0) {
    const struct mallinfo2 info = mallinfo2();
    *static_cast<double*>(bytes) = static_cast<double>(info.uordblks + info.hblkhd);
  }
  weft_barrier();
  return weft_finalize() == WEFT_OK ? 0 : 1;
}

double memory_of(weft_rank_t ranks) {
  const struct mallinfo2 before = mallinfo2();
  double bytes = 0;
  EXPECT_EQ(weft_run_threads(ranks, count_memory, &bytes), WEFT_OK);
  return bytes - static_cast<double>(before.uordblks + before.hblkhd);
}

// Places are arithmetic, so a rank of a larger job takes more for the rounds of its barriers only.
TEST_F(Scale, MemoryOfARankDoesNotGrowWithTheJob) {
  const double few = memory_of(256) / 256, many = memory_of(2048) / 2048;
  std::printf("%.0f bytes a rank of 256, %.0f of 2,048\n", few, many);
  EXPECT_GT(few, 0);
  EXPECT_LE(many, 1.25 * few + 1024);
}

double resident_bytes() {
  std::ifstream pages("/proc/self/statm");
  double all = 0, resident = 0;
  pages >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Bytes that have come into memory while blocks went from rank 0 to all and back.
int scatter_and_gather(void* bytes) {
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 1;
  constexpr size_t block = 64;
  std::vector<char> mine(block), all(weft_rank() == 0 ? weft_size() * block : block, 'x');
  weft_barrier();
  const double before = resident_bytes();
  for (int call = 0; call < 100; ++call) {
    EXPECT_EQ(weft_scatter(WEFT_TEAM_WORLD, mine.data(), all.data(), block, 0, 0), WEFT_OK);
    EXPECT_EQ(weft_gather(WEFT_TEAM_WORLD, all.data(), mine.data(), block, 0, 0), WEFT_OK);
  }
  weft_barrier();
  if (weft_rank() == 0) *static_cast<double*>(bytes) = resident_bytes() - before;
  weft_barrier();
  return weft_finalize() == WEFT_OK ? 0 : 1;
}

double scratch_memory_of(weft_rank_t ranks) {
  double bytes = 0;
  EXPECT_EQ(weft_run_threads(ranks, scatter_and_gather, &bytes), WEFT_OK);
  return bytes;
}

// Scratch space takes memory where messages come: for a rank that is no root, a page a call until its banks are used
// again.
TEST_F(Scale, ScratchSpaceOfARankDoesNotGrowWithTheJob) {
  const double few = scratch_memory_of(256) / 256, many = scratch_memory_of(1024) / 1024;
  std::printf("%.0f bytes a rank of 256, %.0f of 1,024\n", few, many);
  EXPECT_GT(few, 0);
  EXPECT_LT(few, 2.0 * (1 << 20));
  EXPECT_LE(many, 1.25 * few);
}

// An exchange beside computation, with one poll in the middle. What is left of it after the computation, in ns.
int exchange_while_computing(void* left_ns) {
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 1;
  constexpr size_t block = 8192;
  constexpr uint64_t computation_ns = 10'000'000;
  size_t from = 0, to = 0;
  EXPECT_EQ(weft_alloc(weft_size() * block, 64, &from), WEFT_OK);
  EXPECT_EQ(weft_alloc(weft_size() * block, 64, &to), WEFT_OK);
  weft_barrier();
  weft_handle_t handle = 0;
  EXPECT_EQ(weft_exchange_nb(WEFT_TEAM_WORLD, weft_pointer(weft_rank(), to), weft_pointer(weft_rank(), from), block, 0,
                             &handle),
            WEFT_OK);
  Simulation::current()->spend(computation_ns);
  weft_poll();
  Simulation::current()->spend(computation_ns);
  const uint64_t begin = weft_time_ns();
  EXPECT_EQ(weft_handle_wait(handle), WEFT_OK);
  if (weft_rank() == 0) *static_cast<uint64_t*>(left_ns) = weft_time_ns() - begin;
  weft_free(from);
  weft_free(to);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}

// With one poll: where the others want the blocks is known by then. If scratch space grew first, which takes a poll for
// each round of a barrier, the exchange would begin when the computation is over, and take 4 to 10 ms then.
TEST_F(Scale, TheFirstExchangeOfATeamOverlapsWithComputation) {
  setenv("WEFT_COLL", "exchange=put", 1);
  for (const weft_rank_t ranks : {32u, 64u}) {
    uint64_t left_ns = 0;
    EXPECT_EQ(weft_run_threads(ranks, exchange_while_computing, &left_ns), WEFT_OK);
    EXPECT_LT(left_ns, 1'000'000u) << ranks;
  }
  unsetenv("WEFT_COLL");
}

// Exchanges on two teams, of which more are begun than are started at once; every second rank begins the other team's
// first.
int many_exchanges(void*) {
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 1;
  constexpr size_t block = 16384;
  constexpr uint32_t exchanges = 6;  // of 31 messages and half a MiB each
  const weft_rank_t size = weft_size(), me = weft_rank();
  weft_team_t teams[2] = {WEFT_TEAM_WORLD, WEFT_TEAM_NONE};
  EXPECT_EQ(weft_team_split_stride(WEFT_TEAM_WORLD, size, 1, &teams[1]), WEFT_OK);
  std::vector<uint32_t> source(size * block / sizeof(uint32_t));
  const size_t words = block / sizeof source[0];
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint32_t>(me * source.size() + i);
  std::vector<uint32_t> received[2][exchanges];
  weft_handle_t handles[2][exchanges];
  for (const uint32_t turn : {0u, 1u}) {
    const uint32_t team = (me + turn) % 2;
    for (uint32_t i = 0; i < exchanges; ++i) {
      received[team][i].resize(source.size());
      EXPECT_EQ(weft_exchange_nb(teams[team], received[team][i].data(), source.data(), block, 0, &handles[team][i]),
                WEFT_OK);
    }
  }
  // Three of each team's are enough.
  EXPECT_EQ(weft::capi::enter("scale_test").rank->coll.world().exchanges.held.size(), 3u);
  // Other collectives overtake those that wait.
  double one = 1, sum = 0;
  weft_reduce_all(WEFT_TEAM_WORLD, &sum, &one, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD), 0);
  EXPECT_EQ(sum, size);
  for (auto& list : handles) EXPECT_EQ(weft_handle_wait_all(list, exchanges), WEFT_OK);
  for (const auto& list : received)
    for (const std::vector<uint32_t>& got : list)
      for (size_t i = 0; i < got.size(); ++i)
        if (got[i] != i / words * source.size() + me * words + i % words) {
          ADD_FAILURE() << "rank " << me << " has " << got[i] << " at " << i;
          break;
        }
  weft_team_free(teams[1]);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}

TEST_F(Scale, ExchangesThatWaitForEarlierOnesDoNotWaitForEachOther) {
  setenv("WEFT_COLL", "exchange=put", 1);
  setenv("WEFT_SEGMENT_SIZE", "64M", 1);  // for copies of what lies outside it
  EXPECT_EQ(weft_run_threads(32, many_exchanges, nullptr), WEFT_OK);
  unsetenv("WEFT_COLL");
}

}  // namespace
