#include "apps/ft/benchmark.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "apps/ft/checksum.hpp"
#include "apps/ft/evolve.hpp"
#include "apps/ft/memory.hpp"

namespace ft {
namespace {

using weft::fft::Phase;
using weft::fft::PhaseClock;
using weft::fft::Traffic;
using weft::fft::Transform3d;
using weft::fft::TransformOptions;

TransformOptions transform_options(const Options& options) {
  return {.strategy = options.strategy(), .pad = options.pad, .planning = options.planning};
}

Traffic difference(const Traffic& later, const Traffic& earlier) {
  return {later.messages - earlier.messages, later.bytes - earlier.bytes};
}

// The sum over all ranks of their parts of a checksum, for all checksums.
std::vector<Complex> complete(std::vector<Complex> parts, Job& job) {
  job.sum({reinterpret_cast<double*>(parts.data()), 2 * parts.size()});
  return parts;
}

bool has_data(const Options& options) { return options.planning.local.has_data; }

weft::fft::GridOptions grid_options(const Options& options) {
  return {.strategy = *grid_strategy(options), .pad = options.pad, .planning = options.planning};
}

// Empty, or why the shape cannot be divided among the ranks as the variant wants it.
std::string division_problem(const Options& options, int ranks) {
  const Shape& shape = options.problem.shape;
  if (!grid_strategy(options)) return weft::fft::shape_problem(shape, ranks);
  const auto grid = chosen_grid(options, ranks);
  if (grid) return weft::fft::grid_problem(shape, ranks, *grid);
  return "no grid of " + std::to_string(ranks) + " ranks divides " + std::to_string(shape.nx) + " x " +
         std::to_string(shape.ny) + " x " + std::to_string(shape.nz) +
         "; use a number of ranks whose factors TY and TZ divide nx and ny, ny and nz";
}

weft::fft::MemoryNeed need_of(const Options& options, int ranks, const weft::fft::SourceBuffers& source_buffers) {
  const Shape& shape = options.problem.shape;
  if (grid_strategy(options)) return weft::fft::memory_need(shape, *chosen_grid(options, ranks), grid_options(options));
  return weft::fft::memory_need(shape, ranks, transform_options(options), source_buffers);
}

// The benchmark with either decomposition. sent: what this rank has sent so far.
template <class Transform, class Sent>
Measurement measure(const Options& options, Job& job, Transform& transform, InitialField& initial,
                    EvolvedField& evolved, const Checksum& checksum, Sent sent) {
  std::vector<Complex> parts;
  const weft::fft::Clock now = job.clock();
  PhaseClock clock(now);

  // Warm-up, not timed: touches all memory and all code.
  if (!options.forward_only) {
    transform.forward(initial, clock);
    evolved.set_iteration(1);
    transform.inverse(evolved, clock);
  }
  job.barrier();

  const Traffic before = sent();
  Traffic after_forward;
  double inverse_seconds = 0;
  const double start = now();
  clock.restart();
  transform.forward(initial, clock);
  after_forward = sent();
  for (int t = 1; t <= options.iterations; ++t) {
    const double begin = now();
    evolved.set_iteration(t);
    transform.inverse(evolved, clock);
    inverse_seconds += now() - begin;
    // Without data the sum over all ranks takes as long.
    parts.push_back(has_data(options) ? checksum.local(transform.spatial()) : Complex{});
    if (options.progress) {
      const Complex sum = complete({parts.back()}, job)[0];
      if (job.rank() == 0) {
        std::fputs(progress_line(t, sum, now() - start).c_str(), stdout);
        std::fflush(stdout);
      }
    }
    clock.lap(Phase::other);
  }
  Measurement measured;
  measured.inverse_seconds = inverse_seconds;
  if (!parts.empty()) {
    const std::vector<Complex> sums = complete(parts, job);
    if (has_data(options)) {
      measured.checksums = sums;
      measured.verification = verify(options.problem, sums);
    }
  }
  clock.lap(Phase::other);
  measured.seconds = now() - start;
  measured.total = difference(sent(), before);
  measured.forward = difference(after_forward, before);
  measured.phases = clock.seconds();
  return measured;
}

}  // namespace

std::string capacity_problem(const Options& options, Job& job, const weft::fft::SourceBuffers& source_buffers) {
  const std::string division = division_problem(options, job.size());
  if (!division.empty()) return division;
  const auto need = need_of(options, job.size(), source_buffers);
  const std::string what = std::string("class ") + options.problem.name;
  std::string problem;
  if (need.shared > job.shared_limit()) {
    problem = what + " needs " + readable_size(need.shared) + " of shared memory per rank, and " +
              readable_size(job.shared_limit()) + " are there; " + job.shared_limit_advice();
  }
  const std::string memory = has_data(options) ? memory_problem(what, need.total, job.ranks_on_host()) : "";
  if (!memory.empty()) problem = memory;
  // One host may have less than another: all stop if one has to.
  std::array<double, 1> stop{problem.empty() ? 0.0 : 1.0};
  job.max(stop);
  if (stop[0] != 0.0 && problem.empty()) problem = what + " does not fit on one of the other hosts";
  return problem;
}

Result run_benchmark(const Options& options, Job& job, weft::fft::Transport& transport, const std::string& library) {
  Transform3d transform(options.problem.shape, transport, transform_options(options));
  InitialField initial(options.problem.shape, transform.forward_route());
  EvolvedField evolved(transform.inverse_route(), transform.spectral());
  const Checksum checksum(options.problem.shape, transform.inverse_route());
  return result_of(options, job,
                   measure(options, job, transform, initial, evolved, checksum, [&] { return transport.traffic(); }),
                   library);
}

Result run_benchmark(const Options& options, Job& job, weft::fft::GridTransport& transport,
                     const std::string& library) {
  const Shape& shape = options.problem.shape;
  weft::fft::GridTransform3d transform(shape, transport, grid_options(options));
  const weft::fft::GridRoute& there = transform.forward_route();
  const weft::fft::GridRoute& back = transform.inverse_route();
  InitialField initial(shape, there.source(), there.source_first_y());
  EvolvedField evolved(back.source(), transform.spectral(), back.source_first_y(), back.y);
  const Checksum checksum(shape, back.target(), back.target_first_y());
  return result_of(options, job,
                   measure(options, job, transform, initial, evolved, checksum, [&] { return transport.traffic(); }),
                   library);
}

Result result_of(const Options& options, Job& job, const Measurement& measured, const std::string& library) {
  Result result;
  result.library = library;
  result.ranks = job.size();
  result.hosts = job.hosts();
  result.simulated = job.simulated();
  result.grid = chosen_grid(options, job.size());
  result.checksums = measured.checksums;
  result.verification = measured.verification;

  const auto iterations = static_cast<std::size_t>(std::max(1, options.iterations));
  std::array<double, 2> times{measured.seconds, options.forward_only
                                                    ? measured.seconds
                                                    : measured.inverse_seconds / static_cast<double>(iterations)};
  job.max(times);
  result.seconds = times[0];
  result.seconds_per_transform = times[1];
  PhaseClock::Seconds phases = measured.phases;
  job.sum(phases);
  for (double& seconds : phases) seconds /= job.size();
  result.phases = phases;

  const Traffic inverse = difference(measured.total, measured.forward);
  result.sent = Result::Sent{.inverse = {inverse.messages / iterations, inverse.bytes / iterations},
                             .forward = measured.forward,
                             .total = measured.total};
  return result;
}

}  // namespace ft
