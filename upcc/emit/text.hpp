// C text under construction. Lowering composes strings; wherever the user's own words are repeated, a string holds a
// mark instead of them, so that the writer can later put each on the line it came from (the whole point of #line) and
// space it as the user did.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ast/decl.hpp"
#include "basic/source.hpp"

namespace upcc::text {

// A mark is one control character, which C source cannot contain, and two 32-bit numbers.
inline constexpr char kTokens = '\x01';   // tokens [first, last)
inline constexpr char kSource = '\x02';   // bytes [first, last) of the preprocessed text, line markers included
inline constexpr char kLine = '\x03';     // what follows belongs to the line of location `first`
inline constexpr char kPragmas = '\x05';  // the pragmas in front of token `first`, of the kind `last`
inline constexpr std::size_t kMarkSize = 9;

inline bool is_mark(char c) { return c == kTokens || c == kSource || c == kLine || c == kPragmas; }

inline void append_number(std::string& out, std::uint32_t n) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(n >> shift & 0xff);
}

inline std::uint32_t read_number(const char* p) {
  std::uint32_t n = 0;
  for (int i = 0; i < 4; ++i) n |= static_cast<std::uint32_t>(static_cast<unsigned char>(p[i])) << (8 * i);
  return n;
}

inline std::string mark(char kind, std::uint32_t first, std::uint32_t last) {
  std::string out(1, kind);
  append_number(out, first);
  append_number(out, last);
  return out;
}

inline std::string tokens(TokenRange range) {
  return range.first < range.last ? mark(kTokens, range.first, range.last) : std::string();
}
inline std::string source(Loc first, Loc last) { return mark(kSource, first, last); }
inline std::string line(Loc loc) { return loc == kNoLoc ? std::string() : mark(kLine, loc, 0); }

// Pragmas about a loop (unrolling, dependences, OpenMP) go right before it in the C that it becomes, others before all
// of that C. `once` is all of them, and their place is the only one, whatever repeats the token.
enum class Pragmas : std::uint32_t { all, about_loops, others, once };
inline std::string pragmas(std::uint32_t token, Pragmas kind) {
  return mark(kPragmas, token, static_cast<std::uint32_t>(kind));
}

// Stands for a value that is named later; see fill().
inline constexpr char kPlaceholder = '\x04';

// Replaces every placeholder, but not bytes of marks that look like one.
inline std::string fill(std::string_view in, std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < in.size();) {
    if (is_mark(in[i])) {
      out += in.substr(i, kMarkSize);
      i += kMarkSize;
    } else {
      if (in[i] == kPlaceholder)
        out += value;
      else
        out += in[i];
      ++i;
    }
  }
  return out;
}

}  // namespace upcc::text
