// upcrun: runs a UPC program. A thin front of weftrun, which it becomes.
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "options.hpp"
#include "shell_word.hpp"
#include "weftrun/program.hpp"
#include "weftrun/speech.hpp"

namespace upcrun {
namespace {

using weft::tools::readable_shell_word;

// weftrun stands beside upcrun. Empty, after a line, if it is not in PATH either.
std::string find_weftrun(int& exit_code) {
  char own[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own);
  if (length > 0) {
    const std::string path(own, static_cast<size_t>(length));
    std::string beside = path.substr(0, path.rfind('/') + 1) + "weftrun";
    if (access(beside.c_str(), X_OK) == 0) return beside;
  }
  return weftrun::find_program("weftrun", exit_code);
}

int run(int argc, char** argv) {
  weftrun::speaks_upc = true;
  int exit_code = 0;
  const std::optional<Options> options = parse_options(argc, argv, exit_code);
  if (!options) return exit_code;
  const char* program = options->program[0];
  const std::string path = weftrun::find_program(program, exit_code);
  if (path.empty()) return exit_code;
  const std::optional<ProgramFacts> facts = read_program(path);
  if (options->information) {
    if (facts) return print_information(program, *facts), 0;
    std::fprintf(stderr, "upcrun: %s is no UPC program that upcc has linked\n", program);
    return exit_usage;
  }
  std::vector<std::string> arguments = weftrun_arguments(*options, facts);
  if (arguments.empty()) return exit_usage;
  if (!options->shared_heap.empty()) setenv("UPC_SHARED_HEAP_SIZE", options->shared_heap.c_str(), 1);
  std::string weftrun = find_weftrun(exit_code);
  if (weftrun.empty()) return exit_code;
  if (options->show) {
    std::FILE* to = options->run ? stderr : stdout;
    std::string line = readable_shell_word(weftrun);
    for (const std::string& argument : arguments) line += " " + readable_shell_word(argument);
    if (!options->shared_heap.empty())
      line = "UPC_SHARED_HEAP_SIZE=" + readable_shell_word(options->shared_heap) + " " + line;
    std::fprintf(to, "%s\n", line.c_str());
  }
  if (!options->run) return 0;
  std::vector<char*> command = {weftrun.data()};
  for (std::string& argument : arguments) command.push_back(argument.data());
  command.push_back(nullptr);
  execv(weftrun.c_str(), command.data());
  std::fprintf(stderr, "upcrun: cannot run %s: %s\n", weftrun.c_str(), std::strerror(errno));
  return 126;
}

}  // namespace
}  // namespace upcrun

int main(int argc, char** argv) { return upcrun::run(argc, argv); }
