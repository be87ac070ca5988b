// A platform from measurements: the overhead o, the latency L and the time per byte G of LogGP (Alexandrov et al., SPAA
// 1995), and the interface's gap.
#pragma once

#include <string>
#include <vector>

#include "sim/network/platform.hpp"

namespace weft::sim {

struct Measurement {
  enum class Kind {
    acknowledged,  // ns until a message has been acknowledged, one at a time
    flood,         // ns per message of many
  };
  Kind kind;
  uint64_t bytes;
  double ns;
  uint32_t window = 0;  // of a flood: so many messages are begun and then waited for; 0: without end
};

/// What the two kinds look like as text, and as JSON of weft-bench. Throws PlatformError with file and line or key.
/// Text: lines "flood BYTES NS" and "acknowledged BYTES NS", # begins a comment. JSON: the results `put_complete`,
/// `net_put_rate` (windows of 64), `net_put_flood` (windows of 16) and `put_nbi_rate`.
std::vector<Measurement> parse_measurements(const std::string& text, const std::string& file);

struct Calibration {
  double overhead_ns = 0;       // o
  double latency_ns = 0;        // L, one way
  double gap_ns = 0;            // g, beside the bytes
  double bytes_per_second = 0;  // 1 / G
  double worst_error = 0;       // of the measurements: largest |model / measured - 1|
  Measurement worst{};
};

/// The numbers that come closest. The times of a flood are taken for max(o, g + (bytes + header) G), those with
/// acknowledgement for 3 o + 2 L + (bytes + header + acknowledgement) G, as Weft sends them (sim/network.hpp). Throws
/// PlatformError if there are too few measurements to tell: two sizes of each kind are needed.
Calibration calibrate(const std::vector<Measurement>& measurements);

/// A crossbar of so many nodes with these numbers; the source of each says that it was fitted to `file`, and how well.
Platform calibrated_platform(const Calibration& calibration, const std::string& name, const std::string& file,
                             uint32_t nodes, uint32_t cores);

/// The numbers of the platform's nodes by measurements between two ranks of one host, with the source `file`. The gap
/// is left out: a node's memory has none.
void set_node(Platform& platform, const Calibration& inside, const std::string& file);

}  // namespace weft::sim
