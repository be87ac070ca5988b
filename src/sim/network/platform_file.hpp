// Platforms as text: JSON that people write, with a source beside each number.
#pragma once

#include <string>
#include <vector>

#include "sim/network/platform.hpp"

namespace weft::sim {

/// Reads and checks it. Throws PlatformError: "FILE:LINE: KEY: what is wrong".
Platform parse_platform(const std::string& text, const std::string& file);

/// All of a file that should be small: at most 1 MiB. Throws PlatformError.
std::string read_text(const std::string& path);

/// As parse_platform() reads it.
std::string write_platform(const Platform& platform);

/// The platforms that are built in, by name, in alphabetical order.
std::vector<std::string> known_platforms();

/// A platform that is built in, by its name; or the one of a file, by a path (what has a '/' or ends in .json). Throws
/// PlatformError.
Platform find_platform(const std::string& name);

}  // namespace weft::sim
