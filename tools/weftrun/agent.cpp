#include "agent.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "binding.hpp"
#include "common.hpp"
#include "program.hpp"
#include "signals.hpp"
#include "speech.hpp"

namespace weftrun {
namespace {

/// Output that may be under way before the other side has printed some.
constexpr uint64_t output_window = 512 * 1024;
constexpr std::chrono::seconds time_for_last_words{2};  // to write them into the channel

/// The channel moves out of the way of the standard streams, which the ranks would inherit.
int move_away(int descriptor, int flags) {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  const int nothing = ::open("/dev/null", flags | O_CLOEXEC);
  ::dup2(nothing, descriptor);
  ::close(nothing);
  return moved;
}

std::string name_of(uint32_t rank) { return rank_noun() + (" " + std::to_string(rank)); }

}  // namespace

Agent::Agent()
    : channel_(move_away(STDIN_FILENO, O_RDONLY), move_away(STDOUT_FILENO, O_WRONLY)),
      signals_(-1),
      output_allowed_(output_window) {}

int Agent::run() {
  ProcessPlan plan;
  ::sigprocmask(SIG_SETMASK, nullptr, &plan.signals);
  plan.descriptors = raise_descriptor_limit();
  plan.tag_output = true;
  processes_ = std::make_unique<HostProcesses>(plan, 0, static_cast<Listener&>(*this));  // none until set_up()
  signals_ = watch_signals();
  channel_.send_text(greeting() + "\n");
  while (!over_) {
    wait_for_events();
    advance();
  }
  const auto end = Clock::now() + time_for_last_words;
  while (!alone_ && channel_.flush() && channel_.wants_to_write() && Clock::now() < end) {
    pollfd writable{channel_.out(), POLLOUT, 0};
    ::poll(&writable, 1, 100);
  }
  return alone_ ? 1 : 0;
}

// ---- The loop ----

void Agent::wait_for_events() {
  std::array<pollfd, 6> sources{{{signals_, POLLIN, 0},
                                 {processes_->control(), POLLIN, 0},
                                 {may_send_output() ? processes_->outputs() : -1, POLLIN, 0},
                                 {channel_.in(), POLLIN, 0},
                                 {channel_.wants_to_write() ? channel_.out() : -1, POLLOUT, 0},
                                 {input_pending_.empty() ? -1 : input_, POLLOUT, 0}}};
  const int asked_ms = processes_->ending() ? processes_->wake_ms() : static_cast<int>(time_between_heartbeats.count());
  const auto before = Clock::now();
  const int ready = ::poll(sources.data(), sources.size(), asked_ms);
  if (was_stopped(before, Clock::now(), asked_ms)) channel_.forgive(Clock::now());
  if (ready < 0) return;
  if (sources[0].revents) handle_signals();
  if (sources[3].revents) handle_frames();
  if (sources[1].revents) processes_->handle_control();
  if (sources[2].revents) processes_->handle_outputs();
  if (sources[5].revents) write_input();
  if (!alone_) channel_.keep_alive(Clock::now());
  if (!alone_ && !channel_.flush()) alone();
}

void Agent::handle_signals() {
  for (int signal; (signal = next_signal(signals_)) != 0;) {
    if (signal == SIGCHLD)
      processes_->reap_children();
    else if (signal != SIGTSTP && signal != SIGUSR1 && signal != SIGUSR2)
      report(1, launcher() +
                    (" " + received_signal(signal)));  // for the job this is a lost host, not a signal to the launcher
  }
}

void Agent::handle_frames() {
  if (alone_) return;
  if (!channel_.receive()) return alone();
  while (const std::optional<Frame> frame = channel_.reader().next()) handle(*frame);
  if (channel_.reader().damaged()) alone();
}

void Agent::handle(const Frame& frame) {
  switch (frame.type) {
    case FrameType::setup:
      return set_up(frame);
    case FrameType::start:
      return start(frame);
    case FrameType::pmi:
      if (frame.rank - setup_.first_rank < processes_->started() &&
          !processes_->send_pmi(frame.rank - setup_.first_rank, frame.payload))
        report(1, reads_no_replies(name_of(frame.rank)));
      return;
    case FrameType::input:
      return take_input(frame);
    case FrameType::credit:
      output_allowed_ += number_of(frame.payload);
      return;
    case FrameType::signal:
      return processes_->signal_groups(static_cast<int>(number_of(frame.payload)));
    case FrameType::suspend:
      suspended_ = true;
      return processes_->signal_groups(SIGSTOP);
    case FrameType::resume:
      suspended_ = false;
      return processes_->signal_groups(SIGCONT);
    case FrameType::terminate:
      ending_ = true;
      return processes_->terminate();
    default:
      return;  // a sign of life
  }
}

void Agent::advance() {
  if (!alone_ && !suspended_ && setup_.timeout_ms != 0 &&
      channel_.silent_for(Clock::now(), std::chrono::milliseconds(setup_.timeout_ms)))
    alone();
  if (!ending_) return processes_->tell_closed();
  processes_->advance();
  if (!processes_->gone()) return;
  processes_->drain_outputs();
  std::vector<std::string> left;
  if (processes_->gave_up() && !processes_->all_ended())
    left.push_back("some processes of the job do not end, not even by SIGKILL");
  channel_.send(FrameType::done, 0, pack(left));
  over_ = true;
}

void Agent::alone() {
  alone_ = true;
  ending_ = true;
  channel_.close();
  processes_->terminate();
}

void Agent::report(int exit_code, const std::string& line) {
  channel_.send(FrameType::failed, 0, pack({std::to_string(exit_code), line}));
}

// ---- Starting ----

void Agent::set_up(const Frame& frame) {
  std::optional<Setup> setup = Setup::decode(frame.payload);
  if (!setup) return alone();
  setup_ = std::move(*setup);
  for (const std::string& variable : setup_.variables) {
    const size_t equals = variable.find('=');
    ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  if (::chdir(setup_.folder.c_str()) != 0)
    return report(1, "cannot enter the working directory " + setup_.folder + ": " + std::strerror(errno));
  if (::access(setup_.path.c_str(), X_OK) != 0)
    return report(errno == ENOENT ? exit_not_found : exit_not_executable,
                  "cannot run " + setup_.path + " there: " + std::strerror(errno));
  if (setup_.bind) {
    std::string error;
    processors_ = choose_processors(setup_.ranks, error);
    if (processors_.empty()) return report(2, error);
  }
  for (std::string& argument : setup_.arguments) arguments_.push_back(argument.data());
  arguments_.push_back(nullptr);
  ProcessPlan plan = processes_->plan();
  plan.path = setup_.path;
  plan.arguments = arguments_.data();
  processes_ = std::make_unique<HostProcesses>(plan, setup_.ranks, static_cast<Listener&>(*this));
  channel_.send(FrameType::ready);
}

void Agent::start(const Frame& frame) {
  if (start_failed_ || processes_->ending()) return;  // the frames of the next ranks were already under way
  const std::optional<std::vector<std::string>> words = unpack(frame.payload);
  const uint32_t index = processes_->started();
  if (!words || frame.rank != rank_of(index) || index >= processes_->count()) return alone();
  Variables variables;
  for (const std::string& word : *words) {
    const size_t equals = word.find('=');
    variables.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  if (!processors_.empty()) variables.emplace_back("WEFT_BIND_ALLOWED", allowed_processors());
  int pipe[2] = {no_input, -1};
  if (frame.rank == 0 && ::pipe2(pipe, O_CLOEXEC) == 0) {
    input_ = pipe[1];
    ::fcntl(input_, F_SETFL, O_NONBLOCK);
  }
  const auto failure =
      processes_->start_next(name_of(frame.rank), variables, processors_.empty() ? -1 : processors_[index], pipe[0]);
  if (pipe[0] >= 0) ::close(pipe[0]);
  if (processes_->started() > index)
    channel_.send(FrameType::started, frame.rank, number_text(static_cast<uint64_t>(processes_->pid(index))));
  if (!failure) return;
  start_failed_ = true;
  report(failure->exit_code, failure->line);
}

// ---- Input of rank 0 ----

void Agent::take_input(const Frame& frame) {
  if (frame.payload.empty()) input_ends_ = true;
  input_pending_ += frame.payload;
  write_input();
}

void Agent::write_input() {
  const ssize_t count =
      input_pending_.empty() || input_ < 0 ? 0 : ::write(input_, input_pending_.data(), input_pending_.size());
  const bool nobody_reads = input_ < 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
  const size_t taken = nobody_reads ? input_pending_.size() : static_cast<size_t>(std::max<ssize_t>(count, 0));
  if (taken > 0) channel_.send(FrameType::taken, 0, number_text(taken));
  input_pending_.erase(0, taken);
  if (input_ >= 0 && (nobody_reads || (input_ends_ && input_pending_.empty()))) ::close(std::exchange(input_, -1));
}

// ---- What the processes do ----

void Agent::pmi_received(uint32_t index, std::string_view bytes) {
  channel_.send(FrameType::pmi, rank_of(index), bytes);
}

void Agent::output_received(uint32_t index, Stream stream, std::string_view bytes) {
  if (alone_) return;
  output_sent_ += bytes.size();
  channel_.send(stream == Stream::out ? FrameType::out : FrameType::err, rank_of(index), bytes);
}

void Agent::output_closed(uint32_t, Stream) {}

void Agent::connection_closed(uint32_t index) { channel_.send(FrameType::closed, rank_of(index)); }

void Agent::process_ended(uint32_t index, int status) {
  channel_.send(FrameType::ended, rank_of(index), number_text(static_cast<uint64_t>(status)));
}

}  // namespace weftrun
