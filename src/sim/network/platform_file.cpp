#include "sim/network/platform_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/nearest.hpp"
#include "sim/network/json_lines.hpp"

namespace weft::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format = "weft-platform 1";
constexpr uint32_t most_nodes = 1 << 22;

constexpr struct {
  const char* name;
  TopologyKind kind;
} kinds[] = {{"crossbar", TopologyKind::crossbar},
             {"torus", TopologyKind::torus},
             {"fat-tree", TopologyKind::fat_tree},
             {"dragonfly", TopologyKind::dragonfly}};

const char* name_of(TopologyKind kind) {
  for (const auto& known : kinds)
    if (known.kind == kind) return known.name;
  return "";
}

std::string hint(std::string_view word, const std::vector<std::string>& names) {
  const std::string_view meant = base::nearest(word, names);
  if (!meant.empty()) return "; did you mean " + std::string(meant) + "?";
  std::string list = "; known are";
  for (const std::string& name : names) list += (name == names.front() ? " " : ", ") + name;
  return list;
}

// Reads one file. All its functions throw PlatformError.
class Reader {
 public:
  Reader(const std::string& text, const std::string& file) : file_(file), json_(parse_json(text, file)) {}

  Platform read() {
    if (!json_.root.is_object()) fail("", "a platform is an object: {\"name\": ...}");
    std::vector<std::string> known = {"format", "name", "title", "notes", "topology", "mapping"};
    for (const Field& field : fields())
      if (std::find(known.begin(), known.end(), field.section) == known.end()) known.push_back(field.section);
    check_keys(json_.root, "", known);
    if (const std::string what = text("format"); what != format)
      fail("format", "'" + what + "' is another format than this version of Weft reads, " + format);
    Platform platform;
    platform.origin = file_;
    platform.name = text("name");
    if (platform.name.empty()) fail("name", "it is empty");
    platform.title = text("title");
    if (json_.root.contains("notes")) platform.notes = text("notes");
    if (json_.root.contains("mapping")) platform.mapping = text("mapping");
    if (platform.mapping != "xyzt" && platform.mapping != "txyz")
      fail("mapping", "'" + platform.mapping + "' is none" + hint(platform.mapping, {"xyzt", "txyz"}));
    platform.topology = read_topology();
    read_fields(platform);
    check_lists(platform);
    return platform;
  }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& what) const {
    // A key that is missing belongs where its section begins.
    std::string at = path;
    while (!at.empty() && !json_.lines.count(at)) at = at.find('.') == at.npos ? "" : at.substr(0, at.rfind('.'));
    const size_t line = at.empty() ? 1 : json_.lines.at(at);
    throw PlatformError(file_ + ":" + std::to_string(line) + ": " + (path.empty() ? "" : path + ": ") + what);
  }

  void check_keys(const Json& object, const std::string& path, const std::vector<std::string>& known) const {
    for (const auto& entry : object.items())
      if (std::find(known.begin(), known.end(), entry.key()) == known.end())
        fail((path.empty() ? "" : path + ".") + entry.key(), "there is no such key" + hint(entry.key(), known));
  }

  const Json* find(const std::string& section, const std::string& key) const {
    const Json* object = &json_.root;
    if (!section.empty()) {
      if (!object->contains(section)) return nullptr;
      object = &(*object)[section];
      if (!object->is_object()) fail(section, "it must be an object: {\"key\": ...}");
    }
    return object->contains(key) ? &(*object)[key] : nullptr;
  }

  std::string text(const std::string& key, const std::string& section = "") const {
    const std::string path = section.empty() ? key : section + "." + key;
    const Json* value = find(section, key);
    if (value == nullptr) fail(path, "it is missing");
    if (!value->is_string()) fail(path, "it must be a text, in quotes");
    return value->get<std::string>();
  }

  // ---- Numbers with units ----

  void read_fields(Platform& platform) const {
    for (const Field& field : fields()) {
      std::vector<std::string> known;
      for (const Field& other : fields())
        if (std::strcmp(other.section, field.section) == 0) known.push_back(other.key);
      if (json_.root.contains(field.section) && json_.root[field.section].is_object())
        check_keys(json_.root[field.section], field.section, known);
      platform.*field.number = read_number(field);
    }
  }

  Number read_number(const Field& field) const {
    const std::string path = std::string(field.section) + "." + field.key;
    const Json* entry = find(field.section, field.key);
    if (entry == nullptr) {
      if (field.missing == nullptr)
        fail(path, std::string("it is missing: ") + field.meaning + "; " + describe(field.unit));
      return {{*parse_quantity(field.unit, field.missing)}, "what stands for one that is not given"};
    }
    Number number;
    const Json* value = entry;
    if (entry->is_object()) {
      check_keys(*entry, path, {"value", "source"});
      if (!entry->contains("value")) fail(path, "it has no value");
      value = &(*entry)["value"];
      if (entry->contains("source")) {
        if (!(*entry)["source"].is_string()) fail(path + ".source", "it must be a text, in quotes");
        number.source = (*entry)["source"].get<std::string>();
      }
    }
    if (value->is_array() && !field.may_be_list) fail(path, "it is one number, not a list");
    if (value->is_array() && value->empty()) fail(path, "the list is empty");
    if (value->is_array())
      for (const Json& part : *value) number.values.push_back(read_value(field, path, part));
    else
      number.values.push_back(read_value(field, path, *value));
    return number;
  }

  double read_value(const Field& field, const std::string& path, const Json& json) const {
    const std::string given = json.is_string() ? json.get<std::string>() : json.dump();
    const std::optional<double> value = parse_quantity(field.unit, given);
    if (!value) fail(path, "'" + given + "' is not " + describe(field.unit));
    if (*value < field.least || *value > field.most)
      fail(path, "'" + given + "' is out of range; allowed is from " + quantity_text(field.unit, field.least) + " to " +
                     quantity_text(field.unit, field.most));
    return *value;
  }

  // ---- The topology ----

  TopologyShape read_topology() const {
    TopologyShape shape;
    const std::string kind = text("kind", "topology");
    std::vector<std::string> names;
    bool found = false;
    for (const auto& known : kinds) {
      names.push_back(known.name);
      if (kind != known.name) continue;
      shape.kind = known.kind;
      found = true;
    }
    if (!found) fail("topology.kind", "there is no '" + kind + "'" + hint(kind, names));
    std::vector<std::string> keys = keys_of(shape.kind);
    keys.insert(keys.end(), {"kind", "routing", "congestion", "source"});
    check_keys(json_.root["topology"], "topology", keys);
    if (find("topology", "source") != nullptr) shape.source = text("source", "topology");
    shape.least_busy = read_choice("routing", "fixed", "least-busy");
    shape.drops = read_choice("congestion", "waits", "drops");
    read_shape(shape);
    return shape;
  }

  // Whether a key of the topology, which may be missing, has the other value instead of the usual one.
  bool read_choice(const char* key, const char* usual, const char* other) const {
    if (find("topology", key) == nullptr) return false;
    const std::string value = text(key, "topology");
    if (value != usual && value != other)
      fail("topology." + std::string(key), "there is no '" + value + "'" + hint(value, {usual, other}));
    return value == other;
  }

  static std::vector<std::string> keys_of(TopologyKind kind) {
    switch (kind) {
      case TopologyKind::torus:
        return {"dimensions", "mesh_below_nodes", "nodes_per_router"};
      case TopologyKind::fat_tree:
        return {"down", "up"};
      case TopologyKind::dragonfly:
        return {"groups", "routers_per_group", "nodes_per_router", "global_links_per_router"};
      default:
        return {"nodes"};
    }
  }

  void read_shape(TopologyShape& shape) const {
    switch (shape.kind) {
      case TopologyKind::crossbar:
        shape.nodes = whole("nodes", 1, most_nodes);
        return;
      case TopologyKind::torus:
        return read_torus(shape);
      case TopologyKind::fat_tree:
        return read_fat_tree(shape);
      case TopologyKind::dragonfly:
        return read_dragonfly(shape);
    }
  }

  void read_torus(TopologyShape& shape) const {
    if (find("topology", "nodes_per_router") != nullptr) shape.nodes_per_router = whole("nodes_per_router", 1, 64);
    if (find("topology", "mesh_below_nodes") != nullptr)
      shape.mesh_below_nodes = whole("mesh_below_nodes", 0, most_nodes);
    const Json* lists = find("topology", "dimensions");
    const char* wanted = "it must be a list of sizes, as [8, 8, 16], or a list of such lists, one per partition";
    if (lists == nullptr) fail("topology.dimensions", std::string("it is missing: ") + wanted);
    if (!lists->is_array() || lists->empty()) fail("topology.dimensions", wanted);
    uint64_t nodes_before = 0;
    for (const Json& list : lists->front().is_array() ? *lists : Json::array({*lists})) {
      if (!list.is_array() || list.empty() || list.size() > 8) fail("topology.dimensions", wanted);
      shape.dimensions.push_back(numbers("dimensions", list, 1));
      uint64_t nodes = shape.nodes_per_router;
      for (const uint32_t size : shape.dimensions.back()) nodes *= size;
      if (nodes > most_nodes)
        fail("topology.dimensions", list.dump() + " has more nodes than can be simulated, 4194304");
      if (nodes <= nodes_before) fail("topology.dimensions", "partitions must ascend; " + list.dump() + " does not");
      if (shape.dimensions.back().size() != shape.dimensions.front().size())
        fail("topology.dimensions", "partitions must have as many dimensions each; " + list.dump() + " has not");
      nodes_before = nodes;
    }
  }

  void read_fat_tree(TopologyShape& shape) const {
    uint64_t nodes = 1, switches = 1;
    for (auto [key, list] : {std::pair{"down", &shape.down}, {"up", &shape.up}}) {
      const Json* json = find("topology", key);
      const std::string path = std::string("topology.") + key;
      if (json == nullptr || !json->is_array() || json->empty() || json->size() > 8)
        fail(path,
             std::string(json ? "" : "it is missing: ") + "a list with a number for each level, from the nodes up");
      *list = numbers(key, *json, 1);
    }
    if (shape.down.size() != shape.up.size()) fail("topology.up", "it must have as many levels as topology.down");
    for (size_t level = 0; level < shape.down.size(); ++level) {
      if (shape.up[level] > 64) fail("topology.up", "at most 64 parents are possible");
      nodes *= shape.down[level];
      switches *= shape.up[level];
      if (nodes > most_nodes || switches > most_nodes) fail("topology.down", "this is more than can be simulated");
    }
  }

  void read_dragonfly(TopologyShape& shape) const {
    shape.groups = whole("groups", 1, 65536);
    shape.routers_per_group = whole("routers_per_group", 1, 4096);
    shape.nodes_per_router = whole("nodes_per_router", 1, 4096);
    shape.global_links_per_router = whole("global_links_per_router", 0, 4096);
    const uint64_t ports = uint64_t{shape.routers_per_group} * shape.global_links_per_router;
    if (ports + 1 < shape.groups)
      fail("topology.groups", std::to_string(shape.groups) + " groups do not reach each other by " +
                                  std::to_string(ports) + " links of a group; at most " + std::to_string(ports + 1));
    if (shape.groups > 1 && ports / (shape.groups - 1) > 64)
      fail("topology.global_links_per_router", "at most 64 links between two groups are possible");
    if (uint64_t{shape.groups} * shape.routers_per_group * std::max(shape.nodes_per_router, shape.routers_per_group) >
        most_nodes)
      fail("topology.groups", "this is more than can be simulated");
  }

  std::vector<uint32_t> numbers(const std::string& key, const Json& list, uint32_t least) const {
    std::vector<uint32_t> found;
    for (const Json& entry : list) {
      if (!entry.is_number_unsigned() || entry.get<uint64_t>() < least || entry.get<uint64_t>() > most_nodes)
        fail("topology." + key,
             entry.dump() + " is no whole number from " + std::to_string(least) + " to " + std::to_string(most_nodes));
      found.push_back(entry.get<uint32_t>());
    }
    return found;
  }

  uint32_t whole(const std::string& key, uint32_t least, uint32_t most) const {
    const Json* value = find("topology", key);
    if (value == nullptr) fail("topology." + key, "it is missing");
    if (!value->is_number_unsigned() || value->get<uint64_t>() < least || value->get<uint64_t>() > most)
      fail("topology." + key,
           value->dump() + " is no whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return value->get<uint32_t>();
  }

  // Numbers of links are one for all, or one for each group of links.
  void check_lists(const Platform& platform) const {
    const TopologyShape& shape = platform.topology;
    const size_t groups = shape.kind == TopologyKind::torus       ? shape.dimensions.front().size()
                          : shape.kind == TopologyKind::fat_tree  ? shape.down.size()
                          : shape.kind == TopologyKind::dragonfly ? 2
                                                                  : 1;
    for (const Field& field : fields()) {
      const size_t given = (platform.*field.number).values.size();
      if (given != 1 && given != groups)
        fail(std::string(field.section) + "." + field.key, "the list has " + std::to_string(given) +
                                                               " numbers, but there are " + std::to_string(groups) +
                                                               (groups == 1 ? " kind" : " kinds") + " of links");
    }
  }

  const std::string file_;
  const JsonText json_;
};

Json shape_as_json(const TopologyShape& shape) {
  Json json = {{"kind", name_of(shape.kind)}};
  switch (shape.kind) {
    case TopologyKind::crossbar:
      json["nodes"] = shape.nodes;
      break;
    case TopologyKind::torus:
      json["dimensions"] = shape.dimensions;
      json["mesh_below_nodes"] = shape.mesh_below_nodes;
      json["nodes_per_router"] = shape.nodes_per_router;
      break;
    case TopologyKind::fat_tree:
      json["down"] = shape.down;
      json["up"] = shape.up;
      break;
    case TopologyKind::dragonfly:
      json["groups"] = shape.groups;
      json["routers_per_group"] = shape.routers_per_group;
      json["nodes_per_router"] = shape.nodes_per_router;
      json["global_links_per_router"] = shape.global_links_per_router;
  }
  json["routing"] = shape.least_busy ? "least-busy" : "fixed";
  json["congestion"] = shape.drops ? "drops" : "waits";
  json["source"] = shape.source;
  return json;
}

}  // namespace

Platform parse_platform(const std::string& text, const std::string& file) { return Reader(text, file).read(); }

std::string write_platform(const Platform& platform) {
  Json json = {{"format", format},
               {"name", platform.name},
               {"title", platform.title},
               {"notes", platform.notes},
               {"topology", shape_as_json(platform.topology)},
               {"mapping", platform.mapping}};
  for (const Field& field : fields()) {
    const Number& number = platform.*field.number;
    Json values = Json::array();
    for (const double value : number.values) {
      if (field.unit == Unit::count)
        values.push_back(static_cast<uint64_t>(value));
      else if (field.unit == Unit::factor)
        values.push_back(value);
      else
        values.push_back(quantity_text(field.unit, value));
    }
    json[field.section][field.key] = {{"value", values.size() == 1 ? values[0] : values}, {"source", number.source}};
  }
  return json.dump(2) + "\n";
}

}  // namespace weft::sim
