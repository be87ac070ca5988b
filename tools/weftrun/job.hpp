// A running job on this host: starts the ranks, serves them PMI, and passes their output on.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "host_processes.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pmi_server.hpp"
#include "speech.hpp"
#include "verdict.hpp"

namespace weftrun {

class Job final : private HostProcesses::Listener {
 public:
  /// `path` is PROG as found; `processors` is empty, or one processor per rank.
  Job(const Options& options, const std::string& path, std::vector<int> processors);

  /// Runs the job to its end and returns the exit code. Called once, in a process of its own: it reaps any child.
  int run();

 private:
  using Clock = HostProcesses::Clock;

  void start_next();
  Variables variables_for(uint32_t rank) const;
  void wait_for_events();
  void handle_signals();
  void advance();
  bool over() const;

  void pmi_received(uint32_t rank, std::string_view bytes) override;
  void output_received(uint32_t rank, Stream stream, std::string_view bytes) override;
  void output_closed(uint32_t rank, Stream stream) override;
  void connection_closed(uint32_t rank) override;
  void process_ended(uint32_t rank, int status) override;
  void disobeyed() override;

  /// The first failure speaks for the job; what follows are its consequences.
  void fail(int exit_code, const std::string& line);
  void suspend();

  std::string who(uint32_t rank) const;
  void say(const std::string& line) { error_outlet_.append(launcher() + (": " + line) + "\n"); }

  const Options options_;
  const std::vector<int> processors_;
  const std::string job_name_;
  const std::string host_;
  PmiServer server_;
  HostProcesses processes_;  // one per rank, or one if ranks are threads

  std::vector<Tagger> out_taggers_;
  std::vector<Tagger> err_taggers_;
  int signals_ = -1;
  Outlet output_outlet_;
  Outlet error_outlet_;

  bool lingering_ = false;  // a rank failed after weft_finalize: the others have a moment to end by themselves
  Clock::time_point patience_{};
  bool told_of_giving_up_ = false;
  bool wrong_settings_ = false;
  int exit_code_ = 0;
};

}  // namespace weftrun
