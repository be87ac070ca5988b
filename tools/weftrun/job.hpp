// A running job: starts the ranks, serves them PMI, passes their output on, and sees to it that all of them end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "options.hpp"
#include "output.hpp"
#include "pmi_server.hpp"
#include "process.hpp"
#include "verdict.hpp"

namespace weftrun {

class Job {
 public:
  /// `path` is PROG as found; `processors` is empty, or one processor per rank.
  Job(const Options& options, std::string path, std::vector<int> processors);

  /// Runs the job to its end and returns the exit code. Called once, in a process of its own: it reaps any child.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  /// Each stage goes to a later one only.
  enum class Stage {
    running,
    lingering,    // a rank failed after weft_finalize: the others have a moment to end by themselves
    terminating,  // SIGTERM was sent; half a second to obey
    killing       // SIGKILL is sent again and again to what is left, until nothing is, or it cannot be killed
  };
  enum class Source : uint32_t { signals, pmi, out, err };

  void start_next();
  Variables variables_for(uint32_t rank) const;
  void wait_for_events();
  void handle_control_events();
  void handle_output_events();
  void handle_signals();
  void advance_stage();
  bool over() const;

  void read_pmi(uint32_t rank);
  void send_replies();
  void reap_children();
  void process_ended(uint32_t rank, int status);

  void fail(int exit_code, const std::string& line);
  void terminate();
  void signal_all(int signal);
  void suspend();

  /// False when there is nothing more to read now.
  bool read_output(int& descriptor, Tagger& tagger, Outlet& outlet);
  static void close_output(int& descriptor, Tagger& tagger, Outlet& outlet);
  /// All writers are gone: takes what is left in the pipes.
  void drain_outputs();

  std::string who(uint32_t rank) const;
  void say(const std::string& line) { error_outlet_.append("weftrun: " + line + "\n"); }
  void watch(int epoll, int descriptor, Source source, uint32_t rank) const;

  const Options options_;
  const std::vector<int> processors_;
  const std::string job_name_;
  std::string host_;
  ProcessPlan plan_;
  PmiServer server_;

  // One entry per process: per rank, or one if ranks are threads.
  std::vector<Process> processes_;
  std::vector<Tagger> out_taggers_;
  std::vector<Tagger> err_taggers_;
  std::unordered_map<pid_t, uint32_t> rank_of_;
  uint32_t started_ = 0;
  uint32_t ended_ = 0;
  bool children_left_ = false;  // ranks, or orphans that they have left

  int control_ = -1;  // epoll over the signals and the PMI sockets
  int outputs_ = -1;  // epoll over the output pipes, apart so that it can be left unread
  int signals_ = -1;
  Outlet output_outlet_;
  Outlet error_outlet_;

  Stage stage_ = Stage::running;
  Clock::time_point deadline_{};  // of the stage
  bool gave_up_ = false;
  int exit_code_ = 0;
};

}  // namespace weftrun
