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
#include "core/rank.hpp"

namespace weft::core {

class SymmetricCalls {
 public:
  /// Installs the handler; nothing else happens unless the functions below are called.
  explicit SymmetricCalls(Rank& rank);

  /// The heap's functions of the same names, compared with the other ranks'. A call that differs ends the job with a
  /// line that names it on both ranks.
  Status allocate(size_t size, size_t alignment, size_t& offset);
  Status release(size_t offset);
  /// Another call of this kind, compared likewise. `text`: the function and its arguments.
  void note(std::string text);

  /// At the end: tells how many calls this rank has made; and, when all messages have been handled, compares.
  void tell_count();
  void compare_counts();

 private:
  enum class Subject : uint64_t { call, count };
  struct Call {
    std::string text;  // the function and its arguments
    uint64_t offset;   // result of an allocation
    bool operator==(const Call&) const = default;
  };

  static void on_call(void* self, const conduit::AmDelivery& message);
  void made(uint64_t number, const Call& call);
  void send(Subject subject, uint64_t number, const Call& call);
  void compare(uint64_t number, const Call& own, const Call& theirs);
  conduit::RankId before() const;

  Rank& rank_;
  base::SpinLock lock_;
  uint64_t count_ = 0;        // own calls
  uint64_t their_count_ = 0;  // the rank's before, if count_came_
  bool count_came_ = false;
  std::map<uint64_t, Call> own_;     // by number, from 1; those that the other side has not told of
  std::map<uint64_t, Call> theirs_;  // those that this rank has not made
};

}  // namespace weft::core
