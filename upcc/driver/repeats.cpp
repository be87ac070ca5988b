#include "driver/repeats.hpp"

#include <array>
#include <utility>

namespace upcc::driver {

namespace {

// Names that compilers give to what upcc warns of under another: clang's, and gcc's for -Wformat.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSameWarnings{
    {{"format=", "format"}, {"unused-comparison", "unused-value"}, {"division-by-zero", "div-by-zero"}}};

// "file:line:name" of a line "file:line:column: warning: text [-Wname]", also where it has become an error; empty for
// other lines.
std::string warning_key(std::string_view line) {
  auto word = line.find(": warning: ");
  const bool is_error = word == std::string_view::npos;
  if (is_error) word = line.find(": error: ");
  if (word == std::string_view::npos) return {};
  const auto column = line.rfind(':', word - 1);
  if (column == std::string_view::npos) return {};
  const auto flag = line.rfind(" [-W");
  std::string_view name;
  if (flag != std::string_view::npos && line.ends_with(']')) name = line.substr(flag + 4, line.size() - flag - 5);
  if (is_error && name.empty()) return {};
  for (const std::string_view promoted : {"error=", "error,-W"}) {
    if (name.starts_with(promoted)) name.remove_prefix(promoted.size());
  }
  for (const auto& [theirs, ours] : kSameWarnings) {
    if (name == theirs) name = ours;
  }
  return std::string(line.substr(0, column)) + ":" + std::string(name);
}

// Source lines, carets, notes: what follows a message and is about it.
bool continues(std::string_view line) {
  return line.starts_with(' ') || line.find(": note: ") != std::string_view::npos;
}

// Names the function that the next messages are about, and those that it was inlined into.
bool is_heading(std::string_view line) {
  const bool of_place = line.ends_with(":") || line.ends_with(",");
  return of_place && (line.find("In function ") != std::string_view::npos || line.ends_with(": At top level:") ||
                      line.starts_with("    inlined from "));
}

}  // namespace

std::string without_repeats(std::string_view messages, const std::unordered_set<std::string>& told) {
  std::string out;
  std::string heading;  // shown with the first message below it that is
  std::unordered_set<std::string_view> shown;
  bool dropping = false;
  while (!messages.empty()) {
    const auto end = messages.find('\n');
    const std::string_view line = messages.substr(0, end);
    const std::string_view whole = end == std::string_view::npos ? messages : messages.substr(0, end + 1);
    messages.remove_prefix(whole.size());
    if (is_heading(line)) {
      if (!line.starts_with(' ')) heading.clear();
      heading += whole;
      continue;
    }
    if (!continues(line)) {
      const std::string key = warning_key(line);
      dropping = !key.empty() && (told.contains(key) || !shown.insert(line).second);
    }
    if (dropping) continue;
    out += heading;
    heading.clear();
    out += whole;
  }
  return out;
}

}  // namespace upcc::driver
