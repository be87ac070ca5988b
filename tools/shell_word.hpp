// Words of a shell's command line, for the programs of tools/ that run commands or print them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace weft::tools {

/// The text as one word of a shell's command line, whatever is in it.
inline std::string shell_word(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The same, easier to read where nothing has to be quoted.
inline std::string readable_shell_word(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=:,.@/%").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, plain) ? std::string(text) : shell_word(text);
}

}  // namespace weft::tools
