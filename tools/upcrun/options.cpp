#include "options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "base/parse.hpp"
#include "command_line.hpp"
#include "weft/version.h"

namespace upcrun {
namespace {

constexpr const char* footer =
    "-v prints the command that runs; -t prints it without running it; -i prints what PROG was compiled for.\n"
    "Threads are processes, or threads of one process if PROG was compiled with upcc --pthreads. The exit code is 0 "
    "if\n"
    "all threads end in order, else that of the first that fails; see weftrun(1). See the manual page upcrun(1).";

// Options that weftrun takes, with the names of their values.
struct PassedOn {
  const char *name, *value, *about;
};
constexpr PassedOn passed_on[] = {
    {"--hosts", "LIST", "run on these hosts; see weftrun(1)"},
    {"--hostfile", "FILE", "the same, one host per line"},
    {"--env", "NAME[=VALUE]", "set this variable for all threads"},
    {"--sim", "PLATFORM", "simulate the threads of a program compiled with --pthreads on this machine"},
    {"--sim-seed", "N", "what the simulated network leaves to chance"},
    {"--sim-fault", "FAULTS", "what goes wrong there; see weftrun(1)"},
    {"--sim-compute", "HOW", "virtual time of computation: free (none), measured or model"},
    {"--sim-map", "MAP", "places of the threads: txyz, xyzt or a file"},
    {"--sim-per-host", "N", "threads of a simulated host"}};

// What users of other UPC compilers type: what makes no difference here, and what has another name.
constexpr const char* no_file = "upcrun reads no configuration file";
constexpr const char* as_they_are = "arguments and variables reach the program as they are";
constexpr const char* core_files = "ulimit -c decides whether a crash leaves a core file";
constexpr weft::tools::OtherOption ignored[] = {
    {"-localhost", "threads are on this host unless --hosts or --hostfile says otherwise"},
    {"-abort", core_files},
    {"-noabort", core_files},
    {"-encode", as_they_are},
    {"-encode-args", as_they_are},
    {"-encode-env", as_they_are},
    {"-norc", no_file},
    {"-conf", no_file}};
constexpr const char* variable = "--env NAME[=VALUE]; upcrun's own environment reaches all threads as it is";
constexpr weft::tools::OtherOption others[] = {
    {"-np", "-n N"},
    {"-E", variable},
    {"-env", variable},
    {"-genv", variable},
    {"-x", variable},
    {"-shared-heap", "--shared-heap SIZE"},
    {"-bind-threads", "--bind"},
    {"-pthreads", "upcc --pthreads, when the program is compiled"},
    {"-nopthreads", "upcc without --pthreads, when the program is compiled"},
    {"-network", "the setting WEFT_CONDUIT (docs/SETTINGS.md)"},
    {"-conduit", "the setting WEFT_CONDUIT (docs/SETTINGS.md)"},
    {"-backtrace", "the setting WEFT_BACKTRACE=1"},
    {"-trace", "the setting WEFT_TRACE=file"},
    {"-stats", "the setting WEFT_STATS=1"},
    {"-c", "--hosts h1:N,h2:N, for N threads on each host"},
    {"-cpus-per-node", "--hosts h1:N,h2:N, for N threads on each host"},
    {"-N", "--hosts LIST, or a launcher of your site (docs/LAUNCHING.md)"},
    {"-nodes", "--hosts LIST, or a launcher of your site (docs/LAUNCHING.md)"}};

// Whether it is an option of Berkeley UPC's upcrun that is done, or makes no difference.
bool is_berkeleys(const std::string& word, Options& options) {
  const std::string name = word.substr(word.starts_with("--") ? 1 : 0);
  if (name == "-q" || name == "-quiet" || name == "-noquiet") return true;  // upcrun says nothing as it is
  if (name == "-v" || name == "-verbose" || name == "-t" || name == "-show") {
    options.show = true;
    options.run = options.run && (name == "-v" || name == "-verbose");
    return true;
  }
  if (name == "-i" || name == "-info") {
    options.information = true;
    return true;
  }
  for (const weft::tools::OtherOption& other : ignored) {
    if (!other.is(word)) continue;
    std::fprintf(stderr, "upcrun: note: %s is ignored: %s\n", word.c_str(), other.here);
    return true;
  }
  return false;
}

// -n4 is -n 4, but -np is not -n p. The word that `threads` came from, or nothing.
const char* misused_n(const std::string& threads, int argc, char** argv) {
  if (threads.empty() || (threads.front() >= '0' && threads.front() <= '9')) return nullptr;
  char** const word = std::find(argv + 1, argv + argc, "-n" + threads);
  return word == argv + argc ? nullptr : *word;
}

bool is_heap_size(const char* text) {
  uint64_t bytes = 0;
  if (weft::base::parse_size(text, bytes) && bytes != 0) return true;
  std::fprintf(stderr, "upcrun: --shared-heap %s: give a number of bytes, with K, M, G or T if wanted, as 2G or 512M\n",
               text);
  return false;
}

std::nullopt_t wrong(int& exit_code) {
  exit_code = exit_usage;
  return std::nullopt;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_code) {
  Options options;
  std::vector<std::string> passed[std::size(passed_on)];
  weft::tools::CommandLine line(
      "upcrun", "upcrun [-n N] [OPTIONS] PROG [ARGS]",
      "Runs the UPC program PROG on N threads, on this host or several, and waits for its end.",
      "upcrun (Weft) " WEFT_VERSION_TEXT "\n");
  line.others = others;
  line.read_as = [&](const char* word) { return is_berkeleys(word, options) ? nullptr : word; };
  CLI::App& app = line.app;
  app.prefix_command();
  app.footer(footer);
  std::vector<std::string> threads;  // the last counts
  app.add_option("-n", threads, "number of threads; may be left out if PROG was compiled for a fixed number")
      ->type_name("N")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--shared-heap", options.shared_heap, "shared memory that each thread can allocate, as 2G or 512M")
      ->type_name("SIZE");
  line.add_flag("--bind", options.bind, "run thread i on the i-th processor allowed to upcrun");
  line.add_flag("--tag-output", options.tag_output, "begin each line of output with the thread: \"[3] \"");
  for (size_t i = 0; i < std::size(passed_on); ++i)
    app.add_option(passed_on[i].name, passed[i], passed_on[i].about)
        ->type_name(passed_on[i].value)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (!line.parse(argc, argv, exit_code)) return std::nullopt;
  for (const std::string& number : threads) {
    if (const char* word = misused_n(number, argc, argv)) {
      line.tell_unknown(word);
      return wrong(exit_code);
    }
    options.threads = number;
  }
  if (app.count("--shared-heap") != 0 && !is_heap_size(options.shared_heap.c_str())) return wrong(exit_code);
  options.simulated = app.count("--sim") != 0;
  for (size_t i = 0; i < std::size(passed_on); ++i)
    for (const std::string& value : passed[i]) {
      options.passed_on.emplace_back(passed_on[i].name);
      options.passed_on.push_back(value);
    }
  if (line.rest().empty()) {
    std::fprintf(stderr, "upcrun: no program given: upcrun -n N PROG [ARGS]\n");
    return wrong(exit_code);
  }
  options.program = argv + argc - line.rest().size();
  return options;
}

namespace {

// The kernel refuses to start a program with more of them than this, by killing it.
bool static_objects_fit(const char* program, uint64_t bytes) {
  const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  const uint64_t memory = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  constexpr uint64_t most_reserved = 16;  // times the memory: they need not all be touched
  if (bytes / most_reserved <= memory) return true;
  std::fprintf(stderr,
               "upcrun: the static shared objects of %s take %" PRIu64
               " bytes of each thread's memory, and this host has %" PRIu64
               "; make them smaller, or use more threads if their size does not grow with THREADS\n",
               program, bytes, memory);
  return false;
}

bool can_be_simulated(const char* program, const std::optional<ProgramFacts>& facts) {
  if (!facts || facts->pthreads) return true;
  std::fprintf(stderr,
               "upcrun: the threads of %s are processes, but simulated ones share a process: compile it with "
               "upcc --pthreads\n",
               program);
  return false;
}

// Open MPI's processes find each other through mpirun only. With --pthreads there is one.
void warn_of_open_mpi(const Options& options, const std::string& threads) {
  std::fprintf(stderr,
               "upcrun: warning: %s uses Open MPI, in which each thread is now alone (MPI_COMM_WORLD has size 1): "
               "start it with Open MPI's mpirun -n %s\n",
               options.program[0], threads.c_str());
}

}  // namespace

void print_information(const char* program, const ProgramFacts& facts) {
  const std::string threads = facts.threads == 0   ? "any number of"
                              : facts.threads == 1 ? "1"
                                                   : std::to_string(facts.threads);
  std::printf("%s: compiled for %s thread%s, which are %s\n", program, threads.c_str(), facts.threads == 1 ? "" : "s",
              facts.pthreads ? "threads of one process (--pthreads)" : "processes");
  std::printf("static shared objects: %" PRIu64 " bytes of each thread's memory\n", facts.static_bytes);
  if (facts.open_mpi) std::printf("linked with Open MPI\n");
}

std::vector<std::string> weftrun_arguments(const Options& options, const std::optional<ProgramFacts>& facts) {
  if (facts && !static_objects_fit(options.program[0], facts->static_bytes)) return {};
  if (options.simulated && !can_be_simulated(options.program[0], facts)) return {};
  const uint64_t fixed = facts ? facts->threads : 0;
  std::string threads = options.threads;
  if (threads.empty()) {
    if (fixed == 0) {
      std::fprintf(stderr, "upcrun: how many threads? %s was not compiled for a fixed number: give -n N\n",
                   options.program[0]);
      return {};
    }
    threads = std::to_string(fixed);
  }
  if (fixed != 0 && weft::base::parse_number<uint64_t>(threads) != fixed) {
    std::fprintf(stderr, "upcrun: %s was compiled for %" PRIu64 " threads and cannot run on %s; leave -n out\n",
                 options.program[0], fixed, threads.c_str());
    return {};
  }
  if (facts && facts->open_mpi && !facts->pthreads && threads != "1") warn_of_open_mpi(options, threads);
  std::vector<std::string> arguments = {"--upc", "-n", threads};
  if (facts && facts->pthreads && !options.simulated) arguments.emplace_back("--ranks-as=threads");
  if (options.bind) arguments.emplace_back("--bind");
  if (options.tag_output) arguments.emplace_back("--tag-output");
  arguments.insert(arguments.end(), options.passed_on.begin(), options.passed_on.end());
  arguments.emplace_back("--");
  for (char** word = options.program; *word != nullptr; ++word) arguments.emplace_back(*word);
  return arguments;
}

}  // namespace upcrun
