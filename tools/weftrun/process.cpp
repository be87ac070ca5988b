#include "process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include "common.hpp"
#include "program.hpp"

extern char** environ;

namespace weftrun {
namespace {

/// Both ends of the channels to a process that is being started; the child's ends are close-on-exec until the child
/// itself keeps them.
struct Channels {
  int pmi[2] = {-1, -1};
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  int failure[2] = {-1, -1};  // carries a Failure if the program cannot be run, closes if it can
};

/// What the child reports of itself.
struct Failure {
  int error = 0;  // errno; 0 for none
  enum Step : int { preparation, no_input_file, exec } step = preparation;
};

constexpr const char* null_device = "/dev/null";

bool open_channels(const ProcessPlan& plan, Channels& channels) {
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels.pmi) != 0) return false;
  if (::pipe2(channels.failure, O_CLOEXEC) != 0) return false;
  if (!plan.tag_output) return true;
  return ::pipe2(channels.out, O_CLOEXEC) == 0 && ::pipe2(channels.err, O_CLOEXEC) == 0;
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

int keep_end(int& descriptor) {
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  return std::exchange(descriptor, -1);
}

/// A launcher inside another launcher's job: its ranks belong to this job only.
void forget_outer_launcher() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    for (const std::string_view prefix : {"PMI_", "PMIX_", "WEFT_RANKS_AS=", "WEFT_THREADS_", "WEFT_BIND_"})
      if (text.substr(0, prefix.size()) == prefix) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

/// What the child does between fork and exec. False, with errno and the step set, if one failed.
bool prepare_child(const ProcessPlan& plan, const Channels& channels, pid_t launcher, bool own_group, int input,
                   const Variables& variables, int processor, Failure::Step& step) {
  if (own_group && ::setpgid(0, 0) != 0) return false;
  // Should the launcher be killed, so is the rank; what it has started is then the guard's business.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  if (::getppid() != launcher) ::_exit(1);
  if (input != STDIN_FILENO) {
    const int source = input == no_input ? ::open(null_device, O_RDONLY | O_CLOEXEC) : input;
    step = Failure::no_input_file;
    if (source < 0) return false;
    step = Failure::preparation;
    if (::dup2(source, STDIN_FILENO) < 0) return false;
  }
  if (plan.tag_output) {
    if (::dup2(channels.out[1], STDOUT_FILENO) < 0 || ::dup2(channels.err[1], STDERR_FILENO) < 0) return false;
  }
  if (::fcntl(channels.pmi[1], F_SETFD, 0) != 0) return false;
  forget_outer_launcher();
  for (const auto& [name, value] : variables)
    if (::setenv(name.c_str(), value.c_str(), 1) != 0) return false;
  if (::setenv("PMI_FD", std::to_string(channels.pmi[1]).c_str(), 1) != 0) return false;
  if (processor >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(processor), &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) return false;
  }
  if (::setrlimit(RLIMIT_NOFILE, &plan.descriptors) != 0) return false;
  std::signal(SIGPIPE, SIG_DFL);
  return ::sigprocmask(SIG_SETMASK, &plan.signals, nullptr) == 0;
}

/// Waits until the program runs or cannot.
Failure wait_for_exec(int descriptor) {
  Failure failure;
  ssize_t count;
  do count = ::read(descriptor, &failure, sizeof failure);
  while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof failure) ? failure : Failure{};
}

StartFailure cannot_start(const std::string& name, int error, bool no_input_file) {
  const std::string limit = advice_on_limit(error);
  const std::string advice = limit.empty() ? "" : limit + ", or start fewer " + rank_nouns();
  const std::string what = no_input_file && limit.empty() ? std::string(null_device) + " cannot be opened: " : "";
  return {1, "cannot start " + name + ": " + what + std::strerror(error) + advice};
}

StartFailure cannot_exec(const std::string& path, int error) {
  const char* advice = error == ENOENT ? " (the interpreter that its first line names does not exist)" : "";
  return {exit_not_executable, "cannot run " + path + ": " + std::strerror(error) + advice};
}

/// Parent and state of a process, from /proc/PID/stat.
bool read_stat(const char* pid, pid_t& parent, char& state) {
  const std::string path = std::string("/proc/") + pid + "/stat";
  char text[512];
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t count = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (count <= 0) return false;
  text[count] = '\0';
  const char* name_end = std::strrchr(text, ')');  // the name before it may hold anything
  return name_end && std::sscanf(name_end + 1, " %c %d", &state, &parent) == 2;
}

}  // namespace

std::string advice_on_limit(int error) {
  if (error == EMFILE || error == ENFILE) return "; raise the limit on open files (ulimit -n)";
  return error == EAGAIN ? "; raise the limit on processes (ulimit -u)" : "";
}

std::optional<StartFailure> start_process(const ProcessPlan& plan, const std::string& name, const Variables& variables,
                                          int processor, int input, Process& process) {
  Channels channels;
  const bool opened = open_channels(plan, channels);
  const int open_error = errno;
  process.own_group = !(input == STDIN_FILENO && plan.share_terminal);
  const pid_t launcher = ::getpid();
  process.pid = opened ? ::fork() : -1;
  if (process.pid == 0) {
    Failure::Step step = Failure::preparation;
    if (prepare_child(plan, channels, launcher, process.own_group, input, variables, processor, step)) {
      step = Failure::exec;
      ::execvp(plan.path.c_str(), plan.arguments);
    }
    const Failure failure{errno, step};
    [[maybe_unused]] const ssize_t written = ::write(channels.failure[1], &failure, sizeof failure);
    ::_exit(exit_not_found);
  }
  const int fork_error = opened ? errno : open_error;
  close_if_open(channels.failure[1]);
  const Failure failure = process.pid > 0 ? wait_for_exec(channels.failure[0]) : Failure{fork_error};
  if (process.pid > 0) {
    process.running = true;
    process.pmi = keep_end(channels.pmi[0]);
    process.out = keep_end(channels.out[0]);
    process.err = keep_end(channels.err[0]);
  }
  for (int* pair : {channels.pmi, channels.out, channels.err, channels.failure}) {
    close_if_open(pair[0]);
    close_if_open(pair[1]);
  }
  if (failure.error == 0) return std::nullopt;
  if (failure.step == Failure::exec) return cannot_exec(plan.path, failure.error);
  return cannot_start(name, failure.error, failure.step == Failure::no_input_file);
}

std::vector<pid_t> descendants() {
  std::vector<std::pair<pid_t, pid_t>> parent_of;  // living processes only
  if (DIR* folder = ::opendir("/proc")) {
    while (const dirent* entry = ::readdir(folder)) {
      const pid_t pid = std::atoi(entry->d_name);
      pid_t parent = 0;
      char state = 0;
      if (pid > 0 && read_stat(entry->d_name, parent, state) && state != 'Z') parent_of.emplace_back(pid, parent);
    }
    ::closedir(folder);
  }
  std::vector<pid_t> family{::getpid()};
  for (size_t next = 0; next < family.size(); ++next)
    for (const auto& [pid, parent] : parent_of)
      if (parent == family[next]) family.push_back(pid);
  family.erase(family.begin());
  return family;
}

bool kill_descendants() {
  for (int round = 0; round < 100; ++round) {
    int status;
    pid_t ended;
    do ended = reap(status);
    while (ended > 0);
    if (ended < 0) return true;
    for (const pid_t pid : descendants()) ::kill(pid, SIGKILL);
    constexpr timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

pid_t reap(int& status) {
  const pid_t pid = ::waitpid(-1, &status, WNOHANG);
  return pid < 0 && errno == EINTR ? 0 : pid;
}

}  // namespace weftrun
