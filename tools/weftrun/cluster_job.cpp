#include "cluster_job.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common.hpp"
#include "process.hpp"
#include "signals.hpp"

namespace weftrun {
namespace {

constexpr auto time_to_connect = 30s;
/// For an agent to end its ranks (half a second for SIGTERM, then SIGKILL) and to tell.
constexpr auto time_to_end = 1500ms;
/// Between the end of an agent's output and the word of its exit code.
constexpr auto time_to_exit = 300ms;
constexpr uint64_t input_window = 64 * 1024;
constexpr size_t longest_complaint = 4096;
constexpr const char* firewall_hint = "; a firewall may be the reason (docs/LAUNCHING.md, \"Firewalls\")";

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of(" \r\n");
  if (end == std::string::npos) return "";
  const size_t newline = text.find_last_of("\r\n", end);
  return text.substr(newline == std::string::npos ? 0 : newline + 1,
                     end - (newline == std::string::npos ? 0 : newline + 1) + 1);
}

}  // namespace

ClusterJob::ClusterJob(const Options& options, std::string path, std::vector<Host> hosts, std::vector<uint32_t> counts,
                       std::vector<std::string> variables)
    : options_(options),
      path_(std::move(path)),
      weftrun_path_(options.weftrun_path.empty() ? own_path() : options.weftrun_path),
      job_name_(random_job_name()),
      variables_(std::move(variables)),
      server_(options.ranks, job_name_, counts),
      places_(hosts.size()),
      ranks_(options.ranks),
      output_outlet_(STDOUT_FILENO),
      error_outlet_(STDERR_FILENO) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < places_.size(); ++i) {
    places_[i].host = hosts[i].name;
    places_[i].first_rank = next;
    places_[i].ranks = counts[i];
    for (uint32_t rank = 0; rank < counts[i]; ++rank) ranks_[next++].place = i;
  }
  for (uint32_t rank = 0; rank < options.ranks; ++rank) rank_errors_.emplace_back(rank, refusals_);
  for (uint32_t rank = 0; options.tag_output && rank < options.ranks; ++rank) {
    out_taggers_.emplace_back("[" + std::to_string(rank) + "] ");
    err_taggers_.emplace_back("[" + std::to_string(rank) + "] ");
  }
}

int ClusterJob::run() {
  raise_descriptor_limit();
  signals_ = watch_signals();
  start_agents();
  while (!over()) {
    wait_for_events();
    advance();
  }
  if (refusals_.held_back() != 0)
    say("held back " + std::to_string(refusals_.held_back()) + " more lines of " + rank_nouns() +
        " that refused strangers (WEFT_STATS=1 or WEFT_LOG=info counts for each)");
  error_outlet_.flush();
  return exit_code_;
}

// ---- Starting ----

void ClusterJob::start_agents() {
  deadline_ = Clock::now() + time_to_connect;
  for (uint32_t i = 0; i < places_.size() && stage_ == Stage::connecting; ++i) {
    Place& place = places_[i];
    const bool local = is_this_host(place.host);
    if (start_agent(place.host, local ? own_path() : weftrun_path_, place.agent))
      place.channel = std::make_unique<Channel>(place.agent.from, place.agent.to);
    else
      cannot_start_agent(i, errno);
  }
}

void ClusterJob::start_ranks() {
  stage_ = Stage::running;
  for (uint32_t rank = 0; rank < ranks_.size(); ++rank)
    places_[ranks_[rank].place].channel->send(
        FrameType::start, rank,
        pack({"PMI_RANK=" + std::to_string(rank), "PMI_SIZE=" + std::to_string(ranks_.size()),
              "WEFT_JOB=" + job_name_}));
}

// ---- The loop ----

void ClusterJob::wait_for_events() {
  std::vector<pollfd> sources;
  collect_descriptors(sources);
  int asked_ms = static_cast<int>(time_between_heartbeats.count());
  if (stage_ != Stage::running) asked_ms = std::min(asked_ms, milliseconds_until(deadline_));
  if (std::any_of(places_.begin(), places_.end(), [](const Place& place) { return place.silent; }))
    asked_ms = std::min(asked_ms, 50);
  const auto before = Clock::now();
  const int ready = ::poll(sources.data(), sources.size(), asked_ms);
  const auto now = Clock::now();
  if (was_stopped(before, now, asked_ms))
    for (Place& place : places_)
      if (place.channel) place.channel->forgive(now);
  if (ready > 0) handle_descriptors(sources);
  if (const int error = output_outlet_.flush()) fail(code_of_output(error), line_of_output(error));
  (void)error_outlet_.flush();  // without standard error there is nobody left to tell
  give_credit();
  for (Place& place : places_) {
    if (!place.channel || place.state == Place::State::gone) continue;
    if (place.state == Place::State::ready) place.channel->keep_alive(now);
    (void)place.channel->flush();  // should nobody read any more, hear() finds the reason
  }
}

/// Four of our own, then three per place.
void ClusterJob::collect_descriptors(std::vector<pollfd>& sources) {
  sources.push_back({signals_, POLLIN, 0});
  sources.push_back({wants_input() ? STDIN_FILENO : -1, POLLIN, 0});
  sources.push_back({output_outlet_.idle() ? -1 : output_outlet_.descriptor(), POLLOUT, 0});
  sources.push_back({error_outlet_.idle() ? -1 : error_outlet_.descriptor(), POLLOUT, 0});
  for (const Place& place : places_) {
    const bool open = place.channel && place.state != Place::State::gone && !place.silent;
    sources.push_back({open ? place.channel->in() : -1, POLLIN, 0});
    sources.push_back({open && place.channel->wants_to_write() ? place.channel->out() : -1, POLLOUT, 0});
    sources.push_back({place.agent.errors, POLLIN, 0});
  }
}

void ClusterJob::handle_descriptors(const std::vector<pollfd>& sources) {
  if (sources[0].revents) handle_signals();
  if (sources[1].revents) read_input();
  for (uint32_t i = 0; i < places_.size(); ++i) {
    if (sources[4 + 3 * i + 2].revents) hear_errors(i);
    if (sources[4 + 3 * i].revents && places_[i].state != Place::State::gone) hear(i);
  }
}

void ClusterJob::handle_signals() {
  for (int signal; (signal = next_signal(signals_)) != 0;) {
    if (signal == SIGCHLD)
      reap_agents();
    else if (signal == SIGTSTP)
      suspend();
    else if (signal == SIGUSR1 || signal == SIGUSR2)
      send_all(FrameType::signal, number_text(static_cast<uint64_t>(signal)));
    else
      fail(128 + signal, received_signal(signal));
  }
}

void ClusterJob::reap_agents() {
  int status;
  for (pid_t pid; (pid = reap(status)) > 0;)
    for (Place& place : places_)
      if (place.agent.pid == pid) {
        place.agent_ended = true;
        place.agent_status = status;
      }
}

void ClusterJob::advance() {
  const auto now = Clock::now();
  const auto patience = std::chrono::milliseconds(options_.host_timeout_s * 1000);
  for (uint32_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (place.silent && place.state != Place::State::gone &&
        (place.agent_ended || now >= place.silent_since + time_to_exit))
      lose(i, why_lost(place));
    if (place.state == Place::State::ready && stage_ != Stage::ending && place.channel->silent_for(now, patience))
      lose(i, "does not answer any more (nothing heard for " + std::to_string(options_.host_timeout_s) + " seconds)");
  }
  const auto all = [this](Place::State state) {
    return std::all_of(places_.begin(), places_.end(), [=](const Place& place) { return place.state == state; });
  };
  switch (stage_) {
    case Stage::connecting:
      if (all(Place::State::ready)) {
        start_ranks();
        break;
      }
      for (uint32_t i = 0; i < places_.size() && now >= deadline_; ++i)
        if (places_[i].state != Place::State::ready)
          lose(i, std::string("has not answered for 30 seconds").append(firewall_hint));
      break;
    case Stage::running:
      if (ended_ != ranks_.size()) break;
      for (uint32_t rank = 0; rank < ranks_.size(); ++rank) print(rank, FrameType::err, rank_errors_[rank].take());
      end_everything();
      break;
    case Stage::lingering:
      if (ended_ == ranks_.size() || now >= deadline_) end_everything();
      break;
    case Stage::ending:
      for (uint32_t i = 0; i < places_.size() && now >= deadline_; ++i)
        if (places_[i].state != Place::State::gone) {
          if (exit_code_ == 0) exit_code_ = 1;
          say("host " + places_[i].host + " does not say that the job has ended there");
          places_[i].state = Place::State::gone;
        }
      if (all(Place::State::gone))
        for (uint32_t rank = 0; rank < out_taggers_.size(); ++rank) {
          out_taggers_[rank].finish(output_outlet_);
          err_taggers_[rank].finish(error_outlet_);
        }
      break;
  }
}

bool ClusterJob::over() const {
  return stage_ == Stage::ending && output_outlet_.idle() && error_outlet_.idle() &&
         std::all_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.state == Place::State::gone; });
}

// ---- What the hosts say ----

void ClusterJob::hear(uint32_t index) {
  Place& place = places_[index];
  if (!place.channel->receive()) {
    place.silent = true;
    place.silent_since = Clock::now();
    return;
  }
  if (place.state == Place::State::greeting) hear_greeting(index);
  if (place.state == Place::State::greeting) return;
  while (place.state != Place::State::gone) {
    const std::optional<Frame> frame = place.channel->reader().next();
    if (!frame) break;
    handle(index, *frame);
  }
  if (place.channel->reader().damaged()) lose(index, "sends what is not weftrun's");
}

void ClusterJob::hear_greeting(uint32_t index) {
  Place& place = places_[index];
  // The shell's start-up files may have printed lines before.
  while (const std::optional<std::string> line = place.channel->reader().next_line()) {
    const std::optional<std::string> wrong = compare_greeting(*line);
    if (!wrong) continue;
    if (!wrong->empty()) return lose(index, *wrong);
    place.state = Place::State::setup;
    Setup setup;
    setup.folder = working_directory();
    setup.path = path_;
    for (char** argument = options_.program; *argument; ++argument) setup.arguments.emplace_back(*argument);
    setup.variables = variables_;
    setup.ranks = place.ranks;
    setup.first_rank = place.first_rank;
    setup.bind = options_.bind;
    setup.timeout_ms = options_.host_timeout_s * 1000;
    place.channel->send(FrameType::setup, 0, setup.encode());
    if (!place.complaints.empty()) error_outlet_.append(std::exchange(place.complaints, {}));
    return;
  }
  if (place.channel->reader().waiting() > 65536) lose(index, "answers with something else than weftrun's agent");
}

void ClusterJob::hear_errors(uint32_t index) {
  Place& place = places_[index];
  char bytes[4096];
  const ssize_t count = ::read(place.agent.errors, bytes, sizeof bytes);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    ::close(std::exchange(place.agent.errors, -1));
    return;
  }
  const std::string_view text(bytes, static_cast<size_t>(count));
  // Until the greeting it may be the reason why there will be none; later it is for the user.
  if (place.state == Place::State::greeting)
    place.complaints.append(text.substr(0, longest_complaint - std::min(longest_complaint, place.complaints.size())));
  else if (stage_ != Stage::ending)
    error_outlet_.append(text);
}

void ClusterJob::handle(uint32_t index, const Frame& frame) {
  Place& place = places_[index];
  switch (frame.type) {
    case FrameType::ready:
      place.state = Place::State::ready;
      return;
    case FrameType::failed: {
      const auto words = unpack(frame.payload);
      if (!words || words->size() != 2) return lose(index, "sends what is not weftrun's");
      return fail(static_cast<int>(number_of((*words)[0]) & 255), "host " + place.host + ": " + (*words)[1]);
    }
    case FrameType::taken:
      input_under_way_ -= std::min(input_under_way_, number_of(frame.payload));
      return;
    case FrameType::done: {
      const auto words = unpack(frame.payload);
      if (words && !words->empty()) say("host " + place.host + ": " + words->front());
      place.state = Place::State::gone;
      return;
    }
    case FrameType::started:
    case FrameType::ended:
    case FrameType::closed:
    case FrameType::pmi:
    case FrameType::out:
    case FrameType::err:
      if (frame.rank - place.first_rank >= place.ranks) return lose(index, "speaks for a rank that is not there");
      return handle_rank(index, frame);
    default:
      return;  // a sign of life
  }
}

void ClusterJob::handle_rank(uint32_t index, const Frame& frame) {
  switch (frame.type) {
    case FrameType::started:
      ranks_[frame.rank].pid = static_cast<pid_t>(number_of(frame.payload));
      ranks_[frame.rank].started = true;
      return;
    case FrameType::ended:
      return rank_ended(frame.rank, static_cast<int>(number_of(frame.payload)));
    case FrameType::closed:
      if (server_.phase(frame.rank) == PmiServer::Phase::joined)
        fail_by(frame.rank, 1, closed_its_connection(who(frame.rank)));
      return;
    case FrameType::pmi:
      return pmi_received(frame.rank, frame.payload);
    default:
      return output_received(places_[index], frame.rank, frame.type, frame.payload);
  }
}

void ClusterJob::pmi_received(uint32_t rank, const std::string& bytes) {
  if (stage_ == Stage::ending) return;
  const std::optional<JobEnd> end = server_.receive(rank, bytes);
  for (const PmiServer::Reply& reply : server_.take_replies()) {
    const Place& place = places_[ranks_[reply.rank].place];
    if (place.state == Place::State::ready) place.channel->send(FrameType::pmi, reply.rank, reply.line);
  }
  if (end) fail_by(rank, end->code, line_of(*end, who(rank)));
}

void ClusterJob::rank_ended(uint32_t rank, int status) {
  if (std::exchange(ranks_[rank].ended, true)) return;
  ++ended_;
  if (stage_ != Stage::running) return;
  const Verdict verdict = judge(status, server_.phase(rank), server_.anyone_joined(), who(rank), options_.program[0]);
  if (verdict.kind == Verdict::Kind::failure) fail_by(rank, verdict.exit_code, verdict.line);
  if (verdict.kind != Verdict::Kind::late) return;
  exit_code_ = verdict.exit_code;
  say(verdict.line);
  stage_ = Stage::lingering;
  deadline_ = Clock::now() + time_to_linger;
}

// ---- Input and output ----

void ClusterJob::output_received(Place& place, uint32_t rank, FrameType stream, const std::string& bytes) {
  place.output_to_credit += bytes.size();
  print(rank, stream, stream == FrameType::out ? bytes : rank_errors_[rank].filter(bytes));
}

void ClusterJob::print(uint32_t rank, FrameType stream, const std::string& bytes) {
  Outlet& outlet = stream == FrameType::out ? output_outlet_ : error_outlet_;
  if (!options_.tag_output)
    outlet.append(bytes);
  else
    (stream == FrameType::out ? out_taggers_ : err_taggers_)[rank].feed(bytes, outlet);
}

void ClusterJob::give_credit() {
  if (output_outlet_.congested() || error_outlet_.congested()) return;
  for (Place& place : places_)
    if (place.output_to_credit > 0 && place.state == Place::State::ready)
      place.channel->send(FrameType::credit, 0, number_text(std::exchange(place.output_to_credit, 0)));
}

bool ClusterJob::wants_input() const {
  if (input_over_ || !ranks_[0].started || stage_ == Stage::ending || input_under_way_ >= input_window) return false;
  // In the background a terminal must not be read: it would stop us.
  return ::isatty(STDIN_FILENO) == 0 || ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

void ClusterJob::read_input() {
  char bytes[16384];
  const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  input_over_ = count <= 0;
  const size_t size = static_cast<size_t>(std::max<ssize_t>(count, 0));
  input_under_way_ += size;
  Place& place = places_[ranks_[0].place];
  if (place.state == Place::State::ready) place.channel->send(FrameType::input, 0, {bytes, size});
}

// ---- The end ----

std::string ClusterJob::why_lost(const Place& place) const {
  const std::string complaint = last_line(place.complaints);
  const bool by_signal = place.agent_ended && WIFSIGNALED(place.agent_status);
  std::string ending = "its connection was closed";
  if (by_signal)
    ending = "its connection was killed by signal " + std::to_string(WTERMSIG(place.agent_status));
  else if (place.agent_ended && WEXITSTATUS(place.agent_status) != 0)
    ending = "its connection ended with code " + std::to_string(WEXITSTATUS(place.agent_status));
  if (place.state != Place::State::greeting) return "is lost: " + ending;
  if (!complaint.empty()) return "cannot be used: " + complaint + (suggests_firewall(complaint) ? firewall_hint : "");
  return "cannot be used: " + ending + " before weftrun answered there (" + weftrun_path_ + ")";
}

void ClusterJob::lose(uint32_t index, const std::string& why) {
  Place& place = places_[index];
  place.state = Place::State::gone;
  if (place.channel) place.channel->close();  // an agent that still runs ends its ranks
  fail(1, "host " + place.host + " " + why + (stage_ == Stage::connecting ? "" : "; ending the job"));
}

void ClusterJob::cannot_start_agent(uint32_t index, int error) {
  const std::string advice = advice_on_limit(error);
  places_[index].state = Place::State::gone;
  fail(1, "cannot start the agent of host " + places_[index].host + ": this host (" + host_name() +
              ") cannot start a process: " + std::strerror(error) +
              (advice.empty() ? "" : advice + ", or use fewer hosts"));
}

void ClusterJob::fail(int exit_code, const std::string& line) {
  if (stage_ == Stage::ending) return;
  if (stage_ != Stage::lingering) {
    exit_code_ = exit_code;
    if (!line.empty()) say(line);
  }
  end_everything();
}

void ClusterJob::fail_by(uint32_t rank, int exit_code, const std::string& line) {
  if (stage_ == Stage::running) print(rank, FrameType::err, rank_errors_[rank].take());
  fail(exit_code, line);
}

void ClusterJob::end_everything() {
  stage_ = Stage::ending;
  deadline_ = Clock::now() + time_to_end;
  for (Place& place : places_) {
    if (place.state == Place::State::greeting) {  // it has not been told anything: closing its input is enough
      if (place.channel) place.channel->close();
      place.state = Place::State::gone;
    }
  }
  send_all(FrameType::terminate);
}

void ClusterJob::send_all(FrameType type, std::string_view payload) {
  for (Place& place : places_) {
    if (!place.channel || place.state == Place::State::gone || place.state == Place::State::greeting) continue;
    place.channel->send(type, 0, payload);
    (void)place.channel->flush();
  }
}

void ClusterJob::suspend() {
  send_all(FrameType::suspend);
  stop_until_continued();
  for (Place& place : places_)
    if (place.channel) place.channel->forgive(Clock::now());
  send_all(FrameType::resume);
}

std::string ClusterJob::who(uint32_t rank) const {
  return rank_noun() + (" " + std::to_string(rank)) + " (pid " + std::to_string(ranks_[rank].pid) + " on " +
         places_[ranks_[rank].place].host + ")";
}

}  // namespace weftrun
