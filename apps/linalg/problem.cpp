#include "apps/linalg/problem.hpp"

#include <weft/coll.h>
#include <weft/job.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace linalg_app {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The first thing that is wrong with a well-formed command line, or nothing.
std::string mistake(Options& options, const std::string& grid, const std::vector<std::string>& variants) {
  if (std::find(variants.begin(), variants.end(), options.variant) == variants.end())
    return "unknown variant '" + options.variant + "'; use one of " + join(variants);
  if (options.n < 1) return "--n " + std::to_string(options.n) + " is out of range; it is at least 1";
  if (options.nb < 1) return "--nb " + std::to_string(options.nb) + " is out of range; it is at least 1";
  if (options.repeat < 1) return "--repeat " + std::to_string(options.repeat) + " is out of range; it is at least 1";
  if (grid.empty()) return {};
  int end = 0;
  if (std::sscanf(grid.c_str(), "%ux%u%n", &options.rows, &options.columns, &end) != 2 ||
      end != static_cast<int>(grid.size()) || options.rows == 0 || options.columns == 0)
    return "cannot read --grid '" + grid + "'; write ROWSxCOLUMNS, as 2x2";
  if (uint64_t{options.rows} * options.columns != weft_size())
    return "--grid " + grid + " has not as many places as there are ranks, " + std::to_string(weft_size());
  return {};
}

int hosts() {
  int32_t count = weft_host_rank() == 0 ? 1 : 0;
  weft_reduce_all(WEFT_TEAM_WORLD, &count, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_I32, WEFT_REDUCE_ADD), 0);
  return count;
}

// False if the file cannot be written.
bool tell(const Options& options, const weft_la_grid_t* grid, const Result& result) {
  const std::string shape = std::to_string(weft_la_grid_rows(grid)) + "x" + std::to_string(weft_la_grid_columns(grid));
  const int host_count = hosts();
  if (weft_rank() != 0) return true;
  const double gflops = 1e-9 * result.flops / result.seconds;
  std::printf("%s %s: n %lld, blocks of %lld, %u ranks as %s on %d host%s\n", options.program.c_str(),
              options.variant.c_str(), static_cast<long long>(options.n), static_cast<long long>(options.nb),
              weft_size(), shape.c_str(), host_count, host_count == 1 ? "" : "s");
  std::printf("Time      %10.4f s   %.2f Gflop/s\n", result.seconds, gflops);
  std::printf("Residual  %10.3e     %s\n", result.residual, result.verified ? "passed" : "FAILED");
  if (options.json.empty()) return true;
  nlohmann::ordered_json json;
  json["program"] = options.program;
  json["variant"] = options.variant;
  json["n"] = options.n;
  json["nb"] = options.nb;
  json["grid"] = shape;
  json["ranks"] = weft_size();
  json["hosts"] = host_count;
  json["seconds"] = result.seconds;
  json["gflops"] = gflops;
  json["residual"] = std::isfinite(result.residual) ? nlohmann::ordered_json(result.residual) : nullptr;
  json["verified"] = result.verified;
  std::ofstream file(options.json);
  file << json.dump(2) << "\n";
  file.close();
  if (!file) std::fprintf(stderr, "%s: cannot write %s\n", options.program.c_str(), options.json.c_str());
  return static_cast<bool>(file);
}

int run_program(int argc, char** argv, Options options, const std::string& description,
                const std::vector<std::string>& variants, Result (*run)(const Options&, weft_la_grid_t*)) {
  if (const int code = read_options(argc, argv, description, variants, options); code >= 0) return code;
  weft_la_grid_t* grid = nullptr;
  check(weft_la_grid_create(WEFT_TEAM_WORLD, options.rows, options.columns, &grid), "weft_la_grid_create");
  const Result result = run(options, grid);
  const bool told = tell(options, grid, result);
  weft_la_grid_free(grid);
  if (!told) return 2;
  return result.verified ? 0 : 1;
}

}  // namespace

int read_options(int argc, char** argv, const std::string& description, const std::vector<std::string>& variants,
                 Options& options) {
  const std::string program = options.program;
  std::string grid;
  options.variant = variants.front();
  CLI::App app{description, program};
  app.add_option("--n", options.n, "Rows and columns of the matrices")->capture_default_str();
  app.add_option("--nb", options.nb, "Rows and columns of a block")->capture_default_str();
  app.add_option("--grid", grid, "ROWSxCOLUMNS of ranks, as 2x2; nearly square if not given");
  app.add_option("--variant", options.variant, "One of " + join(variants))->capture_default_str();
  app.add_option("--repeat", options.repeat, "Run so often and report the fastest")->capture_default_str();
  app.add_option("--json", options.json, "Write the result to this file (docs/FORMATS.md)");
  app.add_flag("--progress", options.progress, "Print each repetition's time when it is finished");
  int code = -1;
  std::string message;
  try {
    app.parse(argc, argv);
    if (const std::string problem = mistake(options, grid, variants); !problem.empty()) {
      code = 2;
      message = program + ": " + problem + "\n";
    }
  } catch (const CLI::CallForHelp&) {
    code = 0;
    message = app.help();
  } catch (const CLI::ParseError& error) {
    code = 2;
    message = program + ": " + error.what() + "; see " + program + " --help\n";
  }
  if (weft_rank() == 0) std::fputs(message.c_str(), code == 0 ? stdout : stderr);
  return code;
}

int drive(int argc, char** argv, const std::string& program, const std::string& description,
          const std::vector<std::string>& variants, Result (*run)(const Options&, weft_la_grid_t*)) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 2;
  int code = 0;
  try {
    Options options;
    options.program = program;
    code = run_program(argc, argv, options, description, variants, run);
  } catch (const std::exception& error) {
    // All ranks are refused alike, after the library's line; so all of them leave in order.
    if (weft_rank() == 0) std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    code = 2;
  }
  const int status = weft_finalize();
  return code != 0 || status == WEFT_OK ? code : 2;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double largest(double value) {
  double result = value;
  weft_reduce_all(WEFT_TEAM_WORLD, &result, &value, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0);
  return result;
}

void check(int status, const char* what) {
  if (status != WEFT_OK) throw std::runtime_error(std::string(what) + ": " + weft_status_string(status));
}

OwnMatrix::OwnMatrix(weft_la_grid_t* grid, int64_t rows, int64_t columns, int64_t block) {
  const weft_la_layout_t layout = {WEFT_LA_D, rows, columns, block, block, 0, 0};
  check(weft_la_matrix_create(grid, &layout, &matrix_), "weft_la_matrix_create");
}

void OwnMatrix::fill(const std::function<double(int64_t, int64_t)>& element) const {
  using Element = std::function<double(int64_t, int64_t)>;
  Element copy = element;
  check(weft_la_fill(
            matrix_,
            [](int64_t i, int64_t j, void* place, void* argument) {
              *static_cast<double*>(place) = (*static_cast<Element*>(argument))(i, j);
            },
            &copy),
        "weft_la_fill");
}

double OwnMatrix::infinity_norm() const {
  const weft_la_local_t local = weft_la_matrix_local(matrix_);
  std::vector<double> sums(static_cast<size_t>(weft_la_matrix_layout(matrix_).rows), 0.0);
  for (int64_t j = 0; j < local.columns; ++j)
    for (int64_t i = 0; i < local.rows; ++i)
      sums[static_cast<size_t>(weft_la_global_row(matrix_, i))] +=
          std::abs(static_cast<const double*>(local.data)[i + j * local.leading]);
  weft_reduce_all(WEFT_TEAM_WORLD, sums.data(), WEFT_IN_PLACE, sums.size(),
                  weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD), 0);
  double most = 0;
  for (double sum : sums) most = sum <= most ? most : sum;  // NaN stays
  return most;
}

double OwnMatrix::largest_element() const {
  const weft_la_local_t local = weft_la_matrix_local(matrix_);
  double most = 0;
  for (int64_t j = 0; j < local.columns; ++j)
    for (int64_t i = 0; i < local.rows; ++i) {
      const double value = std::abs(static_cast<const double*>(local.data)[i + j * local.leading]);
      most = std::isnan(value) ? HUGE_VAL : std::max(most, value);
    }
  return largest(most);
}

double random_at(uint64_t matrix, int64_t row, int64_t column) {
  uint64_t x = matrix * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(row) * 0xbf58476d1ce4e5b9u +
               static_cast<uint64_t>(column) * 0x94d049bb133111ebu;
  for (int round = 0; round < 2; ++round) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
  }
  x ^= x >> 32;
  return static_cast<double>(x >> 11) * 0x1p-53 - 0.5;
}

void multiply(double alpha, const OwnMatrix& a, const OwnMatrix& b, double beta, const OwnMatrix& c, int64_t m,
              int64_t n, int64_t k, weft_la_variant_t variant) {
  check(weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, m, n, k, &alpha, a.whole(), b.whole(), &beta, c.whole(), variant),
        "weft_la_gemm");
}

}  // namespace linalg_app
