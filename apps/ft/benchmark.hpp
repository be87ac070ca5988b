// The benchmark itself, on any transport.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/ft/job.hpp"
#include "apps/ft/options.hpp"
#include "apps/ft/result.hpp"
#include "fft/grid_transform.hpp"
#include "fft/transform.hpp"

namespace ft {

/// Empty if the class fits this job, else one line that says what is wrong and what to do. Checked before any
/// large allocation; collective, and the same answer on every rank.
std::string capacity_problem(const Options& options, Job& job, const weft::fft::SourceBuffers& source_buffers);

/// Runs it; collective. capacity_problem() must be empty. Rank 0 prints progress if the options ask for it.
/// library: what moves the data, for the report.
Result run_benchmark(const Options& options, Job& job, weft::fft::Transport& transport, const std::string& library);

/// The same for the 2-D variants; transport: over chosen_grid().
Result run_benchmark(const Options& options, Job& job, weft::fft::GridTransport& transport, const std::string& library);

/// What one rank measured of the timed part.
struct Measurement {
  double seconds = 0;
  double inverse_seconds = 0;  ///< in the inverse transforms, evolution included
  weft::fft::Traffic forward;  ///< sent in the forward transform
  weft::fft::Traffic total;
  weft::fft::PhaseClock::Seconds phases{};
  std::vector<Complex> checksums;  ///< of the whole field, the same on every rank
  Verification verification;
};

/// What the job took: times of the slowest rank, phases of the mean. Collective.
Result result_of(const Options& options, Job& job, const Measurement& measurement, const std::string& library);

}  // namespace ft
