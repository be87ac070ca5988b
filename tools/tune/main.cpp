// weft-tune: measures every candidate for every collective and writes a table that WEFT_TUNE_FILE loads; shows why a
// choice is what it is, and how good the choices are.
#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/team.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include "base/parse.hpp"
#include "compare.hpp"
#include "table_file.hpp"
#include "weft/version.h"

namespace {

using tune::Options;

// Why the choice is what it is.
std::string reason_of(const weft_candidate_t& choice, uint32_t ranks) {
  switch (choice.reason) {
    case WEFT_CHOICE_FORCED:
      return "forced by WEFT_COLL";
    case WEFT_CHOICE_SET:
      return "set by weft_tune_set()";
    case WEFT_CHOICE_TABLE:
      return choice.measured_ns > 0 ? "chosen for the least measured time (WEFT_TUNE_FILE)"
                                    : "chosen for the least measured time of the table's nearest size, " +
                                          std::to_string(choice.measured_size) + " bytes (WEFT_TUNE_FILE)";
    default:
      return "chosen for the least predicted time: no table in use has a size within two octaves for " +
             std::to_string(ranks) + " ranks";
  }
}

void show_size(weft_team_t team, const std::string& op, size_t size) {
  const std::string of_size = op == "barrier" ? "" : " of " + std::to_string(size) + " bytes";
  std::printf("%s%s on %u ranks, %s\n  %-24s %14s %14s\n", op.c_str(), of_size.c_str(), weft_team_size(team),
              weft_tune_machine(), "candidate", "predicted ns", "measured ns");
  std::string reason;
  for (const weft_candidate_t& c : tune::candidates_of(team, op, size)) {
    char time[32] = "-";
    if (c.measured_ns > 0) std::snprintf(time, sizeof time, "%.0f", c.measured_ns);
    std::printf("  %-24s %14.0f %14s%s\n", tune::name_of(c).c_str(), c.predicted_ns, time,
                c.chosen ? "  <- chosen" : "");
    if (c.chosen) reason = reason_of(c, weft_team_size(team));
  }
  std::printf("  %s\n\n", reason.c_str());
}

void show(const Options& options, weft_team_t team) {
  if (weft_team_rank(team) != 0) return;
  for (const std::string& op : options.ops)
    for (const size_t size : tune::sizes_of(options, op)) show_size(team, op, size);
}

// Measurements, as lines of a table.
struct Lines {
  std::string text;
  size_t count = 0;
};

void tune_team(const Options& options, weft_team_t team, Lines& lines) {
  constexpr int rounds = 15;
  const tune::Bench bench(options, team);
  for (const std::string& op : options.ops) {
    for (const size_t size : tune::sizes_of(options, op)) {
      std::vector<weft_candidate_t> list = bench.worth_trying(op, size);
      bench.measure(op, size, list, rounds);
      for (const weft_candidate_t& c : list) {
        if (!(c.measured_ns > 0)) continue;
        char line[128];
        std::snprintf(line, sizeof line, "%s %u %zu %s %u %llu %.1f\n", op.c_str(), weft_team_size(team), size,
                      c.algorithm, c.radix, static_cast<unsigned long long>(c.segment), c.measured_ns);
        lines.text += line;
        ++lines.count;
      }
    }
  }
}

// What is done on a team of the first ranks, for each number of members asked for. All ranks are the team that a
// conduit's own collectives serve.
template <class Body>
void on_teams(const Options& options, Body body) {
  for (const uint32_t members : options.teams) {
    if (members == weft_size()) {
      body(WEFT_TEAM_WORLD);
      continue;
    }
    weft_team_t team = WEFT_TEAM_NONE;
    weft_team_split(WEFT_TEAM_WORLD, weft_rank() < members ? 0 : WEFT_NO_COLOR, 0, &team);
    if (team == WEFT_TEAM_NONE) continue;
    body(team);
    weft_team_free(team);
  }
  weft_barrier();
}

[[noreturn]] void cannot_write(const Options& options, const std::string& why) {
  std::fprintf(stderr, "weft-tune: cannot write %s: %s\n", options.output.c_str(), why.c_str());
  weft_exit(1);
}

void write_table(const Options& options) {
  const uint64_t start = weft_time_ns();
  const tune::TableFile file(options.output);
  if (weft_rank() == 0)
    if (const std::string why = file.complaint(); !why.empty()) cannot_write(options, why);
  // Another rank that ends the job now must not leave the file behind that the look at the folder made.
  weft_barrier();
  Lines lines;
  on_teams(options, [&](weft_team_t team) { tune_team(options, team, lines); });
  if (weft_rank() != 0) return;
  const std::string why =
      file.replace("weft-tune 1\nmachine " + std::string(weft_tune_machine()) +
                   "\n# operation members bytes algorithm radix segment ns (slowest member, lower quartile)\n" +
                   lines.text + "end " + std::to_string(lines.count) + "\n");
  if (!why.empty()) cannot_write(options, why);
  if (file.is_regular())
    std::printf("weft-tune: %s: %zu measurements in %.1f s\n", options.output.c_str(), lines.count,
                static_cast<double>(weft_time_ns() - start) * 1e-9);
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

// 4K as settings have it becomes 4096.
std::string to_bytes(std::string& text) {
  constexpr uint64_t most = uint64_t{1} << 40;
  uint64_t bytes = 0;
  if (!weft::base::parse_size(text.c_str(), bytes) || bytes > most)
    return "'" + text + "' is no number of bytes up to 1T (4096, 4K, 1M)";
  text = std::to_string(bytes);
  return "";
}

// The text as a number of at least this; what it is otherwise not.
CLI::Validator at_least(double least, const std::string& what) {
  return {[=](std::string& text) {
            const std::optional<double> value = weft::base::parse_real(text);
            return value && *value >= least ? "" : "'" + text + "' is no " + what;
          },
          ""};
}

CommandLine parse(int argc, char** argv) {
  CommandLine line;
  Options& options = line.options;
  CLI::App app{
      "Measures every candidate for every collective, for WEFT_TUNE_FILE. Run it by weftrun -n N weft-tune -o FILE; "
      "'weft-tune show' explains choices, 'weft-tune compare' says how good they are.",
      "weft-tune"};
  app.set_version_flag("--version", "weft-tune (Weft) " WEFT_VERSION_TEXT);
  std::vector<std::string> names;
  for (const auto& entry : tune::runs()) names.push_back(entry.first);
  app.add_option("--ops", options.ops, "Collectives, separated by commas")->delimiter(',')->check(CLI::IsMember(names));
  app.add_option("--sizes", options.sizes, "Bytes (4096, 4K, 1M), separated by commas")
      ->delimiter(',')
      ->transform(CLI::Validator(to_bytes, ""));
  app.add_option("--teams", options.teams, "Numbers of members, separated by commas; default: all ranks")
      ->delimiter(',')
      ->check(at_least(1, "number of members"));
  const CLI::Option* writes = app.add_option("-o,--output", options.output, "The table to write");
  const CLI::Option* times =
      app.add_option("--milliseconds", options.milliseconds, "Measuring time per candidate (10; between hosts 100)")
          ->check(at_least(1e-6, "number of milliseconds above 0"));
  const CLI::Option* prunes =
      app.add_option("--prune", options.prune,
                     "Leave out candidates predicted to be this many times slower than the best")
          ->check(at_least(1, "number of times, 1 or more"));
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
    if (writes->count() != 0 && !app.get_subcommands().empty())
      throw CLI::ValidationError("-o: " + app.get_subcommands()[0]->get_name() + " writes no table");
    if (shows->parsed() && (times->count() != 0 || prunes->count() != 0))
      throw CLI::ValidationError(std::string(times->count() != 0 ? "--milliseconds" : "--prune") +
                                 ": show measures nothing");
    line.understood = true;
    line.command = shows->parsed() ? Command::show : compares->parsed() ? Command::compare : Command::table;
  } catch (const CLI::CallForHelp&) {
    line.message = app.help();
  } catch (const CLI::CallForVersion& version) {
    line.message = std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    line.exit_code = 2;
    line.message = "weft-tune: " + std::string(error.what()) + "; weft-tune --help shows the options\n";
  }
  return line;
}

// What only a running job knows to be wrong.
std::string complaint(const CommandLine& line) {
  if (weft_size() < 2 && line.command != Command::show)
    return "a job of one rank has nothing to measure: weftrun -n N with at least 2";
  for (const uint32_t members : line.options.teams)
    if (members > weft_size())
      return "--teams: a team of " + std::to_string(members) + " needs as many ranks; the job has " +
             std::to_string(weft_size());
  return "";
}

void carry_out(Options& options, Command command) {
  if (options.sizes.empty())
    for (size_t size = 8; size <= size_t{4} << 20; size *= 4) options.sizes.push_back(size);
  if (options.teams.empty()) options.teams.push_back(weft_size());
  if (command == Command::show) {
    on_teams(options, [&](weft_team_t team) { show(options, team); });
  } else if (command == Command::compare) {
    on_teams(options, [&](weft_team_t team) { tune::compare(options, team); });
  } else {
    write_table(options);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  CommandLine line = parse(argc, argv);
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  if (const std::string wrong = line.understood ? complaint(line) : ""; !wrong.empty()) {
    line.understood = false;
    line.exit_code = 2;
    line.message = "weft-tune: " + wrong + "\n";
  }
  if (line.understood) {
    carry_out(line.options, line.command);
  } else if (weft_rank() == 0) {
    std::fputs(line.message.c_str(), line.exit_code == 0 ? stdout : stderr);
  }
  weft_finalize();
  return line.exit_code;
} catch (const std::exception& error) {
  std::fprintf(stderr, "weft-tune: %s\n", error.what());
  return 1;
}
