#include <cstring>

#include "mpi/benchmarks.hpp"

namespace bench {

Window::Window(size_t bytes) {
  char* own = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window_);
  std::memset(own, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
}

Window::~Window() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

char* Window::on(int rank) const {
  MPI_Aint size = 0;
  int unit = 0;
  char* address = nullptr;
  MPI_Win_shared_query(window_, rank, &size, &unit, &address);
  return address;
}

}  // namespace bench
