// The benchmarks of the MPI peers, and the memory they use.
#pragma once

#include <mpi.h>

#include "common/compare.hpp"
#include "common/limits.hpp"

namespace bench {

void latency(const Bench& bench);
void bandwidth(const Bench& bench);
void rate(const Bench& bench);
void message_round_trip(const Bench& bench);
void barriers(const Bench& bench);
void atomics(const Bench& bench);
void collectives(const Bench& bench);
void message_one_way(const Bench& bench);
void network(const Bench& bench);

inline uint32_t mpi_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return static_cast<uint32_t>(rank);
}
inline uint32_t mpi_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return static_cast<uint32_t>(size);
}

/// Whether all ranks are on one host. Collective at the first call.
bool one_host();

/// Zeroed memory of each rank, for the limits and for MPI's one-sided operations alike. On one host all ranks map it:
/// it is the kind of window in which these are fastest. In an access epoch that lasts as long as the object.
class Window {
 public:
  explicit Window(size_t bytes);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  MPI_Win handle() const { return window_; }
  /// That rank's memory, mapped here; null if it is not.
  char* on(int rank) const;
  template <class T>
  T* on(int rank) const {
    return reinterpret_cast<T*>(on(rank));
  }

 private:
  char* own_ = nullptr;
  bool shared_;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// The loop of rank 0, that of rank 1, and nothing for the rest.
template <class First, class Second>
Loop two_sides(const Bench& bench, First first, Second second) {
  if (bench.job.rank() == 0) return first;
  if (bench.job.rank() == 1) return second;
  return [](uint64_t) {};
}
template <class First>
Loop on_rank_0(const Bench& bench, First first) {
  return two_sides(bench, first, [](uint64_t) {});
}

}  // namespace bench
