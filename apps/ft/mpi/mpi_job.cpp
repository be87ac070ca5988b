#include "apps/ft/mpi/mpi_job.hpp"

namespace ft {

MpiJob::MpiJob() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_);
}

MpiJob::~MpiJob() { MPI_Comm_free(&host_); }

int MpiJob::ranks_on_host() const {
  int ranks = 1;
  MPI_Comm_size(host_, &ranks);
  return ranks;
}

int MpiJob::hosts() {
  int place = 0;
  MPI_Comm_rank(host_, &place);
  double first_on_host = place == 0 ? 1.0 : 0.0;
  sum({&first_on_host, 1});
  return static_cast<int>(first_on_host);
}

void MpiJob::barrier() { MPI_Barrier(MPI_COMM_WORLD); }

void MpiJob::sum(std::span<double> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void MpiJob::max(std::span<double> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

std::string mpi_library() {
#if defined(OMPI_MAJOR_VERSION)
  return "Open MPI " + std::to_string(OMPI_MAJOR_VERSION) + "." + std::to_string(OMPI_MINOR_VERSION) + "." +
         std::to_string(OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
  return "MPICH " MPICH_VERSION;
#elif defined(WEFT_SIM_MPI)
  return "MPI, simulated";
#else
  return "MPI";
#endif
}

}  // namespace ft
