// A job's rank without a conduit: only what a launcher gives, so that launching can be tested by itself.
//
//   boot_probe hello            exchanges host names with all ranks and prints "rank R of N on HOST, next on HOST"
//   boot_probe wait             each rank prints "ready R PID" after a fence and waits for its end
//   boot_probe exit CODE RANK   RANK exits with CODE after a fence, the others wait
//   boot_probe close-all RANK   RANK closes all its descriptors from 3 on after a fence, then all wait
//   boot_probe crash RANK       RANK is killed by SIGSEGV after a fence, the others wait
//   boot_probe abort CODE RANK  RANK asks the launcher to end the job
//   boot_probe echo             rank 0 copies its input to its output; the others print what they can read
//   boot_probe flood COUNT      each rank prints COUNT lines "R: i xxx..."
//   boot_probe where            each rank prints "R: FOLDER $PROBE_A $PROBE_B $WEFT_LOG"
//   boot_probe many COUNT       COUNT rounds of put, fence and get from all ranks
#include <sys/resource.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "boot/boot.hpp"

namespace {

using weft::boot::Boot;

void print(const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data() + written, text.size() - written);
    if (count <= 0) return;
    written += static_cast<size_t>(count);
  }
}

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "boot_probe: %s\n", what);
  ::_exit(99);
}

std::string number(uint64_t value) { return std::to_string(value); }

[[noreturn]] void wait_for_the_end() {
  for (;;) ::pause();
}

void hello(Boot& boot) {
  char host[HOST_NAME_MAX + 1] = "";
  ::gethostname(host, sizeof host - 1);
  check(boot.put("host", host).ok() && boot.fence().ok(), "cannot exchange");
  std::string next;
  check(boot.get((boot.rank() + 1) % boot.size(), "host", next).ok(), "cannot get");
  print("rank " + number(boot.rank()) + " of " + number(boot.size()) + " on " + host + ", next on " + next + "\n");
}

void echo(Boot& boot) {
  char bytes[4096];
  size_t total = 0;
  for (ssize_t count; (count = ::read(STDIN_FILENO, bytes, sizeof bytes)) > 0; total += static_cast<size_t>(count))
    if (boot.rank() == 0) print(std::string(bytes, static_cast<size_t>(count)));
  if (boot.rank() != 0) print("rank " + number(boot.rank()) + " read " + number(total) + " bytes\n");
}

void flood(Boot& boot, int lines) {
  for (int line = 0; line < lines; ++line)
    print(number(boot.rank()) + ": " + std::to_string(line) + " " + std::string(static_cast<size_t>(line) % 199, 'x') +
          "\n");
}

void where(Boot& boot) {
  char folder[PATH_MAX] = "";
  check(::getcwd(folder, sizeof folder) != nullptr, "no folder");
  std::string line = number(boot.rank()) + ": " + folder;
  for (const char* name : {"PROBE_A", "PROBE_B", "WEFT_LOG"}) {
    const char* value = std::getenv(name);
    line += std::string(" ") + (value ? value : "unset");
  }
  print(line + "\n");
}

void many(Boot& boot, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const std::string key = "round" + std::to_string(round);
    check(boot.put(key, std::string(400, 'v') + number(boot.rank())).ok() && boot.fence().ok(), "cannot exchange");
    for (uint32_t rank = 0; rank < boot.size(); ++rank) {
      std::string value;
      check(boot.get(rank, key, value).ok() && value == std::string(400, 'v') + number(rank), "wrong value");
    }
  }
  if (boot.rank() == 0) print("all values arrived\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string action = argc > 1 ? argv[1] : "hello";
  const int first = argc > 2 ? std::atoi(argv[2]) : 0;
  const uint32_t chosen = static_cast<uint32_t>(argc > 3 ? std::atoi(argv[3]) : first);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::unique_ptr<Boot> boot;
  if (!weft::boot::connect(boot).ok()) return 98;
  const bool mine = boot->rank() == chosen;
  if (action == "hello") hello(*boot);
  if (action == "echo") echo(*boot);
  if (action == "flood") flood(*boot, first);
  if (action == "where") where(*boot);
  if (action == "many") many(*boot, first);
  check(boot->fence().ok(), "cannot fence");
  if (action == "exit" && mine) ::_exit(first);
  if (action == "close-all" && mine) ::closefrom(3);
  if (action == "crash" && mine) std::raise(SIGSEGV);
  if (action == "abort" && mine) boot->abort(first, "");
  if (action == "wait") print("ready " + number(boot->rank()) + " " + std::to_string(::getpid()) + "\n");
  if (action == "wait" || action == "exit" || action == "crash" || action == "abort" || action == "close-all")
    wait_for_the_end();
  return boot->finalize().ok() ? 0 : 97;
}
