// Finds PROG as execvp does, so that a program that cannot be run is one clear line before anything is started.
#pragma once

#include <string>

namespace weftrun {

inline constexpr int exit_not_executable = 126;
inline constexpr int exit_not_found = 127;

/// Where `name` is: itself if it has a slash, else the first executable of that name in PATH. Empty if it cannot be
/// run: then `exit_code` is exit_not_found or exit_not_executable, and a line has been printed that says where it
/// was looked for.
std::string find_program(const std::string& name, int& exit_code);

}  // namespace weftrun
