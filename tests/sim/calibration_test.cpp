// Calibration, and the models of the machines of Bell et al. beside what was measured on them.
#include "sim/network/calibration.hpp"

#include <gtest/gtest.h>

#include "network_support.hpp"
#include "sim/network/flood.hpp"

namespace weft::sim {
namespace {

using test::Json;

constexpr uint64_t sizes[] = {8, 64, 512, 4'096, 16'384, 65'536, 1 << 20};

// What would be measured on the platform, by puts of so many bytes; with windows, as weft-bench measures it.
std::vector<Measurement> measured(const Platform& platform, uint32_t window) {
  std::vector<Measurement> found;
  for (const uint64_t bytes : sizes) {
    const uint64_t all = bytes + header_bytes;
    const double acknowledged = acknowledged_ns(platform, all), flood = flood_ns(platform, all);
    found.push_back({Measurement::Kind::acknowledged, bytes, acknowledged});
    if (window == 0)
      found.push_back({Measurement::Kind::flood, bytes, flood});
    else
      found.push_back({Measurement::Kind::flood, bytes, ((window - 1) * flood + acknowledged) / window, window});
  }
  return found;
}

TEST(Calibration, FindsThePlatformThatWasMeasured) {
  const Calibration cases[] = {
      {1'500, 4'000, 800, 120e6, 0, {}}, {250, 700, 40, 9e9, 0, {}}, {2'000, 900, 0, 1e9, 0, {}}};
  for (const Calibration& known : cases)
    for (const uint32_t window : {0u, 16u}) {
      const Platform platform = calibrated_platform(known, "known", "a test", 4, 1);
      const Calibration found = calibrate(measured(platform, window));
      EXPECT_NEAR(found.overhead_ns, known.overhead_ns, 0.02 * known.overhead_ns) << window;
      EXPECT_NEAR(found.latency_ns, known.latency_ns, 0.02 * known.latency_ns + 5) << window;
      EXPECT_NEAR(found.gap_ns, known.gap_ns, 0.03 * known.gap_ns + 5) << window;
      EXPECT_NEAR(found.bytes_per_second, known.bytes_per_second, 0.01 * known.bytes_per_second) << window;
      EXPECT_LT(found.worst_error, 0.03) << window;
    }
}

TEST(Calibration, ItsPlatformIsAPlatformFile) {
  const Platform platform = calibrated_platform({1'500, 4'000, 800, 120e6, 0, {}}, "mine", "table.json", 16, 2);
  const Platform again = parse_platform(write_platform(platform), "mine.json");
  EXPECT_DOUBLE_EQ(again.link_rate.value(), 120e6);
  EXPECT_EQ(again.topology.nodes, 16u);
  EXPECT_NE(write_platform(platform).find("\"value\": 2,\n"), std::string::npos);  // cores, as people write them
  EXPECT_EQ(again.send_overhead.source, "fitted to table.json, worst error 0.0 %");
}

TEST(Calibration, MeasurementsInsideAHostAreTheNodesNumbers) {
  Platform platform = calibrated_platform({1'500, 4'000, 800, 120e6, 0, {}}, "mine", "table.json", 16, 2);
  const std::string before = platform.memory_rate.source;
  set_node(platform, {90, 110, 300, 5e9, 0.12, {}}, "node.json");
  EXPECT_EQ(before, "assumed; measure it");
  EXPECT_DOUBLE_EQ(platform.node_send.value(), 90);
  EXPECT_DOUBLE_EQ(platform.node_receive.value(), 90);
  EXPECT_DOUBLE_EQ(platform.memory_latency.value(), 110);
  EXPECT_DOUBLE_EQ(platform.memory_rate.value(), 5e9);
  EXPECT_EQ(platform.node_send.source, "fitted to node.json, worst error 12.0 %");
  EXPECT_DOUBLE_EQ(platform.send_overhead.value(), 1'500);
}

TEST(Calibration, SaysWhereTheModelFitsWorst) {
  std::vector<Measurement> measurements =
      measured(calibrated_platform({1'500, 4'000, 800, 120e6, 0, {}}, "known", "", 4, 1), 0);
  measurements[6].ns *= 1.5;  // acknowledged, 4096 bytes
  const Calibration found = calibrate(measurements);
  EXPECT_GT(found.worst_error, 0.1);
  EXPECT_EQ(found.worst.bytes, 4'096u);
  EXPECT_EQ(found.worst.kind, Measurement::Kind::acknowledged);
}

TEST(Calibration, ReadsWhatWeftBenchWrites) {
  const auto found = parse_measurements(R"({"benchmark": "network", "results": [
      {"name": "put_complete", "size_bytes": 8, "value": 12500, "unit": "ns", "limit": 1, "ratio_to_limit": 1},
      {"name": "net_get", "size_bytes": 8, "value": 13000, "unit": "ns"},
      {"name": "put_nbi_rate", "size_bytes": 8, "value": 2, "unit": "M/s"},
      {"name": "net_put_flood", "size_bytes": 65536, "value": 0.5, "unit": "GB/s"}]})",
                                        "bench.json");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_DOUBLE_EQ(found[0].ns, 12'500);
  EXPECT_DOUBLE_EQ(found[1].ns, 500);
  EXPECT_DOUBLE_EQ(found[2].ns, 131'072);
  EXPECT_EQ(found[2].window, 16u);
}

// Where the link is slow, all sizes of weft-bench's flood wait for it. Only the rate of small puts shows the overhead.
TEST(Calibration, FindsTheOverheadByTheRateOfSmallPuts) {
  const Platform platform = calibrated_platform({1'000, 23'000, 0, 120e6, 0, {}}, "slow", "a test", 4, 1);
  const auto result = [](const char* name, uint64_t bytes, double value, const char* unit) {
    return Json({{"name", name}, {"size_bytes", bytes}, {"value", value}, {"unit", unit}});
  };
  const auto windows_of = [&](uint32_t window, uint64_t bytes) {
    const uint64_t all = bytes + header_bytes;
    return ((window - 1) * flood_ns(platform, all) + acknowledged_ns(platform, all)) / window;
  };
  Json results = Json::array();
  for (const uint64_t bytes : sizes) {
    results.push_back(result("put_complete", bytes, acknowledged_ns(platform, bytes + header_bytes), "ns"));
    if (bytes < 4'096) continue;
    const auto data = static_cast<double>(bytes);
    results.push_back(result("net_put_flood", bytes, data / windows_of(16, bytes), "GB/s"));
  }
  results.push_back(result("net_put_rate", 8, windows_of(64, 8), "ns"));
  const Calibration found = calibrate(parse_measurements(Json({{"results", results}}).dump(), "slow.json"));
  EXPECT_NEAR(found.overhead_ns, 1'000, 20);
  EXPECT_NEAR(found.latency_ns, 23'000, 250);
  EXPECT_LT(found.worst_error, 0.03);
}

TEST(Calibration, ReadsLines) {
  const auto found = parse_measurements("# Elan4\nflood 16 1850\n\nacknowledged 4096 9.5e3  # us\n", "table");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].bytes, 16u);
  EXPECT_DOUBLE_EQ(found[1].ns, 9'500);
}

TEST(Calibration, SaysWhatIsWrongWithATable) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      calibrate(parse_measurements(text, "table"));
      return "";
    } catch (const PlatformError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint("flood 16 1\nstream 16 1\n"),
            "table:2: 'stream' is no kind of measurement; known are flood and acknowledged");
  EXPECT_EQ(complaint("flood 16\n"), "table:1: a line is: flood BYTES NS, as flood 4096 17700");
  EXPECT_EQ(complaint("flood 16 0\n"), "table:1: a line is: flood BYTES NS, as flood 4096 17700");
  EXPECT_EQ(complaint("flood 16 1 2\n"), "table:1: a line is: flood BYTES NS, as flood 4096 17700");
  EXPECT_EQ(
      complaint(""),
      "a calibration needs measurements of two sizes or more of the kind acknowledged (of weft-bench: put_complete)");
  EXPECT_EQ(complaint("acknowledged 8 100\nacknowledged 800 200\nflood 8 1\nflood 8 1\n"),
            "a calibration needs measurements of two sizes or more of the kind flood (of weft-bench: net_put_flood)");
  EXPECT_EQ(complaint("{\"results\": 5}"), "table: results: it is missing; is this the --json of weft-bench network?");
  EXPECT_EQ(
      complaint("{\"results\": [{\"name\": \"put_complete\", \"size_bytes\": 8, \"value\": 3, \"unit\": \"us\"}]}"),
      "table: results: put_complete needs size_bytes, a value above 0 and the unit ns");
}

// The table of flood bandwidth of Bell et al., IPDPS 2006: us per put of GASNet.
TEST(Machines, FloodAsTheyWereMeasured) {
  constexpr struct {
    const char* platform;
    double us[4];  // of 16, 4 K, 16 K, 128 K
    double peak;   // MB/s of 512 K
  } machines[] = {{"elan3", {2.02, 17.7, 65.2, 513}, 255.9},
                  {"elan4", {1.85, 5.03, 19.4, 153}, 858},
                  {"myrinet", {11.6, 18.4, 72.1, 573}, 228.8},
                  {"ib4x-g5", {3.49, 6.04, 21.6, 165}, 796},
                  {"ib4x", {2.60, 5.74, 21.0, 164}, 799}};
  constexpr uint64_t of[] = {16, 4'096, 16'384, 131'072};
  std::printf("us per message, model / paper\n");
  for (const auto& machine : machines) {
    const Platform platform = find_platform(machine.platform);
    std::printf("%-8s", machine.platform);
    for (size_t i = 0; i < 4; ++i) {
      const double model = flood_ns(platform, of[i]) / 1e3;
      std::printf("  %6.2f / %6.2f", model, machine.us[i]);
      EXPECT_NEAR(model, machine.us[i], 0.03 * machine.us[i]) << machine.platform << ", " << of[i] << " bytes";
    }
    const double peak = 524'288 / flood_ns(platform, 524'288) * 1e3;
    std::printf("  %5.1f / %5.1f MB/s\n", peak, machine.peak);
    EXPECT_NEAR(peak, machine.peak, 0.02 * machine.peak) << machine.platform;
  }
}

// What Ibrahim et al., IPDPS 2014, say of a node of the XE6.
TEST(Machines, GeminiAsItWasMeasured) {
  const Platform gemini = find_platform("gemini");
  const auto rate = [&](const NodeFlood& flood) { return 1e3 / node_flood_ns(gemini, flood); };  // M/s
  const double small = rate({.ranks = 24});
  const double strict = rate({.ranks = 24, .ordering = Ordering::strict});
  const double strict_of_4 = rate({.ranks = 4, .ordering = Ordering::strict});
  const double relaxed = rate({.ranks = 24, .bytes = 8'192, .ordering = Ordering::relaxed});
  const double usual = rate({.ranks = 24, .bytes = 8'192});
  const double put = rate({.ranks = 4, .bytes = 262'144});
  const double get = rate({.ranks = 4, .bytes = 262'144, .is_fetched = true});
  Calendar calendar;
  NetworkOptions options;
  options.ranks = 48;
  ModelNetwork network(calendar, gemini, options);
  const Time alone = network.register_memory(1'000'000, 24) - 1'000'000;
  Time crowded = 0;
  for (uint32_t rank = 0; rank < 24; ++rank) crowded = network.register_memory(1'000'000, rank) - 1'000'000;
  const struct {
    const char* what;
    double model, paper, tolerance;
  } statements[] = {{"million puts of 8 bytes a second", small, 12.5, 0.02},
                    {"strict order, 4 cores over 24", strict_of_4 / strict, 4.6, 0.05},
                    {"relaxed order over the usual one, 8 KiB", relaxed / usual, 1.2, 0.02},
                    {"puts over gets, 256 KiB", put / get, 0.8, 0.02},
                    {"us to register memory", static_cast<double>(alone) / 1e3, 0.9, 0.001},
                    {"us to register memory, the last of 24", static_cast<double>(crowded) / 1e3, 30, 0.05}};
  for (const auto& statement : statements) {
    std::printf("%-42s model %6.2f, paper %6.2f\n", statement.what, statement.model, statement.paper);
    EXPECT_NEAR(statement.model, statement.paper, statement.tolerance * statement.paper) << statement.what;
  }
}

}  // namespace
}  // namespace weft::sim
