#include "options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "base/parse.hpp"
#include "command_line.hpp"
#include "common.hpp"
#include "speech.hpp"
#include "weft/version.h"

namespace weftrun {
namespace {

constexpr const char* footer =
    "Rank 0 reads weftrun's standard input, the others read nothing. The exit code is 0 if all ranks end in order,\n"
    "else that of the first rank that fails: its own code, or 128 + the signal that killed it. 2 means a wrong\n"
    "command line, 126 and 127 that PROG cannot be run. See the manual page weftrun(1).";

std::nullopt_t wrong(int& exit_code) {
  exit_code = exit_usage;
  return std::nullopt;
}

bool read_ranks(const char* text, uint32_t& ranks) {
  const auto number = weft::base::parse_number<uint32_t>(text, 1, most_ranks);
  if (!number) {
    tell("-n %s: the number of %ss must be a whole number from 1 to %u", text, rank_noun(), most_ranks);
    return false;
  }
  ranks = *number;
  return true;
}

bool read_hosts(const char* option, const char* text, bool file, Options& options) {
  std::string error;
  if (file ? parse_hostfile(text, options.hosts, error) : parse_hosts(text, options.hosts, error)) return true;
  tell("%s %s: %s", option, text, error.c_str());
  return false;
}

bool read_host_timeout(const char* text, uint32_t& seconds) {
  const auto number = weft::base::parse_number<uint32_t>(text, 2, 3600);
  if (!number) {
    tell("--host-timeout %s: give a whole number of seconds from 2 to 3600", text);
    return false;
  }
  seconds = *number;
  return true;
}

bool is_variable(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto good = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  if (!name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), good)) return true;
  tell("--env '%.*s': give NAME or NAME=VALUE, NAME of letters, digits and _", static_cast<int>(text.size()),
       text.data());
  return false;
}

bool read_ranks_as(const char* text, bool& threads) {
  threads = std::strcmp(text, "threads") == 0;
  if (threads || std::strcmp(text, "processes") == 0) return true;
  tell("--ranks-as=%s: ranks can be 'processes' or 'threads'", text);
  return false;
}

// An option that is a setting of simulated ranks.
struct SimulationOption {
  const char *name, *variable, *value, *about;
};
constexpr SimulationOption simulation_options[] = {
    {"--sim-seed", "WEFT_SIM_SEED", "N",
     "what the simulated network leaves to chance: the same seed gives the same times"},
    {"--sim-fault", "WEFT_SIM_FAULT", "FAULTS",
     "what goes wrong: delay=P:T,drop=P,retry=P,reorder,schedule,slow=h3:4,cut=h3@T,dead=h7@T,\n"
     "only=FIRST-LAST,seed=N"},
    {"--sim-compute", "WEFT_SIM_COMPUTE", "HOW", "virtual time of computation: free (none), measured or model"},
    {"--sim-data", "WEFT_SIM_DATA", "none", "large arrays have no data: transfers take their time and move nothing"},
    {"--sim-map", "WEFT_SIM_MAP", "MAP", "places of the ranks: txyz, xyzt or a file (default: the platform's)"},
    {"--sim-per-host", "WEFT_SIM_RANKS_PER_HOST", "N", "ranks of a simulated host (default: its cores)"}};

constexpr const char* huge_pages_of_malloc = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";

// Options of mpirun and mpiexec.
constexpr const char* slots = "--hosts h1:N,h2:N, for N ranks on each host";
constexpr const char* variables =
    "--env NAME[=VALUE]; weftrun's own environment reaches all ranks of this host as it is";
constexpr const char* hostfile = "--hostfile FILE";
constexpr const char* none_needed = "nothing; weftrun starts as many ranks as it is told, as any user";
constexpr weft::tools::OtherOption others[] = {{"-x", variables},
                                               {"-genv", variables},
                                               {"-host", "--hosts H1,H2"},
                                               {"-H", "--hosts H1,H2"},
                                               {"-f", hostfile},
                                               {"-machinefile", hostfile},
                                               {"-c", "-n N"},
                                               {"-N", slots},
                                               {"-ppn", slots},
                                               {"-npernode", slots},
                                               {"-map-by", "the order of --hosts, and --bind"},
                                               {"-bind-to", "--bind"},
                                               {"-oversubscribe", none_needed},
                                               {"-allow-run-as-root", none_needed},
                                               {"-wdir", "cd DIRECTORY before weftrun"},
                                               {"-wd", "cd DIRECTORY before weftrun"},
                                               {"-timeout", "timeout SECONDS weftrun ..."},
                                               {"-output-filename", "--tag-output, and > FILE"},
                                               {"-v", "the setting WEFT_LOG=info"},
                                               {"-verbose", "the setting WEFT_LOG=info"}};

// What goes with simulated ranks, or cannot. The process reads the rest as settings. `chosen_kind`: by --ranks-as.
bool finish_simulation(Options& options, bool chosen_kind) {
  std::string error;
  if (options.platform.empty() && !options.simulation.empty())
    error = options.simulation.front().first + " goes with --sim PLATFORM";
  else if (!options.platform.empty() && chosen_kind)
    error = "--ranks-as does not go with --sim: simulated ranks are fibers of one thread";
  else if (!options.platform.empty() && !options.hosts.empty())
    error = "--sim simulates its hosts; leave --hosts out";
  else if (!options.platform.empty() && options.bind)
    error = "--bind is for ranks with processors of their own; leave it out with --sim";
  if (!error.empty()) {
    tell("%s", error.c_str());
    return false;
  }
  if (options.platform.empty()) return true;
  options.threads = true;
  options.environment.push_back("WEFT_CONDUIT=sim");
  options.environment.push_back("WEFT_SIM_PLATFORM=" + options.platform);
  // All ranks are in one process, and each message touches the memory of another: without huge pages a fifth of the
  // time of 4,096 ranks goes into translating addresses. Another setting of the user's stays.
  if (!std::getenv("GLIBC_TUNABLES")) options.environment.insert(options.environment.begin(), huge_pages_of_malloc);
  for (const auto& [option, variable] : options.simulation) options.environment.push_back(variable);
  return true;
}

// As on the command line: what is not there is empty, and only the values of options are read further.
struct Words {
  std::string ranks_as, hosts, hostfile;
  std::vector<std::string> ranks, host_timeouts, environment;  // each is checked; of numbers the last counts
  std::string simulation[std::size(simulation_options)];
};

void add_options(weft::tools::CommandLine& line, Options& options, Words& words) {
  CLI::App& app = line.app;
  app.prefix_command();
  app.footer(footer);
  const auto add_repeatable = [&](const char* name, std::vector<std::string>& values, const char* about) {
    return app.add_option(name, values, about)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  add_repeatable("-n", words.ranks, "number of ranks, 1 to 65536; -np is the same")->type_name("N")->expected(1);
  app.add_option("--ranks-as", words.ranks_as, "each rank is one of the processes (the default), or of the threads")
      ->type_name("HOW");
  app.add_option("--sim", options.platform, "the ranks are simulated on this network; see docs/SIMULATION.md")
      ->type_name("PLATFORM");
  for (size_t i = 0; i < std::size(simulation_options); ++i)
    app.add_option(simulation_options[i].name, words.simulation[i], simulation_options[i].about)
        ->type_name(simulation_options[i].value);
  line.add_flag("--bind", options.bind, "run rank i on the i-th processor allowed to weftrun");
  line.add_flag("--tag-output", options.tag_output, "begin each line of output with the rank: \"[3] \"");
  app.add_option("--hosts", words.hosts, "run on these hosts, through ssh or the program that WEFT_RSH names")
      ->type_name("H1,H2[:SLOTS]");
  app.add_option("--hostfile", words.hostfile, "the same, one host per line: NAME, NAME:SLOTS or NAME slots=SLOTS")
      ->type_name("FILE");
  add_repeatable("--env", words.environment,
                 "set this variable for all ranks; NAME alone: on all hosts as it is here, which WEFT_*, UPC_* and\n"
                 "LD_LIBRARY_PATH always are")
      ->type_name("NAME[=VALUE]");
  add_repeatable("--host-timeout", words.host_timeouts,
                 "a host that is silent for so long is lost, 2 to 3600 (default 10)")
      ->type_name("SECONDS")
      ->expected(1);
  app.add_option("--weftrun", options.weftrun_path, "where weftrun is on the other hosts (default: where it is here)")
      ->type_name("PATH");
  line.add_flag("--agent", options.agent, "")->group("");
  line.add_flag("--upc", speaks_upc, "")->group("");
}

// What the words of the options mean; false after a line if one means nothing.
bool read_words(const CLI::App& app, const Words& words, Options& options) {
  const auto ranks = [&](const std::string& text) { return read_ranks(text.c_str(), options.ranks); };
  if (!std::all_of(words.ranks.begin(), words.ranks.end(), ranks)) return false;
  if (app.count("--ranks-as") != 0 && !read_ranks_as(words.ranks_as.c_str(), options.threads)) return false;
  if (app.count("--sim") != 0 && options.platform.empty()) {
    tell("--sim needs a platform, as in --sim flat");
    return false;
  }
  for (size_t i = 0; i < std::size(simulation_options); ++i)
    if (const SimulationOption& option = simulation_options[i]; app.count(option.name) != 0)
      options.simulation.emplace_back(option.name, option.variable + ("=" + words.simulation[i]));
  if (app.count("--hosts") + app.count("--hostfile") > 1) {
    tell("hosts have been given already; give --hosts or --hostfile once");
    return false;
  }
  if (app.count("--hosts") != 0 && !read_hosts("--hosts", words.hosts.c_str(), false, options)) return false;
  if (app.count("--hostfile") != 0 && !read_hosts("--hostfile", words.hostfile.c_str(), true, options)) return false;
  if (!std::all_of(words.environment.begin(), words.environment.end(), is_variable)) return false;
  options.environment = words.environment;
  const auto timeout = [&](const std::string& text) { return read_host_timeout(text.c_str(), options.host_timeout_s); };
  return std::all_of(words.host_timeouts.begin(), words.host_timeouts.end(), timeout);
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_code) {
  Options options;
  Words words;
  weft::tools::CommandLine line("weftrun", "weftrun -n N [OPTIONS] PROG [ARGS]",
                                "Starts PROG as a Weft job of N ranks, on this host or several, and waits for its end.",
                                "weftrun (Weft) " WEFT_VERSION_TEXT "\n");
  // As other launchers take it.
  line.read_as = [](const char* word) { return std::strcmp(word, "-np") == 0 ? "-n" : word; };
  line.others = others;
  add_options(line, options, words);
  if (!line.parse(argc, argv, exit_code)) return std::nullopt;
  if (!read_words(line.app, words, options)) return wrong(exit_code);
  if (options.agent) return options;
  if (options.ranks == 0) {
    tell("how many ranks? Give -n N, N from 1 to %u; see weftrun --help", most_ranks);
    return wrong(exit_code);
  }
  if (line.rest().empty()) {
    tell("no program given: weftrun -n %u PROG [ARGS]", options.ranks);
    return wrong(exit_code);
  }
  if (!finish_simulation(options, line.app.count("--ranks-as") != 0)) return wrong(exit_code);
  if (options.threads && !options.hosts.empty()) {
    tell("%s; leave --hosts out", speaks_upc ? "the threads of a program compiled with --pthreads are on one host"
                                             : "--ranks-as=threads is for one host");
    return wrong(exit_code);
  }
  options.program = argv + argc - line.rest().size();
  return options;
}

}  // namespace weftrun
