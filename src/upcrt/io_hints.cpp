#include "upcrt/io_hints.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "base/parse.hpp"

namespace weft::upcrt::io {
namespace {

constexpr std::array<std::string_view, 10> predefined{
    "access_style", "collective_buffering", "cb_buffer_size",  "cb_nodes",     "file_perm", "io_node_list",
    "nb_proc",      "striping_factor",      "start_io_device", "striping_unit"};

std::string refuse(const std::string& key, const std::string& value, const char* wanted) {
  return "the hint " + key + " is '" + value + "'; it must be " + wanted;
}

}  // namespace

std::string Hints::set(const char* key, const char* value) {
  if (std::find(predefined.begin(), predefined.end(), key) == predefined.end()) return {};
  if (std::string problem = apply(key, value); !problem.empty()) return problem;
  auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  if (known == entries_.end()) known = entries_.insert(known, {key, {}});
  known->value = value;
  list_.clear();
  for (const Entry& entry : entries_) list_.push_back({entry.key.c_str(), entry.value.c_str()});
  return {};
}

std::string Hints::apply(const std::string& key, const std::string& value) {
  constexpr uint64_t largest = uint64_t{1} << 40;
  if (key == "access_style") return apply_style(value);
  if (key == "collective_buffering") {
    if (value != "true" && value != "false") return refuse(key, value, "true or false");
    collective_buffering = value == "true";
    return {};
  }
  if (key == "file_perm") {
    const auto bits = base::parse_number<unsigned>(value, 0, 0777, 8);
    if (!bits) return refuse(key, value, "octal permissions, as 644");
    permissions = *bits;
    return {};
  }
  if (key == "io_node_list") return {};
  const auto number = base::parse_number<uint64_t>(value, 0, largest);
  if (!number) return refuse(key, value, "a decimal number");
  if (key == "cb_buffer_size") buffer_size = *number;
  if (key == "cb_nodes") aggregators = *number;
  if (key == "striping_unit") striping_unit = *number;
  return {};
}

std::string Hints::apply_style(const std::string& styles) {
  constexpr std::array<std::string_view, 6> known{"read_once",    "write_once", "read_mostly",
                                                  "write_mostly", "sequential", "random"};
  std::vector<std::string> given;
  std::istringstream words(styles);
  for (std::string word; std::getline(words, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (std::find(known.begin(), known.end(), word) == known.end())
      return refuse("access_style", styles,
                    "a list of read_once, write_once, read_mostly, write_mostly, sequential, random");
    given.push_back(word);
  }
  const auto has = [&](std::string_view word) { return std::find(given.begin(), given.end(), word) != given.end(); };
  read_once = has("read_once");
  sequential = has("sequential");
  random = has("random");
  return {};
}

}  // namespace weft::upcrt::io
