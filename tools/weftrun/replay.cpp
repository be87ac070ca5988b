#include "replay.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "common.hpp"

namespace weftrun {
namespace {

// Easier to read than shell_word() where nothing has to be quoted.
std::string word_of(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=:,.@/%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  return shell_word(word);
}

}  // namespace

bool has_simulated_faults(const Options& options) {
  const char* const setting = std::getenv("WEFT_SIM_FAULT");
  const auto is_fault = [](const auto& option) { return option.first == "--sim-fault"; };
  return !options.platform.empty() &&
         ((setting != nullptr && *setting != '\0') || std::ranges::any_of(options.simulation, is_fault));
}

std::string replay_line(const char* const* arguments, const char* const* environment) {
  std::string line;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    if (!variable.starts_with("WEFT_")) continue;
    const size_t name = variable.find('=') + 1;
    line += std::string(variable.substr(0, name)) + word_of(variable.substr(name)) + " ";
  }
  for (; *arguments != nullptr; ++arguments) line += word_of(*arguments) + (arguments[1] != nullptr ? " " : "");
  return line;
}

}  // namespace weftrun
