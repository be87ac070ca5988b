// WEFT_CHECK, as far as it looks whether all ranks make the same calls: what the layers above tell of their calls.
#pragma once

#include "core/call_ledger.hpp"
#include "core/deadlock.hpp"
#include "core/symmetric_calls.hpp"

namespace weft::core {

struct CallChecks {
  explicit CallChecks(Rank& rank) : on(rank.settings().check), deadlock(rank, ledger), symmetric(rank, ledger) {}

  const bool on;  // else nothing below is used
  CallLedger ledger;
  Deadlock deadlock;
  SymmetricCalls symmetric;
};

}  // namespace weft::core
