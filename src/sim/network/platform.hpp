// A machine to simulate, as its platform file describes it (docs/SIMULATION-PLATFORMS.md says what each number means
// and how far to trust it).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/network/units.hpp"

namespace weft::sim {

/// What is wrong with a platform, a map or how they fit the job: one line for the user, with file, line and key where
/// there are such.
class PlatformError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number of a platform file, in the base of its unit, and where it is from. Numbers of links may differ by group
/// (dimension, level), and are lists then.
struct Number {
  std::vector<double> values;
  std::string source;

  double value(size_t group = 0) const { return values[group < values.size() ? group : values.size() - 1]; }
};

enum class TopologyKind { crossbar, torus, fat_tree, dragonfly };

/// How nodes are joined. What belongs to other kinds is empty or 0.
struct TopologyShape {
  TopologyKind kind = TopologyKind::crossbar;
  std::string source;
  bool least_busy = false;  // routing: among shortest routes the one that is free first; else one fixed route
  bool drops = false;       // crowded links drop messages, as Ethernet does; else they hold them back

  uint32_t nodes = 0;                             // crossbar
  std::vector<std::vector<uint32_t>> dimensions;  // torus: partitions, ascending; a job takes the first that holds it
  uint32_t mesh_below_nodes = 0;                  // torus: smaller partitions do not wrap around
  uint32_t nodes_per_router = 1;                  // torus, dragonfly
  std::vector<uint32_t> down, up;  // fat tree: of a switch of each level, children and parents (of a node
                                   // for up[0]); from the nodes to the top
  uint32_t groups = 0;             // dragonfly
  uint32_t routers_per_group = 0;
  uint32_t global_links_per_router = 0;
};

struct Platform {
  std::string name;
  std::string title;
  std::string notes;
  std::string origin;  // the file; "": it is built in
  TopologyShape topology;
  std::string mapping = "txyz";

  // The numbers. fields() has their keys, units and meanings.
  Number send_overhead, receive_overhead, send_rate, receive_rate, flop_rate;
  Number cores, memory_rate, memory_latency, node_send, node_receive, registration, registration_crowded;
  Number interface_latency, message_gap, injection_rate, ejection_rate, slots, slots_from, window;
  Number strict_ranks, strict_factor, relaxed_factor, relaxed_from, relaxed_to, put_share;
  Number link_rate, link_latency, contention, burst, chunk;
  Number two_sided_eager, two_sided_send, two_sided_receive, two_sided_match, two_sided_crowd, two_sided_copy;
  Number barrier_latency, tree_latency, tree_rate;
};

/// As messages call it: "platform bgp", or with its file "platform mine (./mine.json)".
std::string called(const Platform& platform);

/// One of a platform's numbers: in the file {"section": {"key": {"value": ..., "source": ...}}}.
struct Field {
  const char* section;
  const char* key;
  Unit unit;
  double least, most;   // allowed values
  const char* missing;  // what stands for one that is not there; null: it must be there
  bool may_be_list;
  Number Platform::*number;
  const char* meaning;
};
std::span<const Field> fields();

}  // namespace weft::sim
