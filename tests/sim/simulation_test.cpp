#include "sim/simulation.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "os/clock.hpp"
#include "sim/make_network.hpp"

namespace weft::sim {
namespace {

class SimulationTest : public ::testing::Test {
 protected:
  void make(uint32_t ranks, Simulation::Plan plan = {}) {
    plan.ranks = ranks;
    const auto network = [ranks](Calendar& calendar, std::unique_ptr<Network>& made) {
      return make_network("flat", {.ranks = ranks, .map = ""}, calendar, made);
    };
    ASSERT_TRUE(Simulation::make(plan, network, simulation).ok());
    simulation->on_deadlock([](const std::string& who) {
      std::fprintf(stderr, "deadlock: %s\n", who.c_str());
      std::_Exit(3);
    });
  }
  Time now() const { return simulation->time() - beginning; }

  std::unique_ptr<Simulation> simulation;
};

TEST_F(SimulationTest, RanksRunInOrderAndEndWhenTheyAreWaitedFor) {
  make(3);
  std::vector<uint32_t> order;
  for (uint32_t rank = 0; rank < 3; ++rank) simulation->start(rank, [&] { order.push_back(simulation->rank()); });
  EXPECT_TRUE(order.empty());
  simulation->wait_for_others();
  EXPECT_EQ(order, (std::vector<uint32_t>{0, 1, 2}));
}

TEST_F(SimulationTest, TheCallerMayBeRank0) {
  make(3);
  simulation->join_as_first();
  EXPECT_EQ(simulation->rank(), 0u);
  int ended = 0;
  for (uint32_t rank = 1; rank < 3; ++rank)
    simulation->start(rank, [&] {
      simulation->spend(10);
      simulation->catch_up();
      ++ended;
    });
  simulation->spend(5);
  simulation->catch_up();
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(now(), 5u);
  simulation->wait_for_others();
  EXPECT_EQ(ended, 2);
}

// Each step is told with its time; whoever is behind runs first.
TEST_F(SimulationTest, StepsHappenInTheOrderOfTheirTimes) {
  make(3);
  std::vector<std::pair<Time, uint32_t>> steps;
  for (uint32_t rank = 0; rank < 3; ++rank)
    simulation->start(rank, [&, rank] {
      for (int i = 0; i < 4; ++i) {
        simulation->spend(10 * (rank + 1));
        simulation->catch_up();
        steps.push_back({now(), rank});
      }
    });
  simulation->wait_for_others();
  EXPECT_EQ(steps, (std::vector<std::pair<Time, uint32_t>>{{10, 0},
                                                           {20, 1},
                                                           {20, 0},
                                                           {30, 2},
                                                           {30, 0},
                                                           {40, 1},
                                                           {40, 0},
                                                           {60, 2},
                                                           {60, 1},
                                                           {80, 1},
                                                           {90, 2},
                                                           {120, 2}}));
}

TEST_F(SimulationTest, ARestEndsByWakingOrWhenItsTimeIsOver) {
  make(2);
  simulation->start(0, [&] {
    EXPECT_FALSE(simulation->rest("here", beginning + 100, false));
    EXPECT_EQ(now(), 100u);
    EXPECT_TRUE(simulation->rest("here", beginning + 1000, false));
    EXPECT_EQ(now(), 300u);
    EXPECT_FALSE(simulation->rest("here", beginning + 2000, false)) << "the time of the rest before counts no more";
    EXPECT_EQ(now(), 2000u);
  });
  simulation->start(1, [&] {
    simulation->spend(300);
    simulation->catch_up();
    simulation->wake(0);
  });
  simulation->wait_for_others();
}

TEST_F(SimulationTest, WhoIsWokenBeforeItsOwnTimeGoesOnAtItsOwn) {
  make(2);
  simulation->start(0, [&] {
    simulation->spend(500);
    EXPECT_TRUE(simulation->rest("here", never, true));
    EXPECT_EQ(now(), 500u);
  });
  simulation->start(1, [&] {
    simulation->spend(300);
    simulation->catch_up();
    simulation->wake(0);
  });
  simulation->wait_for_others();
  EXPECT_EQ(simulation->end() - beginning, 500u);
}

thread_local int counter = 7;

// The watchdog blames the rank that runs if nothing changes.
TEST_F(SimulationTest, EventsAreHeartbeatsAsTurnsAre) {
  struct Look final : Event {
    void happen(Time) override { beats.push_back(Simulation::current()->heartbeat()); }
    std::vector<uint64_t> beats;
  } look;
  make(1);
  simulation->start(0, [&] {
    for (Time after = 1; after <= 3; ++after) simulation->calendar().at(simulation->time() + after, look);
    simulation->rest("nothing", simulation->time() + 10, false);
  });
  simulation->wait_for_others();
  ASSERT_EQ(look.beats.size(), 3u);
  EXPECT_LT(look.beats[0], look.beats[1]);
  EXPECT_LT(look.beats[1], look.beats[2]);
}

TEST_F(SimulationTest, EachRankHasThreadLocalVariablesOfItsOwn) {
  make(3);
  counter = 100;
  for (uint32_t rank = 0; rank < 3; ++rank)
    simulation->start(rank, [&, rank] {
      EXPECT_EQ(counter, 7);
      counter += static_cast<int>(rank);
      simulation->spend(10);
      simulation->catch_up();
      EXPECT_EQ(counter, 7 + static_cast<int>(rank));
    });
  simulation->wait_for_others();
  EXPECT_EQ(counter, 100);
}

// What is under way changes a rank's variables while it rests, and before and after it runs harmlessly.
TEST_F(SimulationTest, ThreadLocalVariablesOfOthersAreReachedByTheirAddress) {
  make(3);
  const auto counter_of = [&](uint32_t rank) -> int& {
    return *reinterpret_cast<int*>(simulation->memory_of(rank, &counter));
  };
  simulation->start(0, [&] {
    counter = 10;
    simulation->rest("here", never, true);
    EXPECT_EQ(counter, 30);
  });
  simulation->start(1, [&] {
    EXPECT_EQ(&counter_of(1), &counter);
    counter = 20;
    EXPECT_EQ(counter_of(2), 7);
    EXPECT_EQ(std::exchange(counter_of(0), 30), 10);
    simulation->spend(10);
    simulation->catch_up();
    counter_of(2) = 40;
    EXPECT_EQ(counter, 20);
    simulation->wake(0);
  });
  simulation->start(2, [] { EXPECT_EQ(counter, 7); });
  simulation->wait_for_others();
}

TEST_F(SimulationTest, ExceptionsMayBeHandledWhileOthersRun) {
  make(3);
  for (uint32_t rank = 0; rank < 3; ++rank)
    simulation->start(rank, [&, rank] {
      try {
        throw std::runtime_error(std::to_string(rank));
      } catch (const std::runtime_error&) {
        simulation->spend(10);
        simulation->catch_up();
        try {
          throw;
        } catch (const std::runtime_error& again) {
          EXPECT_EQ(again.what(), std::to_string(rank));
        }
      }
    });
  simulation->wait_for_others();
}

TEST_F(SimulationTest, TheClockIsTheRanksOwn) {
  const uint64_t before = os::now_ns();
  make(2);
  for (uint32_t rank = 0; rank < 2; ++rank)
    simulation->start(rank, [&, rank] {
      const uint64_t begin = os::now_ns();
      os::sleep_ns(3'600'000'000'000 * (rank + 1));
      EXPECT_EQ(os::now_ns() - begin, 3'600'000'000'000 * (rank + 1));
    });
  simulation->wait_for_others();
  simulation.reset();
  EXPECT_LT(os::now_ns(), before + 60'000'000'000) << "the host's clock again";
}

TEST_F(SimulationTest, WhoWaitsByTheClockAloneComesToTheEnd) {
  make(1);
  simulation->start(0, [&] {
    const uint64_t end = os::now_ns() + 1'000'000;
    while (os::now_ns() < end) {
    }
    EXPECT_LT(os::now_ns(), end + 1'000);
  });
  simulation->wait_for_others();
}

TEST_F(SimulationTest, MeasuredComputationTakesTime) {
  make(1, {.computation = Computation::measured, .factor = 1000});
  Time taken = 0;
  simulation->start(0, [&] {
    { const Simulation::Inside inside(*simulation); }
    const Time begin = simulation->time();
    double sum = 0;
    for (int i = 1; i < 100'000; ++i) sum += 1.0 / i;
    EXPECT_GT(sum, 1);
    { const Simulation::Inside inside(*simulation); }
    taken = simulation->time() - begin;
  });
  simulation->wait_for_others();
  EXPECT_GT(taken, 10'000u) << "100,000 divisions take at least 10 us, here times 1,000";
}

struct Seen final : Delivery {
  void injected(Time) override {}
  void arrived(Time now) override {
    at = now;
    simulation->wake(1);
  }
  Simulation* simulation = nullptr;
  Time at = 0;
};

TEST_F(SimulationTest, AMessageTakesItsTime) {
  make(2);
  Seen seen;
  seen.simulation = simulation.get();
  simulation->start(0, [&] {
    simulation->spend(50);
    simulation->send(Message::of(0, 1, 1'000), seen);
    EXPECT_EQ(now(), 250u) << "the sender's overhead";
  });
  simulation->start(1, [&] {
    EXPECT_TRUE(simulation->rest("here", never, true));
    EXPECT_EQ(now(), 1'350u);
  });
  simulation->wait_for_others();
  EXPECT_EQ(seen.at - beginning, 1'350u);
  EXPECT_EQ(simulation->messages(), 1u);
  EXPECT_EQ(simulation->bytes(), 1'000u);
}

TEST_F(SimulationTest, RanksThatAllWaitForEverAreNamedWithTheirCalls) {
  make(5);
  for (uint32_t rank = 0; rank < 5; ++rank)
    simulation->start(rank, [&, rank] {
      if (rank == 4) return;
      simulation->rest(rank == 2 ? "weft_signal_wait" : "weft_barrier", never, true);
    });
  EXPECT_EXIT(simulation->wait_for_others(), ::testing::ExitedWithCode(3),
              "^deadlock: ranks 0-1, 3 in weft_barrier; rank 2 in weft_signal_wait\n$");
  (void)simulation.release();  // its fibers rest for ever
}

TEST_F(SimulationTest, SoAreRanksThatLookAgainAndAgain) {
  make(2);
  for (uint32_t rank = 0; rank < 2; ++rank)
    simulation->start(rank, [&] {
      for (;;) simulation->rest("weft_barrier", simulation->time() + 1'000, true);
    });
  EXPECT_EXIT(simulation->wait_for_others(), ::testing::ExitedWithCode(3), "ranks 0-1 in weft_barrier");
  (void)simulation.release();
}

// Not all of them rest at any time: those that look at the same time come to their turns one after another.
TEST_F(SimulationTest, SoAreRanksThatPollInStep) {
  make(4);
  for (uint32_t rank = 0; rank < 3; ++rank)
    simulation->start(rank, [&] {
      for (;;) {
        simulation->catch_up();
        simulation->rest("weft_signal_test", simulation->time() + 100'000, false);
      }
    });
  simulation->start(3, [&] { simulation->rest("weft_barrier", never, true); });
  EXPECT_EXIT(simulation->wait_for_others(), ::testing::ExitedWithCode(3),
              "rank 3 in weft_barrier; ranks 0-2 in weft_signal_test");
  (void)simulation.release();
}

// Ranks poll in vain for ten minutes, while another computes.
TEST_F(SimulationTest, WhoActsNowAndThenIsNotStuck) {
  make(3);
  bool over = false;
  simulation->start(0, [&] {
    for (int second = 0; second < 600; ++second) {
      simulation->spend(1'000'000'000);
      simulation->act();
      simulation->rest("weft_poll", simulation->time() + 1'000, false);
    }
    over = true;
  });
  for (uint32_t rank = 1; rank < 3; ++rank)
    simulation->start(rank, [&] {
      while (!over) simulation->rest("weft_poll", simulation->time() + 100'000'000, false);
    });
  simulation->wait_for_others();
  EXPECT_GT(simulation->end() - beginning, 600'000'000'000u);
}

// A rank that has a time of its own is no deadlock, however long it is.
TEST_F(SimulationTest, WhoWaitsForATimeIsNotStuck) {
  make(2);
  simulation->start(0, [&] {
    simulation->rest("doze", simulation->time() + 3'600'000'000'000, false);
    simulation->wake(1);
  });
  simulation->start(1, [&] { EXPECT_TRUE(simulation->rest("weft_barrier", never, true)); });
  simulation->wait_for_others();
}

TEST_F(SimulationTest, FiveThousandRanksPassATurnEach) {
  constexpr uint32_t ranks = 5'000;
  make(ranks, {.stack_size = size_t{128} << 10});
  uint64_t sum = 0;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    simulation->start(rank, [&, rank] {
      simulation->spend(1);
      if (rank == 0)
        simulation->catch_up();  // the others come to rest
      else
        simulation->rest("here", never, true);
      sum += rank;
      if (rank + 1 < ranks) simulation->wake(rank + 1, simulation->time());
    });
  simulation->wait_for_others();
  EXPECT_EQ(sum, uint64_t{ranks} * (ranks - 1) / 2);
}

}  // namespace
}  // namespace weft::sim
