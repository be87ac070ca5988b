#include "sim/host_loss.hpp"

#include <string>

#include "sim/simulation.hpp"

namespace weft::sim {
namespace {

constexpr Time second = 1'000'000'000;
constexpr Time silence_of_dead = 10 * second;
constexpr Time silence_of_cut = 23 * second;

}  // namespace

HostLoss::HostLoss(Simulation& simulation, const FaultyNetwork& network, size_t number)
    : simulation_(simulation), network_(network), number_(number), loss_(simulation.faults().losses[number]) {
  simulation.calendar().at(beginning + loss_.when, *this);
}

void HostLoss::happen(Time now) {
  if (!has_begun_) {
    has_begun_ = true;
    for (uint32_t rank = 0; loss_.dies && rank < simulation_.ranks(); ++rank)
      if (is_on_host(rank)) simulation_.stop(rank);
    return simulation_.calendar().at(now + (loss_.dies ? silence_of_dead : silence_of_cut), *this);
  }
  if (!matters()) return;
  loss_.dies ? tell_of_death() : tell_of_cut();
}

bool HostLoss::is_on_host(uint32_t rank) const { return network_.host_of(rank) == loss_.host; }

bool HostLoss::somebody_is_alive(bool on_host) const {
  for (uint32_t rank = 0; rank < simulation_.ranks(); ++rank)
    if (is_on_host(rank) == on_host && simulation_.is_alive(rank)) return true;
  return false;
}

bool HostLoss::matters() const {
  if (network_.lost_to(number_).any) return true;
  return somebody_is_alive(true) && (loss_.dies || somebody_is_alive(false));
}

void HostLoss::tell_of_death() {
  simulation_.host_lost("", "host h" + std::to_string(loss_.host) +
                                " does not answer any more (nothing heard for 10 seconds); ending the job");
}

// By whoever sent the first message that was lost, or else by any rank on this side, of any on the other.
void HostLoss::tell_of_cut() {
  FaultyNetwork::Lost lost = network_.lost_to(number_);
  for (uint32_t rank = simulation_.ranks(); !lost.any && rank-- > 0;) (is_on_host(rank) ? lost.to : lost.from) = rank;
  const std::string whose = "rank " + std::to_string(lost.from);
  simulation_.host_lost(whose.c_str(), "lost contact with rank " + std::to_string(lost.to) +
                                           ": nothing acknowledged for 20 s (host h" + std::to_string(loss_.host) +
                                           " is cut off)");
}

}  // namespace weft::sim
