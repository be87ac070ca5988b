// The command line of programs that measure linear algebra, and how they tell a result: the same for Weft's and for
// those that it is compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linalg_app {

struct Options {
  std::string program;
  std::string variant;
  int64_t n = 2048;
  int64_t nb = 96;
  uint32_t rows = 0, columns = 0;  ///< of the grid; 0: chosen
  int repeat = 1;
  bool progress = false;
  std::string json;  ///< file to write, or empty
};

struct Result {
  double seconds;   ///< the least of the repetitions
  double flops;     ///< floating-point operations, by the usual count
  double residual;  ///< as docs/LINALG.md defines it
  bool verified;    ///< the residual is below its threshold
};

/// Where a program ran.
struct Place {
  uint32_t rows, columns;  ///< of the grid
  int hosts;
  const char* simulated = nullptr;  ///< as weft_simulated()
};

/// Reads the command line of a job of so many ranks. Returns -1 to go on, else the program's exit code, after a message
/// if `speaks`: 0 after --help, 2 after a mistake.
int read_options(int argc, char** argv, const std::string& description, const std::vector<std::string>& variants,
                 uint32_t ranks, bool speaks, Options& options);

/// Whether tell() will be able to write the file: asked before the work, on one rank, which says why not.
bool can_tell(const Options& options);

/// Prints a result and writes the JSON file. On one rank. False if the file cannot be written.
bool tell(const Options& options, const Place& place, const Result& result);

/// Seconds since some moment, by the kernel's clock.
double clock_seconds();

/// A number from -0.5 to 0.5 that depends on three others.
double random_at(uint64_t matrix, int64_t row, int64_t column);

}  // namespace linalg_app
