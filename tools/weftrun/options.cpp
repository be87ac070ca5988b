#include "options.hpp"

#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/option_hint.hpp"
#include "boot/pmi_wire.hpp"
#include "common.hpp"
#include "weft/version.h"

namespace weftrun {
namespace {

constexpr const char* help =
    "Usage: weftrun -n N [OPTIONS] PROG [ARGS]\n"
    "Starts PROG as a Weft job of N ranks, on this host or several, and waits for its end.\n"
    "\n"
    "  -n N                   number of ranks, 1 to 65536\n"
    "  --ranks-as=processes   each rank is a process (the default)\n"
    "  --ranks-as=threads     the ranks are threads of one process\n"
    "  --sim PLATFORM         the ranks are simulated on this network, in virtual time; see docs/SIMULATION.md\n"
    "  --sim-seed N           what the simulated network leaves to chance: the same seed gives the same times\n"
    "  --sim-fault FAULTS     what goes wrong: "
    "delay=P:T,drop=P,retry=P,reorder,schedule,slow=h3:4,cut=h3@T,dead=h7@T,\n"
    "                         seed=N\n"
    "  --sim-compute HOW      virtual time of computation: free (none), measured or model\n"
    "  --sim-data none        large arrays have no data: transfers take their time and move nothing\n"
    "  --sim-map MAP          places of the ranks: txyz, xyzt or a file (default: the platform's)\n"
    "  --sim-per-host N       ranks of a simulated host (default: its cores)\n"
    "  --bind                 run rank i on the i-th processor allowed to weftrun\n"
    "  --tag-output           begin each line of output with the rank: \"[3] \"\n"
    "  --hosts H1,H2[:SLOTS]  run on these hosts, through ssh or the program that WEFT_RSH names\n"
    "  --hostfile FILE        the same, one host per line: NAME, NAME:SLOTS or NAME slots=SLOTS\n"
    "  --env NAME[=VALUE]     set this variable for all ranks; NAME alone: on all hosts as it is here, which WEFT_*,\n"
    "                         UPC_* and LD_LIBRARY_PATH always are\n"
    "  --host-timeout SECONDS a host that is silent for so long is lost, 2 to 3600 (default 10)\n"
    "  --weftrun PATH         where weftrun is on the other hosts (default: where it is here)\n"
    "  -h, --help             print this\n"
    "  --version              print the version\n"
    "\n"
    "Rank 0 reads weftrun's standard input, the others read nothing. The exit code is 0 if all ranks end in order,\n"
    "else that of the first rank that fails: its own code, or 128 + the signal that killed it. 2 means a wrong\n"
    "command line, 126 and 127 that PROG cannot be run. See the manual page weftrun(1).\n";

constexpr const char* version = "weftrun (Weft) %d.%d.%d\n";

enum LongOption : int {
  ranks_as = 256,
  bind,
  tag_output,
  show_version,
  hosts,
  hostfile,
  env,
  host_timeout,
  weftrun_path,
  agent,
  upc,
  sim,
  sim_seed,
  sim_fault,
  sim_compute,
  sim_data,
  sim_map,
  sim_per_host
};

constexpr option long_options[] = {{"ranks-as", required_argument, nullptr, ranks_as},
                                   {"bind", no_argument, nullptr, bind},
                                   {"tag-output", no_argument, nullptr, tag_output},
                                   {"help", no_argument, nullptr, 'h'},
                                   {"version", no_argument, nullptr, show_version},
                                   {"hosts", required_argument, nullptr, hosts},
                                   {"hostfile", required_argument, nullptr, hostfile},
                                   {"env", required_argument, nullptr, env},
                                   {"host-timeout", required_argument, nullptr, host_timeout},
                                   {"weftrun", required_argument, nullptr, weftrun_path},
                                   {"agent", no_argument, nullptr, agent},
                                   {"upc", no_argument, nullptr, upc},
                                   {"sim", required_argument, nullptr, sim},
                                   {"sim-seed", required_argument, nullptr, sim_seed},
                                   {"sim-fault", required_argument, nullptr, sim_fault},
                                   {"sim-compute", required_argument, nullptr, sim_compute},
                                   {"sim-data", required_argument, nullptr, sim_data},
                                   {"sim-map", required_argument, nullptr, sim_map},
                                   {"sim-per-host", required_argument, nullptr, sim_per_host},
                                   {nullptr, 0, nullptr, 0}};

std::nullopt_t wrong(int& exit_code) {
  exit_code = exit_usage;
  return std::nullopt;
}

bool read_ranks(const char* text, uint32_t& ranks) {
  const std::optional<int64_t> number = weft::boot::parse_number(text, 1, most_ranks);
  if (!number) {
    std::fprintf(stderr, "weftrun: -n %s: the number of %ss must be a whole number from 1 to %u\n", text, rank_noun(),
                 most_ranks);
    return false;
  }
  ranks = static_cast<uint32_t>(*number);
  return true;
}

bool read_hosts(const char* option, const char* text, bool file, Options& options) {
  std::string error;
  const bool again = !options.hosts.empty();
  if (again) error = "hosts have been given already";
  if (!again && (file ? parse_hostfile(text, options.hosts, error) : parse_hosts(text, options.hosts, error)))
    return true;
  std::fprintf(stderr, "weftrun: %s %s: %s\n", option, text, error.c_str());
  return false;
}

bool read_host_timeout(const char* text, uint32_t& seconds) {
  const std::optional<int64_t> number = weft::boot::parse_number(text, 2, 3600);
  if (!number) {
    std::fprintf(stderr, "weftrun: --host-timeout %s: give a whole number of seconds from 2 to 3600\n", text);
    return false;
  }
  seconds = static_cast<uint32_t>(*number);
  return true;
}

bool is_variable(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto good = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  if (!name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), good)) return true;
  std::fprintf(stderr, "weftrun: --env '%.*s': give NAME or NAME=VALUE, NAME of letters, digits and _\n",
               static_cast<int>(text.size()), text.data());
  return false;
}

bool read_ranks_as(const char* text, bool& threads) {
  threads = std::strcmp(text, "threads") == 0;
  if (threads || std::strcmp(text, "processes") == 0) return true;
  std::fprintf(stderr, "weftrun: --ranks-as=%s: ranks can be 'processes' or 'threads'\n", text);
  return false;
}

std::nullopt_t needs_platform(int& exit_code) {
  std::fprintf(stderr, "weftrun: --sim needs a platform, as in --sim flat\n");
  return wrong(exit_code);
}

// What goes with simulated ranks, or cannot. The process reads the rest as settings.
bool finish_simulation(Options& options) {
  std::string error;
  if (options.platform.empty() && !options.simulation.empty())
    error = options.simulation.front().first + " goes with --sim PLATFORM";
  else if (!options.platform.empty() && options.threads)
    error = "--ranks-as=threads does not go with --sim: simulated ranks are fibers of one thread";
  else if (!options.platform.empty() && !options.hosts.empty())
    error = "--sim simulates its hosts; leave --hosts out";
  else if (!options.platform.empty() && options.bind)
    error = "--bind is for ranks with processors of their own; leave it out with --sim";
  if (!error.empty()) {
    std::fprintf(stderr, "weftrun: %s\n", error.c_str());
    return false;
  }
  if (options.platform.empty()) return true;
  options.threads = true;
  options.environment.push_back("WEFT_CONDUIT=sim");
  options.environment.push_back("WEFT_SIM_PLATFORM=" + options.platform);
  for (const auto& [option, variable] : options.simulation) options.environment.push_back(variable);
  return true;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_code) {
  Options options;
  exit_code = 0;
  opterr = 0;
  // '+': stop at PROG, whose options are its own. ':': tell a missing argument from an unknown option.
  for (int choice; (choice = ::getopt_long(argc, argv, "+:hn:", long_options, nullptr)) != -1;) {
    switch (choice) {
      case 'n':
        // As "-np N", which other launchers take too.
        if (std::strcmp(optarg, "p") == 0 && optind < argc) optarg = argv[optind++];
        if (!read_ranks(optarg, options.ranks)) return wrong(exit_code);
        break;
      case ranks_as:
        if (!read_ranks_as(optarg, options.threads)) return wrong(exit_code);
        break;
      case sim:
        options.platform = optarg;
        if (options.platform.empty()) return needs_platform(exit_code);
        break;
      case sim_seed:
        options.simulation.emplace_back("--sim-seed", "WEFT_SIM_SEED=" + std::string(optarg));
        break;
      case sim_fault:
        options.simulation.emplace_back("--sim-fault", "WEFT_SIM_FAULT=" + std::string(optarg));
        break;
      case sim_compute:
        options.simulation.emplace_back("--sim-compute", "WEFT_SIM_COMPUTE=" + std::string(optarg));
        break;
      case sim_data:
        options.simulation.emplace_back("--sim-data", "WEFT_SIM_DATA=" + std::string(optarg));
        break;
      case sim_map:
        options.simulation.emplace_back("--sim-map", "WEFT_SIM_MAP=" + std::string(optarg));
        break;
      case sim_per_host:
        options.simulation.emplace_back("--sim-per-host", "WEFT_SIM_RANKS_PER_HOST=" + std::string(optarg));
        break;
      case bind:
        options.bind = true;
        break;
      case tag_output:
        options.tag_output = true;
        break;
      case hosts:
        if (!read_hosts("--hosts", optarg, false, options)) return wrong(exit_code);
        break;
      case hostfile:
        if (!read_hosts("--hostfile", optarg, true, options)) return wrong(exit_code);
        break;
      case env:
        if (!is_variable(optarg)) return wrong(exit_code);
        options.environment.emplace_back(optarg);
        break;
      case host_timeout:
        if (!read_host_timeout(optarg, options.host_timeout_s)) return wrong(exit_code);
        break;
      case weftrun_path:
        options.weftrun_path = optarg;
        break;
      case agent:
        options.agent = true;
        break;
      case upc:
        speaks_upc = true;
        break;
      case 'h':
        std::fputs(help, stdout);
        return std::nullopt;
      case show_version:
        std::printf(version, WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
        return std::nullopt;
      case ':':
        std::fprintf(stderr, "weftrun: %s needs a value; see weftrun --help\n", argv[optind - 1]);
        return wrong(exit_code);
      default:
        std::fprintf(stderr, "weftrun: unknown or misused option %s%s; see weftrun --help\n", argv[optind - 1],
                     weft::base::option_hint(argv[optind - 1], long_options).c_str());
        return wrong(exit_code);
    }
  }
  if (options.agent) return options;
  if (options.ranks == 0) {
    std::fprintf(stderr, "weftrun: how many ranks? Give -n N, N from 1 to %u; see weftrun --help\n", most_ranks);
    return wrong(exit_code);
  }
  if (optind == argc) {
    std::fprintf(stderr, "weftrun: no program given: weftrun -n %u PROG [ARGS]\n", options.ranks);
    return wrong(exit_code);
  }
  if (!finish_simulation(options)) return wrong(exit_code);
  if (options.threads && !options.hosts.empty()) {
    std::fprintf(stderr, "weftrun: %s; leave --hosts out\n",
                 speaks_upc ? "the threads of a program compiled with --pthreads are on one host"
                            : "--ranks-as=threads is for one host");
    return wrong(exit_code);
  }
  options.program = argv + optind;
  return options;
}

}  // namespace weftrun
