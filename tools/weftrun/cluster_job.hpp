// A running job on several hosts: one agent per host starts the ranks there; here are the PMI server, the input and the
// output, and the decision when and why the job is over.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "channel.hpp"
#include "hosts.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pmi_server.hpp"
#include "remote.hpp"
#include "speech.hpp"
#include "verdict.hpp"

namespace weftrun {

class ClusterJob {
 public:
  /// `counts` are the ranks of each host, in blocks (place_ranks). `path` is PROG as found, `variables` go to all
  /// ranks.
  ClusterJob(const Options& options, std::string path, std::vector<Host> hosts, std::vector<uint32_t> counts,
             std::vector<std::string> variables);

  /// Runs the job to its end and returns the exit code. Called once, in a process of its own: it reaps any child.
  int run();

 private:
  using Clock = Channel::Clock;

  /// One host and what has been said to and by its agent.
  struct Place {
    enum class State {
      greeting,  // the agent was started and has said nothing yet
      setup,     // it has been told what to run
      ready,     // its ranks may be started, or run
      gone       // nothing of the job is there any more, or nobody can be reached who knows
    };
    std::string host;
    uint32_t first_rank = 0;
    uint32_t ranks = 0;
    State state = State::greeting;
    RemoteAgent agent;
    std::unique_ptr<Channel> channel;
    bool agent_ended = false;
    int agent_status = 0;
    bool silent = false;  // its output has ended although it is not done
    Clock::time_point silent_since{};
    std::string complaints;  // what ssh has said, until the greeting
    uint64_t output_to_credit = 0;
  };
  struct Rank {
    uint32_t place = 0;
    pid_t pid = -1;
    bool started = false;
    bool ended = false;
  };
  enum class Stage {
    connecting,
    running,
    lingering,  // a rank failed after weft_finalize: the others have a moment to end by themselves
    ending      // the agents have been told to end everything
  };

  void start_agents();
  void start_ranks();
  void wait_for_events();
  void collect_descriptors(std::vector<pollfd>& sources);
  void handle_descriptors(const std::vector<pollfd>& sources);
  void handle_signals();
  void reap_agents();
  void advance();
  bool over() const;

  void hear(uint32_t place);
  void hear_greeting(uint32_t place);
  void hear_errors(uint32_t place);
  void handle(uint32_t place, const Frame& frame);
  void handle_rank(uint32_t place, const Frame& frame);
  void pmi_received(uint32_t rank, const std::string& bytes);
  void rank_ended(uint32_t rank, int status);
  void output_received(Place& place, uint32_t rank, FrameType stream, const std::string& bytes);
  void print(uint32_t rank, FrameType stream, const std::string& bytes);
  void read_input();
  bool wants_input() const;
  void give_credit();

  /// The agent of this host, or the way to it, has ended before its time.
  void lose(uint32_t place, const std::string& why);
  std::string why_lost(const Place& place) const;
  void cannot_start_agent(uint32_t place, int error);
  /// The first failure speaks for the job; what follows are its consequences.
  void fail(int exit_code, const std::string& line);
  /// The same where the failure is a rank's: what it says of lost contacts is the reason.
  void fail_by(uint32_t rank, int exit_code, const std::string& line);
  void end_everything();
  void suspend();
  void send_all(FrameType type, std::string_view payload = {});

  std::string who(uint32_t rank) const;
  void say(const std::string& line) { error_outlet_.append(launcher() + (": " + line) + "\n"); }

  const Options options_;
  const std::string path_;
  const std::string weftrun_path_;
  const std::string job_name_;
  const std::vector<std::string> variables_;
  PmiServer server_;
  std::vector<Place> places_;
  std::vector<Rank> ranks_;
  uint32_t ended_ = 0;
  int signals_ = -1;

  std::vector<Tagger> out_taggers_;
  std::vector<Tagger> err_taggers_;
  RefusalLines refusals_;
  std::vector<RankErrors> rank_errors_;
  Outlet output_outlet_;
  Outlet error_outlet_;
  bool input_over_ = false;
  uint64_t input_under_way_ = 0;

  Stage stage_ = Stage::connecting;
  Clock::time_point deadline_{};  // of connecting, lingering, ending
  int exit_code_ = 0;
};

}  // namespace weftrun
