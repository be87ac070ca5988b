#include "replay.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "shell_word.hpp"

namespace weftrun {

using weft::tools::readable_shell_word;

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
    line += std::string(variable.substr(0, name)) + readable_shell_word(variable.substr(name)) + " ";
  }
  for (; *arguments != nullptr; ++arguments)
    line += readable_shell_word(*arguments) + (arguments[1] != nullptr ? " " : "");
  return line;
}

}  // namespace weftrun
