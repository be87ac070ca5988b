// Every kind of topology: its routes are shortest, its links are what their numbers say, and fixed routes cannot
// deadlock with the virtual channels that machines of the kind have.
#include "sim/network/topology.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <ostream>
#include <queue>
#include <set>

#include "network_support.hpp"

namespace weft::sim {
namespace {

using test::Json;
using test::plain;

struct Case {
  std::string name;
  std::string topology;  // JSON
  unsigned diameter;
  double bisection;  // in links
};

// Else a test's name would have the bytes of its case, pointers among them.
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class TopologyTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    platform = plain({{"topology", Json::parse(GetParam().topology)}});
    topology = make_topology(platform, 1);
    find_edges();
  }

  // Where each link leads from and to, as the routes of all pairs say.
  void find_edges() {
    Topology::Choices choices;
    for (uint32_t vertex = 0; vertex < topology->vertices(); ++vertex)
      for (uint32_t node = 0; node < topology->nodes(); ++node) {
        if (topology->home(node) == vertex) continue;
        const unsigned count = topology->shortest_hops(vertex, node, choices);
        ASSERT_GT(count, 0u);
        ASSERT_LE(count, Topology::most_choices);
        for (unsigned i = 0; i < count; ++i) {
          ASSERT_LT(choices[i].link, topology->link_numbers());
          ASSERT_TRUE(topology->has_link(choices[i].link)) << choices[i].link;
          ASSERT_LT(choices[i].vertex, topology->vertices());
          const auto [edge, is_new] = edges.try_emplace(choices[i].link, vertex, choices[i].vertex);
          ASSERT_EQ(edge->second, std::pair(vertex, choices[i].vertex)) << "link " << choices[i].link << " is two";
        }
      }
    for (const auto& [link, ends] : edges) neighbours[ends.first].insert(ends.second);
  }

  // From there to all others, by the links alone.
  std::vector<unsigned> distances(uint32_t from) const {
    std::vector<unsigned> found(topology->vertices(), ~0u);
    std::queue<uint32_t> next({from});
    found[from] = 0;
    for (; !next.empty(); next.pop()) {
      const auto around = neighbours.find(next.front());
      if (around == neighbours.end()) continue;
      for (const uint32_t vertex : around->second)
        if (found[vertex] == ~0u) {
          found[vertex] = found[next.front()] + 1;
          next.push(vertex);
        }
    }
    return found;
  }

  size_t group_of(uint32_t link) const {
    size_t group = 0;
    while (link >= topology->groups()[group].first + topology->groups()[group].count()) ++group;
    return group;
  }

  // Which virtual channel of the link a message takes, given the one before.
  unsigned channel(uint32_t link, uint32_t before, unsigned channel_before) const {
    const std::string name = topology->groups()[group_of(link)].name;
    if (platform.topology.kind == TopologyKind::dragonfly)
      return channel_before | (before != ~0u && topology->groups()[group_of(before)].name == "global" ? 1u : 0u);
    if (platform.topology.kind != TopologyKind::torus) return 0;
    const size_t d = group_of(link) / 2;
    const bool same = before != ~0u && group_of(before) / 2 == d;
    const auto [from, to] = edges.at(link);
    const uint32_t per = platform.topology.nodes_per_router;
    const uint32_t here = topology->coordinates(from * per)[d], there = topology->coordinates(to * per)[d];
    const bool wraps = name.back() == '+' ? there < here : there > here;
    return (same ? channel_before : 0u) | (wraps ? 1u : 0u);
  }

  Platform platform;
  std::unique_ptr<Topology> topology;
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> edges;
  std::map<uint32_t, std::set<uint32_t>> neighbours;
};

TEST_P(TopologyTest, RoutesAreShortest) {
  unsigned farthest = 0;
  Topology::Choices choices;
  for (uint32_t from = 0; from < topology->nodes(); ++from) {
    const std::vector<unsigned> away = distances(topology->home(from));
    for (uint32_t to = 0; to < topology->nodes(); ++to) {
      ASSERT_EQ(distance(*topology, from, to), away[topology->home(to)]) << from << " to " << to;
      farthest = std::max(farthest, away[topology->home(to)]);
      if (topology->home(from) == topology->home(to)) continue;
      // Every choice is a step nearer, also for every spread of the fixed one.
      const unsigned count = topology->shortest_hops(topology->home(from), to, choices);
      for (uint32_t spread = 0; spread < 8; ++spread) {
        const Hop fixed = topology->fixed_hop(topology->home(from), to, spread);
        const bool offered = std::any_of(choices.begin(), choices.begin() + count,
                                         [&](const Hop& hop) { return hop.link == fixed.link; });
        ASSERT_TRUE(offered) << from << " to " << to << ", spread " << spread;
      }
      for (unsigned i = 0; i < count; ++i)
        ASSERT_EQ(distances(choices[i].vertex)[topology->home(to)] + 1, away[topology->home(to)]);
    }
  }
  EXPECT_EQ(farthest, GetParam().diameter);
  EXPECT_EQ(topology->diameter(), GetParam().diameter);
}

TEST_P(TopologyTest, EachLinkIsOnAShortestRoute) { EXPECT_EQ(edges.size(), topology->links()); }

TEST_P(TopologyTest, TheBisectionIsKnown) { EXPECT_DOUBLE_EQ(topology->bisection(), GetParam().bisection * 1e9); }

TEST_P(TopologyTest, CutsHaveTheLinksBetweenTheirSides) {
  std::map<uint32_t, uint32_t> node_at;  // of each vertex that has nodes, one of these
  for (uint32_t node = 0; node < topology->nodes(); ++node) node_at[topology->home(node)] = node;
  for (const Cut& cut : topology->cuts()) {
    // A switch is on no side but where a node is parted from all others; weft_sim_test.py has larger subtrees by hand.
    if (node_at.size() != topology->vertices() && cut.stride != 1) continue;
    const auto inside = [&](uint32_t vertex) { return node_at.contains(vertex) && cut.contains(node_at.at(vertex)); };
    size_t crossing = 0;
    for (const auto& [link, ends] : edges) crossing += inside(ends.first) && !inside(ends.second);
    EXPECT_DOUBLE_EQ(cut.bytes_per_second, static_cast<double>(crossing) * 1e9) << cut.stride;
  }
}

TEST_P(TopologyTest, FixedRoutesCannotDeadlock) {
  using Channel = std::pair<uint32_t, unsigned>;
  std::map<Channel, std::set<Channel>> waits_for;
  for (uint32_t from = 0; from < topology->nodes(); ++from)
    for (uint32_t to = 0; to < topology->nodes(); ++to)
      for (uint32_t spread = 0; spread < 8; ++spread) {
        Channel before = {~0u, 0};
        for (uint32_t vertex = topology->home(from); vertex != topology->home(to);) {
          const Hop hop = topology->fixed_hop(vertex, to, spread);
          const Channel here = {hop.link, channel(hop.link, before.first, before.second)};
          waits_for[here];
          if (before.first != ~0u) waits_for[before].insert(here);
          before = here;
          vertex = hop.vertex;
        }
      }
  std::map<Channel, int> state;  // 1: on the way down, 2: done
  const std::function<bool(const Channel&)> has_cycle = [&](const Channel& channel) {
    if (state[channel] != 0) return state[channel] == 1;
    state[channel] = 1;
    for (const Channel& next : waits_for[channel])
      if (has_cycle(next)) return true;
    state[channel] = 2;
    return false;
  };
  for (const auto& [channel, next] : waits_for) ASSERT_FALSE(has_cycle(channel)) << "link " << channel.first;
}

TEST_P(TopologyTest, CoordinatesNameNodes) {
  for (uint32_t node = 0; node < topology->nodes(); ++node) {
    std::vector<uint32_t> place = topology->coordinates(node);
    EXPECT_EQ(topology->node_at(place), node);
    place[0] += topology->nodes();
    EXPECT_EQ(topology->node_at(place), topology->nodes());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TopologyTest,
    ::testing::Values(
        Case{"crossbar", R"({"kind": "crossbar", "nodes": 6})", 2, 3},
        Case{"ring", R"({"kind": "torus", "dimensions": [7]})", 3, 2},
        Case{"torus", R"({"kind": "torus", "dimensions": [4, 3, 2]})", 4, 12},
        Case{"torus4", R"({"kind": "torus", "dimensions": [3, 2, 4, 2]})", 5, 24},
        Case{"mesh", R"({"kind": "torus", "dimensions": [4, 4], "mesh_below_nodes": 17})", 6, 4},
        Case{"two_at_a_router", R"({"kind": "torus", "dimensions": [4, 3], "nodes_per_router": 2})", 3, 6},
        Case{"fat_tree", R"({"kind": "fat-tree", "down": [2, 2, 2], "up": [1, 2, 2]})", 6, 4},
        Case{"thin_tree", R"({"kind": "fat-tree", "down": [4, 3], "up": [1, 2]})", 4, 3},
        Case{"rails", R"({"kind": "fat-tree", "down": [3, 3], "up": [2, 3]})", 4, 9},
        Case{"dragonfly", R"({"kind": "dragonfly", "groups": 5, "routers_per_group": 4, "nodes_per_router": 2,
                              "global_links_per_router": 1})",
             3, 6},
        Case{"wide_dragonfly", R"({"kind": "dragonfly", "groups": 3, "routers_per_group": 4, "nodes_per_router": 1,
                                   "global_links_per_router": 2})",
             2, 8},
        Case{"spare_ports", R"({"kind": "dragonfly", "groups": 3, "routers_per_group": 3, "nodes_per_router": 1,
                                "global_links_per_router": 1})",
             3, 2},
        Case{"one_group", R"({"kind": "dragonfly", "groups": 1, "routers_per_group": 4, "nodes_per_router": 2,
                              "global_links_per_router": 0})",
             1, 4}),
    [](const auto& kind) { return kind.param.name; });

TEST(Topology, AMeshHasNoLinksPastItsEdges) {
  const auto links = [](Json dimensions, uint32_t mesh_below) {
    const Json torus = {{"kind", "torus"}, {"dimensions", std::move(dimensions)}, {"mesh_below_nodes", mesh_below}};
    return make_topology(plain({{"topology", torus}}), 1)->links();
  };
  EXPECT_EQ(links({8, 4, 8}, 512), 2u * (7 * 4 * 8 + 8 * 3 * 8 + 8 * 4 * 7));
  EXPECT_EQ(links({8, 4, 8}, 2), 2u * 3 * 256);
  EXPECT_EQ(links({8, 1}, 2), 2u * 8);
}

TEST(Topology, APartitionIsTheSmallestThatHoldsTheJob) {
  const Platform platform =
      plain({{"topology", {{"kind", "torus"}, {"dimensions", {{2, 2}, {4, 4}, {8, 4}}}, {"mesh_below_nodes", 16}}}});
  EXPECT_EQ(make_topology(platform, 3)->describe(), "mesh of 2 x 2");
  EXPECT_EQ(make_topology(platform, 5)->describe(), "torus of 4 x 4");
  EXPECT_EQ(make_topology(platform, 32)->describe(), "torus of 8 x 4");
  try {
    make_topology(platform, 33);
    FAIL();
  } catch (const PlatformError& error) {
    EXPECT_STREQ(error.what(),
                 "platform plain (plain.json) has at most 32 nodes, not 33; topology.dimensions in its file says which "
                 "partitions there are");
  }
}

}  // namespace
}  // namespace weft::sim
