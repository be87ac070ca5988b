// WEFT_STATS: at the end every rank tells rank 0 what it has counted, and rank 0 prints the sums.
#pragma once

#include "conduit/hook/statistics.hpp"
#include "core/rank.hpp"

namespace weft::capi {

class Totals {
 public:
  /// Installs the handler; nothing else happens unless the functions below are called.
  explicit Totals(core::Rank& rank);

  /// Sends this rank's counters to rank 0 and waits until they are in its sum.
  void tell(const conduit::hook::Counters& counters);
  /// On rank 0, when all have told.
  void print() const;

 private:
  static void on_counters(void* self, const conduit::AmDelivery& message);

  core::Rank& rank_;
  conduit::hook::Counters sum_;
  conduit::RankId summed_ = 0;  // ranks
  bool taken_ = false;          // this rank's counters are in the sum
};

}  // namespace weft::capi
