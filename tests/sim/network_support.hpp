// Platforms for tests, and what happens to messages on them.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/network/model_network.hpp"
#include "sim/network/platform_file.hpp"

namespace weft::sim::test {

using Json = nlohmann::ordered_json;

/// A ring of 8 nodes with one core: links of 1 byte/ns and 100 ns, interfaces of 8 bytes/ns and 500 ns.
inline Json plain_json() {
  return Json::parse(R"({
    "format": "weft-platform 1", "name": "plain", "title": "For tests",
    "topology": {"kind": "torus", "dimensions": [8]}, "mapping": "txyz",
    "processor": {"send_overhead": "100 ns", "receive_overhead": "50 ns"},
    "node": {"cores": 1, "memory_rate": "2 GB/s", "memory_latency": "200 ns"},
    "interface": {"latency": "500 ns", "message_gap": "0 ns", "injection_rate": "8 GB/s", "ejection_rate": "8 GB/s",
                  "slots": 4},
    "link": {"rate": "1 GB/s", "latency": "100 ns", "contention": 1}
  })");
}

/// That with other entries: {"link": {"rate": "2 GB/s"}}. A topology replaces the other one.
inline Platform plain(const Json& changes = Json::object()) {
  Json json = plain_json();
  if (changes.contains("topology")) json.erase("topology");
  json.merge_patch(changes);
  return parse_platform(json.dump(), "plain.json");
}

struct Seen final : Delivery {
  void injected(Time now) override {
    injected_at = now;
    ++times_injected;
    if (times_arrived > 0) in_order = false;
  }
  void arrived(Time now) override {
    arrived_at = now;
    ++times_arrived;
  }
  bool once() const { return times_injected == 1 && times_arrived == 1 && in_order; }

  Time injected_at = 0, arrived_at = 0;
  unsigned times_injected = 0, times_arrived = 0;
  bool in_order = true;
};

/// A network and its calendar. All nodes have one rank, unless `options` says otherwise.
class Bench {
 public:
  explicit Bench(const Platform& platform, NetworkOptions options = {}) {
    if (options.ranks == 1)
      options.ranks = make_topology(platform, 1)->nodes() * static_cast<uint32_t>(platform.cores.value());
    network = std::make_unique<ModelNetwork>(calendar, platform, options);
  }
  Seen& send(Time when, uint32_t from, uint32_t to, uint64_t bytes) {
    seen.push_back(std::make_unique<Seen>());
    network->send(when, Message::of(from, to, bytes), *seen.back());
    return *seen.back();
  }
  Time run() {
    while (calendar.run_next()) {
    }
    return calendar.now();
  }

  Statistics statistics() const { return network->statistics(0, calendar.now()); }

  Calendar calendar;
  std::unique_ptr<ModelNetwork> network;
  std::vector<std::unique_ptr<Seen>> seen;
};

}  // namespace weft::sim::test
