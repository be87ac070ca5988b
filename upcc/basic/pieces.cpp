#include "basic/pieces.hpp"

#include <algorithm>
#include <cctype>

namespace upcc {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

bool is_name(std::string_view piece) {
  return !piece.empty() && is_word(piece[0]) && std::isdigit(static_cast<unsigned char>(piece[0])) == 0;
}

std::vector<Piece> split_pieces(std::string_view text) {
  std::vector<Piece> out;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    if (c == '\\' && (next == '\n' || next == '\r')) {
      ++i;
      continue;
    }
    if (c == '/' && (next == '/' || next == '*')) {
      const auto end = text.find(next == '/' ? "\n" : "*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + (next == '/' ? 1 : 2);
      continue;
    }
    std::size_t end = i + 1;
    if (is_word(c)) {
      while (end < text.size() && is_word(text[end])) ++end;
    } else if (c == '"' || c == '\'') {
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(text.size(), end + 1);
    }
    out.push_back({text.substr(i, end - i), i});
    i = end;
  }
  return out;
}

}  // namespace upcc
