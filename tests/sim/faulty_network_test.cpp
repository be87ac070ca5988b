#include "sim/faulty_network.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sim/make_network.hpp"
#include "sim/simulation.hpp"

namespace weft::sim {
namespace {

constexpr uint32_t ranks = 4;  // a host each

struct Counted final : Delivery {
  void injected(Time now) override { left = now, ++departures; }
  void arrived(Time now) override { came = now, ++arrivals; }

  int departures = 0;
  int arrivals = 0;
  Time left = 0;
  Time came = 0;
};

// Messages of 100 bytes, one each 10 us, or after another time, from each rank to the next.
std::vector<Counted> run(const char* faults, size_t count = 400, Time gap = 10'000) {
  FaultPlan plan;
  EXPECT_EQ(parse_faults(faults, plan), "");
  Calendar calendar;
  std::unique_ptr<Network> network;
  EXPECT_TRUE(make_network("flat", {.ranks = ranks, .ranks_per_node = 1, .map = ""}, calendar, network).ok());
  FaultyNetwork faulty(std::move(network), plan, calendar);
  std::vector<Counted> messages(count);
  for (uint32_t i = 0; i < count; ++i)
    faulty.send(beginning + gap * (i / ranks), Message::of(i % ranks, (i + 1) % ranks, 100), messages[i]);
  while (calendar.run_next()) continue;
  return messages;
}

TEST(FaultyNetwork, EveryMessageLeavesAndArrivesOnce) {
  for (const char* faults :
       {"", "delay=0.5:50us", "drop=0.5", "reorder", "reorder=1", "delay=0.5:50us,drop=0.3,reorder=0.5,seed=9"})
    for (const Counted& message : run(faults)) {
      EXPECT_EQ(message.departures, 1) << faults;
      EXPECT_EQ(message.arrivals, 1) << faults;
      EXPECT_GE(message.came, message.left) << faults;
    }
}

size_t differing(const std::vector<Counted>& a, const std::vector<Counted>& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += a[i].came != b[i].came;
  return count;
}

TEST(FaultyNetwork, TheSameSeedIsTheSameAgainAndAnotherIsNot) {
  const char* const faults = "delay=0.3:5us,drop=0.1,reorder,seed=5";
  EXPECT_EQ(differing(run(faults), run(faults)), 0u);
  EXPECT_GT(differing(run(faults), run("delay=0.3:5us,drop=0.1,reorder,seed=6")), 50u);
}

TEST(FaultyNetwork, AMessageThatIsDroppedComesAfterATimeOut) {
  const auto usual = run(""), dropped = run("drop=0.25");
  size_t late = 0;
  for (size_t i = 0; i < usual.size(); ++i) {
    EXPECT_EQ(dropped[i].left, usual[i].left);
    if (dropped[i].came == usual[i].came) continue;
    ++late;
    EXPECT_GE(dropped[i].came, usual[i].came + 100'000);
  }
  EXPECT_NEAR(static_cast<double>(late), 100, 30);
}

TEST(FaultyNetwork, AFaultThatIsTakenAwayLeavesTheOthers) {
  const auto dropped = run("drop=0.2"), both = run("drop=0.2,delay=0.5:3us");
  for (size_t i = 0; i < dropped.size(); ++i) {
    EXPECT_GE(both[i].came, dropped[i].came);
    EXPECT_LT(both[i].came, dropped[i].came + 4'000);
  }
}

TEST(FaultyNetwork, OnlyMessagesInTheWindowAreMet) {
  const auto usual = run(""), some = run("delay=1:3us,only=10-19");
  for (size_t i = 0; i < usual.size(); ++i) {
    const size_t number = i / ranks;  // of its pair
    EXPECT_EQ(usual[i].came != some[i].came, number >= 10 && number <= 19) << number;
  }
}

TEST(FaultyNetwork, TheNextMessageOfAPairPassesAndTheOtherComesALittleLater) {
  const auto messages = run("reorder=0.5,seed=2", 400, 3'000);
  size_t passed = 0;
  for (size_t i = 0; i + ranks < messages.size(); ++i) {
    const Counted &first = messages[i], &next = messages[i + ranks];
    if (first.came < next.came) continue;
    ++passed;
    EXPECT_GT(first.came, next.came);
    EXPECT_LE(first.came, next.came + 2'000);
  }
  EXPECT_GT(passed, 100u);
}

TEST(FaultyNetwork, NothingComesFromOrToAHostThatIsLost) {
  for (const char* faults : {"dead=h1@500us", "cut=h1@500us"}) {
    const auto messages = run(faults);
    for (size_t i = 0; i < messages.size(); ++i) {
      const bool concerned = i % ranks == 0 || i % ranks == 1;
      if (concerned && i / ranks >= 40 && i / ranks < 50) continue;  // some of these
      EXPECT_EQ(messages[i].arrivals, concerned && i / ranks >= 50 ? 0 : 1);
    }
  }
}

}  // namespace
}  // namespace weft::sim
