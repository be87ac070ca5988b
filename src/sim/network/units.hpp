// Numbers with units, as platform files have them: "374 MB/s", "1.5 us", "32 KiB".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft::sim {

enum class Unit {
  rate,    // bytes per second
  speed,   // floating-point operations per second
  time,    // ns
  size,    // bytes
  count,   // whole, without a unit
  factor,  // without a unit
};

/// The value in the unit's base (bytes per second, operations per second, ns, bytes). K, M, G are powers of 1000, Ki,
/// Mi, Gi of 1024; rates may also be in bits. Nothing if the text is no such number, or is negative.
std::optional<double> parse_quantity(Unit unit, std::string_view text);

/// Four digits at most, in the unit that suits: "374 MB/s". What it writes, parse_quantity() reads.
std::string quantity_text(Unit unit, double value);

/// What a text of this kind looks like, for messages: "a rate, as 374 MB/s or 1 Gbit/s".
const char* describe(Unit unit);

}  // namespace weft::sim
