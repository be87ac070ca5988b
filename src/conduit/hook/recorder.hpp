// What a rank does, for whoever asked to see it: counted (WEFT_STATS) and drawn (WEFT_TRACE). The recorder stands
// beside the conduit. A decorator (recording.hpp) tells it of operations, the layers above of waits and spans. A rank
// that nobody watches has none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/settings.hpp"
#include "conduit/hook/statistics.hpp"
#include "conduit/hook/trace.hpp"

namespace weft::conduit::hook {

class Recorder {
 public:
  /// Null if the settings ask for nothing. Times in the trace count from `start_ns`. Fails, with a line that says why,
  /// if the trace cannot be written.
  static Status make(const base::Settings& settings, RankId rank, uint64_t start_ns,
                     std::unique_ptr<Recorder>& recorder);

  /// The rank has waited in this function, from one time to another.
  void waited(const char* call, uint64_t start_ns, uint64_t end_ns) {
    if (statistics_) statistics_->waited(call, start_ns, end_ns);
    if (trace_) trace_->add(call, start_ns, end_ns);
  }
  /// What this function began without waiting for it was under way, from one time to another.
  void under_way(const char* call, uint64_t start_ns, uint64_t end_ns) {
    if (trace_) trace_->add_beside(call, start_ns, end_ns);
  }
  /// Prints and writes what has been collected so far: the job ends. `barriers`: as Statistics::close().
  void report(uint64_t barriers);

  /// Null if nobody asked for them.
  Statistics* statistics() { return statistics_ ? &*statistics_ : nullptr; }
  Trace* trace() { return trace_.get(); }

 private:
  Recorder() = default;

  std::optional<Statistics> statistics_;
  std::unique_ptr<Trace> trace_;
};

}  // namespace weft::conduit::hook
