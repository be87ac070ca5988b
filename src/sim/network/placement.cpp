#include "sim/network/placement.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/parse.hpp"

namespace weft::sim {
namespace {

constexpr uint32_t nobody = ~0u;

// A line's numbers; none if there is anything else.
std::vector<uint32_t> numbers_of(const std::string& line) {
  std::vector<uint32_t> numbers;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto number = base::parse_number<uint32_t>(word);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

class MapFile {
 public:
  MapFile(const Topology& topology, uint32_t ranks, uint32_t ranks_per_node, const std::string& path)
      : topology_(topology), ranks_(ranks), ranks_per_node_(ranks_per_node), path_(path), on_(topology.nodes(), 0) {}

  std::vector<uint32_t> read() {
    std::ifstream file(path_);
    if (!file)
      throw PlatformError("cannot read map " + path_ + ": " + std::strerror(errno) + "; maps are xyzt, txyz or a file");
    for (std::string text; std::getline(file, text);) {
      ++line_;
      const size_t begin = text.find_first_not_of(" \t\r");
      if (begin == text.npos || text[begin] == '#') continue;
      if (places_.size() == ranks_) return places_;  // a map may serve smaller jobs too
      add(text);
    }
    if (file.bad()) throw PlatformError("cannot read map " + path_ + ": " + std::strerror(errno));
    if (places_.size() < ranks_)
      throw PlatformError(path_ + " places " + std::to_string(places_.size()) + " ranks, this job has " +
                          std::to_string(ranks_));
    return places_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw PlatformError(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  void add(const std::string& text) {
    const size_t wanted = topology_.coordinates(0).size();
    std::vector<uint32_t> place = numbers_of(text);
    if (place.size() != wanted && place.size() != wanted + 1)
      fail("'" + text + "' is no place: " + std::to_string(wanted) + (wanted == 1 ? " number" : " numbers") +
           " for the node in a " + topology_.describe() + ", and one for the core if wanted");
    const uint32_t core = place.size() > wanted ? place[wanted] : nobody;
    if (core != nobody && core >= ranks_per_node_)
      fail("there is no core " + std::to_string(core) + "; nodes have " + std::to_string(ranks_per_node_));
    place.resize(wanted);
    const uint32_t node = topology_.node_at(place);
    if (node == topology_.nodes()) fail("'" + text + "' is outside of a " + topology_.describe());
    if (core != nobody && !taken_.emplace(node, core).second)
      fail("rank " + std::to_string(places_.size()) + " is on a core that another has");
    if (++on_[node] > ranks_per_node_)
      fail("rank " + std::to_string(places_.size()) + " is one more than the " + std::to_string(ranks_per_node_) +
           " that a node takes");
    places_.push_back(node);
  }

  const Topology& topology_;
  const uint32_t ranks_, ranks_per_node_;
  const std::string path_;
  std::vector<uint32_t> on_;                       // ranks on each node so far
  std::set<std::pair<uint32_t, uint32_t>> taken_;  // nodes and cores
  std::vector<uint32_t> places_;
  size_t line_ = 0;
};

}  // namespace

uint32_t nodes_for(uint32_t ranks, uint32_t ranks_per_node) { return (ranks - 1) / ranks_per_node + 1; }

Placement place_ranks(const Topology& topology, uint32_t ranks, uint32_t ranks_per_node, const std::string& map) {
  Placement placement;
  if (map == "txyz" || map == "xyzt") {
    const uint32_t nodes = nodes_for(ranks, ranks_per_node);
    for (uint32_t rank = 0; rank < ranks; ++rank)
      placement.place_of.push_back(map == "txyz" ? rank / ranks_per_node : rank % nodes);
  } else {
    placement.place_of = MapFile(topology, ranks, ranks_per_node, map).read();
  }
  std::vector<uint32_t> host_at(topology.nodes(), nobody);
  for (const uint32_t place : placement.place_of) {
    if (host_at[place] == nobody) {
      host_at[place] = static_cast<uint32_t>(placement.ranks_on.size());
      placement.ranks_on.push_back(0);
      placement.place_of_host.push_back(place);
    }
    placement.host_of.push_back(host_at[place]);
    placement.most_on_a_node = std::max(placement.most_on_a_node, ++placement.ranks_on[host_at[place]]);
  }
  return placement;
}

}  // namespace weft::sim
