// Torus and mesh of any number of dimensions. Fixed routes go through the dimensions in order; a torus needs two
// virtual channels for that, of which a message takes the second where it has passed from the last coordinate to the
// first.
#include <algorithm>

#include "sim/network/topology.hpp"

namespace weft::sim {
namespace {

class Torus final : public Topology {
 public:
  Torus(const Platform& platform, const std::vector<uint32_t>& dimensions, bool wraps)
      : sizes_(dimensions), wraps_(wraps) {
    nodes_per_vertex_ = platform.topology.nodes_per_router;
    vertices_ = 1;
    for (const uint32_t size : sizes_) {
      strides_.push_back(vertices_);
      vertices_ *= size;
    }
    nodes_ = vertices_ * nodes_per_vertex_;
    for (uint32_t vertex = 0; vertex < vertices_; ++vertex)
      for (size_t d = 0; d < sizes_.size(); ++d)
        coordinates_.push_back(static_cast<uint32_t>(vertex / strides_[d] % sizes_[d]));
    // The first dimension runs fastest in the numbers of vertices, so it is the last of the links' shapes.
    const std::vector<uint32_t> shape(sizes_.rbegin(), sizes_.rend());
    for (size_t d = 0; d < sizes_.size(); ++d)
      for (const char* direction : {"+", "-"})
        add_group(name_of(d) + direction, shape, platform.link_rate.value(d), platform.link_latency.value(d));
  }

  Hop fixed_hop(uint32_t vertex, uint32_t node, uint32_t spread) const override {
    const uint32_t target = home(node);
    for (size_t d = 0;; ++d) {
      const Ways ways = ways_in(d, vertex, target);
      if (!ways.up && !ways.down) continue;
      // Half way round both directions are as short.
      const bool up = ways.up && (!ways.down || (spread >> d & 1) == 0);
      return hop(d, vertex, up);
    }
  }

  unsigned shortest_hops(uint32_t vertex, uint32_t node, Choices& choices) const override {
    const uint32_t target = home(node);
    unsigned count = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      const Ways ways = ways_in(d, vertex, target);
      if (ways.up) choices[count++] = hop(d, vertex, true);
      if (ways.down) choices[count++] = hop(d, vertex, false);
    }
    return count;
  }

  // A dimension of one has none; a mesh has none from an edge outwards.
  bool has_link(uint32_t link) const override {
    const uint32_t group = link / vertices_, d = group / 2, last = sizes_[d] - 1;
    const bool up = group % 2 == 0;
    return last > 0 && (wraps_ || coordinate(d, link % vertices_) != (up ? last : 0));
  }

  unsigned diameter() const override {
    unsigned hops = 0;
    for (const uint32_t size : sizes_) hops += wraps_ ? size / 2 : size - 1;
    return hops;
  }

  // Cut in the middle of the dimension where least goes through.
  double bisection() const override {
    double least = -1;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (sizes_[d] < 2) continue;
      const double through = groups_[2 * d].bytes_per_second * (vertices_ / sizes_[d]) * (wraps_ ? 2 : 1);
      if (least < 0 || through < least) least = through;
    }
    return std::max(least, 0.0);
  }

  // Half of each dimension; and the first router, which is a corner of a mesh.
  std::vector<Cut> cuts() const override {
    std::vector<Cut> found;
    const uint32_t directions = wraps_ ? 2 : 1;
    double out_of_router = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (sizes_[d] < 2) continue;
      const double rate = directions * groups_[2 * d].bytes_per_second;
      const uint32_t across = vertices_ / sizes_[d];
      found.push_back({strides_[d] * nodes_per_vertex_, sizes_[d], 0, sizes_[d] / 2, across * rate});
      out_of_router += rate;
    }
    found.push_back({nodes_per_vertex_, vertices_, 0, 1, out_of_router});
    return found;
  }

  std::string describe() const override {
    std::string text = wraps_ ? "torus of " : "mesh of ";
    for (size_t d = 0; d < sizes_.size(); ++d) text += (d ? " x " : "") + std::to_string(sizes_[d]);
    if (nodes_per_vertex_ > 1) text += ", " + std::to_string(nodes_per_vertex_) + " nodes each";
    return text;
  }

  // With several nodes at a router, the last one says which of them.
  std::vector<uint32_t> coordinates(uint32_t node) const override {
    std::vector<uint32_t> place;
    for (size_t d = 0; d < sizes_.size(); ++d) place.push_back(coordinate(d, home(node)));
    if (nodes_per_vertex_ > 1) place.push_back(node % nodes_per_vertex_);
    return place;
  }

  uint32_t node_at(const std::vector<uint32_t>& place) const override {
    const bool many = nodes_per_vertex_ > 1;
    if (place.size() != sizes_.size() + many || (many && place.back() >= nodes_per_vertex_)) return nodes_;
    uint32_t vertex = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (place[d] >= sizes_[d]) return nodes_;
      vertex += place[d] * strides_[d];
    }
    return vertex * nodes_per_vertex_ + (many ? place.back() : 0);
  }

 private:
  struct Ways {
    bool up, down;
  };

  static std::string name_of(size_t d) { return d < 3 ? std::string(1, "xyz"[d]) : "d" + std::to_string(d); }
  uint32_t coordinate(size_t d, uint32_t vertex) const { return coordinates_[vertex * sizes_.size() + d]; }

  // Which directions of the dimension shorten the way.
  Ways ways_in(size_t d, uint32_t vertex, uint32_t target) const {
    const uint32_t here = coordinate(d, vertex), there = coordinate(d, target);
    if (here == there) return {false, false};
    if (!wraps_) return {here<there, here> there};
    const uint32_t up = here < there ? there - here : there + sizes_[d] - here;
    const uint32_t down = sizes_[d] - up;
    return {up <= down, down <= up};
  }

  Hop hop(size_t d, uint32_t vertex, bool up) const {
    const uint32_t here = coordinate(d, vertex), last = sizes_[d] - 1;
    const uint32_t stride = strides_[d];
    const uint32_t next = up ? (here == last ? vertex - last * stride : vertex + stride)
                             : (here == 0 ? vertex + last * stride : vertex - stride);
    return {static_cast<uint32_t>(2 * d + (up ? 0 : 1)) * vertices_ + vertex, next};
  }

  const std::vector<uint32_t> sizes_;
  std::vector<uint32_t> strides_;      // of vertices, from one coordinate to the next
  std::vector<uint32_t> coordinates_;  // of each vertex: divisions would take longer than all else at a hop
  const bool wraps_;
};

}  // namespace

std::unique_ptr<Topology> make_torus(const Platform& platform, const std::vector<uint32_t>& dimensions) {
  uint32_t nodes = platform.topology.nodes_per_router;
  for (const uint32_t size : dimensions) nodes *= size;
  return std::make_unique<Torus>(platform, dimensions, nodes >= platform.topology.mesh_below_nodes);
}

}  // namespace weft::sim
