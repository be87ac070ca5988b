#include "sim/network/units.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>

namespace weft::sim {
namespace {

struct Scale {
  const char* name;
  double factor;
};

// Those that texts are written in come first, in ascending order.
constexpr Scale rates[] = {{"B/s", 1},      {"KB/s", 1e3},       {"MB/s", 1e6},       {"GB/s", 1e9},
                           {"TB/s", 1e12},  {"kbit/s", 1e3 / 8}, {"Mbit/s", 1e6 / 8}, {"Gbit/s", 1e9 / 8},
                           {"KiB/s", 1024}, {"MiB/s", 1 << 20},  {"GiB/s", 1 << 30}};
constexpr Scale speeds[] = {{"flop/s", 1}, {"Kflop/s", 1e3}, {"Mflop/s", 1e6}, {"Gflop/s", 1e9}, {"Tflop/s", 1e12}};
constexpr Scale times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Scale sizes[] = {{"B", 1},    {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
                           {"KB", 1e3}, {"MB", 1e6},   {"GB", 1e9}};
constexpr Scale plain[] = {{"", 1}};

struct Scales {
  std::span<const Scale> known;
  size_t written;  // so many of them
};

Scales scales_of(Unit unit) {
  switch (unit) {
    case Unit::rate:
      return {rates, 5};
    case Unit::speed:
      return {speeds, 5};
    case Unit::time:
      return {times, 4};
    case Unit::size:
      return {sizes, 4};
    default:
      return {plain, 1};
  }
}

}  // namespace

std::optional<double> parse_quantity(Unit unit, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || std::signbit(value)) return std::nullopt;
  if (unit == Unit::count && value != std::floor(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const Scale& scale : scales_of(unit).known)
    if (text == scale.name) return value * scale.factor;
  return std::nullopt;
}

std::string quantity_text(Unit unit, double value) {
  const Scales scales = scales_of(unit);
  const Scale* best = &scales.known[0];
  for (size_t i = 1; i < scales.written; ++i)
    if (value >= scales.known[i].factor * 0.9999999) best = &scales.known[i];
  char text[64];
  std::snprintf(text, sizeof text, unit == Unit::count ? "%.0f" : "%.4g", value / best->factor);
  return *best->name == '\0' ? text : std::string(text) + " " + best->name;
}

const char* describe(Unit unit) {
  switch (unit) {
    case Unit::rate:
      return "a rate with its unit, as 374 MB/s or 1 Gbit/s";
    case Unit::speed:
      return "a speed with its unit, as 680 Mflop/s";
    case Unit::time:
      return "a time with its unit, as 100 ns or 1.5 us";
    case Unit::size:
      return "a size with its unit, as 32 KiB";
    case Unit::count:
      return "a whole number, as 4";
    default:
      return "a number, as 0.58";
  }
}

}  // namespace weft::sim
