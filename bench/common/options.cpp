#include "common/options.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "weft/version.h"

namespace bench {
namespace {

constexpr int exit_usage = 2;

// Tried before anything is measured: a result that cannot be kept is no result.
std::string writable(const std::string& path) {
  if (std::filesystem::is_directory(path)) return path + ": is a directory";
  if (!std::ofstream(path, std::ios::app)) return path + ": cannot be written";
  return {};
}

}  // namespace

Parsed parse_options(int argc, char** argv, const std::vector<std::string>& benchmarks, const std::string& program,
                     const std::string& about, const std::string& footer) {
  Options options;
  bool quick = false;
  CLI::App app(about, program);
  app.footer(footer);
  app.set_version_flag("--version", program + " (Weft) " WEFT_VERSION_TEXT);
  std::vector<std::string> choices = benchmarks;
  choices.emplace_back("all");
  app.add_option("benchmark", options.title, "What to measure")->check(CLI::IsMember(choices));
  app.add_option("--json", options.json, "Write the results to this file as well")
      ->type_name("FILE")
      ->check(CLI::Validator(writable, ""));
  app.add_option("--repetitions", options.effort.repetitions, "Blocks of each loop")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  app.add_option("--max-size", options.max_size, "Largest message in bytes")
      ->capture_default_str()
      ->check(CLI::Range(size_t{1}, size_t{1} << 30));
  double block_ms = options.effort.block_ns / 1e6;
  app.add_option("--block", block_ms,
                 "Milliseconds that a block lasts, about; longer where a network's link saves up bursts")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 10000.0));
  app.add_option("--quantile", options.effort.quantile,
                 "Which of a loop's blocks counts: 0.5 the median, less on a machine that others use, too")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--quick", quick, "Short blocks, few repetitions and sizes: shows that it works, measures nothing");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return {std::nullopt, 0, std::string(version.what()) + "\n"};
  } catch (const CLI::Success&) {
    return {std::nullopt, 0, app.help()};
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, exit_usage, program + ": " + error.what() + "; see --help\n"};
  }
  if (options.title.empty())  // after unknown options, which are the likelier mistake
    return {std::nullopt, exit_usage, program + ": benchmark is required; see --help\n"};
  options.effort.block_ns = block_ms * 1e6;
  options.benchmarks = options.title == "all" ? benchmarks : std::vector<std::string>{options.title};
  if (quick) {
    options.effort.repetitions = std::min(options.effort.repetitions, 3);
    options.effort.block_ns = 20e3;
    options.max_size = std::min(options.max_size, size_t{16} << 10);
  }
  return {std::move(options), 0, {}};
}

}  // namespace bench
