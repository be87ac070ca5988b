// WEFT_STATS: at the end every rank tells rank 0 what it has counted, and rank 0 prints the sums.
#pragma once

#include "core/rank.hpp"

namespace weft::capi {

class Totals {
 public:
  /// Installs the handler; nothing else happens unless the functions below are called.
  explicit Totals(core::Rank& rank);

  /// Sends this rank's counters to rank 0. Ranks without WEFT_STATS send nothing, and nobody waits for them.
  void tell(const conduit::Counters& counters);
  /// On rank 0, when all messages have been handled.
  void print() const;

 private:
  static void on_counters(void* self, const conduit::AmDelivery& message);

  core::Rank& rank_;
  conduit::Counters sum_;
  conduit::RankId told_ = 0;  // by how many ranks
};

}  // namespace weft::capi
