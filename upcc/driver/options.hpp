// The command line. What upcc does not know is the C compiler's business and is handed to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "basic/diagnostics.hpp"
#include "optimise/options.hpp"

namespace upcc::driver {

enum class Action : std::uint8_t { link, compile, assembly, preprocess, check, print_c, dependencies };

enum class Language : std::uint8_t {
  upc,
  upc_preprocessed,
  thread_local_c,  // C in a program whose UPC threads share a process: its variables become thread-local, too
  other_source,    // compiled by the C compiler as it is
  object,          // handed to the linker
};

struct Input {
  std::string path;  // "-" is standard input
  Language language = Language::upc;
  std::string forced;             // the argument of -x for other_source, empty to go by the suffix
  std::size_t link_position = 0;  // where its object stands among link_args
};

struct Options {
  Action action = Action::link;
  std::vector<Input> inputs;
  std::string output;
  std::vector<std::string> preprocess_args;  // -I -D -U -include ...
  std::vector<std::string> compile_args;     // -O -g -f -m -std ...: to every invocation of the C compiler
  std::vector<std::string> warning_args;     // -W...: to the C compiler too
  std::vector<std::string> link_args;        // -l -L -Wl, ..., in order, with holes for the inputs' objects
  std::vector<std::string> link_with;        // -link-with: the command that links; empty: the C compiler
  std::vector<std::string> dependency_args;  // -MD -MF ...
  bool dependencies_beside = false;          // -MD or -MMD
  bool dependency_file = false;              // -MF
  bool dependency_target = false;            // -MT or -MQ
  std::vector<std::string> questions;        // -print-... and the like, which the C compiler answers
  bool save_temps_beside = false;            // -save-temps=obj: where the output is
  std::string standard = "gnu11";
  int optimise_level = 0;
  bool more_loops = false;  // -O2: the C compiler changes loops as it does at -O3
  OptimiseOptions optimise;
  enum class Report : std::uint8_t { none, text, json };
  Report report = Report::none;  // -fupc-report
  bool report_view = false;      // --report-view: nothing is compiled
  std::string report_html;       // its file; empty: text on standard output
  std::string report_counts;     // what UPC_PLACES wrote, or empty
  std::int64_t threads = 0;      // 0 = dynamic
  bool pthreads = false;
  bool save_temps = false;
  bool verbose = false;
  bool dry_run = false;          // -###
  bool no_link_runtime = false;  // -nostdlib, -r, -shared
  WarningOptions warnings;
  Colour colour = Colour::automatic;
};

// What the link makes.
[[nodiscard]] inline std::string program_of(const Options& options) {
  return options.output.empty() ? "a.out" : options.output;
}

enum class ParseResult : std::uint8_t { run, done, failed };

// Reads UPCC_FLAGS and the arguments of the program, whose name counts. `done` when they asked only for information,
// which has been printed.
ParseResult parse_options(const std::string& program, std::vector<std::string> args, Options& out);

// "upcc: error: ..." on standard error.
void complain(const std::string& message);

}  // namespace upcc::driver
