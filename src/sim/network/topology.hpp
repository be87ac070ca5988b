// How nodes are joined by links, and the shortest routes between them. Links are directed and are numbered from 0; so
// are the vertices, which are the routers or switches, and the nodes themselves where they are no routers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/network/platform.hpp"

namespace weft::sim {

/// A step of a route: the link, and where it leads.
struct Hop {
  uint32_t link;
  uint32_t vertex;
};

/// Links that are alike: those of one direction of a dimension, or between two levels. They are numbered from `first`
/// on in the order of an array of this shape (the last index runs fastest). Some numbers may have no link.
struct LinkGroup {
  std::string name;
  uint32_t first;
  std::vector<uint32_t> shape;
  double bytes_per_second;
  double latency_ns;

  uint32_t count() const;
};

/// A way to part the nodes in two: node n has place n / stride % places, and those of the places from `first` on, so
/// many as `width`, are parted from the others.
struct Cut {
  uint32_t stride, places, first, width;
  double bytes_per_second;  // one way; each direction has it

  bool contains(uint32_t node) const {
    const uint32_t place = node / stride % places;
    return first <= place && place < first + width;
  }
};

class Topology {
 public:
  /// So many ways a vertex may offer.
  static constexpr unsigned most_choices = 64;
  using Choices = std::array<Hop, most_choices>;

  virtual ~Topology() = default;

  uint32_t nodes() const { return nodes_; }
  uint32_t vertices() const { return vertices_; }
  /// Links are numbered up to this.
  uint32_t link_numbers() const;
  /// Whether the number has a link. Those past the edges of a mesh have none, nor have ports that lead nowhere.
  virtual bool has_link(uint32_t) const { return true; }
  /// How many there are.
  uint32_t links() const;
  const std::vector<LinkGroup>& groups() const { return groups_; }
  /// The vertex that a node sends from and receives at.
  uint32_t home(uint32_t node) const { return nodes_per_vertex_ == 1 ? node : node / nodes_per_vertex_; }

  /// The next step of a shortest route from there to the node; only if that is not its home. A message has the same
  /// `spread`, any number, at each of its steps: what is equally far is chosen by it. The routes of fixed_hop() need no
  /// more virtual channels than machines of the kind have, so they cannot deadlock.
  virtual Hop fixed_hop(uint32_t vertex, uint32_t node, uint32_t spread) const = 0;
  /// All first steps of shortest routes; returns how many there are.
  virtual unsigned shortest_hops(uint32_t vertex, uint32_t node, Choices& choices) const = 0;

  /// Links of the shortest route between the two nodes that are farthest from each other.
  virtual unsigned diameter() const = 0;
  /// Bytes per second, one way, between the two halves of the nodes; interfaces not considered.
  virtual double bisection() const = 0;
  /// The narrow places of the regular structure; interfaces not considered. Of cuts that are alike there is one.
  virtual std::vector<Cut> cuts() const = 0;
  /// "torus of 8 x 16 x 32"
  virtual std::string describe() const = 0;
  /// As many numbers as the topology has dimensions; a node's place.
  virtual std::vector<uint32_t> coordinates(uint32_t node) const { return {node}; }
  /// The node there, the coordinates being in range; none: nodes().
  virtual uint32_t node_at(const std::vector<uint32_t>& coordinates) const {
    return coordinates.size() == 1 ? std::min(coordinates[0], nodes_) : nodes_;
  }

 protected:
  /// Adds a group behind those that are there; returns its first link.
  uint32_t add_group(std::string name, std::vector<uint32_t> shape, double bytes_per_second, double latency_ns);

  uint32_t nodes_ = 0;
  uint32_t vertices_ = 0;
  uint32_t nodes_per_vertex_ = 1;
  std::vector<LinkGroup> groups_;
};

/// How many links the fixed route has.
unsigned distance(const Topology& topology, uint32_t from_node, uint32_t to_node);

/// The platform's topology, for a job on so many nodes: partitions of a torus are the smallest that hold it. Throws
/// PlatformError if it has not so many. `ranks`: of the job, so many on a node; the error says how many fit.
std::unique_ptr<Topology> make_topology(const Platform& platform, uint32_t nodes, uint32_t ranks = 0,
                                        uint32_t ranks_per_node = 0);

// One of each kind; make_topology() calls them.
std::unique_ptr<Topology> make_crossbar(const Platform& platform);
std::unique_ptr<Topology> make_torus(const Platform& platform, const std::vector<uint32_t>& dimensions);
std::unique_ptr<Topology> make_fat_tree(const Platform& platform);
std::unique_ptr<Topology> make_dragonfly(const Platform& platform);

}  // namespace weft::sim
