// weftrun: starts a Weft job on this host. What may be wrong is found before anything is started; the guard then keeps
// watch while the Job runs.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "boot/pmi_wire.hpp"
#include "guard.hpp"
#include "job.hpp"
#include "options.hpp"
#include "program.hpp"

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
  const std::optional<int64_t> descriptor = text ? weft::boot::parse_number(text, 3, INT32_MAX) : std::nullopt;
  if (descriptor) ::fcntl(static_cast<int>(*descriptor), F_SETFD, FD_CLOEXEC);
}

/// The processors for --bind, one per rank; empty, after a line that says why, if there are too few.
std::vector<int> choose_processors(uint32_t ranks) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    std::fprintf(stderr, "weftrun: --bind: cannot ask which processors are allowed: %s\n", std::strerror(errno));
    return {};
  }
  const uint32_t count = static_cast<uint32_t>(CPU_COUNT(&allowed));
  if (ranks > count) {
    std::fprintf(stderr,
                 "weftrun: --bind: %u ranks need a processor each, but only %u %s allowed here; use fewer "
                 "ranks, or leave --bind out\n",
                 ranks, count, count == 1 ? "is" : "are");
    return {};
  }
  std::vector<int> processors;
  for (int processor = 0; processors.size() < ranks; ++processor)
    if (CPU_ISSET(static_cast<size_t>(processor), &allowed)) processors.push_back(processor);
  return processors;
}

int run(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<Options> options = parse_options(argc, argv, exit_code);
  if (!options) return exit_code;
  std::vector<int> processors;
  if (options->bind) {
    processors = choose_processors(options->ranks);
    if (processors.empty()) return exit_usage;
  }
  const std::string path = find_program(options->program[0], exit_code);
  if (path.empty()) return exit_code;
  keep_outer_launcher_to_ourselves();
  return run_guarded([&] { return Job(*options, path, processors).run(); });
}

}  // namespace
}  // namespace weftrun

int main(int argc, char** argv) {
  weftrun::fill_standard_streams();
  return weftrun::run(argc, argv);
}
