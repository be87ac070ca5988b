#include "sim/network/flood.hpp"

#include <algorithm>

#include "sim/network/model_network.hpp"

namespace weft::sim {
namespace {

constexpr uint64_t acknowledgement = 16;

// One rank per node, on two neighbours.
NetworkOptions two_nodes() {
  NetworkOptions options;
  options.ranks = 2;
  options.ranks_per_node = 1;
  options.map = "txyz";
  return options;
}

// Sends the next message when its processor is done with the one before, unless too many are under way.
class Sender final : Event, Delivery {
 public:
  Sender(Calendar& calendar, Network& network, const Message& message, uint32_t count, uint32_t in_flight)
      : calendar_(calendar),
        network_(network),
        message_(message),
        overhead_(network.send_overhead(message)),
        left_(count),
        in_flight_(in_flight) {
    calendar_.at(overhead_, *this);
  }

 private:
  void happen(Time now) override {
    network_.send(now, message_, *this);
    --left_;
    is_busy_ = ++under_way_ < in_flight_ && left_ > 0;
    if (is_busy_) calendar_.at(now + overhead_, *this);
  }
  void injected(Time) override {}
  void arrived(Time now) override {
    --under_way_;
    if (is_busy_ || left_ == 0) return;
    is_busy_ = true;
    calendar_.at(now + overhead_, *this);
  }

  Calendar& calendar_;
  Network& network_;
  const Message message_;
  const Time overhead_;
  uint32_t left_, under_way_ = 0;
  const uint32_t in_flight_;
  bool is_busy_ = true;  // with the next message
};

Time flood_of(const Platform& platform, uint64_t bytes, uint32_t count, uint32_t in_flight) {
  Calendar calendar;
  ModelNetwork network(calendar, platform, two_nodes());
  const Sender sender(calendar, network, Message::of(0, 1, bytes), count, in_flight);
  while (calendar.run_next()) {
  }
  return calendar.now();
}

}  // namespace

double flood_ns(const Platform& platform, uint64_t bytes, uint32_t in_flight) {
  // The difference of two runs: what the first message takes longer is in both.
  constexpr uint32_t few = 200, many = 600;
  const Time shorter = flood_of(platform, bytes, few, in_flight), longer = flood_of(platform, bytes, many, in_flight);
  return static_cast<double>(longer - shorter) / (many - few);
}

double acknowledged_ns(const Platform& platform, uint64_t bytes) {
  Calendar calendar;
  const ModelNetwork network(calendar, platform, two_nodes());
  const Message message = Message::of(0, 1, bytes), back = Message::of(1, 0, acknowledgement);
  return static_cast<double>(network.send_overhead(message) + network.idle_time(message) +
                             network.receive_overhead(message) + network.idle_time(back) +
                             network.receive_overhead(back));
}

}  // namespace weft::sim
