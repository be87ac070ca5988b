// A host that dies, or is cut off from the others, at a moment of virtual time; and how its job ends, as on real
// networks (docs/LAUNCHING.md, docs/IP-PROTOCOL.md): the launcher gives a host up that is silent for 10 s. Where the
// network between ranks fails, and the launcher still hears all hosts, ranks notice after 20 s and end the job 3 s
// later. Nothing happens if the host's ranks had ended, and nothing that they sent was lost.
#pragma once

#include "sim/faulty_network.hpp"

namespace weft::sim {

class Simulation;

class HostLoss final : public Event {
 public:
  /// The loss of this number in the simulation's plan.
  HostLoss(Simulation& simulation, const FaultyNetwork& network, size_t number);

  void happen(Time now) override;

 private:
  bool is_on_host(uint32_t rank) const;
  bool somebody_is_alive(bool on_host) const;
  bool matters() const;
  void tell_of_death();
  void tell_of_cut();

  Simulation& simulation_;
  const FaultyNetwork& network_;
  const size_t number_;
  const FaultPlan::Loss loss_;
  bool has_begun_ = false;
};

}  // namespace weft::sim
