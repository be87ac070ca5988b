// The timeline of a rank: operations, messages, sleeps and the program's own spans, as Chrome trace events that
// Perfetto opens (WEFT_TRACE=file). Rank 0 creates the file, with an empty array. Every rank appends its events when it
// ends, one after the other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "conduit/conduit.hpp"

namespace weft::conduit::hook {

/// All functions may be called by several threads at once. Names are string constants, or the program's own, which
/// outlive the job (weft/watch.h).
class Trace {
 public:
  static constexpr RankId no_peer = ~RankId{0};

  /// Times in the trace count from `start_ns`. Fails, with a line that says why, if the file cannot be written.
  static Status open(const std::string& path, RankId rank, uint64_t start_ns, std::unique_ptr<Trace>& trace);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// The rank did this from one time to another.
  void add(const char* name, uint64_t start_ns, uint64_t end_ns, RankId peer = no_peer, uint64_t bytes = 0);
  /// The same of a poll that found nothing. It is one event with the one before it, if nothing was between them.
  void add_vain_poll(const char* name, uint64_t start_ns, uint64_t end_ns);
  /// This was under way beside what the rank did, and may overlap with its like.
  void add_beside(const char* name, uint64_t start_ns, uint64_t end_ns);
  /// From span_begin() to the span_end() that belongs to it is one event.
  void span_begin(const char* name);
  void span_end();

  /// Appends the events so far to the file, which is a whole JSON array before and after, and forgets them. Of a
  /// process's ranks that fail in this, the first says so.
  Status write();

 private:
  struct Event {
    const char* name;
    uint64_t start_ns;
    uint64_t duration_ns;
    uint64_t bytes;
    RankId peer;
    enum class Kind : uint8_t { own, beside, vain_poll } kind = Kind::own;
  };

  Trace(const std::string& path, RankId rank, uint64_t start_ns, int descriptor)
      : path_(path), rank_(rank), start_ns_(start_ns), descriptor_(descriptor) {}
  double since_start_us(uint64_t time_ns) const;
  std::string events_as_text();
  Status append(const std::string& text, off_t at) const;
  bool write_all(const std::string& text) const;

  std::string path_;
  RankId rank_;
  uint64_t start_ns_;
  int descriptor_;
  uint64_t beside_ = 0;  // how many such events have been written
  std::mutex mutex_;
  std::vector<Event> events_;
  std::vector<Event> open_spans_;
  bool named_ = false;
};

}  // namespace weft::conduit::hook
