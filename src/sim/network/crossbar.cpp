// A switch that everybody has a link to and one from, and that is never the bottleneck itself.
#include "sim/network/topology.hpp"

namespace weft::sim {
namespace {

class Crossbar final : public Topology {
 public:
  explicit Crossbar(const Platform& platform) {
    nodes_ = platform.topology.nodes;
    vertices_ = nodes_ + 1;
    const double rate = platform.link_rate.value(), latency = platform.link_latency.value();
    up_ = add_group("up", {nodes_}, rate, latency);
    down_ = add_group("down", {nodes_}, rate, latency);
  }

  Hop fixed_hop(uint32_t vertex, uint32_t node, uint32_t) const override {
    const uint32_t middle = nodes_;
    return vertex == middle ? Hop{down_ + node, node} : Hop{up_ + vertex, middle};
  }
  unsigned shortest_hops(uint32_t vertex, uint32_t node, Choices& choices) const override {
    choices[0] = fixed_hop(vertex, node, 0);
    return 1;
  }
  unsigned diameter() const override { return 2; }
  double bisection() const override { return nodes_ / 2 * groups_[0].bytes_per_second; }
  std::vector<Cut> cuts() const override { return {{1, nodes_, 0, 1, groups_[0].bytes_per_second}}; }
  std::string describe() const override { return "crossbar of " + std::to_string(nodes_) + " nodes"; }

 private:
  uint32_t up_, down_;
};

}  // namespace

std::unique_ptr<Topology> make_crossbar(const Platform& platform) { return std::make_unique<Crossbar>(platform); }

}  // namespace weft::sim
