#include <cstdio>
#include <cstring>

#include "mpi/benchmarks.hpp"

namespace bench {

namespace {

bool find_one_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int here = 0, least = 0;
  MPI_Comm_size(host, &here);
  MPI_Comm_free(&host);
  MPI_Allreduce(&here, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return static_cast<uint32_t>(least) == mpi_size();
}

}  // namespace

bool one_host() {
  static const bool found = find_one_host();
  return found;
}

Window::Window(size_t bytes) : shared_(one_host()) {
  const auto allocate = shared_ ? MPI_Win_allocate_shared : MPI_Win_allocate;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own_, &window_) != MPI_SUCCESS) {
    if (mpi_rank() == 0)
      std::fputs(WEFT_BENCH_PROGRAM ": this MPI makes no window between these hosts; try `network`, which needs none\n",
                 stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  std::memset(own_, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
}

Window::~Window() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

char* Window::on(int rank) const {
  if (!shared_) return static_cast<uint32_t>(rank) == mpi_rank() ? own_ : nullptr;
  MPI_Aint size = 0;
  int unit = 0;
  char* address = nullptr;
  MPI_Win_shared_query(window_, rank, &size, &unit, &address);
  return address;
}

}  // namespace bench
