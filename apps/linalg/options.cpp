#include "apps/linalg/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace linalg_app {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The first thing that is wrong with a well-formed command line, or nothing.
std::string mistake(Options& options, const std::string& grid, const std::vector<std::string>& variants,
                    uint32_t ranks) {
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
  if (uint64_t{options.rows} * options.columns != ranks)
    return "--grid " + grid + " has not as many places as there are ranks, " + std::to_string(ranks);
  return {};
}

}  // namespace

int read_options(int argc, char** argv, const std::string& description, const std::vector<std::string>& variants,
                 uint32_t ranks, bool speaks, Options& options) {
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
    if (const std::string problem = mistake(options, grid, variants, ranks); !problem.empty()) {
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
  if (speaks) std::fputs(message.c_str(), code == 0 ? stdout : stderr);
  return code;
}

bool can_tell(const Options& options) {
  if (options.json.empty() || std::ofstream(options.json, std::ios::app)) return true;
  std::fprintf(stderr, "%s: cannot write %s (%s); choose another file for --json\n", options.program.c_str(),
               options.json.c_str(), std::strerror(errno));
  return false;
}

bool tell(const Options& options, const Place& place, const Result& result) {
  const std::string shape = std::to_string(place.rows) + "x" + std::to_string(place.columns);
  const uint32_t ranks = place.rows * place.columns;
  const double gflops = 1e-9 * result.flops / result.seconds;
  std::printf("%s %s: n %lld, blocks of %lld, %u ranks as %s on %d host%s\n", options.program.c_str(),
              options.variant.c_str(), static_cast<long long>(options.n), static_cast<long long>(options.nb), ranks,
              shape.c_str(), place.hosts, place.hosts == 1 ? "" : "s");
  std::printf("Time      %10.4f s   %.2f Gflop/s\n", result.seconds, gflops);
  std::printf("Residual  %10.3e     %s\n", result.residual, result.verified ? "passed" : "FAILED");
  using nlohmann::ordered_json;
  const auto machine = place.simulated != nullptr ? ordered_json::parse(place.simulated) : ordered_json::object();
  if (!machine.empty())
    std::printf("Simulated %s; computation: %s\n", machine.at("machine").get<std::string>().c_str(),
                machine.at("compute").get<std::string>().c_str());
  if (options.json.empty()) return true;
  ordered_json json;
  json["program"] = options.program;
  json["variant"] = options.variant;
  json["n"] = options.n;
  json["nb"] = options.nb;
  json["grid"] = shape;
  json["ranks"] = ranks;
  json["hosts"] = place.hosts;
  json.update(machine);
  json["seconds"] = result.seconds;
  json["gflops"] = gflops;
  json["residual"] = std::isfinite(result.residual) ? ordered_json(result.residual) : nullptr;
  json["verified"] = result.verified;
  std::ofstream file(options.json);
  file << json.dump(2) << "\n";
  file.close();
  if (!file) std::fprintf(stderr, "%s: cannot write %s\n", options.program.c_str(), options.json.c_str());
  return static_cast<bool>(file);
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

}  // namespace linalg_app
