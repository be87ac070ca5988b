#include "sim/network/topology.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace weft::sim {
namespace {

uint64_t product(const std::vector<uint32_t>& factors) {
  return std::accumulate(factors.begin(), factors.end(), uint64_t{1}, std::multiplies<>());
}

std::string needs(uint32_t nodes, uint64_t most, uint32_t ranks, uint32_t ranks_per_node) {
  if (ranks == 0) return " nodes, not " + std::to_string(nodes);
  return " nodes, but " + std::to_string(ranks) + " ranks need " + std::to_string(nodes) + "; with " +
         std::to_string(ranks_per_node) + " on a node it takes up to " + std::to_string(most * ranks_per_node);
}

// The smallest partition that holds the job.
std::unique_ptr<Topology> make_partition(const Platform& platform, uint32_t nodes, uint32_t ranks,
                                         uint32_t ranks_per_node) {
  const TopologyShape& shape = platform.topology;
  uint64_t most = 0;
  for (const std::vector<uint32_t>& dimensions : shape.dimensions) {
    most = std::max(most, product(dimensions) * shape.nodes_per_router);
    if (most >= nodes) return make_torus(platform, dimensions);
  }
  throw PlatformError(called(platform) + " has at most " + std::to_string(most) +
                      needs(nodes, most, ranks, ranks_per_node) +
                      "; topology.dimensions in its file says which partitions there are");
}

}  // namespace

uint32_t LinkGroup::count() const { return static_cast<uint32_t>(product(shape)); }

uint32_t Topology::link_numbers() const { return groups_.empty() ? 0 : groups_.back().first + groups_.back().count(); }

uint32_t Topology::links() const {
  uint32_t count = 0;
  for (uint32_t link = 0; link < link_numbers(); ++link) count += has_link(link) ? 1 : 0;
  return count;
}

uint32_t Topology::add_group(std::string name, std::vector<uint32_t> shape, double bytes_per_second,
                             double latency_ns) {
  groups_.push_back({std::move(name), link_numbers(), std::move(shape), bytes_per_second, latency_ns});
  return groups_.back().first;
}

unsigned distance(const Topology& topology, uint32_t from_node, uint32_t to_node) {
  unsigned hops = 0;
  for (uint32_t vertex = topology.home(from_node); vertex != topology.home(to_node); ++hops)
    vertex = topology.fixed_hop(vertex, to_node, 0).vertex;
  return hops;
}

std::unique_ptr<Topology> make_topology(const Platform& platform, uint32_t nodes, uint32_t ranks,
                                        uint32_t ranks_per_node) {
  if (platform.topology.kind == TopologyKind::torus) return make_partition(platform, nodes, ranks, ranks_per_node);
  std::unique_ptr<Topology> made = platform.topology.kind == TopologyKind::crossbar   ? make_crossbar(platform)
                                   : platform.topology.kind == TopologyKind::fat_tree ? make_fat_tree(platform)
                                                                                      : make_dragonfly(platform);
  if (made->nodes() >= nodes) return made;
  throw PlatformError(called(platform) + " has " + std::to_string(made->nodes()) +
                      needs(nodes, made->nodes(), ranks, ranks_per_node));
}

}  // namespace weft::sim
