// The platforms of src/sim/platforms, which the build puts into the library, and those of users.
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/nearest.hpp"
#include "sim/network/platform_file.hpp"
#include "sim/network/platform_texts.hpp"

namespace weft::sim {
namespace {

// Platforms, and tables of measurements, have some kilobytes.
constexpr off_t most_bytes = 1 << 20;

}  // namespace

std::string read_text(const std::string& path) {
  struct stat state;
  if (stat(path.c_str(), &state) != 0) throw PlatformError("cannot read " + path + ": " + std::strerror(errno));
  if (S_ISDIR(state.st_mode)) throw PlatformError("cannot read " + path + ": it is a folder");
  if (state.st_size > most_bytes) throw PlatformError("cannot read " + path + ": it has more than 1 MiB");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw PlatformError("cannot read " + path + ": " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> known_platforms() {
  std::vector<std::string> names;
  for (const PlatformText& known : platform_texts()) names.emplace_back(known.name);
  return names;
}

Platform find_platform(const std::string& name) {
  if (name.find('/') != name.npos || name.ends_with(".json")) return parse_platform(read_text(name), name);
  for (const PlatformText& known : platform_texts())
    if (name == known.name) {
      Platform platform = parse_platform(known.text, "built-in platform " + name);
      platform.origin.clear();
      return platform;
    }
  const std::vector<std::string> names = known_platforms();
  const std::string_view meant = base::nearest(name, names);
  std::string text = "there is no platform '" + name + "'";
  text += meant.empty() ? "." : "; did you mean " + std::string(meant) + "?";
  text += " Known are";
  for (const std::string& known : names) text += (&known == &names.front() ? " " : ", ") + known;
  throw PlatformError(text + ". A platform of your own is a file with '/' in its path, or named *.json");
}

}  // namespace weft::sim
