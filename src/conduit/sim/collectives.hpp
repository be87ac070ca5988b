// Collectives over the networks that a simulated machine has for them, as Blue Gene's for barriers and its tree. They
// take effect when that network says so, and no processor takes part between a rank's coming and its result.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "conduit/native_collectives.hpp"
#include "sim/simulation.hpp"

namespace weft::conduit::sim {

class Fabric;

class Collectives {
 public:
  explicit Collectives(Fabric& fabric);
  ~Collectives();

  bool offers(NativeOp op, bool commutative) const;
  double expected_ns(NativeOp op, size_t size) const;
  /// The network knows only that a rank has come. So before it begins: how this one differs from what the first rank
  /// began that came, in a line; empty if it does not.
  std::string mismatch(RankId rank, const NativeRequest& request);
  /// The rank's next one, in its own time. Every rank's n-th is the same one.
  Result begin(RankId rank, const NativeRequest& request, Completion* completion);

 private:
  struct Round;

  Round& next_of(RankId rank);
  void send(Round& round);
  void finish(Round& round);
  void forget_finished();

  Fabric& fabric_;
  weft::sim::Simulation& simulation_;
  std::deque<std::unique_ptr<Round>> rounds_;  // of which not all ranks have the result
  uint64_t first_ = 0;                         // the number of the first of these
  std::vector<uint64_t> next_;                 // by rank: the number of its next one
  weft::sim::Time tree_free_ = 0;              // from when on the tree takes the next one
};

}  // namespace weft::conduit::sim
