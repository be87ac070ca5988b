// The benchmarks of weft-bench. Each is collective over the job and reports through `bench`.
#pragma once

#include <weft/segment.h>

#include <cstring>

#include "common/compare.hpp"
#include "common/limits.hpp"

namespace bench {

void latency(const Bench& bench);
void bandwidth(const Bench& bench);
void rate(const Bench& bench);
void active_messages(const Bench& bench);
void barrier(const Bench& bench);
void atomics(const Bench& bench);
void collectives(const Bench& bench);
void signals(const Bench& bench);
void network(const Bench& bench);
void tail(const Bench& bench);
void ordering(const Bench& bench);
void registration(const Bench& bench);
void overlap(const Bench& bench);
void non_contiguous(const Bench& bench);

/// Zeroed memory at one offset in every rank's segment.
class Symmetric {
 public:
  Symmetric(const Bench& bench, size_t bytes);
  ~Symmetric() { weft_free_symmetric(offset_); }
  Symmetric(const Symmetric&) = delete;
  Symmetric& operator=(const Symmetric&) = delete;

  size_t offset() const { return offset_; }
  /// Null if that rank's segment is not mapped here.
  char* on(weft_rank_t rank) const { return static_cast<char*>(weft_pointer(rank, offset_)); }
  template <class T>
  T* on(weft_rank_t rank) const {
    return reinterpret_cast<T*>(on(rank));
  }
  /// Do ranks 0 and 1 map each other's memory, so that there is a limit to measure? The same answer on all ranks of a
  /// host.
  bool mapped() const { return on(0) != nullptr && on(1) != nullptr; }

 private:
  size_t offset_ = 0;
};

/// The limit of what crosses between two cores: see limits.hpp. `memory` has room for a Box.
Bare line_limit(const Bench& bench, const Symmetric& memory);

/// The limit of what all ranks take part in: a turn of each if they share processors and memory, else as line_limit().
/// `memory` has room for a Box and for a word per rank.
Bare meeting_limit(const Bench& bench, const Symmetric& memory);

/// Room for two lines per rank, and the subjects that show what the plainest code makes of them; none if a segment is
/// not mapped.
struct BareLines {
  explicit BareLines(const Bench& bench) : memory(bench, 2 * sizeof(Box)), rank(bench.job.rank()) {}
  bool mapped() const { return memory.mapped(); }
  Box* own() const { return memory.on<Box>(rank == 1 ? 1 : 0); }
  Box* others() const { return memory.on<Box>(rank == 1 ? 0 : 1); }
  Symmetric memory;
  uint32_t rank;
};

/// The loop on rank 0; the other ranks have nothing to do.
template <class Body>
Loop on_rank_0(const Bench& bench, Body body) {
  if (bench.job.rank() == 0) return body;
  return [](uint64_t) {};
}

/// Ends the job with a line: a benchmark that moves wrong data measures nothing.
void require(bool holds, const char* what);

}  // namespace bench
