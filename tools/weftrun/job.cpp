#include "job.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "binding.hpp"
#include "common.hpp"
#include "signals.hpp"
#include "speech.hpp"

namespace weftrun {
namespace {

uint32_t process_count(const Options& options) { return options.threads ? 1 : options.ranks; }

// A trace can have millions of events.
constexpr std::chrono::seconds time_to_report{10};

// What the processes print or write when a signal ends them, as their settings say.
std::string reports_at_end(const Options& options) {
  std::string text;
  const auto add = [&](const std::string& report) { text += (text.empty() ? "" : ", ") + report; };
  if (flag_is_set("WEFT_STATS")) add("the statistics");
  const auto add_file = [&](const char* what, const char* variable) {
    const char* const file = std::getenv(variable);
    if (file != nullptr && *file != '\0') add(what + std::string(" ") + file);
  };
  add_file("the trace", "WEFT_TRACE");
  if (!options.platform.empty()) add_file("the links file", "WEFT_SIM_LINKS");
  return text;
}

// Ctrl-C and the like.
bool ended_by_request(int exit_code) {
  return exit_code == 128 + SIGINT || exit_code == 128 + SIGTERM || exit_code == 128 + SIGHUP ||
         exit_code == 128 + SIGQUIT;
}

ProcessPlan plan_of(const Options& options, const std::string& path) {
  ProcessPlan plan;
  plan.path = path;
  plan.arguments = options.program;
  plan.tag_output = options.tag_output;
  plan.share_terminal = ::isatty(STDIN_FILENO) == 1;
  ::sigprocmask(SIG_SETMASK, nullptr, &plan.signals);
  plan.descriptors = raise_descriptor_limit();
  if (!reports_at_end(options).empty()) plan.time_to_obey = time_to_report;
  plan.serve_to_the_end = !options.platform.empty();
  return plan;
}

}  // namespace

Job::Job(const Options& options, const std::string& path, std::vector<int> processors)
    : options_(options),
      processors_(std::move(processors)),
      job_name_(random_job_name()),
      host_(host_name()),
      server_(process_count(options), job_name_),
      processes_(plan_of(options, path), process_count(options), *this),
      output_outlet_(STDOUT_FILENO),
      error_outlet_(STDERR_FILENO) {
  for (uint32_t rank = 0; options.tag_output && rank < processes_.count(); ++rank) {
    const std::string name =
        options.threads && options.ranks > 1 ? "0-" + std::to_string(options.ranks - 1) : std::to_string(rank);
    out_taggers_.emplace_back("[" + name + "] ");
    err_taggers_.emplace_back("[" + name + "] ");
  }
}

int Job::run() {
  signals_ = watch_signals();
  while (!over()) {
    if (processes_.started() < processes_.count() && !processes_.ending()) start_next();
    wait_for_events();
    advance();
  }
  error_outlet_.flush();
  const bool at_fault = exit_code_ != 0 && !ended_by_request(exit_code_) && !wrong_settings_;
  if (at_fault && !options_.replay.empty()) tell("replay: %s", options_.replay.c_str());
  return exit_code_;
}

// ---- Starting ----

void Job::start_next() {
  const uint32_t rank = processes_.started();
  const int processor = processors_.empty() || options_.threads ? -1 : processors_[rank];
  const int input = rank == 0 ? STDIN_FILENO : no_input;
  const std::string name = rank_noun() + (" " + std::to_string(rank));
  if (const auto failure = processes_.start_next(name, variables_for(rank), processor, input))
    fail(failure->exit_code, failure->line);
}

Variables Job::variables_for(uint32_t rank) const {
  Variables variables{
      {"PMI_RANK", std::to_string(rank)}, {"PMI_SIZE", std::to_string(processes_.count())}, {"WEFT_JOB", job_name_}};
  if (!processors_.empty()) variables.emplace_back("WEFT_BIND_ALLOWED", allowed_processors());
  if (!options_.threads) return variables;
  variables.emplace_back("WEFT_RANKS_AS", options_.platform.empty() ? "threads" : "simulated");
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
  std::array<pollfd, 5> sources{{{signals_, POLLIN, 0},
                                 {processes_.control(), POLLIN, 0},
                                 {congested ? -1 : processes_.outputs(), POLLIN, 0},
                                 {output_outlet_.idle() ? -1 : output_outlet_.descriptor(), POLLOUT, 0},
                                 {error_outlet_.idle() ? -1 : error_outlet_.descriptor(), POLLOUT, 0}}};
  int timeout_ms = processes_.wake_ms();
  if (!processes_.ending()) {
    if (lingering_) timeout_ms = milliseconds_until(patience_);
    if (processes_.started() < processes_.count()) timeout_ms = 0;
  }
  if (::poll(sources.data(), sources.size(), timeout_ms) < 0) return;
  if (sources[0].revents) handle_signals();
  if (sources[1].revents) processes_.handle_control();
  if (sources[2].revents) processes_.handle_outputs();
  if (const int error = output_outlet_.flush()) fail(code_of_output(error), line_of_output(error));
  // Without standard error there is nobody left to tell.
  (void)error_outlet_.flush();
}

void Job::handle_signals() {
  for (int signal; (signal = next_signal(signals_)) != 0;) {
    if (signal == SIGCHLD)
      processes_.reap_children();
    else if (signal == SIGTSTP)
      suspend();
    else if (signal == SIGUSR1 || signal == SIGUSR2)
      processes_.signal_groups(signal);
    else
      fail(128 + signal, received_signal(signal));
  }
}

void Job::advance() {
  if (lingering_ && Clock::now() >= patience_) processes_.terminate();
  processes_.advance();
  if (processes_.gone()) {
    processes_.drain_outputs();
    if (processes_.gave_up() && !std::exchange(told_of_giving_up_, true) && !processes_.all_ended())
      say("some processes of the job do not end, not even by SIGKILL");
  }
}

bool Job::over() const {
  if (processes_.gave_up()) return true;
  return processes_.gone() && output_outlet_.idle() && error_outlet_.idle();
}

// ---- What the processes do ----

void Job::pmi_received(uint32_t rank, std::string_view bytes) {
  const std::optional<JobEnd> end = server_.receive(rank, bytes);
  for (const PmiServer::Reply& reply : server_.take_replies())
    if (!processes_.send_pmi(reply.rank, reply.line)) fail(1, reads_no_replies(who(reply.rank)));
  if (end) fail(end->code, line_of(*end, who(rank)));
}

void Job::output_received(uint32_t rank, Stream stream, std::string_view bytes) {
  if (stream == Stream::out)
    out_taggers_[rank].feed(bytes, output_outlet_);
  else
    err_taggers_[rank].feed(bytes, error_outlet_);
}

void Job::output_closed(uint32_t rank, Stream stream) {
  if (stream == Stream::out)
    out_taggers_[rank].finish(output_outlet_);
  else
    err_taggers_[rank].finish(error_outlet_);
}

void Job::connection_closed(uint32_t rank) {
  if (server_.phase(rank) == PmiServer::Phase::joined) fail(1, closed_its_connection(who(rank)));
}

void Job::process_ended(uint32_t rank, int status) {
  if (processes_.ending() || lingering_) return;
  const Verdict verdict = judge(status, server_.phase(rank), server_.anyone_joined(), who(rank), options_.program[0]);
  wrong_settings_ = server_.phase(rank) == PmiServer::Phase::wrong_settings;
  if (verdict.kind == Verdict::Kind::failure) fail(verdict.exit_code, verdict.line);
  if (verdict.kind != Verdict::Kind::late) return;
  exit_code_ = verdict.exit_code;
  say(verdict.line);
  lingering_ = true;
  patience_ = Clock::now() + time_to_linger;
}

void Job::disobeyed() {
  if (!ended_by_request(exit_code_)) return;
  const std::string reports = reports_at_end(options_);
  const std::string seconds = std::to_string(time_to_report.count());
  const bool writes = server_.reports(0);
  if (writes && !reports.empty())
    say("the job was killed while it wrote for more than " + seconds + " s; missing or incomplete: " + reports);
  else if (!options_.platform.empty() && !writes)
    say("a simulated rank computes without calling Weft" +
        (reports.empty() ? ": the line so far is missing"
                         : ", or writes: the line so far is missing, and so are, or are incomplete: " + reports));
  else if (!reports.empty())
    say("some processes did not end in " + seconds + " s and were killed; missing or incomplete: " + reports);
}

void Job::fail(int exit_code, const std::string& line) {
  if (!processes_.ending() && !lingering_) {
    exit_code_ = exit_code;
    if (!line.empty()) say(line);
  }
  processes_.terminate();
}

void Job::suspend() {
  processes_.signal_groups(SIGSTOP);
  stop_until_continued();
  processes_.signal_groups(SIGCONT);
}

std::string Job::who(uint32_t rank) const {
  const std::string noun = rank_noun();
  const std::string name = options_.threads ? "the process of all " + std::to_string(options_.ranks) + " " + noun + "s"
                                            : noun + " " + std::to_string(rank);
  return name + " (pid " + std::to_string(processes_.pid(rank)) + " on " + host_ + ")";
}

}  // namespace weftrun
