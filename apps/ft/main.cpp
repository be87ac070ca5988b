// ft: the NAS FT benchmark by one-sided communication.
#include <weft/job.h>

#include <cstdio>
#include <exception>

#include "apps/ft/benchmark.hpp"
#include "apps/ft/driver.hpp"
#include "apps/ft/weft_job.hpp"
#include "fft/one_sided.hpp"
#include "fft/team_transport.hpp"

namespace {

ft::Result run_on_grid(const ft::Options& options, ft::Job& job) {
  weft::fft::TeamTransport transport(*ft::chosen_grid(options, job.size()));
  return ft::run_benchmark(options, job, transport, "Weft");
}

int run(int argc, char** argv) {
  ft::WeftJob job;
  weft::fft::OneSided transport;
  const ft::Program program{
      .name = "ft",
      .description = "NAS FT: 3-D FFT benchmark by one-sided communication. Start it with weftrun -n RANKS.",
      .variants = {"pencils", "slabs", "exchange", "packed-slabs-2d", "slabs-2d"},
      .problem =
          [&](const ft::Options& options) {
            return ft::capacity_problem(options, job,
                                        [&](std::size_t bytes) { return transport.source_buffers(bytes); });
          },
      .run =
          [&](const ft::Options& options) {
            return ft::grid_strategy(options) ? run_on_grid(options, job)
                                              : ft::run_benchmark(options, job, transport, "Weft");
          },
      .runs_forward_only = true};
  return ft::drive(program, argc, argv, job);
}

}  // namespace

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 2;
  int code = 0;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ft: rank %u: %s\n", weft_rank(), error.what());
    weft_exit(1);
  }
  const int status = weft_finalize();
  return code != 0 || status == WEFT_OK ? code : 2;
}
