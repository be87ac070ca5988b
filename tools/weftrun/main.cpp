// weftrun: starts a Weft job on this host or on several. What may be wrong is found before anything is started; the
// guard then keeps watch while the Job runs.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "agent.hpp"
#include "base/parse.hpp"
#include "binding.hpp"
#include "cluster_job.hpp"
#include "guard.hpp"
#include "job.hpp"
#include "options.hpp"
#include "program.hpp"
#include "remote.hpp"
#include "replay.hpp"
#include "speech.hpp"

namespace weftrun {
namespace {

/// Descriptors 0 to 2 must be taken, or a socket would become someone's standard stream.
void fill_standard_streams() {
  for (int descriptor; (descriptor = ::open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0;) {
    if (descriptor > STDERR_FILENO) {
      ::close(descriptor);
      return;
    }
    ::fcntl(descriptor, F_SETFD, 0);
  }
}

/// Inside another launcher's job, that job's socket is not for our ranks.
void keep_outer_launcher_to_ourselves() {
  const char* text = std::getenv("PMI_FD");
  const auto descriptor = text ? weft::base::parse_number<int>(text, 3) : std::nullopt;
  if (descriptor) ::fcntl(*descriptor, F_SETFD, FD_CLOEXEC);
}

int wrong_usage(const std::string& error) {
  tell("%s", error.c_str());
  return exit_usage;
}

int run_here(const Options& options, const std::string& path, const std::vector<std::string>& variables) {
  for (const std::string& each : variables) {
    const size_t end = each.find('=');
    ::setenv(each.substr(0, end).c_str(), each.c_str() + end + 1, 1);
  }
  std::vector<int> processors;
  if (options.bind) {
    std::string error;
    processors = choose_processors(options.ranks, error);
    if (processors.empty()) return wrong_usage(error);
  }
  return run_guarded([&] { return Job(options, path, processors).run(); });
}

int run_on_hosts(const Options& options, const std::string& path, const std::vector<std::string>& variables) {
  std::vector<Host> hosts = options.hosts;
  std::vector<uint32_t> counts;
  std::string error;
  if (!place_ranks(options.ranks, hosts, counts, error)) return wrong_usage("-n " + error);
  return run_guarded([&] { return ClusterJob(options, path, hosts, counts, variables).run(); });
}

int run(int argc, char** argv) {
  int exit_code = 0;
  std::optional<Options> options = parse_options(argc, argv, exit_code);
  if (!options) return exit_code;
  if (options->agent) return run_guarded([] { return Agent().run(); }, true);
  const std::string path = find_program(options->program[0], exit_code);
  if (path.empty()) return exit_code;
  std::vector<std::string> variables;
  std::string error;
  if (!choose_environment(options->environment, variables, error)) return wrong_usage(error);
  keep_outer_launcher_to_ourselves();
  if (!options->hosts.empty()) return run_on_hosts(*options, path, variables);
  options->replay = has_simulated_faults(*options) ? replay_line(argv, environ) : "";
  return run_here(*options, path, variables);
}

}  // namespace
}  // namespace weftrun

int main(int argc, char** argv) {
  weftrun::fill_standard_streams();
  return weftrun::run(argc, argv);
}
