// Numbers, sizes, flags, lists and ranges of ports as values, from texts of users and from lines of files and
// protocols; and sizes as texts.
#pragma once

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace weft::base {

/// A whole number from `low` to `high` in digits of `base`, and with a '-' before them if its type has a sign. Nothing
/// for anything else: blanks, a '+', a suffix, "0x", an empty text, a number that does not fit.
template <typename Number>
std::optional<Number> parse_number(std::string_view text,
                                   std::type_identity_t<Number> low = std::numeric_limits<Number>::min(),
                                   std::type_identity_t<Number> high = std::numeric_limits<Number>::max(),
                                   int base = 10) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || stop != end || value < low || value > high) return std::nullopt;
  return value;
}

/// A finite decimal number, with a point or an exponent if wanted: "-1", "0.5", "2e-3". Nothing for anything else, as
/// in parse_number().
inline std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// "64M", "4GB", "4GiB" -> bytes. Suffixes K M G T, powers of 1024, with B or iB behind them if wanted. False if it is
/// no size or does not fit.
inline bool parse_size(const char* text, uint64_t& value) {
  const char* end = text;
  while (*end >= '0' && *end <= '9') ++end;
  const std::optional<uint64_t> number = parse_number<uint64_t>({text, end});
  if (!number) return false;
  unsigned shift = 0;
  switch (*end) {
    case 'K':
    case 'k':
      shift = 10;
      break;
    case 'M':
    case 'm':
      shift = 20;
      break;
    case 'G':
    case 'g':
      shift = 30;
      break;
    case 'T':
    case 't':
      shift = 40;
      break;
    case '\0':
      break;
    default:
      return false;
  }
  if (shift != 0 && *++end != '\0' && strcasecmp(end, "B") != 0 && strcasecmp(end, "iB") != 0) return false;
  if (*number > (UINT64_MAX >> shift)) return false;
  value = *number << shift;
  return true;
}

/// "1", "yes", "true", "on" and "0", "no", "false", "off", in letters of either case.
inline std::optional<bool> parse_flag(const char* text) {
  for (const char* yes : {"1", "yes", "true", "on"})
    if (strcasecmp(text, yes) == 0) return true;
  for (const char* no : {"0", "no", "false", "off"})
    if (strcasecmp(text, no) == 0) return false;
  return std::nullopt;
}

/// The words between the commas, without the blanks around them; one that is empty if the text is.
inline std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
    word.remove_suffix(word.size() - std::min(word.find_last_not_of(" \t") + 1, word.size()));
    words.emplace_back(word);
    begin = end + 1;
  }
  return words;
}

/// Ports of TCP and UDP, both ends included.
struct PortRange {
  unsigned low = 0, high = 0;

  unsigned count() const { return high - low + 1; }
};

/// "50000-50999". Nothing for other texts, for 0 and what is above 65535, and if the second number is the lower one.
inline std::optional<PortRange> parse_port_range(std::string_view text) {
  const size_t dash = std::min(text.find('-'), text.size());
  const auto low = parse_number<unsigned>(text.substr(0, dash), 1, 65535);
  const auto high = parse_number<unsigned>(text.substr(std::min(dash + 1, text.size())), 1, 65535);
  if (!low || !high || *low > *high) return std::nullopt;
  return PortRange{*low, *high};
}

/// "384 TiB", "1.5 GiB", "100 bytes".
inline std::string size_text(uint64_t bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  unsigned unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  char text[48];
  const bool whole = value == static_cast<double>(static_cast<uint64_t>(value)) || value >= 100;
  std::snprintf(text, sizeof text, whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

}  // namespace weft::base
