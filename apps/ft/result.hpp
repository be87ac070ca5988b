// What a run of the benchmark measured, and how it is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/ft/options.hpp"
#include "apps/ft/problem.hpp"
#include "fft/grid.hpp"
#include "fft/phases.hpp"
#include "fft/route.hpp"

namespace ft {

struct Result {
  std::string library;  ///< what moves the data
  int ranks = 1;
  int hosts = 1;
  std::string simulated;                ///< which machine, as JSON; empty: none
  std::optional<weft::fft::Grid> grid;  ///< of the 2-D variants
  double seconds = 0;                   ///< the timed part, of the slowest rank
  double seconds_per_transform = 0;  ///< mean of the inverse transforms, evolution included; or the forward one alone
  std::vector<Complex> checksums;
  Verification verification;
  /// Sent by one rank in one inverse transform, one forward transform, and the timed part. Not known for a library
  /// that does not tell.
  struct Sent {
    weft::fft::Traffic inverse, forward, total;
  };
  std::optional<Sent> sent;
  /// Mean over the ranks. Not known for a library that does not tell.
  std::optional<weft::fft::PhaseClock::Seconds> phases;

  double mops(const Options& options) const;
  double gflops(const Options& options) const;  ///< of the transforms alone, by the plain count
};

/// One line per finished iteration.
std::string progress_line(int iteration, Complex checksum, double seconds);
/// The report for people.
std::string text_report(const Options& options, const Result& result);
/// The report for programs: docs/FORMATS.md.
std::string json_report(const Options& options, const Result& result);

/// 0, or 1 if the verification failed.
int exit_code(const Result& result);

}  // namespace ft
