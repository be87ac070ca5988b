// WEFT_CHECK: whether all ranks make the same symmetric allocations and frees, and create and destroy the same atomic
// domains, in the same order.
//
// These calls neither communicate nor synchronise, and checking them must not change that. So each rank sends a message
// about each of its calls to the rank after it and goes on. Whoever has both sides of a call compares them: in the
// message's handler, or in its own call if the message came first. In the end the numbers of calls are compared. If all
// neighbours agree, all ranks do.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/spin_lock.hpp"
#include "core/call_ledger.hpp"
#include "core/rank.hpp"

namespace weft::core {

class SymmetricCalls {
 public:
  /// Installs the handler; nothing else happens unless the functions below are called.
  SymmetricCalls(Rank& rank, CallLedger& ledger);

  /// The heap's functions of the same names, compared with the other ranks'. A call that differs ends the job with a
  /// line that names it on both ranks.
  Status allocate(size_t size, size_t alignment, size_t& offset);
  Status release(size_t offset);
  /// Another call of this kind, compared likewise. `signature`: the function and its arguments.
  void note(std::string signature);

  /// At the end: tells how many calls this rank has made; and, when all messages have been handled, compares.
  void tell_count();
  void compare_counts();

 private:
  enum class Subject : uint64_t { call, count };

  static void on_call(void* self, const conduit::AmDelivery& message);
  uint64_t count() const;  // own calls
  CallRecord announce();
  void made(CallRecord call);
  void send(Subject subject, uint64_t number, const std::string& signature);
  void compare(const CallRecord& own, const CallRecord& theirs);
  conduit::RankId before() const;

  Rank& rank_;
  CallLedger& ledger_;
  base::SpinLock lock_;
  uint64_t their_count_ = 0;  // the rank's before, if count_came_
  bool count_came_ = false;
  std::map<uint64_t, CallRecord> own_;     // by number; those that the other side has not told of
  std::map<uint64_t, CallRecord> theirs_;  // those that this rank has not made
};

}  // namespace weft::core
