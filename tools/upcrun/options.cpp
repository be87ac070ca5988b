#include "options.hpp"

#include <getopt.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "base/option_hint.hpp"
#include "base/parse.hpp"
#include "weft/version.h"

namespace upcrun {
namespace {

constexpr const char* help =
    "Usage: upcrun [-n N] [OPTIONS] PROG [ARGS]\n"
    "Runs the UPC program PROG on N threads, on this host or several, and waits for its end.\n"
    "\n"
    "  -n N                number of threads; may be left out if PROG was compiled for a fixed number\n"
    "  --shared-heap SIZE  shared memory that each thread can allocate, as 2G or 512M\n"
    "  --bind              run thread i on the i-th processor allowed to upcrun\n"
    "  --tag-output        begin each line of output with the thread: \"[3] \"\n"
    "  --hosts LIST, --hostfile FILE, --env NAME[=VALUE]\n"
    "                      run on these hosts, with these variables; see weftrun(1)\n"
    "  --sim PLATFORM, --sim-seed N, --sim-fault FAULTS, --sim-compute HOW, --sim-map MAP, --sim-per-host N\n"
    "                      simulate the threads of a program compiled with --pthreads on this machine; see weftrun(1)\n"
    "  -v                  print the command that runs; -t: without running it\n"
    "  -i                  print what PROG was compiled for, and end\n"
    "  -h, --help          print this\n"
    "  --version           print the version\n"
    "\n"
    "Threads are processes, or threads of one process if PROG was compiled with upcc --pthreads. The exit code is 0 "
    "if\n"
    "all threads end in order, else that of the first that fails; see weftrun(1). See the manual page upcrun(1).\n";

enum LongOption : int { bind = 256, tag_output, shared_heap, show_version, passed_on, sim };

constexpr option long_options[] = {{"shared-heap", required_argument, nullptr, shared_heap},
                                   {"bind", no_argument, nullptr, bind},
                                   {"tag-output", no_argument, nullptr, tag_output},
                                   {"help", no_argument, nullptr, 'h'},
                                   {"version", no_argument, nullptr, show_version},
                                   {"hosts", required_argument, nullptr, passed_on},
                                   {"hostfile", required_argument, nullptr, passed_on},
                                   {"env", required_argument, nullptr, passed_on},
                                   {"sim", required_argument, nullptr, sim},
                                   {"sim-seed", required_argument, nullptr, passed_on},
                                   {"sim-fault", required_argument, nullptr, passed_on},
                                   {"sim-compute", required_argument, nullptr, passed_on},
                                   {"sim-map", required_argument, nullptr, passed_on},
                                   {"sim-per-host", required_argument, nullptr, passed_on},
                                   {nullptr, 0, nullptr, 0}};

// What users of other UPC compilers type, and what it is called here.
struct Other {
  const char* option;
  const char* here;
};
bool is_other(const std::string& word, const Other& other) {
  const std::string name = word.substr(0, word.find('='));
  return name == other.option || name == std::string("-") + other.option;
}

// What makes no difference here.
constexpr const char* no_file = "upcrun reads no configuration file";
constexpr const char* as_they_are = "arguments and variables reach the program as they are";
constexpr const char* core_files = "ulimit -c decides whether a crash leaves a core file";
constexpr Other ignored[] = {{"-localhost", "threads are on this host unless --hosts or --hostfile says otherwise"},
                             {"-abort", core_files},
                             {"-noabort", core_files},
                             {"-encode", as_they_are},
                             {"-encode-args", as_they_are},
                             {"-encode-env", as_they_are},
                             {"-norc", no_file},
                             {"-conf", no_file}};
constexpr Other others[] = {{"-np", "-n N"},
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

// A word that is no option here, or stands where it may not.
void tell_unknown(const std::string& word) {
  for (const Other& other : others) {
    if (!is_other(word, other)) continue;
    std::fprintf(stderr, "upcrun: unknown option %s; what it does is here: %s\n", word.c_str(), other.here);
    return;
  }
  std::fprintf(stderr, "upcrun: unknown or misused option %s%s; see upcrun --help\n", word.c_str(),
               weft::base::option_hint(word, long_options).c_str());
}

// An option of Berkeley UPC's upcrun that is done, or makes no difference.
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
  for (const Other& other : ignored) {
    if (!is_other(word, other)) continue;
    std::fprintf(stderr, "upcrun: note: %s is ignored: %s\n", word.c_str(), other.here);
    return true;
  }
  return false;
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
  exit_code = 0;
  opterr = 0;
  optind = 1;
  // '+': stop at PROG, whose options are its own. ':': tell a missing argument from an unknown option.
  const char* word = "";  // the one that getopt_long looks at
  int index = 0;          // its place in long_options
  while (true) {
    while (optind < argc && is_berkeleys(argv[optind], options)) ++optind;
    word = optind < argc ? argv[optind] : "";
    const int choice = ::getopt_long(argc, argv, "+:hn:", long_options, &index);
    if (choice == -1) break;
    switch (choice) {
      case 'n':
        // -n4 is -n 4, but -np is not -n p.
        if (optarg == word + 2 && (*optarg < '0' || *optarg > '9')) {
          tell_unknown(word);
          return wrong(exit_code);
        }
        options.threads = optarg;
        break;
      case shared_heap:
        if (!is_heap_size(optarg)) return wrong(exit_code);
        options.shared_heap = optarg;
        break;
      case bind:
        options.bind = true;
        break;
      case tag_output:
        options.tag_output = true;
        break;
      case sim:
        options.simulated = true;
        [[fallthrough]];
      case passed_on:
        options.passed_on.push_back(std::string("--") + long_options[index].name);
        options.passed_on.emplace_back(optarg);
        break;
      case 'h':
        std::fputs(help, stdout);
        return std::nullopt;
      case show_version:
        std::printf("upcrun (Weft) %s\n", WEFT_VERSION_TEXT);
        return std::nullopt;
      case ':':
        std::fprintf(stderr, "upcrun: %s needs a value; see upcrun --help\n", word);
        return wrong(exit_code);
      default:
        tell_unknown(word);
        return wrong(exit_code);
    }
  }
  if (optind == argc) {
    std::fprintf(stderr, "upcrun: no program given: upcrun -n N PROG [ARGS]\n");
    return wrong(exit_code);
  }
  options.program = argv + optind;
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
  if (fixed != 0 && std::strtoull(threads.c_str(), nullptr, 10) != fixed) {
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
