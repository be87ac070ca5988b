// What went through the links of a simulated network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/calendar.hpp"

namespace weft::sim {

struct LinkUse {
  uint64_t bytes = 0;
  double busy_ns = 0;  // time that it was taken
};

/// The links of one group (see LinkGroup), or the interfaces of all nodes in one direction.
struct GroupUse {
  std::string name;
  std::vector<uint32_t> shape;
  std::vector<std::optional<LinkUse>> links;  // by number; none: there is no such link
};

struct Statistics {
  std::string network;  // Network::describe()
  Time elapsed = 0;     // ns that the utilisation refers to
  uint64_t messages = 0;
  uint64_t short_messages = 0;
  uint64_t local_messages = 0;  // between ranks of a node; the links saw nothing of them
  uint64_t bytes = 0;           // of all messages
  uint64_t hops = 0;            // of all messages' pieces, over links
  std::vector<GroupUse> links;
  std::vector<GroupUse> interfaces;

  struct Busiest {
    std::string group;
    uint32_t link = 0;  // in the group
    uint64_t bytes = 0;
    double utilisation = 0;
  };
  /// The link with most time taken, the first of several; of none, an empty group.
  Busiest busiest_link() const;
  /// Over all links.
  double mean_utilisation() const;
};

/// For the end of a run: "links: mean 3.1 %, busiest 42 % (x+, number 17)".
std::string summary(const Statistics& statistics);

/// One object (docs/FORMATS.md); tools/sim_links.py draws it.
std::string to_json(const Statistics& statistics);

/// Writes that. Returns why it could not, or "".
std::string write_json(const Statistics& statistics, const std::string& path);

}  // namespace weft::sim
