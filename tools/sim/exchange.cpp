#include "exchange.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace weft_sim {
namespace {

using namespace weft::sim;

constexpr uint32_t most_in_flight = 8;

class Rank final : Event, Delivery {
 public:
  Rank(Calendar& calendar, Network& network, uint32_t rank, uint32_t ranks, uint64_t bytes)
      : calendar_(calendar), network_(network), rank_(rank), ranks_(ranks), bytes_(bytes) {
    prepare(0);
  }

 private:
  void prepare(Time now) {
    if (is_busy_ || next_ == ranks_ || in_flight_ == most_in_flight) return;
    is_busy_ = true;
    calendar_.at(now + network_.send_overhead(message()), *this);
  }
  Message message() const { return Message::of(rank_, (rank_ + next_) % ranks_, bytes_); }

  void happen(Time now) override {
    network_.send(now, message(), *this);
    ++next_;
    ++in_flight_;
    is_busy_ = false;
    prepare(now);
  }
  void injected(Time) override {}
  void arrived(Time now) override {
    --in_flight_;
    prepare(now);
  }

  Calendar& calendar_;
  Network& network_;
  const uint32_t rank_, ranks_;
  const uint64_t bytes_;
  uint32_t next_ = 1, in_flight_ = 0;
  bool is_busy_ = false;
};

// What takes the longest: the nodes on one side of a cut sending to those on the other, a node's ranks sending to all
// of the others by its interface, or a rank's processor sending. Routes of a part need not use all links of a cut.
double bound(const Platform& platform, const ModelNetwork& network, uint32_t ranks, uint64_t bytes) {
  std::vector<uint32_t> on(network.topology().nodes(), 0);
  for (uint32_t rank = 0; rank < ranks; ++rank) ++on[network.host_of(rank)];
  if (*std::min_element(on.begin(), on.end()) == 0) return 0;
  const auto all = static_cast<double>(ranks), size = static_cast<double>(bytes);
  double bound = 0;
  for (const Cut& cut : network.topology().cuts()) {
    double inside = 0;
    for (uint32_t node = 0; node < on.size(); ++node) inside += cut.contains(node) ? on[node] : 0;
    const double messages = inside * (all - inside);  // one way, and as many the other way by its own links
    if (messages > 0) bound = std::max(bound, messages * size / cut.bytes_per_second);
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const Message message = Message::of(rank, rank, bytes);
    const double here = on[network.host_of(rank)];
    const double ns = std::max(network.injection_ns(message, here * (all - here)),
                               (all - here) * static_cast<double>(network.send_overhead(message)));
    bound = std::max({bound, ns * 1e-9, here * (all - here) * size / platform.ejection_rate.value()});
  }
  return bound;
}

}  // namespace

ExchangeResult run_exchange(const Platform& platform, const NetworkOptions& options, uint64_t bytes) {
  Calendar calendar;
  ModelNetwork network(calendar, platform, options);
  std::vector<std::unique_ptr<Rank>> ranks;
  for (uint32_t rank = 0; rank < options.ranks; ++rank)
    ranks.push_back(std::make_unique<Rank>(calendar, network, rank, options.ranks, bytes));
  while (calendar.run_next()) {
  }
  return {static_cast<double>(calendar.now()) * 1e-9, bound(platform, network, options.ranks, bytes),
          network.statistics(0, calendar.now())};
}

}  // namespace weft_sim
