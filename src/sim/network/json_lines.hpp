// JSON that people write, with the line of each key, so that what is wrong can be shown to them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace weft::sim {

struct JsonText {
  nlohmann::ordered_json root;
  std::map<std::string, size_t> lines;  // by the path of the key: "link.rate"; not of what is in arrays
};

/// Comments are allowed. Throws PlatformError with file, line and what the parser says; also for a key that is there
/// twice.
JsonText parse_json(const std::string& text, const std::string& file);

}  // namespace weft::sim
