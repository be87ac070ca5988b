// What to say of an option that getopt_long() refuses.
#pragma once

#include <getopt.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"

namespace weft::base {

/// " (did you mean --hosts?)", " (it takes no value)", or nothing. `known` ends as getopt_long() wants it.
inline std::string option_hint(std::string_view word, const option* known) {
  if (!word.starts_with("--")) return "";
  const std::string_view name = word.substr(2, word.find('=') == word.npos ? word.npos : word.find('=') - 2);
  std::vector<std::string_view> names;
  for (; known->name != nullptr; ++known) names.emplace_back(known->name);
  const std::string_view meant = nearest(name, names);
  if (meant == name) return " (it takes no value)";
  return meant.empty() ? "" : " (did you mean --" + std::string(meant) + "?)";
}

}  // namespace weft::base
