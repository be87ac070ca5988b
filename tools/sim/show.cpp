#include "show.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/network/flood.hpp"
#include "sim/network/model_network.hpp"
#include "sim/network/platform_file.hpp"
#include "sim/network/topology.hpp"

namespace weft_sim {
namespace {

using namespace weft::sim;
using Json = nlohmann::ordered_json;

// What the numbers of a platform come to.
struct Derived {
  std::string topology;
  uint32_t nodes = 0, links = 0;
  uint32_t unused = 0;  // ports of a dragonfly that lead nowhere
  unsigned diameter = 0;
  double bisection = 0;
  double neighbour_ns = 0, farthest_ns = 0;  // 8 bytes, one way, both overheads included
  double flood_8_ns = 0, flood_rate = 0;     // per message of 8 bytes; bytes per second of 1 MiB
  double acknowledged_ns = 0;                // a put of 8 bytes
  double same_node_ns = 0;                   // 8 bytes to a rank of the same node, as neighbour_ns; 0: there is none
};

// The node that is farthest from node 0, and its distance.
std::pair<uint32_t, unsigned> farthest(const Topology& topology) {
  std::pair<uint32_t, unsigned> found = {0, 0};
  for (uint32_t node = 1; node < topology.nodes(); ++node)
    if (const unsigned hops = distance(topology, 0, node); hops > found.second) found = {node, hops};
  return found;
}

// From rank 0 to another one where so many nodes have so many ranks each, including what both processors do.
double one_way_ns(const Platform& platform, uint32_t nodes, uint32_t ranks_per_node, uint32_t to) {
  constexpr uint64_t bytes = 8;
  Calendar calendar;
  NetworkOptions options;
  options.ranks = nodes * ranks_per_node;
  options.ranks_per_node = ranks_per_node;
  options.map = "txyz";
  const ModelNetwork network(calendar, platform, options);
  const Message message = Message::of(0, to, bytes);
  return static_cast<double>(network.send_overhead(message) + network.idle_time(message) +
                             network.receive_overhead(message));
}

Derived derive(const Platform& platform, uint32_t nodes) {
  const auto topology = make_topology(platform, nodes == 0 ? most_nodes(platform) : nodes);
  Derived derived;
  derived.topology = topology->describe();
  derived.nodes = topology->nodes();
  derived.links = topology->links();
  if (platform.topology.kind == TopologyKind::dragonfly) derived.unused = topology->link_numbers() - derived.links;
  derived.diameter = topology->diameter();
  derived.bisection = topology->bisection();
  if (platform.cores.value() > 1) derived.same_node_ns = one_way_ns(platform, 1, 2, 1);
  if (derived.nodes < 2) return derived;
  derived.neighbour_ns = one_way_ns(platform, derived.nodes, 1, 1);
  derived.farthest_ns = one_way_ns(platform, derived.nodes, 1, farthest(*topology).first);
  derived.flood_8_ns = flood_ns(platform, 8);
  derived.flood_rate = (1 << 20) / flood_ns(platform, 1 << 20) * 1e9;
  derived.acknowledged_ns = acknowledged_ns(platform, 8 + header_bytes);
  return derived;
}

std::string values_text(const Field& field, const Number& number) {
  std::string text;
  for (const double value : number.values) text += (text.empty() ? "" : ", ") + quantity_text(field.unit, value);
  return text;
}

}  // namespace

uint32_t most_nodes(const Platform& platform) {
  const TopologyShape& shape = platform.topology;
  if (shape.kind != TopologyKind::torus) return make_topology(platform, 1)->nodes();
  uint32_t nodes = shape.nodes_per_router;
  for (const uint32_t size : shape.dimensions.back()) nodes *= size;
  return nodes;
}

std::string show_text(const Platform& platform, uint32_t nodes) {
  const Derived derived = derive(platform, nodes);
  std::string text = platform.name + ": " + platform.title + "\n";
  if (!platform.notes.empty()) text += platform.notes + "\n";
  text += "\ntopology: " + derived.topology + "\n  source: " + platform.topology.source + "\n";
  const char* section = "";
  for (const Field& field : fields()) {
    const Number& number = platform.*field.number;
    if (std::strcmp(section, field.section) != 0) text += std::string("\n") + field.section + "\n";
    section = field.section;
    char line[160];
    std::snprintf(line, sizeof line, "  %-20s %-12s ", field.key, values_text(field, number).c_str());
    text += std::string(line) + field.meaning + "\n" + std::string(36, ' ') +
            "source: " + (number.source.empty() ? "not given" : number.source) + "\n";
  }
  const auto time = [](double ns) { return quantity_text(Unit::time, ns); };
  text += "\nwhat follows from these, for " + std::to_string(derived.nodes) + " nodes";
  if (nodes != 0 && nodes != derived.nodes) text += ", the fewest that hold a job on " + std::to_string(nodes);
  text += "\n  links                " + std::to_string(derived.links);
  if (derived.unused > 0)
    text += "; " + std::to_string(derived.unused) + " global links lead nowhere: each pair of groups has as many";
  text += "\n";
  text += "  diameter             " + std::to_string(derived.diameter) + " links\n";
  text += "  bisection            " + quantity_text(Unit::rate, derived.bisection) + " one way, " +
          quantity_text(Unit::rate, derived.bisection * platform.contention.value()) + " under contention\n";
  if (derived.same_node_ns > 0)
    text += "  8 bytes, same node   " + time(derived.same_node_ns) + " one way, as the next\n";
  text += "  8 bytes, next node   " + time(derived.neighbour_ns) + " one way as a message, both overheads included\n";
  text += "  8 bytes, farthest    " + time(derived.farthest_ns) + "\n";
  text += "  8 bytes acknowledged " + time(derived.acknowledged_ns) + ", as a blocking put is, its header included\n";
  text += "  flood of 8 bytes     " + time(derived.flood_8_ns) + " a message, of these bytes alone\n";
  text += "  flood of 1 MiB       " + quantity_text(Unit::rate, derived.flood_rate) + ", the same\n";
  return text;
}

std::string show_json(const Platform& platform, uint32_t nodes) {
  const Derived derived = derive(platform, nodes);
  Json json = Json::parse(write_platform(platform));
  for (const Field& field : fields()) json[field.section][field.key]["base"] = (platform.*field.number).values;
  json["derived"] = {{"topology", derived.topology},
                     {"nodes", derived.nodes},
                     {"links", derived.links},
                     {"unused_links", derived.unused},
                     {"diameter", derived.diameter},
                     {"bisection_bytes_per_second", derived.bisection},
                     {"same_node_seconds", derived.same_node_ns > 0 ? Json(derived.same_node_ns * 1e-9) : Json()},
                     {"neighbour_seconds", derived.neighbour_ns * 1e-9},
                     {"farthest_seconds", derived.farthest_ns * 1e-9},
                     {"acknowledged_seconds", derived.acknowledged_ns * 1e-9},
                     {"flood_8_seconds", derived.flood_8_ns * 1e-9},
                     {"flood_1m_bytes_per_second", derived.flood_rate}};
  return json.dump(2) + "\n";
}

}  // namespace weft_sim
