// MPI and Weft at the same time in C++: each rank's worker writes its results straight into rank 0's memory with
// signals, while a broadcast of MPI carries the next task. Several threads are about, so both libraries are told so.
//   mpirun -n 4 build/bin/example-interop-cpp-openmpi
#include <mpi.h>
#include <weft/weft.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int tasks = 50;

/// What a rank makes of a task.
uint64_t work(uint64_t task, uint64_t rank) { return (task + 1) * (rank + 1); }

}  // namespace

int main(int argc, char** argv) {
  // Weft first, this time.
  if (weft_init_thread(&argc, &argv, WEFT_THREAD_MULTIPLE) != WEFT_OK) return 1;
  int provided = 0;
  MPI_Initialized(&provided);  // Weft's conduit mpi has started MPI itself
  if (!provided) MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);

  const uint64_t rank = weft_rank();
  const uint64_t size = weft_size();
  size_t results = 0;   // on rank 0: one word per rank
  size_t arrivals = 0;  // on rank 0: counts results
  if (weft_alloc_symmetric(size * sizeof(uint64_t), 0, &results) != WEFT_OK) return 1;
  if (weft_alloc_symmetric(sizeof(uint64_t), 0, &arrivals) != WEFT_OK) return 1;
  *static_cast<uint64_t*>(weft_pointer(weft_rank(), arrivals)) = 0;
  weft_barrier();

  uint64_t total = 0;
  for (uint64_t round = 0; round < tasks; ++round) {
    uint64_t task = rank == 0 ? 7 * round : 0;
    MPI_Bcast(&task, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    const uint64_t result = work(task, rank);
    weft_put_signal(0, results + rank * sizeof result, &result, sizeof result, arrivals, 1, WEFT_SIGNAL_ADD);
    if (rank == 0) {
      weft_signal_wait(arrivals, WEFT_GE, (round + 1) * size, nullptr);
      const auto* all = static_cast<const uint64_t*>(weft_pointer(0, results));
      for (uint64_t peer = 0; peer < size; ++peer) total += all[peer];
    }
    MPI_Barrier(MPI_COMM_WORLD);  // rank 0 has read the results
  }
  uint64_t expected = 0;
  for (uint64_t round = 0; round < tasks; ++round)
    for (uint64_t peer = 0; peer < size; ++peer) expected += work(7 * round, peer);
  if (rank == 0)
    std::printf("%d ranks in C++: total %llu, expected %llu\n", static_cast<int>(size),
                static_cast<unsigned long long>(total), static_cast<unsigned long long>(expected));
  const bool good = rank != 0 || total == expected;
  const int status = weft_finalize();
  MPI_Initialized(&provided);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (provided && !finalized) MPI_Finalize();
  return status == WEFT_OK && good ? 0 : 3;
}
