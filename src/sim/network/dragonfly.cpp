// Dragonflies (Kim et al., ISCA 2008): in a group each router has a link to each other, and each pair of groups has one
// or more. A shortest route has at most one link in its own group, one between groups and one in the target's; with a
// second virtual channel for the last that cannot deadlock.
//
// Port q of a group, counted over its routers, leads to the group q mod (groups - 1) + 1 further; ports that do not
// complete a round stay unused, so each pair of groups has the same number of links.
#include <algorithm>

#include "sim/network/topology.hpp"

namespace weft::sim {
namespace {

class Dragonfly final : public Topology {
 public:
  explicit Dragonfly(const Platform& platform)
      : groups_count_(platform.topology.groups),
        routers_(platform.topology.routers_per_group),
        ports_per_router_(platform.topology.global_links_per_router),
        rounds_(groups_count_ > 1 ? routers_ * ports_per_router_ / (groups_count_ - 1) : 0) {
    nodes_per_vertex_ = platform.topology.nodes_per_router;
    vertices_ = groups_count_ * routers_;
    nodes_ = vertices_ * nodes_per_vertex_;
    local_ = add_group("local", {vertices_, routers_ - 1}, platform.link_rate.value(0), platform.link_latency.value(0));
    global_ = add_group("global", {groups_count_, routers_ * ports_per_router_}, platform.link_rate.value(1),
                        platform.link_latency.value(1));
  }

  Hop fixed_hop(uint32_t vertex, uint32_t node, uint32_t spread) const override {
    Choices choices;
    const unsigned count = shortest_hops(vertex, node, choices);
    return choices[spread % count];
  }

  unsigned shortest_hops(uint32_t vertex, uint32_t node, Choices& choices) const override {
    const uint32_t target = home(node), group = vertex / routers_, target_group = target / routers_;
    if (group == target_group) {
      choices[0] = local_hop(vertex, target);
      return 1;
    }
    const uint32_t further = (target_group + groups_count_ - group) % groups_count_;
    unsigned count = 0, least = ~0u;
    for (uint32_t round = 0; round < rounds_; ++round) {
      const Bridge bridge = bridge_to(further, round);
      const unsigned hops = bridge.hops(vertex % routers_, target % routers_);
      if (hops > least) continue;
      if (hops < least) count = 0;
      least = hops;
      choices[count++] =
          bridge.near == vertex % routers_
              ? Hop{global_ + group * routers_ * ports_per_router_ + bridge.port, target_group * routers_ + bridge.far}
              : local_hop(vertex, group * routers_ + bridge.near);
    }
    return count;
  }

  bool has_link(uint32_t link) const override {
    return link < global_ || (link - global_) % (routers_ * ports_per_router_) < rounds_ * (groups_count_ - 1);
  }

  // All groups are alike, so those from one of them suffice.
  unsigned diameter() const override {
    unsigned most = routers_ > 1 ? 1 : 0;
    for (uint32_t further = 1; further < groups_count_; ++further)
      for (uint32_t from = 0; from < routers_; ++from)
        for (uint32_t to = 0; to < routers_; ++to) {
          unsigned least = ~0u;
          for (uint32_t round = 0; round < rounds_; ++round)
            least = std::min(least, bridge_to(further, round).hops(from, to));
          most = std::max(most, least);
        }
    return most;
  }

  double bisection() const override {
    if (groups_count_ < 2) return groups_[0].bytes_per_second * (routers_ / 2) * (routers_ - routers_ / 2);
    const double half = groups_count_ / 2;
    return half * (groups_count_ - half) * rounds_ * groups_[1].bytes_per_second;
  }

  // A group; and its last router, which has the most ports that lead nowhere.
  std::vector<Cut> cuts() const override {
    const uint32_t used = rounds_ * (groups_count_ - 1), before = (routers_ - 1) * ports_per_router_;
    const double out_of_group = used * groups_[1].bytes_per_second;
    const double out_of_router =
        (routers_ - 1) * groups_[0].bytes_per_second + (std::max(used, before) - before) * groups_[1].bytes_per_second;
    return {{routers_ * nodes_per_vertex_, groups_count_, 0, 1, out_of_group},
            {nodes_per_vertex_, vertices_, routers_ - 1, 1, out_of_router}};
  }

  std::string describe() const override {
    return "dragonfly of " + std::to_string(groups_count_) + " groups of " + std::to_string(routers_) + " routers, " +
           std::to_string(nodes_per_vertex_) + " nodes each";
  }

 private:
  // A link to another group: its port, and the routers at its ends, counted in their groups.
  struct Bridge {
    uint32_t port, near, far;

    unsigned hops(uint32_t from, uint32_t to) const { return (from != near) + 1u + (to != far); }
  };

  // The link of this round that leads so many groups further.
  Bridge bridge_to(uint32_t further, uint32_t round) const {
    const uint32_t before = round * (groups_count_ - 1);
    const uint32_t port = before + further - 1, back = before + (groups_count_ - further) - 1;
    return {port, port / ports_per_router_, back / ports_per_router_};
  }

  Hop local_hop(uint32_t from, uint32_t to) const {
    const uint32_t here = from % routers_, there = to % routers_;
    return {local_ + from * (routers_ - 1) + (there < here ? there : there - 1), to};
  }

  const uint32_t groups_count_, routers_, ports_per_router_;
  const uint32_t rounds_;  // links between each pair of groups
  uint32_t local_ = 0, global_ = 0;
};

}  // namespace

std::unique_ptr<Topology> make_dragonfly(const Platform& platform) { return std::make_unique<Dragonfly>(platform); }

}  // namespace weft::sim
