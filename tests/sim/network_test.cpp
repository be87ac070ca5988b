#include "sim/network.hpp"

#include <gtest/gtest.h>

namespace weft::sim {
namespace {

struct Seen final : Delivery {
  void injected(Time now) override { injected_at = now; }
  void arrived(Time now) override { arrived_at = now; }
  Time injected_at = 0;
  Time arrived_at = 0;
};

// 1 byte a nanosecond, 1 us.
constexpr FlatPlatform slow = {.latency = 1'000, .bytes_per_second = 1'000'000'000};

class FlatNetworkTest : public ::testing::Test {
 protected:
  void run() {
    while (calendar.run_next()) {
    }
  }
  Calendar calendar;
};

TEST_F(FlatNetworkTest, AMessageAloneTakesItsBytesAndTheLatency) {
  const auto network = make_flat_network(calendar, 2, slow);
  Seen seen;
  network->send(500, Message::of(0, 1, 4'000), seen);
  run();
  EXPECT_EQ(seen.injected_at, 4'500u);
  EXPECT_EQ(seen.arrived_at, 5'500u);
}

TEST_F(FlatNetworkTest, TwoOutOfOneHostShareItsWayOut) {
  const auto network = make_flat_network(calendar, 3, slow);
  Seen first, second;
  network->send(0, Message::of(0, 1, 4'000), first);
  network->send(0, Message::of(0, 2, 4'000), second);
  run();
  EXPECT_EQ(first.arrived_at, 5'000u);
  EXPECT_EQ(second.arrived_at, 9'000u);
}

TEST_F(FlatNetworkTest, TwoIntoOneHostShareItsWayIn) {
  const auto network = make_flat_network(calendar, 3, slow);
  Seen first, second;
  network->send(0, Message::of(0, 2, 4'000), first);
  network->send(0, Message::of(1, 2, 4'000), second);
  run();
  EXPECT_EQ(first.arrived_at, 5'000u);
  EXPECT_EQ(second.arrived_at, 9'000u);
}

TEST_F(FlatNetworkTest, AShortMessagePassesALongOne) {
  const auto network = make_flat_network(calendar, 2, slow);
  Seen big, little;
  network->send(0, Message::of(0, 1, 1'000'000), big);
  network->send(10, Message::of(0, 1, 100), little);
  run();
  EXPECT_EQ(little.injected_at, 110u);
  EXPECT_EQ(little.arrived_at, 1'110u);
  EXPECT_GE(big.arrived_at, 1'001'000u);
}

TEST_F(FlatNetworkTest, HostsAreFilledInOrder) {
  FlatPlatform platform = slow;
  platform.ranks_per_host = 4;
  const auto network = make_flat_network(calendar, 10, platform);
  EXPECT_EQ(network->host_of(0), 0u);
  EXPECT_EQ(network->host_of(3), 0u);
  EXPECT_EQ(network->host_of(9), 2u);
}

}  // namespace
}  // namespace weft::sim
