#include "sim/faulty_network.hpp"

#include <algorithm>
#include <utility>

#include "sim/simulation.hpp"

namespace weft::sim {
namespace {

constexpr Time first_time_out = 100'000;
constexpr uint32_t most_doublings = 10;
constexpr Time longest_wait_to_be_passed = 10'000;
constexpr Time most_behind = 2'000;  // one that has passed

uint64_t pair_of(const Message& message) { return uint64_t{message.from} << 32 | message.to; }

}  // namespace

FaultyNetwork::FaultyNetwork(std::unique_ptr<Network> network, const FaultPlan& plan, Calendar& calendar)
    : network_(std::move(network)), plan_(plan), calendar_(calendar), lost_(plan.losses.size()) {}

bool FaultyNetwork::decide(const Flight& flight, Die die, double probability, uint64_t attempt) const {
  const Message& message = flight.message;
  const uint64_t stream = stream_of(message.from, message.to, message.flow);
  return flight.met && probability > 0 &&
         yes(roll(plan_.seed, die, stream, flight.number + (attempt << 48)), probability);
}

// From 1 ns to the most.
Time FaultyNetwork::span(const Flight& flight, Die die, Time most) const {
  const Message& message = flight.message;
  const uint64_t bits = roll(plan_.seed, die, stream_of(message.from, message.to, message.flow), flight.number);
  return 1 + (bits >> 1) % most;
}

void FaultyNetwork::send(Time when, const Message& message, Delivery& delivery) {
  Flight& flight = flights_.take(*this);
  flight.message = message;
  flight.delivery = &delivery;
  flight.number = sent_[stream_of(message.from, message.to, message.flow)]++;
  flight.tries = 0;
  flight.met = flight.number >= plan_.first && flight.number <= plan_.last;
  flight.passed = flight.over = false;
  const bool early = (flight.number & 1) == 0;
  if (early && decide(flight, Die::delay, plan_.delay)) when += span(flight, Die::lateness, plan_.most_delay);
  network_->send(when, message, flight);
}

void FaultyNetwork::left(Flight& flight, Time now) {
  if (flight.tries == 0) flight.delivery->injected(now);
}

void FaultyNetwork::came(Flight& flight, Time now) {
  if (is_lost(flight, now)) return flights_.give_back(flight);
  if (decide(flight, Die::drop, plan_.drop, flight.tries)) {
    const Time time_out = first_time_out << std::min(flight.tries, most_doublings);
    ++flight.tries;
    return network_->send(now + time_out, flight.message, flight);
  }
  const bool late = (flight.number & 1) != 0;
  if (late && decide(flight, Die::delay, plan_.delay))
    return wait(flight, now + span(flight, Die::lateness, plan_.most_delay));
  arrive(flight, now);
}

// What was under way when the host went is lost, too.
bool FaultyNetwork::is_lost(const Flight& flight, Time now) {
  if (plan_.losses.empty()) return false;
  const uint32_t from = host_of(flight.message.from), to = host_of(flight.message.to);
  for (size_t i = 0; i < plan_.losses.size(); ++i) {
    const FaultPlan::Loss& loss = plan_.losses[i];
    if (now < beginning + loss.when || (from != loss.host && to != loss.host)) continue;
    if (from == to && !loss.dies) continue;
    if (!lost_[i].any) lost_[i] = {.any = true, .from = flight.message.from, .to = flight.message.to};
    return true;
  }
  return false;
}

void FaultyNetwork::wait(Flight& flight, Time until) {
  flight.awaited = true;
  calendar_.at(until, flight);
}

void FaultyNetwork::delayed_enough(Flight& flight, Time now) {
  flight.awaited = false;
  if (flight.over) return flights_.give_back(flight);  // it has been passed, and arrived
  if (flight.passed) return;
  const auto held = passed_.find(pair_of(flight.message));
  const bool waited_in_vain = held != passed_.end() && held->second == &flight;
  if (waited_in_vain) held->second = nullptr;
  if (is_lost(flight, now)) return flights_.give_back(flight);
  waited_in_vain ? finish(flight, now) : arrive(flight, now);
}

void FaultyNetwork::arrive(Flight& flight, Time now) {
  if (plan_.reorder == 0) return finish(flight, now);
  Flight*& held = passed_[pair_of(flight.message)];
  if (held == nullptr && decide(flight, Die::reorder, plan_.reorder)) {
    held = &flight;
    return wait(flight, now + longest_wait_to_be_passed);
  }
  Flight* const behind = std::exchange(held, nullptr);
  finish(flight, now);
  if (behind == nullptr) return;
  behind->passed = true;
  calendar_.at(now + span(*behind, Die::behind, most_behind), behind->following);
}

// The end of its wait may still stand in the calendar.
void FaultyNetwork::follow(Flight& flight, Time now) {
  if (!is_lost(flight, now)) return finish(flight, now);
  flight.over = true;
  if (!flight.awaited) flights_.give_back(flight);
}

void FaultyNetwork::finish(Flight& flight, Time now) {
  flight.over = true;
  Delivery& delivery = *flight.delivery;
  if (!flight.awaited) flights_.give_back(flight);
  delivery.arrived(now);
}

}  // namespace weft::sim
