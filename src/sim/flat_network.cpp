#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "sim/network.hpp"

namespace weft::sim {
namespace {

class FlatNetwork final : public Network {
 public:
  FlatNetwork(Calendar& calendar, uint32_t ranks, const FlatPlatform& platform)
      : calendar_(calendar), platform_(platform), hosts_((ranks - 1) / platform.ranks_per_host + 1) {}

  void send(Time when, const Message& message, Delivery& delivery) override {
    Flight& flight = next_flight();
    flight.message = message;
    flight.delivery = &delivery;
    flight.stage = Stage::leaves;
    calendar_.at(when, flight);
  }

  Time send_overhead(const Message&) const override { return platform_.send_overhead; }
  Time receive_overhead(const Message&) const override { return platform_.receive_overhead; }
  uint32_t host_of(uint32_t rank) const override { return rank / platform_.ranks_per_host; }

  std::string describe() const override {
    return "flat, " + std::to_string(platform_.latency) + " ns, " +
           std::to_string(platform_.bytes_per_second / 1'000'000) + " MB/s, " +
           std::to_string(platform_.ranks_per_host) + " ranks a host";
  }

 private:
  enum class Stage : uint8_t { leaves, injected, reaches, arrives };

  // A host's ways in and out: until when each is taken. Short messages wait for short ones only.
  struct Host {
    Time out_free[2] = {0, 0};
    Time in_free[2] = {0, 0};
  };

  // A message on its way.
  struct Flight final : Event {
    explicit Flight(FlatNetwork& owner) : network(owner) {}
    void happen(Time now) override { network.advance(*this, now); }

    FlatNetwork& network;
    Message message{};
    Delivery* delivery = nullptr;
    Stage stage = Stage::leaves;
  };

  Time time_of(uint64_t bytes) const {
    return static_cast<Time>(static_cast<double>(bytes) * 1e9 / static_cast<double>(platform_.bytes_per_second));
  }

  // When the message is over the way, which it takes from `now` on or when the way is free.
  Time over(Time (&free)[2], Time now, const Message& message) const {
    Time& own = free[message.is_short ? 1 : 0];
    own = std::max(own, now) + time_of(message.bytes);
    // What passes takes its time from those that it passes.
    if (message.is_short && free[0] > now) free[0] += time_of(message.bytes);
    return own;
  }

  void advance(Flight& flight, Time now) {
    switch (flight.stage) {
      case Stage::leaves:
        flight.stage = Stage::injected;
        return calendar_.at(over(hosts_[host_of(flight.message.from)].out_free, now, flight.message), flight);
      case Stage::injected:
        flight.stage = Stage::reaches;
        // The first byte reaches the target's way in when the last one has left less the time that all take.
        calendar_.at(now + platform_.latency, flight);
        return flight.delivery->injected(now);
      case Stage::reaches: {
        flight.stage = Stage::arrives;
        const Time first = now - std::min(now, time_of(flight.message.bytes));
        return calendar_.at(over(hosts_[host_of(flight.message.to)].in_free, first, flight.message), flight);
      }
      case Stage::arrives:
        free_.push_back(&flight);
        return flight.delivery->arrived(now);
    }
  }

  Flight& next_flight() {
    if (free_.empty()) {
      flights_.push_back(std::make_unique<Flight>(*this));
      return *flights_.back();
    }
    Flight& flight = *free_.back();
    free_.pop_back();
    return flight;
  }

  Calendar& calendar_;
  const FlatPlatform platform_;
  std::vector<Host> hosts_;
  std::vector<std::unique_ptr<Flight>> flights_;
  std::vector<Flight*> free_;
};

}  // namespace

std::unique_ptr<Network> make_flat_network(Calendar& calendar, uint32_t ranks, const FlatPlatform& platform) {
  return std::make_unique<FlatNetwork>(calendar, ranks, platform);
}

namespace {

// "latency=5" and so on, with commas between.
bool read_parameter(std::string_view item, FlatPlatform& platform) {
  const size_t equals = item.find('=');
  if (equals == std::string_view::npos) return false;
  uint64_t value = 0;
  const std::string_view number = item.substr(equals + 1);
  const auto [end, error] = std::from_chars(number.begin(), number.end(), value);
  if (error != std::errc() || end != number.end()) return false;
  const std::string_view key = item.substr(0, equals);
  if (key == "latency")
    platform.latency = value;
  else if (key == "bandwidth" && value > 0)
    platform.bytes_per_second = value;
  else if (key == "overhead")
    platform.send_overhead = platform.receive_overhead = value;
  else if (key == "ranks" && value > 0 && value <= UINT32_MAX)
    platform.ranks_per_host = static_cast<uint32_t>(value);
  else
    return false;
  return true;
}

}  // namespace

Status make_network(const std::string& name, Calendar& calendar, uint32_t ranks, uint64_t,
                    std::unique_ptr<Network>& network) {
  FlatPlatform platform;
  std::string_view rest = name;
  const bool known = rest == "flat" || rest.starts_with("flat:");
  rest.remove_prefix(std::min<size_t>(rest.size(), 5));
  bool right = known;
  while (right && !rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    right = read_parameter(rest.substr(0, comma), platform);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (!right) {
    base::log_error("there is no platform '%s' to simulate (WEFT_SIM_PLATFORM, weftrun --sim); there is flat, with what is "
                    "to differ as in flat:latency=1000,bandwidth=10000000000,overhead=200,ranks=1",
                    name.c_str());
    return WEFT_ERR_INVALID;
  }
  network = make_flat_network(calendar, ranks, platform);
  return {};
}

}  // namespace weft::sim
