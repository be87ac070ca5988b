// Strings in JSON.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace weft::base {

/// The text in quotes, as JSON wants it.
inline std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace weft::base
