// ft-mpi: the same benchmark by MPI's two-sided communication.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>

#include "apps/ft/benchmark.hpp"
#include "apps/ft/driver.hpp"
#include "apps/ft/mpi/grid_two_sided.hpp"
#include "apps/ft/mpi/mpi_job.hpp"
#include "apps/ft/mpi/two_sided.hpp"

namespace {

ft::Result run_on_grid(const ft::Options& options, ft::Job& job) {
  ft::GridTwoSided transport(*ft::chosen_grid(options, job.size()), ft::grid_messages(options.variant));
  return ft::run_benchmark(options, job, transport, ft::mpi_library());
}

// All but what needs a job.
ft::Program described() {
  ft::Program program;
  program.name = "ft-mpi";
  program.description = "NAS FT: 3-D FFT benchmark by two-sided MPI communication. Start it with mpirun -n RANKS.";
  program.variants = {"pencils", "slabs", "exchange", "packed-slabs-2d", "slabs-2d", "slabs-2d-ialltoall"};
  program.runs_forward_only = true;
  return program;
}

int run(int argc, char** argv) {
  ft::MpiJob job;
  ft::TwoSided transport;
  ft::Program program = described();
  program.problem = [&](const ft::Options& options) {
    return ft::capacity_problem(options, job, [&](std::size_t bytes) { return transport.source_buffers(bytes); });
  };
  program.run = [&](const ft::Options& options) {
    return ft::grid_strategy(options) ? run_on_grid(options, job)
                                      : ft::run_benchmark(options, job, transport, ft::mpi_library());
  };
  return ft::drive(program, argc, argv, job);
}

}  // namespace

int main(int argc, char** argv) {
#if defined(WEFT_SIM_MPI)
  // MPI_Init() returns in simulated jobs alone.
  if (const std::string help = ft::help_asked(described(), argc, argv); !help.empty())
    return std::fputs(help.c_str(), stdout) < 0;
#endif
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ft-mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
