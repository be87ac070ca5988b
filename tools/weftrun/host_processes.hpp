// The processes of a job on one host: starts them, hears them, and sees to it that all of them end.
//
// It belongs to a loop that polls: the loop waits for the two descriptors and wake_ms(), hands events in, and is told
// through the Listener what happened. Job (this host alone) and Agent (one host of several) are such loops.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "process.hpp"

namespace weftrun {

enum class Stream : uint8_t { out, err };

class HostProcesses {
 public:
  /// Processes are known by their index: the order in which they are started, from 0.
  class Listener {
   public:
    virtual void pmi_received(uint32_t index, std::string_view bytes) = 0;
    virtual void output_received(uint32_t index, Stream stream, std::string_view bytes) = 0;
    virtual void output_closed(uint32_t index, Stream stream) = 0;
    /// It has closed its connection a second ago, and runs on.
    virtual void connection_closed(uint32_t index) = 0;
    /// Its last words have been received before. `status` as waitpid gives it.
    virtual void process_ended(uint32_t index, int status) = 0;
    /// Some have not ended in the time after SIGTERM, and get SIGKILL.
    virtual void disobeyed() {}

   protected:
    ~Listener() = default;
  };
  using Clock = std::chrono::steady_clock;

  /// `count` processes will be started.
  HostProcesses(ProcessPlan plan, uint32_t count, Listener& listener);
  ~HostProcesses();
  HostProcesses(const HostProcesses&) = delete;
  HostProcesses& operator=(const HostProcesses&) = delete;

  /// Starts the next process. `name` is its name in messages. Nothing, or why that is not possible; it may run for a
  /// moment even then.
  std::optional<StartFailure> start_next(const std::string& name, const Variables& variables, int processor, int input);

  const ProcessPlan& plan() const { return plan_; }
  uint32_t count() const { return static_cast<uint32_t>(processes_.size()); }
  uint32_t started() const { return started_; }
  pid_t pid(uint32_t index) const { return processes_[index].pid; }
  /// All that are to be started have been, or will not be any more, and have ended. What they have started themselves
  /// may still run.
  bool all_ended() const { return ended_ == started_ && (started_ == count() || ending()); }
  /// All of that has ended too, or cannot be ended: then gave_up() is true.
  bool gone() const { return gave_up_ || (all_ended() && !children_left_); }
  bool gave_up() const { return gave_up_; }

  // Events.
  int control() const { return control_; }  ///< readable: call handle_control()
  int outputs() const { return outputs_; }  ///< readable: call handle_outputs(), unless output is to wait
  void handle_control();
  void handle_outputs();
  /// After SIGCHLD.
  void reap_children();
  /// All writers are gone: hands on what is left in the pipes and closes them.
  void drain_outputs();

  /// False if the process does not take it: it sends requests without reading the replies.
  bool send_pmi(uint32_t index, std::string_view line);

  // The end.
  /// Sends SIGTERM to all that runs, and later, from advance(), SIGKILL.
  void terminate();
  bool ending() const { return stage_ != Stage::running; }
  /// The next step of the end, if its time has come.
  void advance();
  /// Tells the listener of processes that closed their connection a second ago and still run; advance() does so, too.
  void tell_closed();
  /// Milliseconds until advance() has something to do; -1 if it has nothing to do.
  int wake_ms() const;

  /// To the process groups of all ranks that have their own.
  void signal_groups(int signal);

 private:
  enum class Stage {
    running,
    terminating,  // SIGTERM was sent; the plan has the time to obey
    killing       // SIGKILL is sent again and again to what is left, until nothing is, or it cannot be killed
  };
  enum class Source : uint32_t { pmi, out, err };

  void read_pmi(uint32_t index);
  /// False when there is nothing more to read now.
  bool read_output(uint32_t index, Stream stream);
  void close_output(uint32_t index, Stream stream);
  int& output_of(uint32_t index, Stream stream);
  void signal_all(int signal);
  static void watch(int epoll, int descriptor, Source source, uint32_t index);

  const ProcessPlan plan_;
  Listener& listener_;
  std::vector<Process> processes_;
  std::vector<char> bytes_ = std::vector<char>(65536);  // of a read; a stack may be smaller
  std::unordered_map<pid_t, uint32_t> index_of_;
  uint32_t started_ = 0;
  uint32_t ended_ = 0;
  std::map<uint32_t, Clock::time_point> closed_;  // processes without a connection: when they should have ended
  bool children_left_ = false;                    // processes, or orphans that they have left
  int control_ = -1;                              // epoll over the PMI sockets
  int outputs_ = -1;                              // epoll over the output pipes, apart so that it can be left unread
  Stage stage_ = Stage::running;
  Clock::time_point deadline_{};  // of the stage
  bool gave_up_ = false;
};

}  // namespace weftrun
