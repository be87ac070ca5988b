// A network under a plan of faults: messages are late, lost and sent again, out of order, or come to nothing because a
// host is lost. What a reliable network promises still holds: every message between hosts that are there arrives once.
//
// - A message that is late waits before it leaves its rank or, as often, before it arrives.
// - One that is dropped is sent again after a time-out, which doubles each time; its source was read at the first try.
// - One that is out of order arrives a little after the next of its pair, or after a while if none comes. Who waits
//   for the one that passes can act before the other is there.
// - From the moment that a host dies nothing leaves it or arrives there; from the moment that it is cut off, nothing
//   but what its own ranks send each other.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/fault_plan.hpp"
#include "sim/network.hpp"
#include "sim/pool.hpp"

namespace weft::sim {

class FaultyNetwork final : public Network {
 public:
  FaultyNetwork(std::unique_ptr<Network> network, const FaultPlan& plan, Calendar& calendar);

  void send(Time when, const Message& message, Delivery& delivery) override;
  Time send_overhead(const Message& message) const override { return network_->send_overhead(message); }
  Time receive_overhead(const Message& message) const override { return network_->receive_overhead(message); }
  std::optional<Time> barrier_time() const override { return network_->barrier_time(); }
  std::optional<Time> tree_time(uint64_t bytes, uint32_t ways) const override {
    return network_->tree_time(bytes, ways);
  }
  bool lossless() const override { return network_->lossless(); }
  TwoSidedCosts two_sided_costs() const override { return network_->two_sided_costs(); }
  std::optional<double> computation_ns(uint32_t rank, double operations, double bytes) const override {
    return network_->computation_ns(rank, operations, bytes);
  }
  uint32_t host_of(uint32_t rank) const override { return network_->host_of(rank); }
  std::string describe() const override { return network_->describe(); }
  double contention() const override { return network_->contention(); }
  Statistics statistics(Time from, Time until) const override { return network_->statistics(from, until); }

  /// The first message that a loss of the plan has taken.
  struct Lost {
    bool any = false;
    uint32_t from = 0;
    uint32_t to = 0;
  };
  const Lost& lost_to(size_t loss) const { return lost_[loss]; }

 private:
  struct Flight;
  // The arrival of a message that has been passed.
  struct Following final : Event {
    explicit Following(Flight& its_flight) : flight(its_flight) {}
    void happen(Time now) override { flight.network.follow(flight, now); }

    Flight& flight;
  };
  // A message on its way. As an event it is the end of its delay, or of its wait for one that passes it.
  struct Flight final : Delivery, Event {
    explicit Flight(FaultyNetwork& its_network) : network(its_network) {}
    void injected(Time now) override { network.left(*this, now); }
    void arrived(Time now) override { network.came(*this, now); }
    void happen(Time now) override { network.delayed_enough(*this, now); }

    FaultyNetwork& network;
    Message message{};
    Delivery* delivery = nullptr;
    uint64_t number = 0;
    uint32_t tries = 0;
    bool met = false;      // faults may meet it
    bool awaited = false;  // it stands in the calendar
    bool passed = false;   // by another, and about to follow
    bool over = false;
    Following following{*this};
  };

  bool decide(const Flight& flight, Die die, double probability, uint64_t attempt = 0) const;
  Time span(const Flight& flight, Die die, Time most) const;
  void left(Flight& flight, Time now);
  void came(Flight& flight, Time now);
  void delayed_enough(Flight& flight, Time now);
  void arrive(Flight& flight, Time now);
  void follow(Flight& flight, Time now);
  void finish(Flight& flight, Time now);
  void wait(Flight& flight, Time until);
  bool is_lost(const Flight& flight, Time now);

  const std::unique_ptr<Network> network_;
  const FaultPlan plan_;
  Calendar& calendar_;
  Pool<Flight> flights_;
  std::unordered_map<uint64_t, uint64_t> sent_;   // messages of each stream
  std::unordered_map<uint64_t, Flight*> passed_;  // by pair: who lets the next one pass
  std::vector<Lost> lost_;
};

}  // namespace weft::sim
