#include "sema/literals.hpp"

#include <array>
#include <cstdlib>

namespace upcc {

namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view s) {
  std::string out;
  for (const char c : s) out += lower(c);
  return out;
}

struct FloatSuffix {
  std::string_view text;
  TypeKind type;
};
constexpr std::array kFloatSuffixes = {
    FloatSuffix{"", TypeKind::double_},      FloatSuffix{"f", TypeKind::float_},
    FloatSuffix{"l", TypeKind::longdouble},  FloatSuffix{"d", TypeKind::double_},
    FloatSuffix{"q", TypeKind::float128},    FloatSuffix{"w", TypeKind::float64x},
    FloatSuffix{"f16", TypeKind::float16},   FloatSuffix{"f32", TypeKind::float32},
    FloatSuffix{"f64", TypeKind::float64},   FloatSuffix{"f128", TypeKind::float128},
    FloatSuffix{"f32x", TypeKind::float32x}, FloatSuffix{"f64x", TypeKind::float64x},
};

// Takes an i or j out of a suffix (GNU imaginary constants allow it first or last).
bool take_imaginary(std::string& suffix) {
  if (suffix.empty()) return false;
  const char first = suffix.front();
  const char last = suffix.back();
  if (last == 'i' || last == 'j') {
    suffix.pop_back();
    return true;
  }
  if (first == 'i' || first == 'j') {
    suffix.erase(0, 1);
    return true;
  }
  return false;
}

NumberValue parse_floating(std::string_view text, std::size_t suffix_at) {
  NumberValue out;
  out.floating = true;
  std::string suffix = lowered(text.substr(suffix_at));
  const std::string original(text.substr(suffix_at));
  out.imaginary = take_imaginary(suffix);
  bool known = false;
  for (const FloatSuffix& s : kFloatSuffixes) {
    if (s.text == suffix) {
      out.type = s.type;
      known = true;
    }
  }
  if (!known) {
    out.error = "invalid suffix \"" + original + "\" on floating constant";
    return out;
  }
  const std::string digits(text.substr(0, suffix_at));
  char* stop = nullptr;
  out.real = std::strtold(digits.c_str(), &stop);
  if (*stop != '\0') out.error = "invalid floating constant '" + digits + "'";
  if (out.type == TypeKind::double_ || out.type == TypeKind::float64 || out.type == TypeKind::float32x) {
    out.real = static_cast<long double>(std::strtod(digits.c_str(), nullptr));
  } else if (out.type == TypeKind::float_ || out.type == TypeKind::float32) {
    out.real = static_cast<long double>(std::strtof(digits.c_str(), nullptr));
  }
  return out;
}

bool fits(UInt128 value, TypeKind type) {
  switch (type) {
    case TypeKind::int_:
      return value <= 0x7fffffffu;
    case TypeKind::uint:
      return value <= 0xffffffffu;
    case TypeKind::long_:
    case TypeKind::longlong:
      return value <= 0x7fffffffffffffffu;
    case TypeKind::ulong:
    case TypeKind::ulonglong:
      return value <= 0xffffffffffffffffu;
    default:
      return true;
  }
}

// C11 6.4.4.1p5: the first type of the list in which the value fits.
void choose_integer_type(NumberValue& out, bool decimal, bool is_unsigned, int longs) {
  using enum TypeKind;
  constexpr std::array kAll = {int_, uint, long_, ulong, longlong, ulonglong};
  for (const TypeKind type : kAll) {
    const int rank = type <= uint ? 0 : type <= ulong ? 1 : 2;
    const bool type_unsigned = type == uint || type == ulong || type == ulonglong;
    if (rank < longs || (is_unsigned && !type_unsigned) || (decimal && !is_unsigned && type_unsigned)) continue;
    if (fits(out.integer, type)) {
      out.type = type;
      return;
    }
  }
  out.type = is_unsigned || !decimal ? ulonglong : int128;
  if (out.integer >> 64 != 0) {
    out.warning = "integer constant is too large for its type";
    out.integer &= 0xffffffffffffffffu;
    out.type = ulonglong;
  } else if (decimal) {
    out.warning = "integer constant is so large that it is unsigned";
  }
}

}  // namespace

NumberValue parse_number(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x';
  const bool binary = text.size() > 2 && text[0] == '0' && lower(text[1]) == 'b';
  std::size_t i = hex || binary ? 2 : 0;
  const std::size_t digits_at = i;
  bool floating = false;
  bool exponent = false;
  for (; i < text.size(); ++i) {
    const char c = lower(text[i]);
    if (c == '.' && !floating) {
      floating = true;
    } else if ((!hex && !binary && c == 'e') || (hex && c == 'p')) {
      floating = exponent = true;
      ++i;
      if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
      const std::size_t exponent_at = i;
      while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
      if (i == exponent_at) {
        NumberValue bad;
        bad.error = "exponent has no digits";
        return bad;
      }
      break;
    } else if (!(hex ? digit_value(c) < 16 : digit_value(c) < 10)) {
      break;
    }
  }
  if (floating) {
    NumberValue out = parse_floating(text, i);
    if (hex && !exponent) out.error = "hexadecimal floating constants require an exponent";
    return out;
  }
  NumberValue out;
  const bool octal = !hex && !binary && text[0] == '0';
  const unsigned base = hex ? 16 : binary ? 2 : octal ? 8 : 10;
  bool overflow = false;
  for (std::size_t d = digits_at; d < i; ++d) {
    const auto digit = static_cast<unsigned>(digit_value(text[d]));
    if (digit >= base) {
      out.error = std::string("invalid digit \"") + text[d] + "\" in " + (binary ? "binary" : "octal") + " constant";
      return out;
    }
    overflow = overflow || (out.integer >> 124) != 0;
    out.integer = out.integer * base + digit;
  }
  const std::string original(text.substr(i));
  std::string suffix = lowered(original);
  if (i == digits_at) {
    out.error = "invalid suffix \"" + std::string(text.substr(1)) + "\" on integer constant";
    return out;
  }
  out.imaginary = take_imaginary(suffix);
  const bool mixed_case = original.find("lL") != std::string::npos || original.find("Ll") != std::string::npos;
  bool is_unsigned = false;
  int longs = 0;
  if (suffix == "u")
    is_unsigned = true;
  else if (suffix == "l")
    longs = 1;
  else if (suffix == "ul" || suffix == "lu")
    is_unsigned = true, longs = 1;
  else if (suffix == "ll")
    longs = 2;
  else if (suffix == "ull" || suffix == "llu")
    is_unsigned = true, longs = 2;
  else if (!suffix.empty())
    longs = -1;
  if (longs < 0 || mixed_case) {
    out.error = "invalid suffix \"" + original + "\" on integer constant";
    return out;
  }
  choose_integer_type(out, base == 10, is_unsigned, longs);
  if (overflow && out.warning.empty()) out.warning = "integer constant is too large for its type";
  return out;
}

char text_prefix(std::string_view token) {
  if (token.starts_with("u8")) return '8';
  return token[0] == 'L' || token[0] == 'u' || token[0] == 'U' ? token[0] : '\0';
}

namespace {

std::uint8_t prefix_width(char prefix) {
  switch (prefix) {
    case 'L':
    case 'U':
      return 4;
    case 'u':
      return 2;
    default:
      return 1;
  }
}

TypeKind prefix_element(char prefix) {
  switch (prefix) {
    case 'L':
      return TypeKind::int_;
    case 'U':
      return TypeKind::uint;
    case 'u':
      return TypeKind::ushort;
    default:
      return TypeKind::char_;
  }
}

void append_unit(std::string& out, std::uint32_t unit, std::uint8_t width) {
  for (int i = 0; i < width; ++i) out += static_cast<char>((unit >> (8 * i)) & 0xff);
}

void append_code_point(std::string& out, std::uint32_t c, std::uint8_t width) {
  if (width == 4) return append_unit(out, c, 4);
  if (width == 2) {
    if (c < 0x10000) return append_unit(out, c, 2);
    append_unit(out, 0xd800 + ((c - 0x10000) >> 10), 2);
    return append_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff), 2);
  }
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// Decodes one UTF-8 sequence; a bad byte stands for itself.
std::uint32_t next_code_point(std::string_view text, std::size_t& i) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])); };
  const std::uint32_t c = byte(i);
  const std::size_t length = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
  if (length == 1 || i + length > text.size()) return ++i, c;
  std::uint32_t value = c & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return ++i, c;
    value = (value << 6) | (byte(i + k) & 0x3f);
  }
  i += length;
  return value;
}

struct Escape {
  bool numeric = false;  // a code unit rather than a character
  std::uint32_t value = 0;
};

// C11 6.4.4.4 escape-sequence and 6.4.3 universal-character-name. `i` stands behind the backslash.
Escape read_escape(std::string_view text, std::size_t& i, std::uint8_t width, std::string& error,
                   std::string& warning) {
  const char c = i < text.size() ? text[i++] : '\\';
  const std::uint64_t limit = width == 4 ? 0xffffffffu : width == 2 ? 0xffffu : 0xffu;
  std::uint64_t value = 0;
  if (c >= '0' && c <= '7') {
    value = static_cast<std::uint64_t>(c - '0');
    for (int k = 0; k < 2 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++k) {
      value = value * 8 + static_cast<std::uint64_t>(text[i++] - '0');
    }
    if (value > limit) warning = "octal escape sequence out of range";
    return {true, static_cast<std::uint32_t>(value & limit)};
  }
  if (c == 'x') {
    const std::size_t start = i;
    bool too_big = false;
    for (; i < text.size() && digit_value(text[i]) < 16; ++i) {
      value = value * 16 + static_cast<std::uint64_t>(digit_value(text[i]));
      too_big = too_big || value > limit;
      value &= 0xffffffffu;
    }
    if (i == start) error = "\\x used with no following hex digits";
    if (too_big) warning = "hex escape sequence out of range";
    return {true, static_cast<std::uint32_t>(value & limit)};
  }
  if (c == 'u' || c == 'U') {
    const int digits = c == 'u' ? 4 : 8;
    int k = 0;
    for (; k < digits && i < text.size() && digit_value(text[i]) < 16; ++k) {
      value = value * 16 + static_cast<std::uint64_t>(digit_value(text[i++]));
    }
    if (k < digits)
      error = "incomplete universal character name";
    else if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
      error = "invalid universal character name";
    return {false, static_cast<std::uint32_t>(value)};
  }
  switch (c) {
    case 'n':
      return {true, '\n'};
    case 't':
      return {true, '\t'};
    case 'r':
      return {true, '\r'};
    case 'a':
      return {true, 7};
    case 'b':
      return {true, 8};
    case 'f':
      return {true, 12};
    case 'v':
      return {true, 11};
    case 'e':
    case 'E':
      return {true, 27};
    case '\\':
    case '\'':
    case '"':
    case '?':
      return {true, static_cast<std::uint32_t>(c)};
    default:
      warning = std::string("unknown escape sequence: '\\") + c + "'";
      return {true, static_cast<std::uint32_t>(static_cast<unsigned char>(c))};
  }
}

// Text between the quotes of a token.
std::string_view quoted_part(std::string_view token) {
  std::size_t start = token.find_first_of("\"'");
  if (start == std::string_view::npos) return {};
  const char quote = token[start];
  ++start;
  const std::size_t stop = token.size() > start && token.back() == quote ? token.size() - 1 : token.size();
  return token.substr(start, stop - start);
}

}  // namespace

void decode_string(std::string_view token, char prefix, TextValue& out) {
  out.width = prefix_width(prefix);
  out.element = prefix_element(prefix);
  const std::string_view text = quoted_part(token);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\') {
      ++i;
      const Escape e = read_escape(text, i, out.width, out.error, out.warning);
      e.numeric ? append_unit(out.bytes, e.value, out.width) : append_code_point(out.bytes, e.value, out.width);
    } else if (out.width == 1) {
      out.bytes += text[i++];
    } else {
      append_code_point(out.bytes, next_code_point(text, i), out.width);
    }
  }
}

CharValue parse_character(std::string_view token) {
  const char prefix = text_prefix(token);
  TextValue text;
  decode_string(token, prefix, text);
  CharValue out;
  out.error = text.error;
  out.warning = text.warning;
  out.type = prefix == '\0' ? TypeKind::int_ : prefix == '8' ? TypeKind::uchar : text.element;
  const std::size_t count = text.bytes.size() / text.width;
  if (count == 0) {
    if (out.error.empty()) out.error = "empty character constant";
    return out;
  }
  if (prefix == '\0') {
    // gcc: the characters fill an int from the left; a single one is converted from char.
    std::uint32_t value = 0;
    for (const char c : text.bytes) value = (value << 8) | static_cast<unsigned char>(c);
    out.value = count == 1 ? static_cast<Int128>(static_cast<signed char>(text.bytes[0]))
                           : static_cast<Int128>(static_cast<std::int32_t>(value));
    if (count > 4)
      out.warning = "character constant too long for its type";
    else if (count > 1)
      out.warning = "multi-character character constant";
    return out;
  }
  std::uint32_t unit = 0;
  for (int i = 0; i < text.width; ++i) {
    const std::size_t at = (count - 1) * text.width + static_cast<std::size_t>(i);
    unit |= static_cast<std::uint32_t>(static_cast<unsigned char>(text.bytes[at])) << (8 * i);
  }
  if (count > 1) out.warning = "character constant too long for its type";
  out.value = prefix == 'L' ? static_cast<Int128>(static_cast<std::int32_t>(unit)) : static_cast<Int128>(unit);
  return out;
}

}  // namespace upcc
