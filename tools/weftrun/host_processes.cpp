#include "host_processes.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>

#include "common.hpp"

namespace weftrun {
namespace {

using namespace std::chrono_literals;

constexpr auto time_to_exit = 1s;     // a process that ends closes its connection first
constexpr auto time_to_read = 500ms;  // for whoever reads our output, once all processes are gone
constexpr auto time_to_die = 10s;     // the kernel may need that for thousands of processes
constexpr auto pause_between_kills = 20ms;

}  // namespace

HostProcesses::HostProcesses(ProcessPlan plan, uint32_t count, Listener& listener)
    : plan_(std::move(plan)),
      listener_(listener),
      processes_(count),
      control_(::epoll_create1(EPOLL_CLOEXEC)),
      outputs_(::epoll_create1(EPOLL_CLOEXEC)) {}

HostProcesses::~HostProcesses() {
  ::close(control_);
  ::close(outputs_);
}

// ---- Starting ----

std::optional<StartFailure> HostProcesses::start_next(const std::string& name, const Variables& variables,
                                                      int processor, int input) {
  const uint32_t index = started_;
  Process& process = processes_[index];
  std::optional<StartFailure> failure = start_process(plan_, name, variables, processor, input, process);
  if (process.running) {
    ++started_;
    index_of_.emplace(process.pid, index);
    children_left_ = true;
    watch(control_, process.pmi, Source::pmi, index);
    if (process.out >= 0) watch(outputs_, process.out, Source::out, index);
    if (process.err >= 0) watch(outputs_, process.err, Source::err, index);
  }
  return failure;
}

void HostProcesses::watch(int epoll, int descriptor, Source source, uint32_t index) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<uint64_t>(source) << 32 | index;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

// ---- PMI ----

void HostProcesses::handle_control() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(control_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) read_pmi(static_cast<uint32_t>(events[static_cast<size_t>(i)].data.u64));
}

void HostProcesses::read_pmi(uint32_t index) {
  int& socket = processes_[index].pmi;
  while (socket >= 0) {
    char bytes[4096];
    const ssize_t count = ::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      ::close(std::exchange(socket, -1));
      if (processes_[index].running) closed_.emplace(index, Clock::now() + time_to_exit);
      return;
    }
    if (!ending() || plan_.serve_to_the_end)
      listener_.pmi_received(index, {bytes, static_cast<size_t>(count)});  // else nobody is served any more
  }
}

void HostProcesses::tell_closed() {
  const auto now = Clock::now();
  std::vector<uint32_t> due;
  std::erase_if(closed_, [&](const auto& each) {
    if (each.second > now) return false;
    due.push_back(each.first);
    return true;
  });
  for (const uint32_t index : due) listener_.connection_closed(index);
}

bool HostProcesses::send_pmi(uint32_t index, std::string_view line) {
  const int socket = processes_[index].pmi;
  if (socket < 0) return true;
  // Each rank has at most one request open, so that the socket has always room; a rank that has died meanwhile is the
  // business of process_ended.
  return ::send(socket, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || errno != EAGAIN;
}

// ---- Output ----

int& HostProcesses::output_of(uint32_t index, Stream stream) {
  return stream == Stream::out ? processes_[index].out : processes_[index].err;
}

void HostProcesses::handle_outputs() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(outputs_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const uint64_t data = events[static_cast<size_t>(i)].data.u64;
    const Stream stream = static_cast<Source>(data >> 32) == Source::out ? Stream::out : Stream::err;
    (void)read_output(static_cast<uint32_t>(data), stream);
  }
}

bool HostProcesses::read_output(uint32_t index, Stream stream) {
  const int descriptor = output_of(index, stream);
  if (descriptor < 0) return false;
  const ssize_t count = ::read(descriptor, bytes_.data(), bytes_.size());
  if (count > 0) {
    listener_.output_received(index, stream, {bytes_.data(), static_cast<size_t>(count)});
    return true;
  }
  if (count == 0) close_output(index, stream);
  return false;
}

void HostProcesses::close_output(uint32_t index, Stream stream) {
  ::close(std::exchange(output_of(index, stream), -1));
  listener_.output_closed(index, stream);
}

void HostProcesses::drain_outputs() {
  for (uint32_t index = 0; index < started_; ++index)
    for (const Stream stream : {Stream::out, Stream::err}) {
      while (read_output(index, stream)) {
      }
      // Should someone outside the job hold the other end, nobody waits for him.
      if (output_of(index, stream) >= 0) close_output(index, stream);
    }
}

// ---- Ends of processes ----

void HostProcesses::reap_children() {
  int status;
  pid_t pid;
  while ((pid = reap(status)) > 0) {
    const auto found = index_of_.find(pid);
    if (found == index_of_.end()) continue;
    const uint32_t index = found->second;
    index_of_.erase(found);
    processes_[index].running = false;
    closed_.erase(index);
    ++ended_;
    read_pmi(index);  // its last words may still be in the socket
    listener_.process_ended(index, status);
  }
  children_left_ = pid == 0;
}

void HostProcesses::terminate() {
  if (ending()) return;
  stage_ = Stage::terminating;
  deadline_ = Clock::now() + plan_.time_to_obey;
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // stopped processes notice only then
}

void HostProcesses::advance() {
  switch (stage_) {
    case Stage::running:
      tell_closed();
      // What the ranks have left behind ends with the job.
      if (all_ended() && children_left_) terminate();
      break;
    case Stage::terminating:
      if (Clock::now() < deadline_) break;
      stage_ = Stage::killing;
      if (!all_ended()) listener_.disobeyed();
      deadline_ = Clock::now() + time_to_read;
      [[fallthrough]];
    case Stage::killing:
      if (children_left_) signal_all(SIGKILL);
      gave_up_ = Clock::now() >= deadline_ + (children_left_ ? time_to_die : 0s);
      break;
  }
}

int HostProcesses::wake_ms() const {
  if (stage_ == Stage::running && closed_.empty()) return -1;
  if (stage_ == Stage::running)
    return milliseconds_until(std::ranges::min_element(closed_, {}, &decltype(closed_)::value_type::second)->second);
  if (stage_ == Stage::killing) return static_cast<int>(pause_between_kills.count());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

void HostProcesses::signal_groups(int signal) {
  for (const Process& process : processes_)
    if (process.running && process.own_group) ::kill(-process.pid, signal);
}

void HostProcesses::signal_all(int signal) {
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

}  // namespace weftrun
