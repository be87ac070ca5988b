// weft-bench-scale: collectives and messages by a clock that all ranks share, so that one call can be timed from its
// first rank to its last: on simulated machines, on one host, between the hosts of a lab. weft-bench times by rank 0's
// clock alone, which is all that there is elsewhere.
#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/segment.h>
#include <weft/sim.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/results.hpp"
#include "common/timing.hpp"
#include "scale/operations.hpp"

namespace {

using scale::Options;

constexpr int exit_usage = 2;

// What the command line says, or what to print and the exit code.
struct Parsed {
  Options options;
  std::string message;
  int exit_code = -1;
};

std::string mistake(const Options& options) {
  for (const size_t size : options.sizes)
    if (options.operation.starts_with("reduce") && size % sizeof(double) != 0)
      return "--sizes " + std::to_string(size) + " is no multiple of 8, and what is reduced are doubles";
  return {};
}

// What only the job can say.
std::string mistake_in_job(const Options& options) {
  const uint32_t ranks = weft_size();
  if (ranks < 2) return "at least 2 ranks are needed";
  if (options.row != 0 && (options.row > ranks || ranks % options.row != 0))
    return "--row " + std::to_string(options.row) + " does not divide " + std::to_string(ranks) + " ranks";
  if (options.senders > ranks / 2)
    return "--senders " + std::to_string(options.senders) + " is more than half of " + std::to_string(ranks) + " ranks";
  const char* const machine = weft_simulated();
  if (options.operations != 0 && (machine == nullptr || std::strstr(machine, "\"compute\": \"model\"") == nullptr))
    return "--compute needs weftrun --sim PLATFORM --sim-compute model";
  return {};
}

Parsed parse(int argc, char** argv) {
  Parsed parsed;
  Options& options = parsed.options;
  CLI::App app{
      "Times one collective, or messages between two halves of the ranks, by a clock that all ranks share:\n"
      "weftrun --sim bgp -n 1024 weft-bench-scale broadcast --sizes 8,4096"};
  app.add_option("operation", options.operation, "What to time")
      ->required()
      ->check(CLI::IsMember(scale::operation_names()));
  app.add_option("--sizes", options.sizes, "Bytes of a message, or of a member's block, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(size_t{1}, size_t{1} << 30));
  app.add_option("--calls", options.calls, "Timed together, one after the other")->check(CLI::Range(1u, 1u << 20));
  app.add_option("--repetitions", options.repetitions, "Of which the median counts")->check(CLI::Range(1u, 10000u));
  app.add_option("--row", options.row, "Teams of so many ranks that follow each other; default: one of all");
  app.add_option("--senders", options.senders, "Messages: ranks that send to the one at their place of the other half")
      ->check(CLI::Range(1u, 1u << 20));
  app.add_flag("--strict", options.is_strict, "Collectives with a barrier before and after (ALLSYNC)");
  app.add_flag("--in-flight", options.in_flight, "Begin all calls before the first is waited for");
  app.add_option(
         "--compute", options.operations,
         "Operations in floating point that each rank computes after each call, or for each call while calls are "
         "in flight, and that count; with weftrun --sim-compute model")
      ->check(CLI::Range(0.0, 1e15));
  app.add_option("--json", options.json, "Write the results to this file (docs/FORMATS.md)");
  try {
    app.parse(argc, argv);
    parsed.message = mistake(options);
    if (!parsed.message.empty()) parsed.exit_code = exit_usage;
  } catch (const CLI::Success&) {
    parsed = {{}, app.help(), 0};
  } catch (const CLI::ParseError& error) {
    parsed = {{}, std::string(error.what()) + "; see --help", exit_usage};
  }
  return parsed;
}

// The segment's memory that one measurement uses, freed on all ranks together.
class Buffer {
 public:
  explicit Buffer(size_t bytes) {
    if (weft_alloc_symmetric(bytes, 64, &offset_) != WEFT_OK) weft_abort("not enough memory in the segment");
  }
  ~Buffer() { weft_free_symmetric(offset_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char* get() const { return static_cast<char*>(weft_pointer(weft_rank(), offset_)); }

 private:
  size_t offset_ = 0;
};

int measure(const Options& options) {
  weft_team_t team = WEFT_TEAM_WORLD;
  const uint32_t members = options.row == 0 ? weft_size() : options.row;
  if (options.row != 0 && weft_team_split_stride(WEFT_TEAM_WORLD, options.row, 1, &team) != WEFT_OK)
    weft_abort("the ranks could not be divided into teams");
  const char* const conduit = std::getenv("WEFT_CONDUIT");
  bench::Report report(options.operation, weft_size(), conduit != nullptr ? conduit : "auto");
  if (weft_rank() == 0) report.section(options.operation);
  for (const size_t size : options.sizes) {
    const size_t bytes = scale::buffer_bytes(options, size, members);
    const Buffer to(bytes), from(bytes);
    std::memset(from.get(), 0, bytes);
    std::vector<double> times;
    for (uint32_t i = 0; i < options.repetitions; ++i)
      times.push_back(scale::nanoseconds(options, team, size, to.get(), from.get()));
    if (weft_rank() == 0) report.add({options.operation, size, bench::median(times), "ns", {}});
  }
  if (options.row != 0) weft_team_free(team);
  return weft_rank() != 0 || options.json.empty() || report.write_json(options.json) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Parsed parsed = parse(argc, argv);
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  if (parsed.message.empty()) {
    parsed.message = mistake_in_job(parsed.options);
    if (!parsed.message.empty()) parsed.exit_code = exit_usage;
  }
  if (parsed.message.empty()) {
    parsed.exit_code = measure(parsed.options);
  } else if (weft_rank() == 0) {
    const bool is_help = parsed.exit_code == 0;
    std::fprintf(is_help ? stdout : stderr, "%s%s\n", is_help ? "" : "weft-bench-scale: ", parsed.message.c_str());
  }
  weft_finalize();
  return parsed.exit_code;
}
