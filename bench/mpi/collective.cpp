// The collectives of weft-bench by MPI: blocking, with a barrier before and after, and eight in flight.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "mpi/benchmarks.hpp"

namespace bench {
namespace {

constexpr size_t depth = 8;

template <class Call>
Loop looped(Call call) {
  return [=](uint64_t iterations) mutable {
    for (uint64_t i = 0; i < iterations; ++i) call();
    MPI_Barrier(MPI_COMM_WORLD);
  };
}

template <class Begin>
Loop in_flight(Begin begin) {
  return [=](uint64_t iterations) mutable {
    MPI_Request requests[depth];
    for (uint64_t i = 0; i < iterations; ++i) {
      for (size_t d = 0; d < depth; ++d) begin(d, &requests[d]);
      MPI_Waitall(depth, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
}

void one_size(const Bench& bench, char* from, char* to, size_t size) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int bytes = static_cast<int>(size);
  const int count = bytes / 8;
  std::vector<Subject> subjects = {
      {"broadcast", size, looped([=] { MPI_Bcast(to, bytes, MPI_BYTE, 0, comm); })},
      {"broadcast_strict", size, looped([=] {
         MPI_Barrier(comm);
         MPI_Bcast(to, bytes, MPI_BYTE, 0, comm);
         MPI_Barrier(comm);
       })},
      {"reduce", size, looped([=] { MPI_Reduce(from, to, count, MPI_DOUBLE, MPI_SUM, 0, comm); })},
      {"reduce_all", size, looped([=] { MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, comm); })},
  };
  if (size * depth <= bench.max_size)
    subjects.push_back({"broadcast_in_flight", size, in_flight([=](size_t d, MPI_Request* request) {
                          MPI_Ibcast(to + d * size, bytes, MPI_BYTE, 0, comm, request);
                        }),
                        0, depth});
  if (size * bench.job.size() <= 2 * bench.max_size) {
    subjects.push_back(
        {"scatter", size, looped([=] { MPI_Scatter(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, comm); })});
    subjects.push_back(
        {"gather", size, looped([=] { MPI_Gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, comm); })});
    subjects.push_back(
        {"gather_all", size, looped([=] { MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm); })});
    subjects.push_back(
        {"exchange", size, looped([=] { MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm); })});
    subjects.push_back({"exchange_nb", size, looped([=] {
                          MPI_Request request;
                          MPI_Ialltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm, &request);
                          MPI_Wait(&request, MPI_STATUS_IGNORE);
                        })});
  }
  const Bare copy = {"memcpy", [=](uint64_t iterations) {
                       for (uint64_t i = 0; i < iterations; ++i) {
                         std::memcpy(to, from, size);
                         asm volatile("" : : "r"(to) : "memory");
                       }
                     }};
  bench.compare(Unit::ns, {copy}, subjects);
}

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
  bench.section("collectives");
  for (const size_t size : sizes(8, bench.max_size, 8)) one_size(bench, from, to, size);
  bench.section("teams");
  bench.compare(Unit::ns, {Bare{"none", {}}},
                {{"team_split", 0, looped([] {
                    MPI_Comm comm = MPI_COMM_NULL;
                    MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(mpi_rank() % 2), 0, &comm);
                    MPI_Comm_free(&comm);
                  })},
                 {"team_barrier", 0, looped([] { MPI_Barrier(MPI_COMM_WORLD); })}});
  std::free(from);
  std::free(to);
}

}  // namespace bench
