#include "remote.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sstream>
#include <string_view>

#include "common.hpp"
#include "shell_word.hpp"

extern char** environ;

namespace weftrun {
namespace {

/// BatchMode: nobody could answer a question for a password.
constexpr const char* default_agent = "ssh -x -T -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=5";

std::vector<std::string> command_for(const std::string& host, const std::string& weftrun_path) {
  std::vector<std::string> agent = {weftrun_path, "--agent"};
  if (speaks_upc) agent.emplace_back("--upc");
  if (is_this_host(host)) return agent;
  const char* chosen = std::getenv("WEFT_RSH");
  std::istringstream words(chosen && *chosen ? chosen : default_agent);
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  command.push_back(host);
  command.push_back("exec " + weft::tools::shell_word(weftrun_path) + " --agent" + (speaks_upc ? " --upc" : ""));
  return command;
}

[[noreturn]] void become_agent(std::vector<std::string>& command, const std::array<int, 3>& streams) {
  ::setpgid(0, 0);  // Ctrl-C is ours to handle
  for (int i = 0; i < 3; ++i)
    if (::dup2(streams[static_cast<size_t>(i)], i) < 0) ::_exit(127);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const std::string line = "cannot run " + command[0] + ": " + std::strerror(errno) + "\n";
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(127);
}

}  // namespace

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "weftrun";
}

bool is_this_host(const std::string& host) { return host == "localhost" || host == host_name(); }

bool start_agent(const std::string& host, const std::string& weftrun_path, RemoteAgent& agent) {
  std::vector<std::string> command = command_for(host, weftrun_path);
  int to[2] = {-1, -1}, from[2] = {-1, -1}, errors[2] = {-1, -1};
  const bool opened = ::pipe2(to, O_CLOEXEC) == 0 && ::pipe2(from, O_CLOEXEC) == 0 && ::pipe2(errors, O_CLOEXEC) == 0;
  agent.pid = opened ? ::fork() : -1;
  if (agent.pid == 0) become_agent(command, {to[0], from[1], errors[1]});
  const int error = errno;
  for (const int end : {to[0], from[1], errors[1]})
    if (end >= 0) ::close(end);
  if (agent.pid > 0) {
    agent.to = to[1];
    agent.from = from[0];
    agent.errors = errors[0];
    ::fcntl(agent.errors, F_SETFL, O_NONBLOCK);
    return true;
  }
  for (const int end : {to[1], from[0], errors[0]})
    if (end >= 0) ::close(end);
  errno = error;
  return false;
}

bool choose_environment(const std::vector<std::string>& named, std::vector<std::string>& variables,
                        std::string& error) {
  const auto begins = [](std::string_view text, std::initializer_list<const char*> prefixes) {
    for (const std::string_view prefix : prefixes)
      if (text.substr(0, prefix.size()) == prefix) return true;
    return false;
  };
  for (char** entry = environ; *entry; ++entry)
    if (begins(*entry, {"WEFT_", "UPC_", "LD_LIBRARY_PATH="}) &&
        !begins(*entry, {"WEFT_JOB=", "WEFT_RANKS_AS=", "WEFT_THREADS_", "WEFT_BIND_", "WEFT_RSH="}))
      variables.emplace_back(*entry);
  for (const std::string& name : named) {
    const char* value = std::getenv(name.c_str());
    if (name.find('=') != std::string::npos) {
      variables.push_back(name);
    } else if (value) {
      variables.push_back(name + "=" + value);
    } else {
      error = "--env " + name + ": there is no such variable here; give NAME, or NAME=VALUE";
      return false;
    }
  }
  return true;
}

}  // namespace weftrun
