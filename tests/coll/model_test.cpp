// The model: what it expects of algorithms, and so what is chosen without a table. Times are those of a machine that
// the test makes up, or of the one that the model's own numbers describe.
#include "coll/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "coll/algorithm.hpp"
#include "coll/algorithm/each_to_each.hpp"
#include "coll/algorithm/tree.hpp"
#include "coll/choice.hpp"
#include "coll/stages.hpp"

namespace {

using weft::coll::cheapest;
using weft::coll::describe;
using weft::coll::expected_ns;
using weft::coll::find_algorithm;
using weft::coll::mapped_memory;
using weft::coll::Model;
using weft::coll::network;
using weft::coll::Op;
using weft::coll::Plan;
using weft::coll::Shape;
using weft::coll::Work;

constexpr Model machine = {.latency_ns = 100,
                           .overhead_ns = 10,
                           .byte_ns = 1,
                           .one_link = false,
                           .switch_ns = 1000,
                           .ahead_bytes = size_t{1} << 20,
                           .ahead_calls = 32};

Shape shape_of(Op op, uint32_t members, size_t size) {
  return {.op = op,
          .members = members,
          .size = size,
          .element = 8,
          .commutative = true,
          .direct = true,
          .spread = {.most = members, .least = members, .direct = true}};
}

// One member per host.
Shape across_hosts(Op op, uint32_t members, size_t size) {
  Shape shape = shape_of(op, members, size);
  shape.direct = false;
  shape.spread = {.hosts = members};
  return shape;
}

Plan plan(Op op, const char* name, uint32_t radix = 0) {
  return {.algorithm = find_algorithm(op, name), .radix = radix};
}

std::string chosen(const Model& model, Op op, uint32_t members, size_t size) {
  return describe(cheapest(model, shape_of(op, members, size), members));
}

TEST(Model, WithoutScratchSpaceForMoreACallTakesAsLongAsAlone) {
  Model model = machine;
  model.ahead_bytes = 0;
  EXPECT_EQ(model.one_way(5000, {.busiest = 100, .total = 200}, 4, 64), 5000);
}

TEST(Model, CallsWhoseDataFlowsOneWayCostTheBusiestMembersWork) {
  EXPECT_NEAR(machine.one_way(132, {.busiest = 100, .total = 150}, 2, 64), 101, 0.01);  // 32 calls share the way
  EXPECT_EQ(machine.one_way(90, {.busiest = 100, .total = 150}, 2, 64), 100);
}

TEST(Model, TheLargerACallTheFewerOverlap) {
  const Work work = {.busiest = 100, .total = 150};
  EXPECT_LT(machine.one_way(4100, work, 2, 1024), machine.one_way(4100, work, 2, size_t{256} << 10));
  EXPECT_EQ(machine.one_way(4100, work, 2, size_t{4} << 20), 4100);
}

TEST(Model, MembersThatShareProcessorsShareTheWork) {
  Model model = machine;
  model.share = 4;
  EXPECT_EQ(model.one_way(0, {.busiest = 100, .total = 400}, 8, 64), 200);  // 400 on two processors
  EXPECT_EQ(model.one_way(0, {.busiest = 300, .total = 400}, 8, 64), 300);  // one of them has most of it
}

TEST(Model, BetweenHostsTheBusiestLinkCountsAndOnesOwnProcessor) {
  Model model = machine;
  model.one_link = true;
  EXPECT_EQ(model.one_way(0, {.busiest = 100, .total = 800, .carried = 50}, 8, 64), 100);
  EXPECT_EQ(model.one_way(0, {.busiest = 100, .total = 800, .carried = 500}, 8, 64), 500);
  EXPECT_EQ(model.sending(4096), 10);  // the link carries the bytes
  EXPECT_EQ(machine.sending(4096), 4106);
}

TEST(Model, DataOutsideTheAnnouncingLineCostsAnother) {
  Model model = machine;
  model.line_ns = 60;
  EXPECT_NEAR(model.through(49) - model.through(48), 61, 0.01);
}

TEST(Model, ACoroutineCostsMoreThanACallThatIsMadeAtOnce) {
  const Shape shape = shape_of(Op::broadcast, 2, 64);
  Model model = machine;
  const double at_once = expected_ns(model, shape, plan(Op::broadcast, "tree", 2));
  const double task = expected_ns(model, shape, plan(Op::broadcast, "shared"));
  model.task_ns = 90;
  EXPECT_EQ(expected_ns(model, shape, plan(Op::broadcast, "tree", 2)), at_once);
  EXPECT_EQ(expected_ns(model, shape, plan(Op::broadcast, "shared")), task + 90);
}

TEST(Model, ATreesLevelsCarryEveryMembersBlockOnce) {
  for (const uint32_t members : {2u, 3u, 4u, 7u, 8u, 16u, 17u}) {
    for (const uint32_t radix : {2u, 3u, 4u, 8u}) {
      uint64_t messages = 0;
      weft::coll::algorithm::KNomial::for_each_level(members, radix, [&](uint64_t sent, uint64_t blocks) {
        messages += sent;
        EXPECT_LE(blocks, members);
      });
      EXPECT_EQ(messages, members - 1) << members << " members, radix " << radix;
    }
  }
}

TEST(EachToEach, ATurnHasOnePartnerEachWayAndBothDirectionsTakeTurns) {
  using weft::coll::algorithm::source_in;
  using weft::coll::algorithm::target_in;
  for (const uint32_t n : {2u, 3u, 8u, 9u}) {
    std::vector<bool> met(n, false);
    for (uint32_t turn = 1; turn < n; ++turn) {
      for (uint32_t me = 0; me < n; ++me) EXPECT_EQ(source_in(turn, target_in(turn, me, n), n), me) << n;
      met[target_in(turn, 0, n)] = true;
    }
    EXPECT_EQ(std::count(met.begin(), met.end(), true), n - 1);
  }
  EXPECT_EQ(target_in(1, 5, 8), 6u);
  EXPECT_EQ(target_in(2, 5, 8), 4u);
  EXPECT_EQ(target_in(3, 5, 8), 7u);
}

// As measured (docs/performance-coll.md).
TEST(Choice, SharedMemoryTwoRanks) {
  const Model model = mapped_memory(1);
  for (const size_t size : {8u, 512u, 2048u, 3072u}) EXPECT_EQ(chosen(model, Op::broadcast, 2, size), "tree:2") << size;
  for (const size_t size : {16384u, 262144u}) EXPECT_EQ(chosen(model, Op::broadcast, 2, size), "shared") << size;
  EXPECT_EQ(chosen(model, Op::reduce, 2, 512), "flat");
  EXPECT_EQ(chosen(model, Op::reduce_all, 2, 65536), "shared");
  EXPECT_EQ(chosen(model, Op::exchange, 2, 65536), "put");
}

TEST(Choice, SharedMemoryMoreRanksThanProcessors) {
  const Model model = mapped_memory(4);
  for (const size_t size : {8u, 64u}) EXPECT_EQ(chosen(model, Op::broadcast, 8, size), "tree:8") << size;
  EXPECT_EQ(chosen(model, Op::reduce_all, 8, 4096), "shared");
  EXPECT_EQ(chosen(model, Op::gather_all, 8, 4096), "put");
  EXPECT_EQ(chosen(model, Op::gather_all, 8, 8), "flat");
  for (const size_t size : {8u, 64u, 512u}) {
    EXPECT_EQ(chosen(mapped_memory(2), Op::prefix, 4, size), "doubling") << size;
    EXPECT_EQ(chosen(model, Op::prefix, 8, size), "doubling") << size;
  }
  EXPECT_EQ(chosen(model, Op::prefix, 8, 32768), "shared");
}

TEST(Choice, BetweenHosts) {
  const Model model = network(false);
  const auto on = [&](Op op, uint32_t members, size_t size) {
    return describe(cheapest(model, across_hosts(op, members, size), members));
  };
  for (const size_t size : {8u, 64u, 512u}) EXPECT_EQ(on(Op::broadcast, 8, size), "tree:2") << size;
  for (const size_t size : {4096u, 16384u}) EXPECT_EQ(on(Op::broadcast, 8, size), "kary_tree:1") << size;
  EXPECT_EQ(on(Op::broadcast, 64, 4096), "kary_tree:2");  // a chain of 64 is too long
  EXPECT_EQ(on(Op::reduce, 8, 8), "tree:2");
  EXPECT_EQ(on(Op::reduce, 8, 4096), "kary_tree:1");
  EXPECT_EQ(on(Op::reduce_all, 8, 32768), "halving");
  // Not from all to all at once what switches would drop.
  for (const size_t size : {32768u, 65536u, 1u << 20}) {
    EXPECT_EQ(on(Op::gather_all, 8, size), size > 65536 ? "ring" : "bruck:2") << size;
    EXPECT_EQ(on(Op::exchange, 8, size), "pairwise") << size;
  }
}

TEST(Choice, BetweenHostsWhoseLinksHoldMessagesBackAllSendAtOnce) {
  const Model model = network(false, true);
  for (const size_t size : {32768u, 65536u, 1u << 20}) {
    const std::string name = describe(cheapest(model, across_hosts(Op::exchange, 8, size), 8));
    EXPECT_EQ(name, size > 32768 ? "put" : "flat") << size;
  }
}

// What serves the leaders of 16 hosts of 8 is what would serve 16 hosts of one.
TEST(Choice, StagesBetweenHostsAreThoseOfSingleMembers) {
  const Model inside = mapped_memory(1);
  Model model = network(false);
  model.inside = &inside;
  for (const Op op : {Op::broadcast, Op::reduce, Op::reduce_all}) {
    for (const size_t size : {64u, 16384u, 1u << 20}) {
      Shape shape = shape_of(op, 128, size);
      shape.direct = false;
      shape.spread = {.hosts = 16, .most = 8, .least = 8, .direct = true};
      const auto stages = find_algorithm(op, "hosts")->compose(model, shape);
      EXPECT_EQ(describe(stages->plan[1]), describe(cheapest(model, across_hosts(op, 16, size), 16))) << size;
    }
  }
}

}  // namespace
