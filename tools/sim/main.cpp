// weft-sim: the machines that jobs can be simulated on. Lists them, shows and checks their numbers, tries them without
// a job, and makes one of measurements.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/parse.hpp"
#include "exchange.hpp"
#include "show.hpp"
#include "sim/network/calibration.hpp"
#include "sim/network/flood.hpp"
#include "sim/network/platform_file.hpp"
#include "weft/version.h"

namespace {

using namespace weft::sim;
using Json = nlohmann::ordered_json;

// What the command line says.
struct Options {
  bool json = false;
  std::string platform, file, same_host, links;
  std::string name = "mine";
  uint32_t nodes = 0, cores = 1;
  uint32_t ranks = 0;  // 0: there is no job
  bool strict = false;
  std::string order = "default";
  std::string bytes = "4096";
  std::vector<std::string> sizes = {"16", "512", "4K", "16K", "128K", "512K"};
  NetworkOptions network;
};

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }
void print(const Json& json) { print(json.dump(2) + "\n"); }

uint64_t bytes_of(const std::string& text) {
  uint64_t bytes = 0;
  if (!weft::base::parse_size(text.c_str(), bytes) || bytes == 0 || bytes > uint64_t{1} << 30)
    throw PlatformError("'" + text + "' is no number of bytes from 1 to 1G (4096, 4K, 1M)");
  return bytes;
}

void list(const Options& options) {
  Json json = Json::array();
  for (const std::string& name : known_platforms()) {
    const Platform platform = find_platform(name);
    const uint32_t nodes = weft_sim::most_nodes(platform);
    const auto cores = static_cast<uint32_t>(platform.cores.value());
    const std::string topology = make_topology(platform, nodes)->describe();
    json.push_back(
        {{"name", name}, {"title", platform.title}, {"topology", topology}, {"nodes", nodes}, {"cores", cores}});
    if (!options.json)
      std::printf("%-10s %s\n           %u nodes of %u: %s\n", name.c_str(), platform.title.c_str(), nodes, cores,
                  topology.c_str());
  }
  if (options.json) print(json);
}

void show(const Options& options) {
  const Platform platform = find_platform(options.platform);
  print(options.json ? weft_sim::show_json(platform, options.nodes) : weft_sim::show_text(platform, options.nodes));
}

void check(const Options& options) {
  if (std::ranges::count(known_platforms(), options.file) > 0 && !std::filesystem::exists(options.file))
    throw PlatformError(options.file +
                        " is a platform that is built in, and needs no check; check wants a file, as ./" +
                        options.file + ".json");
  const Platform platform = parse_platform(read_text(options.file), options.file);
  std::vector<std::string> without_source;
  if (platform.topology.source.empty()) without_source.emplace_back("topology");
  for (const Field& field : fields())
    if ((platform.*field.number).source.empty()) without_source.push_back(std::string(field.section) + "." + field.key);
  Calendar calendar;
  const std::string job = ModelNetwork(calendar, platform, options.network).describe();
  if (options.json)
    return print(Json({{"name", platform.name}, {"job", job}, {"without_source", without_source.size()}}));
  std::printf("%s is well formed; %zu numbers have no source", options.file.c_str(), without_source.size());
  for (const std::string& key : without_source)
    std::printf("%s%s", &key == &without_source[0] ? ": " : ", ", key.c_str());
  std::printf("\n%s\n", options.ranks > 0 ? job.c_str() : "-n RANKS checks that a job fits");
}

void flood(const Options& options) {
  const Platform platform = find_platform(options.platform);
  std::vector<uint64_t> sizes;
  for (const std::string& size : options.sizes) sizes.push_back(bytes_of(size));
  Json json = Json::array();
  if (!options.json)
    std::printf("%s, from a rank to one of the next node; a put has 32 bytes more than its data\n%12s %14s %14s %18s\n",
                platform.name.c_str(), "bytes", "us a message", "MB/s", "us, acknowledged");
  for (const uint64_t bytes : sizes) {
    const double ns = flood_ns(platform, bytes), acknowledged = acknowledged_ns(platform, bytes);
    json.push_back({{"bytes", bytes}, {"flood_seconds", ns * 1e-9}, {"acknowledged_seconds", acknowledged * 1e-9}});
    if (!options.json)
      std::printf("%12llu %14.3f %14.1f %18.3f\n", static_cast<unsigned long long>(bytes), ns / 1e3,
                  static_cast<double>(bytes) / ns * 1e3, acknowledged / 1e3);
  }
  if (options.json) print(json);
}

void exchange(const Options& options) {
  const Platform platform = find_platform(options.platform);
  const auto result = weft_sim::run_exchange(platform, options.network, bytes_of(options.bytes));
  if (const std::string why = options.links.empty() ? "" : write_json(result.statistics, options.links); !why.empty())
    throw std::runtime_error("cannot write " + options.links + ": " + why);
  const auto& statistics = result.statistics;
  if (options.json)
    return print(Json({{"simulated", true},
                       {"network", statistics.network},
                       {"seconds", result.seconds},
                       {"bound_seconds", result.bound_seconds > 0 ? Json(result.bound_seconds) : Json()},
                       {"messages", statistics.messages},
                       {"bytes", statistics.bytes},
                       {"hops", statistics.hops},
                       {"mean_utilisation", statistics.mean_utilisation()},
                       {"busiest_utilisation", statistics.busiest_link().utilisation}}));
  std::printf("%s\n%llu messages of %s: %.6g s\n%s\n", statistics.network.c_str(),
              static_cast<unsigned long long>(statistics.messages), options.bytes.c_str(), result.seconds,
              summary(statistics).c_str());
  if (result.bound_seconds > 0)
    std::printf("the network's cuts, interfaces and processors allow %.6g s; this is %.3g times as long\n",
                result.bound_seconds, result.seconds / result.bound_seconds);
  else
    std::printf("no bound: it is known where all nodes of the network have ranks\n");
}

Calibration calibrate_file(const std::string& file) {
  const std::vector<Measurement> measurements = parse_measurements(read_text(file), file);
  try {
    return calibrate(measurements);
  } catch (const PlatformError& error) {
    throw PlatformError(file + ": " + error.what());
  }
}

// Fits to good measurements are off by a few per cent.
constexpr double bad_fit = 0.25;

void say_how_well(const std::string& file, const Calibration& found) {
  std::fprintf(stderr,
               "weft-sim: %s: overhead %s, latency %s one way, gap %s, %s; the largest error is %.1f %%, at the %s of "
               "%llu bytes\n",
               file.c_str(), quantity_text(Unit::time, found.overhead_ns).c_str(),
               quantity_text(Unit::time, found.latency_ns).c_str(), quantity_text(Unit::time, found.gap_ns).c_str(),
               quantity_text(Unit::rate, found.bytes_per_second).c_str(), 100 * found.worst_error,
               found.worst.kind == Measurement::Kind::flood ? "flood" : "acknowledged message",
               static_cast<unsigned long long>(found.worst.bytes));
  if (found.worst_error > bad_fit)
    std::fprintf(stderr,
                 "weft-sim: %s: warning: this is no fit, and simulations on the platform are as wrong; measure again "
                 "with nothing else running, and compare weft-sim flood of the platform with the table\n",
                 file.c_str());
}

void calibrate_tables(const Options& options) {
  const Calibration found = calibrate_file(options.file);
  Platform platform = calibrated_platform(found, options.name, options.file, options.nodes, options.cores);
  if (!options.same_host.empty()) {
    const Calibration inside = calibrate_file(options.same_host);
    set_node(platform, inside, options.same_host);
    say_how_well(options.same_host, inside);
  }
  say_how_well(options.file, found);
  print(write_platform(platform));
}

void add_job_options(CLI::App& command, Options& options) {
  command.add_option("-n,--ranks", options.ranks, "Ranks of the job; default: 1")->check(CLI::Range(1u, 1u << 24));
  command.add_option("--ranks-per-node", options.network.ranks_per_node, "Default: one per core")
      ->check(CLI::Range(1u, 65536u));
  command.add_option("--map", options.network.map,
                     "xyzt, txyz, or a file with each rank's place; default: the platform's");
  const CLI::Validator is_seed(
      [](const std::string& text) {
        const bool is_one = weft::base::parse_number<uint64_t>(text).has_value();
        return is_one ? "" : "'" + text + "' is no whole number from 0 to 2^64 - 1";
      },
      "");
  command.add_option("--seed", options.network.seed, "Chooses among equally short routes")->check(is_seed);
  CLI::Option* const strict = command.add_flag("--strict", options.strict, "As --order strict");
  command.add_option("--order", options.order, "Order of a node's messages: default, strict or relaxed")
      ->check(CLI::IsMember({"default", "strict", "relaxed"}))
      ->excludes(strict);
}

using Command = void (*)(const Options&);

// That is no option; empty if there is none.
std::string first_word(int argc, char** argv) {
  char** const found = std::find_if(argv + 1, argv + argc, [](const char* word) { return word[0] != '-'; });
  return found == argv + argc ? "" : *found;
}

// The command that was asked for; null if all has been said already, and then `exit_code` is set.
Command parse(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app{"The machines that jobs can be simulated on (weftrun --sim PLATFORM).", "weft-sim"};
  app.require_subcommand(1);
  app.add_flag("--json", options.json, "Print JSON");
  app.fallthrough();
  const char* which = "Name (weft-sim platforms) or file (with '/', or *.json)";
  app.set_version_flag("--version", "weft-sim (Weft) " WEFT_VERSION_TEXT);
  std::vector<std::pair<CLI::App*, Command>> commands;
  const auto add = [&](const char* name, const char* help, Command command) -> CLI::App& {
    commands.emplace_back(app.add_subcommand(name, help), command);
    return *commands.back().first;
  };
  add("platforms", "List the platforms that are built in", list);
  CLI::App& shows = add("show", "A platform's numbers with their sources, and what follows from them", show);
  shows.add_option("PLATFORM", options.platform, which)->required();
  shows.add_option("--nodes", options.nodes, "For a job on so many nodes; default: all")
      ->check(CLI::Range(1u, 1u << 22));
  CLI::App& checks = add("check", "Say what is wrong with a platform file, or with how it fits a job", check);
  checks.add_option("FILE", options.file, "The file")->required();
  add_job_options(checks, options);
  CLI::App& floods = add("flood", "Time per message from a node to the next, by size", flood);
  floods.add_option("PLATFORM", options.platform, which)->required();
  floods.add_option("--sizes", options.sizes, "Bytes (4096, 4K), separated by commas")->delimiter(',');
  CLI::App& exchanges = add("exchange", "An exchange of all with all on the bare network, and its bound", exchange);
  exchanges.footer(
      "The bound is the longest of: the bytes through each cut (half of a torus, a subtree, a group, a router against\n"
      "the rest); those that a node takes by its ejection_rate; its messages through its interface, message_gap and\n"
      "injection_rate; a rank's send_overheads.\n"
      "Latencies, contention and bursts are not in it. It is known where all nodes of the network have ranks.");
  exchanges.add_option("PLATFORM", options.platform, which)->required();
  exchanges.add_option("--bytes", options.bytes, "From each rank to each (4096, 4K); default: 4096");
  exchanges.add_option("--links", options.links, "Write what went through each link to this file, for weft-sim-links");
  add_job_options(exchanges, options);
  CLI::App& calibrates = add("calibrate", "Print a platform that is fitted to measurements", calibrate_tables);
  calibrates
      .add_option("TABLE", options.file,
                  "weft-bench network --json, or lines 'flood BYTES NS', 'acknowledged BYTES NS'")
      ->required();
  calibrates.add_option("--same-host", options.same_host,
                        "The same, measured between two ranks of one host: the costs inside a node");
  const CLI::Validator is_name([](const std::string& text) { return text.empty() ? "it is empty" : ""; }, "");
  calibrates.add_option("--name", options.name, "Of the platform; default: mine")->check(is_name);
  calibrates.add_option("--nodes", options.nodes, "It has; default: 64")->check(CLI::Range(1u, 1u << 22));
  calibrates.add_option("--cores", options.cores, "Of a node; default: 1")->check(CLI::Range(1u, 65536u));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    print(chosen.empty() ? app.help() : chosen[0]->help());
    return nullptr;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return nullptr;
  } catch (const CLI::ParseError& error) {
    const std::string word = app.get_subcommands().empty() ? first_word(argc, argv) : "";
    const std::string what = word.empty() ? error.what() : "there is no command '" + word + "'";
    const char* const short_name = what.starts_with("--ranks:") ? "-n, " : "";  // or what has been written
    std::fprintf(stderr, "weft-sim: %s%s; weft-sim --help shows the commands\n", short_name, what.c_str());
    exit_code = 2;
    return nullptr;
  }
  for (const auto& [command, run] : commands)
    if (command->parsed()) return run;
  return nullptr;
}

// Returns the exit code.
int run(int argc, char** argv) {
  Options options;
  int exit_code = 0;
  try {
    const Command command = parse(argc, argv, options, exit_code);
    if (command == nullptr) return exit_code;
    options.network.ranks = std::max(1u, options.ranks);
    if (options.strict || options.order == "strict") options.network.ordering = Ordering::strict;
    if (options.order == "relaxed") options.network.ordering = Ordering::relaxed;
    if (command == calibrate_tables && options.nodes == 0) options.nodes = 64;
    command(options);
  } catch (const PlatformError& error) {
    std::fprintf(stderr, "weft-sim: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weft-sim: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int exit_code = run(argc, argv);
  // What is longer than the buffer may have failed before, and then there is nothing left to write.
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return exit_code;
  std::fprintf(stderr, "weft-sim: cannot write the result: %s\n", std::strerror(errno));
  return 1;
}
