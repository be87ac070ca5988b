#include "sim/network/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

#include "sim/network.hpp"
#include "sim/network/json_lines.hpp"

namespace weft::sim {
namespace {

using Kind = Measurement::Kind;

// ---- Reading ----

[[noreturn]] void fail(const std::string& file, size_t line, const std::string& what) {
  throw PlatformError(file + ":" + std::to_string(line) + ": " + what);
}

std::vector<Measurement> parse_lines(const std::string& text, const std::string& file) {
  std::vector<Measurement> found;
  std::istringstream lines(text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kind, bytes, ns, more;
    if (!(words >> kind)) continue;
    if (kind != "flood" && kind != "acknowledged")
      fail(file, number, "'" + kind + "' is no kind of measurement; known are flood and acknowledged");
    words >> bytes >> ns;
    const auto size = parse_quantity(Unit::count, bytes), time = parse_quantity(Unit::factor, ns);
    if (words >> more || !size || !time || *time <= 0)
      fail(file, number, "a line is: " + kind + " BYTES NS, as " + kind + " 4096 17700");
    found.push_back({kind == "flood" ? Kind::flood : Kind::acknowledged, static_cast<uint64_t>(*size), *time});
  }
  return found;
}

// What weft-bench calls it, and how its value becomes ns per message.
constexpr struct {
  const char* name;
  const char* unit;
  Kind kind;
  uint32_t window;
} results_of_bench[] = {{"put_complete", "ns", Kind::acknowledged, 0},
                        {"net_put_rate", "ns", Kind::flood, 64},
                        {"net_put_flood", "GB/s", Kind::flood, 16},
                        {"put_nbi_rate", "M/s", Kind::flood, 0}};

double to_ns(const std::string& unit, double value, uint64_t bytes) {
  if (unit == "GB/s") return static_cast<double>(bytes) / value;
  return unit == "M/s" ? 1e3 / value : value;
}

std::vector<Measurement> parse_bench(const std::string& text, const std::string& file) {
  const JsonText json = parse_json(text, file);
  if (!json.root.contains("results") || !json.root["results"].is_array())
    throw PlatformError(file + ": results: it is missing; is this the --json of weft-bench network?");
  std::vector<Measurement> found;
  for (const auto& result : json.root["results"]) {
    if (!result.is_object() || !result.contains("name") || !result["name"].is_string())
      throw PlatformError(file + ": results: each must be an object with a name");
    for (const auto& known : results_of_bench) {
      if (result["name"] != known.name) continue;
      const bool whole = result.contains("size_bytes") && result["size_bytes"].is_number_unsigned() &&
                         result.contains("value") && result["value"].is_number() &&
                         result.value("unit", "") == std::string(known.unit);
      if (!whole || !(result["value"].get<double>() > 0))
        throw PlatformError(file + ": results: " + known.name + " needs size_bytes, a value above 0 and the unit " +
                            known.unit);
      const auto bytes = result["size_bytes"].get<uint64_t>();
      found.push_back({known.kind, bytes, to_ns(known.unit, result["value"].get<double>(), bytes), known.window});
    }
  }
  return found;
}

// ---- Fitting ----

struct Point {
  double x, y;
};

struct Line {
  double at_0 = 0, slope = 0;
  double at(double x) const { return at_0 + slope * x; }
};

// The line with the least sum of squares of relative errors, without a negative part.
Line fit_line(const Point* begin, const Point* end) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const Point* p = begin; p != end; ++p) {
    const double weight = 1 / (p->y * p->y);
    w += weight, wx += weight * p->x, wy += weight * p->y, wxx += weight * p->x * p->x, wxy += weight * p->x * p->y;
  }
  const double determinant = w * wxx - wx * wx;
  Line line = {wy / w, 0};
  if (determinant > 1e-12 * w * wxx)
    line.slope = (w * wxy - wx * wy) / determinant, line.at_0 = (wy - line.slope * wx) / w;
  if (line.slope < 0) return {wy / w, 0};
  if (line.at_0 < 0) return {0, wxy / wxx};
  return line;
}

double error_of(double model, double measured) { return std::abs(model / measured - 1); }

// Time per message of a flood: as long as the processor takes, or the line, whatever is more.
struct Flood {
  double least = 0;
  Line line;
  double at(double bytes) const { return std::max(least, line.at(bytes)); }
};

// All divisions into small sizes, which the processor decides, and large ones; the best counts.
Flood fit_flood(const std::vector<Point>& points) {
  Flood best;
  double least_error = std::numeric_limits<double>::infinity();
  for (size_t small = 0; small + 2 <= points.size(); ++small) {
    Flood flood;
    flood.line = fit_line(points.data() + small, points.data() + points.size());
    // Where no size shows it, the overhead is at most what the smallest one takes.
    flood.least = points[0].y;
    if (small > 1) {
      double w = 0, wy = 0;
      for (size_t i = 0; i < small; ++i) w += 1 / (points[i].y * points[i].y), wy += 1 / points[i].y;
      flood.least = wy / w;
    }
    double error = 0;
    for (const Point& point : points) error += std::pow(error_of(flood.at(point.x), point.y), 2);
    if (error < least_error * 0.999999) least_error = error, best = flood;
  }
  return best;
}

std::vector<Point> points_of(const std::vector<Measurement>& all, Kind kind) {
  std::vector<Point> points;
  for (const Measurement& m : all)
    if (m.kind == kind) points.push_back({static_cast<double>(m.bytes), m.ns});
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  return points;
}

void need_two_sizes(const std::vector<Point>& points, const char* kind) {
  if (points.empty() || points.front().x == points.back().x)
    throw PlatformError(std::string("a calibration needs measurements of two sizes or more of the kind ") + kind);
}

// What the last message of a window takes longer than the others is no part of the flood.
double without_end(const Measurement& m, const Line& acknowledged) {
  if (m.window < 2) return m.ns;
  return std::max((m.window * m.ns - acknowledged.at(static_cast<double>(m.bytes))) / (m.window - 1), m.ns / 2);
}

Number number(double value, const std::string& source) { return {{value}, source}; }

std::string fitted_to(const std::string& file, const Calibration& found) {
  char error[48];
  std::snprintf(error, sizeof error, ", worst error %.1f %%", 100 * found.worst_error);
  return "fitted to " + file + error;
}

}  // namespace

std::vector<Measurement> parse_measurements(const std::string& text, const std::string& file) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && text[begin] == '{' ? parse_bench(text, file) : parse_lines(text, file);
}

Calibration calibrate(const std::vector<Measurement>& measurements) {
  const std::vector<Point> blocking = points_of(measurements, Kind::acknowledged);
  need_two_sizes(blocking, "acknowledged (of weft-bench: put_complete)");
  const Line acknowledged = fit_line(blocking.data(), blocking.data() + blocking.size());
  std::vector<Measurement> corrected = measurements;
  for (Measurement& m : corrected)
    if (m.kind == Kind::flood) m.ns = without_end(m, acknowledged);
  const std::vector<Point> floods = points_of(corrected, Kind::flood);
  need_two_sizes(floods, "flood (of weft-bench: net_put_flood)");
  const Flood flood = fit_flood(floods);
  if (flood.line.slope <= 0) throw PlatformError("the flood does not take longer for more bytes; are the sizes right?");

  Calibration found;
  found.overhead_ns = flood.least;
  // The measurements are of so many bytes of data; the header and the acknowledgement take the wire, too.
  const double out = header_bytes * flood.line.slope, back = acknowledgement_bytes * flood.line.slope;
  found.gap_ns = std::max(0.0, flood.line.at_0 - out);
  found.bytes_per_second = 1e9 / flood.line.slope;
  found.latency_ns = std::max(0.0, (acknowledged.at_0 - 3 * found.overhead_ns - out - back) / 2);
  for (size_t i = 0; i < corrected.size(); ++i) {
    const Measurement& m = corrected[i];
    const auto bytes = static_cast<double>(m.bytes);
    const double wire = out + bytes * flood.line.slope;
    const double model = m.kind == Kind::flood ? std::max(found.overhead_ns, found.gap_ns + wire)
                                               : 3 * found.overhead_ns + 2 * found.latency_ns + wire + back;
    if (error_of(model, m.ns) <= found.worst_error) continue;
    found.worst_error = error_of(model, m.ns);
    found.worst = measurements[i];
  }
  return found;
}

Platform calibrated_platform(const Calibration& calibration, const std::string& name, const std::string& file,
                             uint32_t nodes, uint32_t cores) {
  const std::string fitted = fitted_to(file, calibration), assumed = "assumed; measure it";
  Platform platform;
  platform.name = name;
  platform.title = "Calibrated from " + file;
  platform.origin = file;
  platform.topology.kind = TopologyKind::crossbar;
  platform.topology.nodes = nodes;
  platform.topology.source = assumed;
  for (const Field& field : fields()) {
    const char* missing = field.missing == nullptr ? "0" : field.missing;
    platform.*field.number =
        number(parse_quantity(field.unit, missing).value_or(0), "what stands for one that is not given");
  }
  platform.send_overhead = number(calibration.overhead_ns, fitted);
  platform.receive_overhead = number(calibration.overhead_ns, fitted + ", as sending");
  platform.cores = number(cores, assumed);
  platform.memory_rate = number(10e9, assumed);
  platform.memory_latency = number(200, assumed);
  platform.interface_latency = number(calibration.latency_ns, fitted + ", links included");
  platform.message_gap = number(calibration.gap_ns, fitted);
  platform.injection_rate = platform.ejection_rate = platform.link_rate = number(calibration.bytes_per_second, fitted);
  platform.slots = number(16, assumed);
  platform.link_latency = number(0, "part of interface.latency");
  return platform;
}

void set_node(Platform& platform, const Calibration& inside, const std::string& file) {
  const std::string fitted = fitted_to(file, inside);
  platform.node_send = number(inside.overhead_ns, fitted);
  platform.node_receive = number(inside.overhead_ns, fitted + ", as sending");
  platform.memory_latency = number(inside.latency_ns, fitted);
  platform.memory_rate = number(inside.bytes_per_second, fitted);
}

}  // namespace weft::sim
