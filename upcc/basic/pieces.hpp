// A rough token split of C text, good enough to compare a line with what the preprocessor has made of it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace upcc {

struct Piece {
  std::string_view text;
  std::size_t at;  // offset in the text that was split
};

// Whether a character may be part of an identifier or a number.
bool is_word(char c);
// Whether a piece is an identifier or keyword.
bool is_name(std::string_view piece);

// Words, literals and single punctuators. Comments, white space and the backslashes of continued lines are left out.
std::vector<Piece> split_pieces(std::string_view text);

}  // namespace upcc
