#include "common.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/parse.hpp"
#include "guard.hpp"

namespace weftrun {

std::string random_job_name() {
  uint64_t number = 0;
  // Uniqueness is wanted, not secrecy: a kernel without randomness yet costs only that.
  [[maybe_unused]] const ssize_t count = ::getrandom(&number, sizeof number, GRND_NONBLOCK);
  char text[64];
  std::snprintf(text, sizeof text, "weft-%d-%016llx", ::getpid(), static_cast<unsigned long long>(number));
  return text;
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string working_directory() {
  char path[PATH_MAX] = "/";
  // As the user sees it, through symbolic links that may be there on other hosts only.
  const char* seen = std::getenv("PWD");
  const bool found = ::getcwd(path, sizeof path) != nullptr;
  struct stat here {};
  struct stat there {};
  if (seen && found && *seen == '/' && ::stat(seen, &there) == 0 && ::stat(path, &here) == 0 &&
      here.st_ino == there.st_ino && here.st_dev == there.st_dev)
    return seen;
  return path;
}

rlimit raise_descriptor_limit() {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit generous{before.rlim_max, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &generous);
  return before;
}

int milliseconds_until(std::chrono::steady_clock::time_point when) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, INT_MAX));
}

bool flag_is_set(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && weft::base::parse_flag(text).value_or(false);
}

std::string line_of(const JobEnd& end, const std::string& who) {
  if (end.kind == JobEnd::Kind::violation) return who + " " + end.what + "; ending the job";
  if (end.code == 0 || end.logged) return "";
  const std::string code = "(" + std::to_string(end.code) + ")";
  const std::string call = speaks_upc ? "exit" + code + " or upc_global_exit" : "weft_exit";
  return who + " called " + call + code + "; ending the job";
}

std::string received_signal(int signal) {
  if (const pid_t guard = signal == SIGTERM ? dead_guard() : 0; guard != 0)
    return "lost its guard process (pid " + std::to_string(guard) + "), which was killed; ending the job";
  const bool hint = signal == SIGINT && !flag_is_set("WEFT_BACKTRACE");
  return "received signal " + std::to_string(signal) + " (" + strsignal(signal) + ")" +
         (hint ? std::string("; with WEFT_BACKTRACE=1 ") + rank_nouns() + " say where they wait" : "") +
         "; ending the job";
}

int code_of_output(int error) { return error == EPIPE ? 128 + SIGPIPE : 1; }

std::string line_of_output(int error) {
  if (error == EPIPE) return "";
  return std::string("cannot write the standard output: ") + std::strerror(error) + "; ending the job";
}

std::string closed_its_connection(const std::string& who) {
  return who +
         " has closed its connection to the launcher and runs on: the program must not close descriptors that it "
         "did not open; ending the job";
}

std::string reads_no_replies(const std::string& who) {
  return who + " sends requests without reading the replies; ending the job";
}

}  // namespace weftrun
