// The collectives of common/collectives.hpp by MPI.
#include <cstdlib>

#include "common/collectives.hpp"
#include "mpi/benchmarks.hpp"

namespace bench {
namespace {

int bytes(size_t size) { return static_cast<int>(size); }
int doubles(size_t size) { return static_cast<int>(size / 8); }

// Blocks of bytes from each buffer; the root, if there is one, is rank 0.
struct Mpi {
  using Request = MPI_Request;
  using Count = int;
  static void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
  static void broadcast(char* to, const char*, size_t size) { MPI_Bcast(to, bytes(size), MPI_BYTE, 0, MPI_COMM_WORLD); }
  static void broadcast_strict(char* to, const char* from, size_t size) {
    MPI_Barrier(MPI_COMM_WORLD);
    broadcast(to, from, size);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  static void begin_broadcast(char* to, const char*, size_t size, Request* request) {
    MPI_Ibcast(to, bytes(size), MPI_BYTE, 0, MPI_COMM_WORLD, request);
  }
  static void wait_all(Request* requests, size_t count) {
    MPI_Waitall(static_cast<int>(count), requests, MPI_STATUSES_IGNORE);
  }
  static void reduce(char* to, const char* from, size_t size) {
    MPI_Reduce(from, to, doubles(size), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  static void reduce_all(char* to, const char* from, size_t size) {
    MPI_Allreduce(from, to, doubles(size), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  static void scatter(char* to, const char* from, size_t size) {
    MPI_Scatter(from, bytes(size), MPI_BYTE, to, bytes(size), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  static void gather(char* to, const char* from, size_t size) {
    MPI_Gather(from, bytes(size), MPI_BYTE, to, bytes(size), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  static void gather_all(char* to, const char* from, size_t size) {
    MPI_Allgather(from, bytes(size), MPI_BYTE, to, bytes(size), MPI_BYTE, MPI_COMM_WORLD);
  }
  static void exchange(char* to, const char* from, size_t size) {
    MPI_Alltoall(from, bytes(size), MPI_BYTE, to, bytes(size), MPI_BYTE, MPI_COMM_WORLD);
  }
  static void exchange_nb(char* to, const char* from, size_t size) {
    MPI_Request request;
    MPI_Ialltoall(from, bytes(size), MPI_BYTE, to, bytes(size), MPI_BYTE, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  static void scatter_v(char* to, const char* from, const int* sizes, const int* offsets, uint32_t me) {
    MPI_Scatterv(from, sizes, offsets, MPI_BYTE, to, sizes[me], MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  static void gather_v(char* to, const char* from, const int* sizes, const int* offsets, uint32_t me) {
    MPI_Gatherv(from, sizes[me], MPI_BYTE, to, sizes, offsets, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  static void gather_all_v(char* to, const char* from, const int* sizes, const int* offsets, uint32_t me) {
    MPI_Allgatherv(from, sizes[me], MPI_BYTE, to, sizes, offsets, MPI_BYTE, MPI_COMM_WORLD);
  }
  static void split_team() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(mpi_rank() % 2), 0, &comm);
    MPI_Comm_free(&comm);
  }
  static void team_barrier() { barrier(); }
};

}  // namespace

void collectives(const Bench& bench) {
  // Page-aligned, as Weft's are.
  const auto allocate = [&] {
    void* memory = std::aligned_alloc(4096, (2 * bench.max_size + 4095) / 4096 * 4096);
    std::memset(memory, 1, 2 * bench.max_size);
    return static_cast<char*>(memory);
  };
  char* from = allocate();
  char* to = allocate();
  compare_collectives<Mpi>(bench, to, from);
  std::free(from);
  std::free(to);
}

}  // namespace bench
