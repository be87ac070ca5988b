#include "driver/repeats.hpp"

namespace upcc::driver {

namespace {

// "file:line:name" of a line "file:line:column: warning: text [-Wname]"; empty for other lines.
std::string warning_key(std::string_view line) {
  const auto word = line.find(": warning: ");
  if (word == std::string_view::npos) return {};
  const auto column = line.rfind(':', word - 1);
  if (column == std::string_view::npos) return {};
  std::string key(line.substr(0, column));
  const auto flag = line.rfind(" [-W");
  const bool named = flag != std::string_view::npos && line.ends_with(']');
  return key + ":" + std::string(named ? line.substr(flag + 4, line.size() - flag - 5) : std::string_view{});
}

// Source lines, carets, notes: what follows a message and is about it.
bool continues(std::string_view line) {
  return line.starts_with(' ') || line.find(": note: ") != std::string_view::npos;
}

bool is_heading(std::string_view line) {
  return line.ends_with(":") &&
         (line.find(": In function ") != std::string_view::npos || line.ends_with(": At top level:"));
}

}  // namespace

std::string without_repeats(std::string_view messages, const std::unordered_set<std::string>& told) {
  if (told.empty()) return std::string(messages);
  std::string out;
  std::string heading;  // shown with the first message below it that is
  bool dropping = false;
  while (!messages.empty()) {
    const auto end = messages.find('\n');
    const std::string_view line = messages.substr(0, end);
    const std::string_view whole = end == std::string_view::npos ? messages : messages.substr(0, end + 1);
    messages.remove_prefix(whole.size());
    if (dropping && continues(line)) continue;
    dropping = told.contains(warning_key(line));
    if (dropping) continue;
    if (is_heading(line)) {
      heading = whole;
      continue;
    }
    out += heading;
    heading.clear();
    out += whole;
  }
  return out;
}

}  // namespace upcc::driver
