#include "sim/network/flood.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace weft::sim {
namespace {

// So many ranks on each of two neighbours.
NetworkOptions two_nodes(uint32_t ranks = 1) {
  NetworkOptions options;
  options.ranks = 2 * ranks;
  options.ranks_per_node = ranks;
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

Time node_flood_of(const Platform& platform, const NodeFlood& flood, uint32_t count) {
  constexpr uint32_t in_flight = 64;
  Calendar calendar;
  NetworkOptions options = two_nodes(flood.ranks);
  options.ordering = flood.ordering;
  ModelNetwork network(calendar, platform, options);
  std::vector<std::unique_ptr<Sender>> senders;
  for (uint32_t rank = 0; rank < flood.ranks; ++rank) {
    Message message = Message::of(rank, flood.ranks + rank, flood.bytes);
    message.is_fetched = flood.is_fetched;
    senders.push_back(std::make_unique<Sender>(calendar, network, message, count, in_flight));
  }
  while (calendar.run_next()) {
  }
  return calendar.now();
}

}  // namespace

double node_flood_ns(const Platform& platform, const NodeFlood& flood) {
  constexpr uint32_t few = 100, many = 300;
  const Time shorter = node_flood_of(platform, flood, few), longer = node_flood_of(platform, flood, many);
  return static_cast<double>(longer - shorter) / ((many - few) * flood.ranks);
}

double flood_ns(const Platform& platform, uint64_t bytes, uint32_t in_flight) {
  // The difference of two runs: what the first message takes longer is in both.
  constexpr uint32_t few = 200, many = 600;
  const Time shorter = flood_of(platform, bytes, few, in_flight), longer = flood_of(platform, bytes, many, in_flight);
  return static_cast<double>(longer - shorter) / (many - few);
}

double acknowledged_ns(const Platform& platform, uint64_t bytes) {
  Calendar calendar;
  const ModelNetwork network(calendar, platform, two_nodes());
  const Message message = Message::of(0, 1, bytes), back = Message::of(1, 0, acknowledgement_bytes);
  const Time taking_in = network.receive_overhead(Message::of(0, 1, 0));
  return static_cast<double>(network.send_overhead(message) + network.idle_time(message) + taking_in +
                             network.idle_time(back) + taking_in);
}

}  // namespace weft::sim
