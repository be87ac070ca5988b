#include "job.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <set>

#include "signals.hpp"

namespace weftrun {
namespace {

using namespace std::chrono_literals;

// With the time to notice a death they add up to less than the two seconds in which a failed job must end.
constexpr auto time_to_linger = 800ms;
constexpr auto time_to_obey = 500ms;
constexpr auto time_to_read = 500ms;  // for whoever reads our output, once all processes are gone
constexpr auto time_to_die = 10s;     // the kernel may need that for thousands of processes
constexpr auto pause_between_kills = 20ms;

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

uint32_t process_count(const Options& options) { return options.threads ? 1 : options.ranks; }

}  // namespace

Job::Job(const Options& options, std::string path, std::vector<int> processors)
    : options_(options),
      processors_(std::move(processors)),
      job_name_(random_job_name()),
      host_(host_name()),
      server_(process_count(options), job_name_),
      processes_(process_count(options)),
      output_outlet_(STDOUT_FILENO),
      error_outlet_(STDERR_FILENO) {
  plan_.path = std::move(path);
  plan_.arguments = options.program;
  plan_.tag_output = options.tag_output;
  plan_.share_terminal = ::isatty(STDIN_FILENO) == 1;
  for (uint32_t rank = 0; options.tag_output && rank < processes_.size(); ++rank) {
    const std::string name =
        options.threads && options.ranks > 1 ? "0-" + std::to_string(options.ranks - 1) : std::to_string(rank);
    out_taggers_.emplace_back("[" + name + "] ");
    err_taggers_.emplace_back("[" + name + "] ");
  }
}

int Job::run() {
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t watched = not_ignored({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCHLD});
  ::sigprocmask(SIG_BLOCK, &watched, &plan_.signals);
  ::getrlimit(RLIMIT_NOFILE, &plan_.descriptors);
  const rlimit generous{plan_.descriptors.rlim_max, plan_.descriptors.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &generous);
  control_ = ::epoll_create1(EPOLL_CLOEXEC);
  outputs_ = ::epoll_create1(EPOLL_CLOEXEC);
  signals_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  watch(control_, signals_, Source::signals, 0);

  while (!over()) {
    if (stage_ == Stage::running && started_ < processes_.size()) start_next();
    wait_for_events();
    advance_stage();
  }
  error_outlet_.flush();
  return exit_code_;
}

void Job::watch(int epoll, int descriptor, Source source, uint32_t rank) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<uint64_t>(source) << 32 | rank;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

// ---- Starting ----

void Job::start_next() {
  const uint32_t rank = started_++;
  Process& process = processes_[rank];
  const int processor = processors_.empty() || options_.threads ? -1 : processors_[rank];
  const int failure = start_process(plan_, rank, variables_for(rank), processor, process);
  if (!process.running) --started_;
  if (process.running) {
    rank_of_.emplace(process.pid, rank);
    children_left_ = true;
    watch(control_, process.pmi, Source::pmi, rank);
    if (options_.tag_output) {
      watch(outputs_, process.out, Source::out, rank);
      watch(outputs_, process.err, Source::err, rank);
    }
  }
  if (failure != 0) {  // its line has been printed
    exit_code_ = failure;
    terminate();
  }
}

Variables Job::variables_for(uint32_t rank) const {
  Variables variables{
      {"PMI_RANK", std::to_string(rank)}, {"PMI_SIZE", std::to_string(processes_.size())}, {"WEFT_JOB", job_name_}};
  if (!options_.threads) return variables;
  variables.emplace_back("WEFT_RANKS_AS", "threads");
  variables.emplace_back("WEFT_THREADS_SIZE", std::to_string(options_.ranks));
  std::string list;
  for (const int processor : processors_) {
    if (!list.empty()) list += ',';
    list += std::to_string(processor);
  }
  if (!list.empty()) variables.emplace_back("WEFT_BIND_CPUS", list);
  return variables;
}

// ---- The loop ----

void Job::wait_for_events() {
  const bool congested = output_outlet_.congested() || error_outlet_.congested();
  std::array<pollfd, 4> sources{{{control_, POLLIN, 0},
                                 {congested ? -1 : outputs_, POLLIN, 0},
                                 {output_outlet_.idle() ? -1 : output_outlet_.descriptor(), POLLOUT, 0},
                                 {error_outlet_.idle() ? -1 : error_outlet_.descriptor(), POLLOUT, 0}}};
  int timeout_ms = -1;
  if (stage_ == Stage::running) {
    if (started_ < processes_.size()) timeout_ms = 0;
  } else {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    const auto wake = stage_ == Stage::killing ? pause_between_kills : left;
    timeout_ms = static_cast<int>(std::max<int64_t>(wake.count(), 0));
  }
  if (::poll(sources.data(), sources.size(), timeout_ms) < 0) return;
  if (sources[0].revents) handle_control_events();
  if (sources[1].revents) handle_output_events();
  if (!output_outlet_.flush()) fail(128 + SIGPIPE, "");  // as a program whose reader has gone
  // Without standard error there is nobody left to tell.
  (void)error_outlet_.flush();
}

void Job::handle_control_events() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(control_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const uint64_t data = events[static_cast<size_t>(i)].data.u64;
    if (static_cast<Source>(data >> 32) == Source::signals)
      handle_signals();
    else
      read_pmi(static_cast<uint32_t>(data));
  }
}

void Job::handle_signals() {
  signalfd_siginfo info;
  while (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD)
      reap_children();
    else if (signal == SIGTSTP)
      suspend();
    else
      fail(128 + signal, "received signal " + std::to_string(signal) + " (" + strsignal(signal) + "); ending the job");
  }
}

void Job::advance_stage() {
  const bool ranks_gone = ended_ == started_ && (started_ == processes_.size() || stage_ != Stage::running);
  const bool late = stage_ != Stage::running && Clock::now() >= deadline_;
  switch (stage_) {
    case Stage::running:
    case Stage::lingering:
      // What the ranks have left behind ends with the job.
      if ((ranks_gone && children_left_) || late) terminate();
      break;
    case Stage::terminating:
      if (!late) break;
      stage_ = Stage::killing;
      deadline_ = Clock::now() + time_to_read;
      [[fallthrough]];
    case Stage::killing:
      if (children_left_) signal_all(SIGKILL);
      gave_up_ = Clock::now() >= deadline_ + (children_left_ ? time_to_die : 0s);
      if (gave_up_ && children_left_) say("some processes of the job do not end, not even by SIGKILL");
      break;
  }
  if (ranks_gone && !children_left_) drain_outputs();
}

bool Job::over() const {
  if (gave_up_) return true;
  const bool all_started = started_ == processes_.size() || stage_ != Stage::running;
  return all_started && ended_ == started_ && !children_left_ && output_outlet_.idle() && error_outlet_.idle();
}

// ---- PMI ----

void Job::read_pmi(uint32_t rank) {
  int& socket = processes_[rank].pmi;
  while (socket >= 0) {
    char bytes[4096];
    const ssize_t count = ::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      ::close(std::exchange(socket, -1));
      return;
    }
    if (stage_ != Stage::running && stage_ != Stage::lingering) continue;  // nobody is served any more
    const std::optional<JobEnd> end = server_.receive(rank, {bytes, static_cast<size_t>(count)});
    send_replies();
    if (!end) continue;
    if (end->kind == JobEnd::Kind::violation)
      fail(end->code, who(rank) + " " + end->what + "; ending the job");
    else if (end->code == 0 || end->logged)
      fail(end->code, "");
    else
      fail(end->code, who(rank) + " called weft_exit(" + std::to_string(end->code) + "); ending the job");
  }
}

void Job::send_replies() {
  for (const PmiServer::Reply& reply : server_.take_replies()) {
    const int socket = processes_[reply.rank].pmi;
    if (socket < 0) continue;
    // Each rank has at most one request open, so that the socket has always room; a rank that has died meanwhile is
    // the business of process_ended.
    if (::send(socket, reply.line.data(), reply.line.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EAGAIN)
      fail(1, who(reply.rank) + " sends requests without reading the replies; ending the job");
  }
}

// ---- Ends of processes ----

void Job::reap_children() {
  int status;
  pid_t pid;
  while ((pid = reap(status)) > 0) {
    const auto found = rank_of_.find(pid);
    if (found != rank_of_.end()) process_ended(found->second, status);
  }
  children_left_ = pid == 0;
}

void Job::process_ended(uint32_t rank, int status) {
  processes_[rank].running = false;
  ++ended_;
  rank_of_.erase(processes_[rank].pid);
  read_pmi(rank);  // its last words may still be in the socket
  if (stage_ != Stage::running) return;
  const Verdict verdict = judge(status, server_.phase(rank), server_.anyone_joined(), who(rank), options_.program[0]);
  if (verdict.kind == Verdict::Kind::failure) fail(verdict.exit_code, verdict.line);
  if (verdict.kind != Verdict::Kind::late) return;
  exit_code_ = verdict.exit_code;
  say(verdict.line);
  stage_ = Stage::lingering;
  deadline_ = Clock::now() + time_to_linger;
}

void Job::fail(int exit_code, const std::string& line) {
  // The first failure speaks for the job; what follows are its consequences.
  if (stage_ == Stage::lingering) terminate();
  if (stage_ != Stage::running) return;
  exit_code_ = exit_code;
  if (!line.empty()) say(line);
  terminate();
}

void Job::terminate() {
  stage_ = Stage::terminating;
  deadline_ = Clock::now() + time_to_obey;
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // stopped processes notice only then
}

void Job::signal_all(int signal) {
  std::set<pid_t> groups;
  for (const Process& process : processes_) {
    if (!process.running) continue;
    ::kill(process.own_group ? -process.pid : process.pid, signal);
    groups.insert(process.own_group ? process.pid : -process.pid);
  }
  // What has left its rank's group, or survived it.
  for (const pid_t pid : descendants())
    if (!groups.contains(::getpgid(pid)) && !groups.contains(-pid)) ::kill(pid, signal);
}

void Job::suspend() {
  const auto signal_groups = [this](int signal) {
    for (const Process& process : processes_)
      if (process.running && process.own_group) ::kill(-process.pid, signal);
  };
  signal_groups(SIGSTOP);
  sigset_t stop;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  std::raise(SIGTSTP);  // returns when the shell continues us
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  signal_groups(SIGCONT);
}

// ---- Output ----

void Job::handle_output_events() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(outputs_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const uint64_t data = events[static_cast<size_t>(i)].data.u64;
    const uint32_t rank = static_cast<uint32_t>(data);
    Process& process = processes_[rank];
    if (static_cast<Source>(data >> 32) == Source::out)
      (void)read_output(process.out, out_taggers_[rank], output_outlet_);
    else
      (void)read_output(process.err, err_taggers_[rank], error_outlet_);
  }
}

bool Job::read_output(int& descriptor, Tagger& tagger, Outlet& outlet) {
  if (descriptor < 0) return false;
  char bytes[65536];
  const ssize_t count = ::read(descriptor, bytes, sizeof bytes);
  if (count > 0) {
    tagger.feed({bytes, static_cast<size_t>(count)}, outlet);
    return true;
  }
  if (count == 0) close_output(descriptor, tagger, outlet);
  return false;
}

void Job::close_output(int& descriptor, Tagger& tagger, Outlet& outlet) {
  tagger.finish(outlet);
  ::close(std::exchange(descriptor, -1));
}

void Job::drain_outputs() {
  const auto drain = [this](int& descriptor, Tagger& tagger, Outlet& outlet) {
    while (read_output(descriptor, tagger, outlet)) {
    }
    // Should someone outside the job hold the other end, nobody waits for him.
    if (descriptor >= 0) close_output(descriptor, tagger, outlet);
  };
  for (uint32_t rank = 0; options_.tag_output && rank < started_; ++rank) {
    drain(processes_[rank].out, out_taggers_[rank], output_outlet_);
    drain(processes_[rank].err, err_taggers_[rank], error_outlet_);
  }
}

std::string Job::who(uint32_t rank) const {
  const std::string name = options_.threads ? "the process of all " + std::to_string(options_.ranks) + " ranks"
                                            : "rank " + std::to_string(rank);
  return name + " (pid " + std::to_string(processes_[rank].pid) + " on " + host_ + ")";
}

}  // namespace weftrun
