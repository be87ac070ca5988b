// weftrun on one of several hosts: runs the ranks that the weftrun in charge tells it to, and carries their words.
#pragma once

#include <memory>
#include <string>

#include "channel.hpp"
#include "host_processes.hpp"

namespace weftrun {

class Agent final : private HostProcesses::Listener {
 public:
  Agent();

  /// Serves until the job is over here and returns the exit code, which matters to nobody. Called once, in a process of
  /// its own. If the other side ends, or is not heard for the time that Setup gives, it ends all ranks.
  int run();

 private:
  using Clock = Channel::Clock;

  void wait_for_events();
  void handle_signals();
  void handle_frames();
  void handle(const Frame& frame);
  void set_up(const Frame& frame);
  void start(const Frame& frame);
  void take_input(const Frame& frame);
  void write_input();
  void advance();
  /// What is wrong on this host ends the job.
  void report(int exit_code, const std::string& line);
  /// The other side is gone.
  void alone();

  void pmi_received(uint32_t index, std::string_view bytes) override;
  void output_received(uint32_t index, Stream stream, std::string_view bytes) override;
  void output_closed(uint32_t index, Stream stream) override;
  void connection_closed(uint32_t index) override;
  void process_ended(uint32_t index, int status) override;

  uint32_t rank_of(uint32_t index) const { return setup_.first_rank + index; }
  bool may_send_output() const { return output_sent_ < output_allowed_; }

  Channel channel_;
  int signals_;
  Setup setup_;
  std::vector<char*> arguments_;
  std::vector<int> processors_;
  std::unique_ptr<HostProcesses> processes_;

  uint64_t output_sent_ = 0;
  uint64_t output_allowed_;
  int input_ = -1;  // the pipe to rank 0
  std::string input_pending_;
  bool input_ends_ = false;

  bool start_failed_ = false;  // a rank could not be started: the job ends, and no further one is
  bool suspended_ = false;
  bool ending_ = false;
  bool alone_ = false;
  bool over_ = false;
};

}  // namespace weftrun
