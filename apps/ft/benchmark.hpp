// The benchmark itself, on any transport.
#pragma once

#include <string>

#include "apps/ft/job.hpp"
#include "apps/ft/options.hpp"
#include "apps/ft/result.hpp"
#include "fft/transform.hpp"

namespace ft {

/// Empty if the class fits this job, else one line that says what is wrong and what to do. Checked before any
/// large allocation; collective, and the same answer on every rank.
std::string capacity_problem(const Options& options, Job& job, weft::fft::Transport& transport);

/// Runs it; collective. capacity_problem() must be empty. Rank 0 prints progress if the options ask for it.
/// library: what moves the data, for the report.
Result run_benchmark(const Options& options, Job& job, weft::fft::Transport& transport, const std::string& library);

}  // namespace ft
