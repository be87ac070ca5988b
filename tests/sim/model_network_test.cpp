#include "sim/network/model_network.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "network_support.hpp"

namespace weft::sim {
namespace {

using test::Bench;
using test::Json;
using test::plain;
using test::Seen;

const Json grid_4x4 = {{"kind", "torus"}, {"dimensions", {4, 4}}};
const Json line_8 = {{"kind", "torus"}, {"dimensions", {8}}, {"mesh_below_nodes", 9}};

Json with_routing(Json topology, const char* routing) {
  topology["routing"] = routing;
  return topology;
}

TEST(ModelNetwork, AMessageAloneTakesLatencyHopsAndBytes) {
  Bench bench(plain({{"topology", grid_4x4}}));
  const Seen& seen = bench.send(1'000, 0, 6, 100'000);  // to (2, 1): 3 hops
  bench.run();
  EXPECT_EQ(seen.injected_at, 1'000u + 100'000 / 8);
  EXPECT_EQ(seen.arrived_at, 1'000u + 500 + 3 * 100 + 100'000);
  EXPECT_EQ(bench.network->idle_time(Message::of(0, 6, 100'000)), 500u + 3 * 100 + 100'000);
}

TEST(ModelNetwork, SoDoesAShortOne) {
  Bench bench(plain());
  const Seen& seen = bench.send(1'000, 0, 5, 400);  // 3 hops the other way round
  bench.run();
  EXPECT_EQ(seen.injected_at, 1'000u + 400 / 8);
  EXPECT_EQ(seen.arrived_at, 1'000u + 500 + 3 * 100 + 400);
}

TEST(ModelNetwork, ALongMessageAloneWaitsForNoGap) {
  Bench bench(plain({{"topology", grid_4x4}, {"interface", {{"message_gap", "5 us"}, {"injection_rate", "1 GB/s"}}}}));
  const Seen& alone = bench.send(1'000, 0, 1, 1'000'000);
  const Seen& behind = bench.send(2'000'000, 0, 1, 1'000'000);
  const Seen& last = bench.send(2'000'000, 0, 1, 1'000'000);
  bench.run();
  const Time idle = bench.network->idle_time(Message::of(0, 1, 1'000'000));
  EXPECT_NEAR(static_cast<double>(alone.arrived_at), static_cast<double>(1'000 + idle), 2);
  // Two at once take turns, each with a gap behind it.
  const Time end = std::max(behind.arrived_at, last.arrived_at);
  EXPECT_NEAR(static_cast<double>(end), static_cast<double>(2'000'000 + idle + 1'000'000 + 5'000), 2);
}

TEST(ModelNetwork, AMessageOfManyWindowsIsAsFastAsTheSlowestPart) {
  for (const char* slow : {"injection_rate", "ejection_rate"}) {
    Bench bench(plain({{"interface", {{slow, "500 MB/s"}}}}));
    const Seen& seen = bench.send(0, 0, 2, 10'000'000);
    bench.run();
    EXPECT_EQ(seen.arrived_at, 500u + 2 * 100 + 20'000'000) << slow;
  }
}

TEST(ModelNetwork, AMessageWithoutBytesTakesTheLatency) {
  Bench bench(plain());
  const Seen& seen = bench.send(7, 0, 1, 0);
  bench.run();
  EXPECT_EQ(seen.arrived_at, 7u + 600);
  EXPECT_TRUE(seen.once());
}

TEST(ModelNetwork, OverheadsAreOfTheMessageAndItsBytes) {
  const Bench bench(plain({{"processor", {{"send_rate", "4 GB/s"}}}}));
  EXPECT_EQ(bench.network->send_overhead(Message::of(0, 1, 1'000)), 100u + 250);
  EXPECT_EQ(bench.network->receive_overhead(Message::of(0, 1, 1'000)), 50u);
}

TEST(ModelNetwork, TwoOnOneLinkShareIt) {
  Bench bench(plain());
  const Seen& near = bench.send(0, 1, 2, 1'000'000);
  const Seen& far = bench.send(0, 0, 2, 1'000'000);  // through 1
  const Time end = bench.run();
  // The link from 1 to 2 is busy from 500 ns on until both are through.
  EXPECT_EQ(end, 500u + 2'000'000 + 100);
  EXPECT_GE(std::min(near.arrived_at, far.arrived_at), end - 2 * 32'768);
}

TEST(ModelNetwork, TwoThatMeetNowhereDoNotNoticeEachOther) {
  Bench bench(plain());
  const Seen& one = bench.send(0, 1, 2, 1'000'000);
  const Seen& other = bench.send(0, 2, 1, 1'000'000);
  bench.run();
  EXPECT_EQ(one.arrived_at, 1'000'600u);
  EXPECT_EQ(other.arrived_at, 1'000'600u);
}

TEST(ModelNetwork, AShortMessagePassesALongOneAndTakesItsTime) {
  Bench bench(plain());
  const Seen& big = bench.send(0, 0, 1, 1'000'000);
  const Seen& little = bench.send(10'000, 0, 1, 100);
  bench.run();
  EXPECT_EQ(little.arrived_at, 10'000u + 500 + 100 + 100);
  EXPECT_EQ(big.arrived_at, 1'000'600u + 100);
}

TEST(ModelNetwork, ALongMessageWaitsForOneBeforeIt) {
  Bench bench(plain({{"interface", {{"slots", 1}}}}));
  bench.send(0, 0, 1, 32'768);
  const Seen& second = bench.send(0, 0, 1, 1'000);
  bench.run();
  EXPECT_EQ(second.arrived_at, 500u + 100 + 33'768);
}

TEST(ModelNetwork, WhatCrossesTheMiddleOfALineSharesOneLink) {
  Bench bench(plain({{"topology", line_8}}));
  for (uint32_t node = 0; node < 4; ++node) bench.send(0, node, node + 4, 1'000'000);
  const Time end = bench.run();
  EXPECT_GE(end, 4'000'000u + 600);
  EXPECT_LE(end, 4'000'000u + 600 + 4 * 32'768);
}

TEST(ModelNetwork, WhatCrossesATorusTakesTheBisectionsTime) {
  // Each node of one half sends to the one two further: two messages through each of the four links in the middle.
  Bench bench(plain({{"topology", {{"kind", "torus"}, {"dimensions", {4, 4}}, {"mesh_below_nodes", 17}}}}));
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 2; ++x) bench.send(0, 4 * y + x, 4 * y + x + 2, 1'000'000);
  const Time end = bench.run(), bound = 8 * 1'000'000 / 4;
  EXPECT_GE(end, bound);
  EXPECT_LE(end, bound + 800 + 32'768);
}

TEST(ModelNetwork, AnExchangeTakesLittleMoreThanTheBisectionsTime) {
  constexpr uint64_t bytes = 200'000;
  Bench bench(plain({{"topology", with_routing(grid_4x4, "least-busy")}}));
  for (uint32_t from = 0; from < 16; ++from)
    for (uint32_t step = 1; step < 16; ++step) bench.send(0, from, (from + step) % 16, bytes);
  const Time end = bench.run();
  // 8 nodes send to 8 others through 8 links.
  const Time bound = 8 * 8 * bytes / 8;
  EXPECT_GE(end, bound);
  EXPECT_LE(end, bound + bound * 2 / 5);  // all shift alike, so not all links are needed at every time
}

TEST(ModelNetwork, LeastBusyRoutesAvoidEachOther) {
  for (const char* routing : {"fixed", "least-busy"}) {
    Bench bench(plain({{"topology", with_routing(grid_4x4, routing)}}));
    const Seen& along = bench.send(0, 0, 1, 1'000'000);   // takes the link in x
    const Seen& across = bench.send(0, 0, 5, 1'000'000);  // to (1, 1): x first, or y first
    bench.run();
    const bool apart = std::string(routing) == "least-busy";
    EXPECT_EQ(std::max(along.arrived_at, across.arrived_at) < 1'100'000, apart) << routing;
  }
}

TEST(ModelNetwork, ContentionSlowsLinksThatSeveralNodesWaitFor) {
  Bench alone(plain({{"link", {{"contention", 0.5}}}}));
  alone.send(0, 0, 2, 1'000'000);
  alone.send(0, 0, 2, 1'000'000);  // of the same node
  EXPECT_EQ(alone.run(), 2'000'700u);
  Bench shared(plain({{"link", {{"contention", 0.5}}}}));
  shared.send(0, 0, 2, 1'000'000);
  shared.send(0, 1, 2, 1'000'000);
  const Time end = shared.run();
  EXPECT_GT(end, 3'800'000u);  // at the ends only one of them is there
  EXPECT_LE(end, 4'000'700u);
}

TEST(ModelNetwork, ABurstPassesAtOnceAndIsThereAgainAfterAPause) {
  Bench bench(plain({{"link", {{"burst", "64 KB"}}}}));
  const Seen& within = bench.send(0, 0, 1, 50'000);
  const Seen& beyond = bench.send(0, 0, 1, 50'000);
  const Seen& soon = bench.send(100'000, 0, 1, 80'000);  // the bucket is full again
  bench.run();
  EXPECT_EQ(within.arrived_at, 600u + 50'000 / 8);
  EXPECT_EQ(beyond.arrived_at, 600u + 100'000 - 64'000);
  EXPECT_EQ(soon.arrived_at, 100'600u + 80'000 - 64'000);
  EXPECT_EQ(bench.network->idle_time(Message::of(0, 1, 50'000)), 600u + 50'000 / 8);
  EXPECT_EQ(bench.network->idle_time(Message::of(0, 1, 200'000)), 600u + 200'000 - 64'000);
}

TEST(ModelNetwork, OnlySoManyLongMessagesLeaveANodeAtOnce) {
  const Json slow = {{"injection_rate", "1 GB/s"}, {"slots", 1}};
  Bench one(plain({{"interface", slow}}));
  const Seen& first = one.send(0, 0, 1, 100'000);
  const Seen& second = one.send(0, 0, 7, 100'000);
  one.run();
  EXPECT_EQ(first.injected_at, 100'000u);
  EXPECT_EQ(second.injected_at, 200'000u);
  Json two_slots = slow;
  two_slots["slots"] = 2;
  Bench two(plain({{"interface", two_slots}}));
  const Seen& left = two.send(0, 0, 1, 100'000);
  const Seen& right = two.send(0, 0, 7, 100'000);
  two.run();
  EXPECT_GT(left.injected_at, 160'000u);  // in turns
  EXPECT_EQ(right.injected_at, 200'000u);
}

TEST(ModelNetwork, MessagesUpToTheLimitNeedNoSlot) {
  const Json slow = {{"injection_rate", "1 GB/s"}, {"slots", 1}, {"slots_from", "4 KiB"}};
  Bench bench(plain({{"interface", slow}}));
  bench.send(0, 0, 1, 1'000'000);
  const Seen& small = bench.send(0, 0, 7, 4'096);
  const Seen& large = bench.send(0, 0, 7, 4'097);
  bench.run();
  EXPECT_LT(small.injected_at, 70'000u);  // in turns with the chunks of the first
  EXPECT_GT(large.injected_at, 1'000'000u);
}

TEST(ModelNetwork, AWindowHoldsAMessageBack) {
  Bench wide(plain()), narrow(plain({{"interface", {{"window", "64 KiB"}}}}));
  const Seen& free = wide.send(0, 0, 1, 1'000'000);
  const Seen& held = narrow.send(0, 0, 1, 1'000'000);
  wide.run();
  narrow.run();
  EXPECT_LT(free.injected_at, held.injected_at);
  EXPECT_GT(held.injected_at, 1'000'000u - 65'536);
  EXPECT_LT(held.arrived_at, 1'010'000u);  // and costs next to nothing
}

TEST(ModelNetwork, AnInterfaceIsTakenForItsGap) {
  Bench bench(plain({{"interface", {{"message_gap", "300 ns"}}}}));
  for (int i = 0; i < 5; ++i) bench.send(0, 0, 1, 8);
  bench.run();
  for (Time i = 0; i < 5; ++i) EXPECT_EQ(bench.seen[i]->arrived_at, 500 + 100 + 8 + i * 301) << i;
}

TEST(ModelNetwork, StrictOrderSlowsCrowdedNodes) {
  const Platform platform =
      plain({{"node", {{"cores", 8}}},
             {"interface", {{"message_gap", "100 ns"}, {"strict_ranks", 2}, {"strict_factor", 4}}}});
  const auto time_of = [&](uint32_t per_node, bool strict) {
    NetworkOptions options;
    options.ranks = 2 * per_node;
    options.ranks_per_node = per_node;
    options.ordering = strict ? Ordering::strict : Ordering::usual;
    Bench bench(platform, options);
    for (int i = 0; i < 101; ++i) bench.send(0, 0, per_node, 0);
    return bench.run() - 600;
  };
  EXPECT_EQ(time_of(8, false), 10'000u);
  EXPECT_EQ(time_of(8, true), 40'000u);
  EXPECT_EQ(time_of(5, true), 25'000u);
  EXPECT_EQ(time_of(2, true), 10'000u);
}

TEST(ModelNetwork, WhatIsSentReachesLessThanWhatIsFetched) {
  const Platform platform = plain({{"interface", {{"injection_rate", "1 GB/s"}, {"put_share", 0.8}}}});
  const auto time_of = [&](bool is_fetched) {
    Bench bench(platform);
    bench.seen.push_back(std::make_unique<Seen>());
    Message message = Message::of(0, 1, 8'000);
    message.is_fetched = is_fetched;
    EXPECT_EQ(bench.network->idle_time(message), 600u + (is_fetched ? 8'000 : 10'000));
    bench.network->send(0, message, *bench.seen.back());
    return bench.run();
  };
  EXPECT_EQ(time_of(true), 8'600u);
  EXPECT_EQ(time_of(false), 10'600u);
}

TEST(ModelNetwork, RelaxedOrderHelpsSomeSizes) {
  const Platform platform = plain({{"interface",
                                    {{"injection_rate", "0.5 GB/s"},
                                     {"relaxed_factor", 1.25},
                                     {"relaxed_from", "4 KiB"},
                                     {"relaxed_to", "16 KiB"}}}});
  const auto time_of = [&](Ordering ordering, uint64_t bytes) {
    NetworkOptions options;
    options.ranks = 8;
    options.ordering = ordering;
    Bench bench(platform, options);
    bench.send(0, 0, 1, bytes);
    return bench.run() - 600;
  };
  EXPECT_EQ(time_of(Ordering::usual, 8'000), 16'000u);
  EXPECT_EQ(time_of(Ordering::relaxed, 8'000), 12'800u);
  EXPECT_EQ(time_of(Ordering::relaxed, 4'000), 8'000u);
  EXPECT_EQ(time_of(Ordering::relaxed, 20'000), 40'000u);
}

// ---- Networks for collectives ----

TEST(ModelNetwork, HasNetworksForCollectivesIfThePlatformHas) {
  const Bench without(plain());
  EXPECT_FALSE(without.network->barrier_time());
  EXPECT_FALSE(without.network->tree_time(0, 1));

  const Json collectives = {{"barrier_latency", "1.3 us"}, {"tree_latency", "2 us"}, {"tree_rate", "1 GB/s"}};
  const Bench one(plain({{"collectives", collectives}}));
  EXPECT_EQ(one.network->barrier_time(), 1'300u);
  EXPECT_EQ(one.network->tree_time(1'000, 1), 3'000u);
  EXPECT_EQ(one.network->tree_time(1'000, 2), 5'000u);

  // Ranks of a node: 200 ns to each other, and 2 GB/s for three copies.
  NetworkOptions options;
  options.ranks = 8;
  options.ranks_per_node = 4;
  const Bench four(plain({{"collectives", collectives}, {"node", {{"cores", 4}}}}), options);
  EXPECT_EQ(four.network->barrier_time(), 1'700u);
  EXPECT_EQ(four.network->tree_time(1'000, 1), 2'200u + 1'500);
}

TEST(ModelNetwork, TellsWhatTwoSidedMessagesCost) {
  const TwoSidedCosts usual = Bench(plain()).network->two_sided_costs();
  EXPECT_EQ(usual.eager_limit, 16'384u);
  EXPECT_EQ(usual.send_overhead, 100u);
  EXPECT_EQ(usual.receive_overhead, 50u);
  EXPECT_EQ(usual.copy_ns_per_byte, 0.5);

  NetworkOptions options;
  options.ranks = 8;
  options.ranks_per_node = 4;
  const Json costs = {{"eager_limit", "1 KiB"}, {"send_overhead", "1 us"}, {"receive_overhead", "2 us"},
                      {"match", "20 ns"},       {"match_crowd", 0.5},      {"copy_rate", "1 GB/s"}};
  const TwoSidedCosts given =
      Bench(plain({{"two_sided", costs}, {"node", {{"cores", 4}}}}), options).network->two_sided_costs();
  EXPECT_EQ(given.eager_limit, 1'024u);
  EXPECT_EQ(given.send_overhead, 1'000u);
  EXPECT_EQ(given.receive_overhead, 2'000u);
  EXPECT_EQ(given.match_ns, 20 * 2.5);
  EXPECT_EQ(given.copy_ns_per_byte, 1);
}

TEST(ModelNetwork, RanksCopyBesideThoseThatAreOnTheirNode) {
  NetworkOptions options;
  options.ranks = 5;
  options.ranks_per_node = 4;
  const Bench bench(plain({{"node", {{"cores", 4}}}, {"processor", {{"flop_rate", "1 Gflop/s"}}}}), options);
  EXPECT_EQ(bench.network->computation_ns(3, 0, 2'000'000), 4e6);
  EXPECT_EQ(bench.network->computation_ns(4, 0, 2'000'000), 1e6) << "alone on its node";
  EXPECT_NE(bench.network->describe().find("2 nodes with up to 4 ranks on"), std::string::npos);
}

TEST(ModelNetwork, RanksOfANodeShareItsMemory) {
  NetworkOptions options;
  options.ranks = 4;
  options.ranks_per_node = 4;
  Bench bench(plain({{"node", {{"cores", 4}}}}), options);
  const Seen& one = bench.send(0, 0, 1, 10'000);
  const Seen& other = bench.send(0, 2, 3, 10'000);
  const Seen& small = bench.send(100, 0, 3, 100);
  bench.run();
  EXPECT_EQ(one.arrived_at, 5'000u + 200);
  EXPECT_EQ(other.arrived_at, 10'000u + 200);
  EXPECT_EQ(small.arrived_at, 100u + 50 + 200);
  EXPECT_EQ(bench.statistics().local_messages, 3u);
}

TEST(ModelNetwork, MessagesInsideANodeHaveOverheadsOfTheirOwnWhereThePlatformSaysSo) {
  NetworkOptions options;
  options.ranks = 4;
  options.ranks_per_node = 2;
  const auto bench = [&](const Json& node) {
    return Bench(plain({{"processor", {{"send_rate", "4 GB/s"}}}, {"node", node}}), options);
  };
  const Message inside = Message::of(0, 1, 1'000), outside = Message::of(1, 2, 1'000);
  const Bench usual = bench({{"cores", 2}});
  EXPECT_EQ(usual.network->send_overhead(inside), 100u + 250);
  EXPECT_EQ(usual.network->receive_overhead(inside), 50u);
  EXPECT_EQ(usual.network->two_sided_costs().node_send_overhead, 0u);

  const Bench cheap = bench({{"cores", 2}, {"send_overhead", "30 ns"}, {"receive_overhead", "20 ns"}});
  EXPECT_EQ(cheap.network->send_overhead(inside), 30u);  // the node's memory moves the bytes
  EXPECT_EQ(cheap.network->receive_overhead(inside), 20u);
  EXPECT_EQ(cheap.network->send_overhead(outside), 100u + 250);
  EXPECT_EQ(cheap.network->receive_overhead(outside), 50u);
  EXPECT_EQ(cheap.network->send_overhead(Message::of(0, 0, 0)), 100u);
  EXPECT_EQ(cheap.network->two_sided_costs().node_send_overhead, 30u);
  EXPECT_EQ(cheap.network->two_sided_costs().node_receive_overhead, 20u);

  const Bench half = bench({{"cores", 2}, {"receive_overhead", "20 ns"}});
  EXPECT_EQ(half.network->send_overhead(inside), 100u + 250);
  EXPECT_EQ(half.network->receive_overhead(inside), 20u);
}

TEST(ModelNetwork, RanksOfANodeRegisterMemoryOneByOne) {
  NetworkOptions options;
  options.ranks = 4;
  options.ranks_per_node = 2;
  const Bench bench(plain({{"node", {{"cores", 2}, {"registration", "900 ns"}, {"registration_crowded", "1.25 us"}}}}),
                    options);
  EXPECT_EQ(bench.network->register_memory(100, 0), 1'000u);
  EXPECT_EQ(bench.network->register_memory(100, 1), 2'250u);
  EXPECT_EQ(bench.network->register_memory(100, 2), 1'000u);
  EXPECT_EQ(bench.network->register_memory(5'000, 1), 5'900u);
}

// ---- Random traffic ----

struct Traffic {
  std::vector<Message> messages;
  std::vector<Time> when;
};

Traffic random_traffic(uint32_t ranks, uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  Traffic traffic;
  for (size_t i = 0; i < count; ++i) {
    const auto from = static_cast<uint32_t>(random() % ranks);
    const auto to = static_cast<uint32_t>((from + 1 + random() % (ranks - 1)) % ranks);
    const uint64_t most = uint64_t{1} << random() % 20;
    traffic.messages.push_back(Message::of(from, to, random() % most));
    traffic.when.push_back(random() % 2'000'000);
  }
  return traffic;
}

std::vector<Time> arrivals(const Platform& platform, const NetworkOptions& options, const Traffic& traffic) {
  Bench bench(platform, options);
  for (size_t i = 0; i < traffic.messages.size(); ++i) {
    const Message& message = traffic.messages[i];
    bench.send(traffic.when[i], message.from, message.to, message.bytes);
  }
  bench.run();
  std::vector<Time> times;
  for (const auto& seen : bench.seen) times.push_back(seen->arrived_at);
  return times;
}

uint64_t seed_of_this_run() {
  const char* given = std::getenv("WEFT_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::printf("WEFT_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

class RandomTraffic : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomTraffic, ArrivesOnceNotTooEarlyAndWhole) {
  const uint64_t seed = seed_of_this_run();
  const Platform platform = plain({{"topology", Json::parse(GetParam())},
                                   {"node", {{"cores", 2}}},
                                   {"interface", {{"message_gap", "40 ns"}, {"slots", 2}}},
                                   {"link", {{"contention", 0.7}}}});
  Bench bench(platform);
  const uint32_t ranks = make_topology(platform, 1)->nodes() * 2;
  const Traffic traffic = random_traffic(ranks, seed, 1'500);
  uint64_t sent = 0, over_links = 0, local = 0;
  for (size_t i = 0; i < traffic.messages.size(); ++i) {
    const Message& message = traffic.messages[i];
    bench.send(traffic.when[i], message.from, message.to, message.bytes);
    const uint32_t from = bench.network->host_of(message.from), to = bench.network->host_of(message.to);
    (from == to ? local : sent) += message.bytes;
    over_links += message.bytes * distance(bench.network->topology(), from, to);
  }
  bench.run();
  for (size_t i = 0; i < traffic.messages.size(); ++i) {
    const Seen& seen = *bench.seen[i];
    ASSERT_TRUE(seen.once()) << i;
    ASSERT_LE(seen.injected_at, seen.arrived_at) << i;
    Message least = traffic.messages[i];
    // Chunks may part, and are limited by the interfaces alone then.
    const Time bytes =
        platform.topology.least_busy && bench.network->host_of(least.from) != bench.network->host_of(least.to)
            ? std::exchange(least.bytes, 0) / 8
            : 0;
    // Each chunk is rounded by itself, to picoseconds.
    ASSERT_GE(seen.arrived_at + 1, traffic.when[i] + bench.network->idle_time(least) + bytes) << i;
  }
  const Statistics statistics = bench.statistics();
  EXPECT_EQ(statistics.messages, traffic.messages.size());
  EXPECT_EQ(statistics.bytes, sent + local);
  uint64_t through = 0;
  for (const GroupUse& use : statistics.links)
    for (const auto& link : use.links) through += link.value_or(LinkUse{}).bytes;
  EXPECT_EQ(through, over_links);
  for (const GroupUse& use : statistics.interfaces) {
    uint64_t bytes = 0;
    for (const auto& of_node : use.links) bytes += of_node.value().bytes;
    EXPECT_EQ(bytes, use.name == "memory" ? local : sent) << use.name;
  }
  EXPECT_LE(statistics.busiest_link().utilisation, 1.0);
  EXPECT_LE(statistics.mean_utilisation(), statistics.busiest_link().utilisation);
}

TEST_P(RandomTraffic, IsTheSameForTheSameSeed) {
  const uint64_t seed = seed_of_this_run();
  const Platform platform = plain({{"topology", Json::parse(GetParam())}, {"node", {{"cores", 2}}}});
  NetworkOptions options;
  options.ranks = make_topology(platform, 1)->nodes() * 2;
  options.seed = seed;
  const Traffic traffic = random_traffic(options.ranks, seed, 500);
  EXPECT_EQ(arrivals(platform, options, traffic), arrivals(platform, options, traffic));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RandomTraffic,
    ::testing::Values(R"({"kind": "crossbar", "nodes": 9})",
                      R"({"kind": "torus", "dimensions": [4, 3, 2], "routing": "least-busy"})",
                      R"({"kind": "torus", "dimensions": [4, 4], "routing": "fixed", "nodes_per_router": 2})",
                      R"({"kind": "fat-tree", "down": [4, 3], "up": [1, 2], "routing": "least-busy"})",
                      R"({"kind": "dragonfly", "groups": 5, "routers_per_group": 2, "nodes_per_router": 2,
                          "global_links_per_router": 4, "routing": "fixed"})"));

TEST(ModelNetwork, TheSeedChoosesAmongFixedRoutes) {
  // Half way round a ring both directions are as far; one of them has other traffic.
  const auto arrival = [](uint64_t seed) {
    NetworkOptions options;
    options.ranks = 8;
    options.seed = seed;
    Bench bench(plain(), options);
    bench.send(0, 0, 1, 1'000'000);
    const Seen& half_way = bench.send(0, 0, 4, 1'000'000);
    bench.run();
    return half_way.arrived_at;
  };
  unsigned slow = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) slow += arrival(seed) > 1'500'000;
  EXPECT_GT(slow, 10u);
  EXPECT_LT(slow, 54u);
}

TEST(ModelNetwork, SaysWhatItIs) {
  NetworkOptions options;
  options.ranks = 6;
  options.map = "xyzt";
  const Bench bench(plain({{"node", {{"cores", 2}}}, {"link", {{"contention", 0.58}}}}), options);
  EXPECT_EQ(bench.network->describe(), "plain: 3 nodes with 2 ranks on a torus of 8, map xyzt, contention 0.58");
}

TEST(ModelNetwork, WhatALinkIsReservedForLaterIsNotCounted) {
  Bench bench(plain());
  for (int i = 0; i < 8; ++i) bench.send(0, 0, 2, 1'000'000);
  while (bench.calendar.now() < 4'000'000) ASSERT_TRUE(bench.calendar.run_next());
  const double halfway = bench.statistics().busiest_link().utilisation;
  EXPECT_LE(halfway, 1.0);
  EXPECT_GT(halfway, 0.99);
}

TEST(ModelNetwork, ItsStatisticsAreJson) {
  Bench bench(plain());
  bench.send(0, 0, 2, 100'000);
  bench.run();
  const Json json = Json::parse(to_json(bench.statistics()));
  EXPECT_EQ(json["messages"], 1);
  EXPECT_EQ(json["links"][0]["name"], "x+");
  EXPECT_EQ(json["links"][0]["bytes"], Json({100'000, 100'000, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(json["busiest_link"]["group"], "x+");
  EXPECT_NEAR(json["busiest_link"]["utilisation"], 100'000.0 / 100'700, 1e-6);
  EXPECT_EQ(summary(bench.statistics()), "links: mean 12.4 %, busiest 99.3 % (x+, number 0)");
}

}  // namespace
}  // namespace weft::sim
