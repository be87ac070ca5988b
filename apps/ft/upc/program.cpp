// The frame of the UPC program: command line, refusals, report, as in the other FT programs.
#include <weft/job.h>
#include <weft/segment.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>

#include "apps/ft/driver.hpp"
#include "apps/ft/upc/run.hpp"

namespace ft {
namespace {

// The job as UPC runs it. What only the core knows (hosts, the segment) comes from there: a UPC thread is one of its
// ranks.
class UpcJob final : public Job {
 public:
  UpcJob(int thread, int threads) : thread_(thread), threads_(threads) {}

  int rank() const override { return thread_; }
  int size() const override { return threads_; }
  int ranks_on_host() const override { return static_cast<int>(weft_host_size()); }
  int hosts() override {
    double first_on_host = weft_host_rank() == 0 ? 1.0 : 0.0;
    ft_sum(&first_on_host, 1);
    return static_cast<int>(first_on_host);
  }
  // The shared heap is three quarters of the segment, less a few pages.
  std::size_t shared_limit() const override { return weft_segment_size() / 4 * 3 - (std::size_t{1} << 20); }
  std::string shared_limit_advice() const override { return "raise upcrun --shared-heap"; }
  void barrier() override { ft_barrier(); }
  void sum(std::span<double> values) override { ft_sum(values.data(), values.size()); }
  void max(std::span<double> values) override { ft_max(values.data(), values.size()); }

 private:
  int thread_;
  int threads_;
};

ft_variant variant_of(const Options& options) {
  if (const auto strategy = grid_strategy(options)) {
    return *strategy == weft::fft::GridStrategy::slabs ? FT_SLABS_2D : FT_PACKED_SLABS_2D;
  }
  switch (options.strategy()) {
    case weft::fft::Strategy::pencils:
      return FT_PENCILS;
    case weft::fft::Strategy::slabs:
      return FT_SLABS;
    case weft::fft::Strategy::exchange:
      return FT_EXCHANGE;
  }
  return FT_PENCILS;
}

Result run_upc(const Options& options, Job& job) {
  UpcRun run;
  run.variant = variant_of(options);
  run.iterations = options.iterations;
  run.progress = options.progress ? 1 : 0;
  run.options = &options;
  run.thread = job.rank();
  run.threads = job.size();
  ft_benchmark(&run);

  Measurement measured;
  measured.seconds = run.seconds;
  measured.inverse_seconds = run.inverse_seconds;
  measured.forward = {run.forward.messages, run.forward.bytes};
  measured.total = {run.total.messages, run.total.bytes};
  std::copy(std::begin(run.phases), std::end(run.phases), measured.phases.begin());
  measured.checksums = run.checksums;
  measured.verification = run.verification;
  return result_of(options, job, measured, "UPC on Weft");
}

}  // namespace
}  // namespace ft

int ft_drive(int argc, char** argv, int thread, int threads) {
  ft::UpcJob job(thread, threads);
  const ft::Program program{.name = "ft-upc",
                            .description = "NAS FT: 3-D FFT benchmark in UPC. Start it with upcrun -n THREADS.",
                            .variants = {"pencils", "slabs", "exchange", "packed-slabs-2d", "slabs-2d"},
                            .problem =
                                [&](const ft::Options& options) {
                                  return ft::capacity_problem(options, job, [](std::size_t) { return std::size_t{1}; });
                                },
                            .run = [&](const ft::Options& options) { return ft::run_upc(options, job); }};
  try {
    return ft::drive(program, argc, argv, job);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ft-upc: thread %d: %s\n", thread, error.what());
    weft_exit(1);
  }
}

void ft_verify(ft_run* run, const ft_complex* checksums) {
  auto& job = *static_cast<ft::UpcRun*>(run);
  job.checksums.clear();
  for (int i = 0; i < run->iterations; ++i) job.checksums.emplace_back(checksums[i].re, checksums[i].im);
  job.verification = ft::verify(job.options->problem, job.checksums);
}

void ft_print_progress(int iteration, ft_complex checksum, double seconds) {
  std::fputs(ft::progress_line(iteration, {checksum.re, checksum.im}, seconds).c_str(), stdout);
  std::fflush(stdout);
}
