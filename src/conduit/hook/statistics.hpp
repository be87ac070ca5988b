// Statistics of a rank: operations and bytes by kind, waits by function, printed when the job ends (WEFT_STATS=1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::hook {

/// What has been counted: 64-bit numbers and nothing else, so that ranks can be summed.
struct Counters {
  uint64_t puts = 0, put_bytes = 0;
  uint64_t gets = 0, get_bytes = 0;
  uint64_t fills = 0, fill_bytes = 0;
  uint64_t atomics = 0, atomic_bytes = 0, signals = 0;
  uint64_t am_requests = 0, am_request_bytes = 0, am_replies = 0, am_reply_bytes = 0;
  uint64_t barriers = 0;                     ///< entered by the program; set by close()
  uint64_t own_messages = 0, own_bytes = 0;  ///< messages and puts of the layers above, not of the program
  uint64_t retries = 0, polls = 0, empty_polls = 0;
  uint64_t dozes = 0, doze_ns = 0;
};

/// The title and what has been counted, a line for each kind of operation.
std::string statistics_table(const std::string& title, const Counters& counters);

/// All functions may be called by several threads at once, except close() and print().
class Statistics {
 public:
  explicit Statistics(RankId rank) : rank_(rank) {}

  // One operation that the conduit has answered with this result.
  void put(Result result, size_t size) { count(result, counters_.puts, counters_.put_bytes, size); }
  void get(Result result, size_t size) { count(result, counters_.gets, counters_.get_bytes, size); }
  void fill(Result result, size_t size) { count(result, counters_.fills, counters_.fill_bytes, size); }
  void atomic(Result result, AtomicType type);
  void put_signal(Result result, size_t size);
  void message(Result result, AmClass message_class, const AmMessage& message);
  void poll(int handled);
  void doze(uint64_t ns);
  /// The rank has waited in this function, from one time to another.
  void waited(const char* call, uint64_t start_ns, uint64_t end_ns);

  const Counters& counters() const { return counters_; }
  /// What print() will print, from now on: what comes later belongs to the end and is left out. `barriers`: how many
  /// the program has entered, which only the layer above knows.
  const Counters& close(uint64_t barriers);
  /// Prints the table, once. `barriers`: as close() takes, which this calls if nobody has.
  void print(uint64_t barriers);

 private:
  // The waits in one function of the interface.
  struct Wait {
    const char* call = nullptr;
    uint64_t count = 0, ns = 0;
  };

  void count(Result result, uint64_t& operations, uint64_t& bytes, size_t size);

  RankId rank_;
  Counters counters_;
  std::optional<Counters> closed_;
  base::SpinLock waits_lock_;
  std::array<Wait, 40> waits_;  // in the order in which they came first
  bool printed_ = false;
};

}  // namespace weft::conduit::hook
