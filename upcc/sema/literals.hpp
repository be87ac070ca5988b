// The meaning of numeric, character and string tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ast/type.hpp"
#include "basic/int128.hpp"

namespace upcc {

struct NumberValue {
  std::string error;    // not empty: the constant is invalid
  std::string warning;  // e.g. "integer constant is too large for its type"
  bool floating = false;
  bool imaginary = false;
  TypeKind type = TypeKind::int_;
  UInt128 integer = 0;
  long double real = 0;
};

// C11 6.4.4.1, 6.4.4.2 with GNU suffixes (i, j, f128, f64x, q, w, binary constants).
NumberValue parse_number(std::string_view text);

struct TextValue {
  std::string error;
  std::string warning;
  std::string bytes;  // characters of `width` bytes each, little endian, without terminating zero
  std::uint8_t width = 1;
  TypeKind element = TypeKind::char_;  // char, int (wchar_t), ushort (char16_t), uint (char32_t)
};

// Encoding prefix of a character or string token: 0, 'L', 'u', 'U' or '8' for u8.
char text_prefix(std::string_view token);

// Decodes one string token into `out` as an element of a sequence with the given prefix. Appends.
void decode_string(std::string_view token, char prefix, TextValue& out);

// C11 6.4.4.4. The value has the type out.element for prefixed constants and int otherwise.
struct CharValue {
  std::string error;
  std::string warning;
  Int128 value = 0;
  TypeKind type = TypeKind::int_;
};
CharValue parse_character(std::string_view token);

}  // namespace upcc
