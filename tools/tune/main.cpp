// weft-tune: measures every candidate for every collective and writes a table that WEFT_TUNE_FILE loads; shows why a
// choice is what it is, and how good the choices are.
#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/team.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

#include "compare.hpp"

namespace {

using tune::Options;

void show(const Options& options, weft_team team) {
  for (const std::string& op : options.ops) {
    for (const size_t size : options.sizes) {
      std::printf("%s of %zu bytes on %u ranks, %s\n  %-24s %14s %14s\n", op.c_str(), size, weft_team_size(team),
                  weft_tune_machine(), "candidate", "predicted ns", "measured ns");
      const std::vector<weft_candidate> list = tune::candidates_of(team, op, size);
      bool measured = false;
      for (const weft_candidate& c : list) {
        measured = measured || c.measured_ns > 0;
        char time[32] = "-";
        if (c.measured_ns > 0) std::snprintf(time, sizeof time, "%.0f", c.measured_ns);
        std::printf("  %-24s %14.0f %14s%s\n", tune::name_of(c).c_str(), c.predicted_ns, time,
                    c.chosen ? "  <- chosen" : "");
      }
      std::printf("  %s\n\n",
                  measured ? "chosen for the least measured time (WEFT_TUNE_FILE)"
                           : "chosen for the least predicted time: no measurement of this size and number of ranks");
    }
  }
}

// How many times it has written to the file.
size_t tune_team(const Options& options, weft_team team, FILE* file) {
  constexpr int rounds = 15;
  size_t written = 0;
  const tune::Bench bench(options, team);
  for (const std::string& op : options.ops) {
    for (const size_t size : options.sizes) {
      std::vector<weft_candidate> list = bench.worth_trying(op, size);
      bench.measure(op, size, list, rounds);
      for (const weft_candidate& c : list) {
        if (file == nullptr || !(c.measured_ns > 0)) continue;
        std::fprintf(file, "%s %u %zu %s %u %llu %.1f\n", op.c_str(), weft_team_size(team), size, c.algorithm, c.radix,
                     static_cast<unsigned long long>(c.segment), c.measured_ns);
        ++written;
      }
    }
  }
  return written;
}

// What is done on a team of the first ranks, for each number of members asked for.
template <class Body>
void on_teams(const Options& options, Body body) {
  for (const uint32_t members : options.teams) {
    weft_team team = WEFT_TEAM_NONE;
    weft_team_split(WEFT_TEAM_WORLD, weft_rank() < members ? 0 : WEFT_NO_COLOR, 0, &team);
    if (team == WEFT_TEAM_NONE) continue;
    body(team);
    weft_team_free(team);
  }
  weft_barrier();
}

void write_table(const Options& options) {
  FILE* file = nullptr;
  if (weft_rank() == 0) {
    file = std::fopen(options.output.c_str(), "w");
    if (file == nullptr) {
      std::fprintf(stderr, "weft-tune: cannot write %s\n", options.output.c_str());
      weft_exit(1);
    }
    std::fprintf(file,
                 "weft-tune 1\nmachine %s\n"
                 "# operation members bytes algorithm radix segment ns (slowest member, lower quartile)\n",
                 weft_tune_machine());
  }
  size_t written = 0;
  on_teams(options, [&](weft_team team) { written += tune_team(options, team, file); });
  if (file == nullptr) return;
  std::fprintf(file, "end %zu\n", written);
  if (std::fclose(file) != 0) {
    std::fprintf(stderr, "weft-tune: writing %s failed\n", options.output.c_str());
    weft_exit(1);
  }
}

enum class Command { table, show, compare };

// The command line, read on every rank. What is said about it, rank 0 says.
struct CommandLine {
  Options options;
  Command command = Command::table;
  bool understood = false;
  int exit_code = 0;
  std::string message;
};

CommandLine parse(int argc, char** argv) {
  CommandLine line;
  Options& options = line.options;
  CLI::App app{
      "Measures every candidate for every collective, for WEFT_TUNE_FILE. Run it by weftrun -n N weft-tune -o FILE; "
      "'weft-tune show' explains choices, 'weft-tune compare' says how good they are.",
      "weft-tune"};
  std::vector<std::string> names;
  for (const auto& entry : tune::runs()) names.push_back(entry.first);
  app.add_option("--ops", options.ops, "Collectives, separated by commas")->delimiter(',')->check(CLI::IsMember(names));
  app.add_option("--sizes", options.sizes, "Bytes, separated by commas")->delimiter(',');
  app.add_option("--teams", options.teams, "Numbers of members, separated by commas; default: all ranks")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("-o,--output", options.output, "The table to write");
  app.add_option("--milliseconds", options.milliseconds, "Measuring time per candidate (10; between hosts 100)")
      ->check(CLI::PositiveNumber);
  app.add_option("--prune", options.prune, "Leave out candidates predicted to be this many times slower than the best")
      ->check(CLI::Range(1.0, 1e9));
  const CLI::App* shows =
      app.add_subcommand("show", "Print candidates with predicted and measured times")->fallthrough();
  const CLI::App* compares =
      app.add_subcommand("compare",
                         "Measure, and print how many times longer than the fastest candidate the choices take")
          ->fallthrough();
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty() && options.output.empty())
      throw CLI::ValidationError("-o FILE is needed (or: weft-tune show, weft-tune compare)");
    line.understood = true;
    line.command = shows->parsed() ? Command::show : compares->parsed() ? Command::compare : Command::table;
  } catch (const CLI::CallForHelp&) {
    line.message = app.help();
  } catch (const CLI::ParseError& error) {
    line.exit_code = 2;
    line.message = "weft-tune: " + std::string(error.what()) + "; weft-tune --help shows the options\n";
  }
  return line;
}

// What only a running job knows to be wrong.
std::string complaint(const CommandLine& line) {
  if (line.command == Command::show) return "";
  if (weft_size() < 2) return "a job of one rank has nothing to measure: weftrun -n N with at least 2";
  for (const uint32_t members : line.options.teams)
    if (members > weft_size())
      return "--teams: a team of " + std::to_string(members) + " needs as many ranks; the job has " +
             std::to_string(weft_size());
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line = parse(argc, argv);
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  if (const std::string wrong = line.understood ? complaint(line) : ""; !wrong.empty()) {
    line.understood = false;
    line.exit_code = 2;
    line.message = "weft-tune: " + wrong + "\n";
  }
  Options& options = line.options;
  if (options.sizes.empty())
    for (size_t size = 8; size <= size_t{4} << 20; size *= 4) options.sizes.push_back(size);
  if (options.teams.empty()) options.teams.push_back(weft_size());
  if (!line.understood) {
    if (weft_rank() == 0) std::fputs(line.message.c_str(), line.exit_code == 0 ? stdout : stderr);
  } else if (line.command == Command::show) {
    if (weft_rank() == 0) show(options, WEFT_TEAM_WORLD);
  } else if (line.command == Command::compare) {
    on_teams(options, [&](weft_team team) { tune::compare(options, team); });
  } else {
    write_table(options);
  }
  weft_finalize();
  return line.exit_code;
}
