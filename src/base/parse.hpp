// Texts that users give, as values: sizes, flags and ranges of ports in the environment and on command lines; and sizes
// as texts.
#pragma once

#include <strings.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace weft::base {

/// "64M", "4GB", "4GiB" -> bytes. Suffixes K M G T, powers of 1024, with B or iB behind them if wanted. False if it is
/// no size or does not fit.
inline bool parse_size(const char* text, uint64_t& value) {
  if (*text < '0' || *text > '9') return false;  // the C library would skip blanks and wrap a negative number around
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text, &end, 10);
  if (errno != 0) return false;
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
  if (number > (UINT64_MAX >> shift)) return false;
  value = number << shift;
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

/// Ports of TCP and UDP, both ends included.
struct PortRange {
  unsigned low = 0, high = 0;

  unsigned count() const { return high - low + 1; }
};

/// "50000-50999". Nothing for other texts, for 0 and what is above 65535, and if the second number is the lower one.
inline std::optional<PortRange> parse_port_range(const std::string& text) {
  PortRange range;
  unsigned* number = &range.low;
  for (const char letter : text) {
    if (letter == '-' && number == &range.low) {
      number = &range.high;
    } else if (letter >= '0' && letter <= '9' && *number <= 65535) {
      *number = *number * 10 + static_cast<unsigned>(letter - '0');
    } else {
      return std::nullopt;
    }
  }
  if (range.low == 0 || range.high < range.low || range.high > 65535) return std::nullopt;
  return range;
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
