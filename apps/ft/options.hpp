// The command line shared by ft, ft-mpi and ft-fftw-mpi.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/ft/problem.hpp"
#include "fft/grid.hpp"
#include "fft/transform.hpp"

namespace ft {

struct Options {
  Problem problem{};
  std::string variant;
  std::optional<weft::fft::Grid> grid;  ///< of the 2-D variants, if given
  int iterations = 0;                   ///< as many as the class says, or fewer if asked; 0 with forward_only
  bool forward_only = false;            ///< one forward transform, and nothing before or after it
  int pad = weft::fft::default_pad;
  bool progress = false;
  std::string json;  ///< file to write, or empty
  weft::fft::Planning planning;

  /// The variant as a strategy; FFTW's own transform has none.
  weft::fft::Strategy strategy() const { return *weft::fft::parse_strategy(variant); }
};

/// The 2-D variants are those of fft/grid.hpp; of some there is one more, with a way to exchange after its name:
/// slabs-2d-ialltoall. Nothing for the others.
std::optional<weft::fft::GridStrategy> grid_strategy(const Options& options);

/// The grid that was asked for, or the most nearly square one; nothing for the other variants, and if no grid of all
/// ranks divides the shape.
std::optional<weft::fft::Grid> chosen_grid(const Options& options, int ranks);

/// What came of reading the command line. If `done`, the program is to print `message` (on rank 0) and end with
/// exit_code: 0 after --help, 2 after a mistake.
struct Parsed {
  Options options;
  bool done = false;
  int exit_code = 0;
  std::string message;
};

/// variants: those that the program knows. If there is only one, --variant may be left out.
Parsed parse_options(int argc, const char* const* argv, const std::string& program, const std::string& description,
                     const std::vector<std::string>& variants);

}  // namespace ft
