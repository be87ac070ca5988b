// Fat trees: the extended generalised fat tree of Öhring et al. (IPPS 1995), which has the k-ary trees of Quadrics and
// the Clos networks of Myrinet and InfiniBand as cases. Level 0 are the nodes. A switch of level l has down[l-1]
// children and up[l] parents; it is named by the subtree that hangs from it, and by which of those with the same
// subtree it is.
//
// A route climbs to the first level that both subtrees share, and descends from there. The way down is given; the way
// up is any, and the fixed one is chosen by the target (d-mod-k), so that all to one target meet early.
#include <algorithm>

#include "sim/network/topology.hpp"

namespace weft::sim {
namespace {

class FatTree final : public Topology {
 public:
  explicit FatTree(const Platform& platform) : down_(platform.topology.down), up_(platform.topology.up) {
    nodes_ = 1;
    for (const uint32_t children : down_) nodes_ *= children;
    uint32_t subtrees = nodes_, alike = 1, first = 0, members = 1;
    for (size_t level = 0; level <= down_.size(); ++level) {
      levels_.push_back({first, alike, members, 0, 0});
      first += subtrees * alike;
      if (level == down_.size()) break;
      subtrees /= down_[level];
      alike *= up_[level];
      members *= down_[level];
    }
    vertices_ = first;
    for (size_t level = 0; level < down_.size(); ++level) {
      const uint32_t count = size_of(level);
      const double rate = platform.link_rate.value(level), latency = platform.link_latency.value(level);
      const std::string between = std::to_string(level) + "-" + std::to_string(level + 1);
      levels_[level].up_links = add_group("up " + between, {count, up_[level]}, rate, latency);
      levels_[level].down_links = add_group("down " + between, {count, up_[level]}, rate, latency);
    }
  }

  Hop fixed_hop(uint32_t vertex, uint32_t node, uint32_t) const override {
    const size_t level = level_of(vertex);
    if (is_above(level, vertex, node)) return descend(level, vertex, node);
    return climb(level, vertex, node / levels_[level].alike % up_[level]);
  }

  unsigned shortest_hops(uint32_t vertex, uint32_t node, Choices& choices) const override {
    const size_t level = level_of(vertex);
    if (is_above(level, vertex, node)) {
      choices[0] = descend(level, vertex, node);
      return 1;
    }
    for (uint32_t parent = 0; parent < up_[level]; ++parent) choices[parent] = climb(level, vertex, parent);
    return up_[level];
  }

  unsigned diameter() const override { return static_cast<unsigned>(2 * down_.size()); }

  // Half of the nodes send to the other half through the narrowest level.
  double bisection() const override {
    double least = 0;
    for (size_t level = 0; level < down_.size(); ++level) {
      const double through = groups_[2 * level].bytes_per_second * groups_[2 * level].count() / 2;
      if (level == 0 || through < least) least = through;
    }
    return least;
  }

  // A subtree of each level. Several of them together have as many links each, and send less to the others.
  std::vector<Cut> cuts() const override {
    std::vector<Cut> found;
    for (size_t level = 0; level < down_.size(); ++level) {
      const uint32_t members = levels_[level].members, links = levels_[level].alike * up_[level];
      found.push_back({members, nodes_ / members, 0, 1, links * groups_[2 * level].bytes_per_second});
    }
    return found;
  }

  std::string describe() const override {
    return "fat tree of " + std::to_string(down_.size()) + " levels and " + std::to_string(nodes_) + " nodes";
  }

 private:
  struct Level {
    uint32_t first;                 // vertex
    uint32_t alike;                 // switches with the same subtree
    uint32_t members;               // nodes of a subtree
    uint32_t up_links, down_links;  // to and from the level above: first link of each group
  };

  uint32_t size_of(size_t level) const {
    return level + 1 < levels_.size() ? levels_[level + 1].first - levels_[level].first
                                      : vertices_ - levels_[level].first;
  }
  size_t level_of(uint32_t vertex) const {
    size_t level = levels_.size() - 1;
    while (levels_[level].first > vertex) --level;
    return level;
  }
  uint32_t subtree(size_t level, uint32_t vertex) const {
    return (vertex - levels_[level].first) / levels_[level].alike;
  }
  bool is_above(size_t level, uint32_t vertex, uint32_t node) const {
    return subtree(level, vertex) == node / levels_[level].members;
  }

  Hop climb(size_t level, uint32_t vertex, uint32_t parent) const {
    const uint32_t place = vertex - levels_[level].first, alike = levels_[level].alike;
    const uint32_t above =
        place / alike / down_[level] * levels_[level + 1].alike + place % alike * up_[level] + parent;
    return {levels_[level].up_links + place * up_[level] + parent, levels_[level + 1].first + above};
  }

  Hop descend(size_t level, uint32_t vertex, uint32_t node) const {
    const Level& below = levels_[level - 1];
    const uint32_t which = (vertex - levels_[level].first) % levels_[level].alike;
    const uint32_t parents = up_[level - 1];
    const uint32_t place = node / below.members * below.alike + which / parents;
    return {below.down_links + place * parents + which % parents, below.first + place};
  }

  const std::vector<uint32_t> down_, up_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<Topology> make_fat_tree(const Platform& platform) { return std::make_unique<FatTree>(platform); }

}  // namespace weft::sim
