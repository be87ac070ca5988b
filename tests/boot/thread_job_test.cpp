#include "boot/thread_job.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace weft::boot {
namespace {

/// Stands for the process's own way in.
class Process final : public Boot {
 public:
  explicit Process(int& finalized) : finalized_(finalized) {}
  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 1; }
  const char* name() const override { return "test"; }
  Status put(std::string_view, std::string_view) override { return WEFT_OK; }
  Status fence() override { return WEFT_OK; }
  Status get(uint32_t, std::string_view, std::string&) override { return WEFT_OK; }
  Status finalize() override {
    ++finalized_;
    return WEFT_OK;
  }
  void abort(int code, std::string_view reason) override { std::_Exit(code + (reason.empty() ? 0 : 1)); }

 private:
  int& finalized_;
};

TEST(ThreadJob, ExchangesValuesBetweenItsRanks) {
  for (const uint32_t size : {1u, 2u, 3u, 4u, 7u}) {
    int finalized = 0;
    ThreadJob job(size, std::make_unique<Process>(finalized));
    std::vector<std::thread> ranks;
    for (uint32_t rank = 0; rank < size; ++rank)
      ranks.emplace_back([&, rank] {
        const std::unique_ptr<Boot> boot = job.boot(rank);
        EXPECT_EQ(boot->rank(), rank);
        EXPECT_EQ(boot->size(), size);
        for (int round = 0; round < 100; ++round) {
          const std::string key = "round-" + std::to_string(round);
          EXPECT_TRUE(boot->put(key, std::to_string(rank * 1000 + static_cast<uint32_t>(round))).ok());
          EXPECT_TRUE(boot->fence().ok());
          const uint32_t peer = (rank + 1) % size;
          std::string value;
          EXPECT_TRUE(boot->get(peer, key, value).ok());
          EXPECT_EQ(value, std::to_string(peer * 1000 + static_cast<uint32_t>(round)));
        }
        EXPECT_TRUE(boot->finalize().ok());
      });
    for (std::thread& rank : ranks) rank.join();
    EXPECT_EQ(finalized, 1) << "the process leaves once, after its last rank";
  }
}

TEST(ThreadJob, MissesWhatNobodyPut) {
  ThreadJob job(2, nullptr);
  std::string value;
  EXPECT_FALSE(job.boot(0)->get(1, "nothing", value).ok());
}

TEST(ThreadJobDeathTest, AbortEndsTheProcessThroughItsLauncher) {
  int finalized = 0;
  const auto abort_with = [&](std::string_view reason, bool watched) {
    ThreadJob job(2, watched ? std::make_unique<Process>(finalized) : nullptr);
    job.boot(1)->abort(7, reason);
  };
  EXPECT_EXIT(abort_with("", true), testing::ExitedWithCode(7), "");
  EXPECT_EXIT(abort_with("why", true), testing::ExitedWithCode(8), "");
  EXPECT_EXIT(abort_with("", false), testing::ExitedWithCode(7), "");
}

TEST(ThreadJob, WhatRanksHaveInCommonIsMadeOnceInEachRound) {
  constexpr uint32_t size = 5, rounds = 3;
  ThreadJob job(size, nullptr);
  std::atomic<int> made{0};
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < size; ++rank)
    ranks.emplace_back([&, rank] {
      const auto boot = job.boot(rank);
      for (int round = 1; round <= static_cast<int>(rounds); ++round) {
        EXPECT_TRUE(boot->fence().ok());
        const auto what = boot->in_common("what", [&] { return std::make_shared<const int>(++made); });
        EXPECT_EQ(*static_cast<const int*>(what.get()), round);
      }
      EXPECT_TRUE(boot->finalize().ok());
    });
  for (std::thread& rank : ranks) rank.join();
}

class ThreadVariables : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"WEFT_RANKS_AS", "WEFT_THREADS_SIZE", "WEFT_BIND_CPUS"}) ::unsetenv(name);
  }
  uint32_t ranks = 99;
  uint32_t simulated = 99;
};

TEST_F(ThreadVariables, SayHowManyRanksToRun) {
  EXPECT_TRUE(ranks_in_process(ranks, simulated).ok());
  EXPECT_EQ(ranks, 0u);
  ::setenv("WEFT_RANKS_AS", "threads", 1);
  ::setenv("WEFT_THREADS_SIZE", "4", 1);
  EXPECT_TRUE(ranks_in_process(ranks, simulated).ok());
  EXPECT_EQ(ranks, 4u);
  EXPECT_EQ(simulated, 0u);
  ::setenv("WEFT_RANKS_AS", "simulated", 1);
  EXPECT_TRUE(ranks_in_process(ranks, simulated).ok());
  EXPECT_EQ(ranks, 0u);
  EXPECT_EQ(simulated, 4u);
  ::setenv("WEFT_RANKS_AS", "processes", 1);
  EXPECT_TRUE(ranks_in_process(ranks, simulated).ok());
  EXPECT_EQ(ranks, 0u);
}

TEST_F(ThreadVariables, AreRefusedIfMalformed) {
  ::setenv("WEFT_RANKS_AS", "fibres", 1);
  EXPECT_EQ(ranks_in_process(ranks, simulated).code(), WEFT_ERR_BOOT);
  ::setenv("WEFT_RANKS_AS", "threads", 1);
  EXPECT_EQ(ranks_in_process(ranks, simulated).code(), WEFT_ERR_BOOT) << "no size";
  for (const char* size : {"", "0", "-2", "x", "65537"}) {
    ::setenv("WEFT_THREADS_SIZE", size, 1);
    EXPECT_EQ(ranks_in_process(ranks, simulated).code(), WEFT_ERR_BOOT) << size;
  }
  EXPECT_EQ(ranks, 0u);
  EXPECT_EQ(simulated, 0u);
}

TEST_F(ThreadVariables, BindEachRankToItsProcessor) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = 0;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(static_cast<size_t>(processor), &allowed)) last = processor;
  ::setenv("WEFT_BIND_CPUS", ("999999," + std::to_string(last)).c_str(), 1);
  std::thread([&] {
    EXPECT_TRUE(bind_thread_rank(1).ok());
    cpu_set_t now;
    EXPECT_EQ(::sched_getaffinity(0, sizeof now, &now), 0);
    EXPECT_EQ(CPU_COUNT(&now), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<size_t>(last), &now));
  }).join();
  EXPECT_FALSE(bind_thread_rank(0).ok()) << "no such processor";
  EXPECT_FALSE(bind_thread_rank(2).ok()) << "the list is too short";
}

}  // namespace
}  // namespace weft::boot
