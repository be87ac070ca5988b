// Ranks in virtual time: each is a fiber with a clock of its own, and the calendar has what happens between them.
//
// A rank's clock may be ahead of the calendar: it computes and sends without asking what happens elsewhere meanwhile.
// Before it looks at what others may have changed it lets all that happen which comes before its own time (catch_up()),
// or rests until somebody wakes it (rest()). Only these two pass the processor on, so nothing else is interrupted.
//
// One simulation at a time, on one thread of the operating system.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "os/clock.hpp"
#include "sim/calendar.hpp"
#include "sim/fault_plan.hpp"
#include "sim/fiber.hpp"
#include "sim/network.hpp"

namespace weft::sim {

/// As "ranks 0-2, 4-7", of ascending ones.
std::string ranks_text(const std::vector<uint32_t>& ranks);

/// What the ranks' own computation takes in virtual time.
enum class Computation : uint8_t {
  free,      ///< nothing: the result depends on the input alone
  measured,  ///< the processor time that it takes here, times a factor
  modelled,  ///< what the program says by compute()
};

inline constexpr Time never = ~Time{0};
/// Clocks begin here, since 0 often means that there is no time.
inline constexpr Time beginning = 1'000'000'000;

class Simulation final : private os::VirtualClock {
 public:
  struct Plan {
    uint32_t ranks = 1;
    size_t stack_size = size_t{1} << 20;
    Computation computation = Computation::free;
    double factor = 1;  // of measured computation
    uint64_t seed = 1;
    FaultPlan faults = {};
  };
  using MakeNetwork = std::function<Status(Calendar& calendar, std::unique_ptr<Network>& network)>;
  /// Becomes the simulation of this process, with the calling thread. Faults on hosts that are not there are logged.
  static Status make(const Plan& plan, const MakeNetwork& make_network, std::unique_ptr<Simulation>& simulation);
  ~Simulation();

  /// That of this process; null if there is none.
  static Simulation* current();
  /// Whether the calling thread runs its ranks.
  static bool on_this_thread();

  // ---- From outside ----

  /// The calling flow of control becomes rank 0. Else it is none.
  void join_as_first();
  /// The rank begins with `body` when the caller waits.
  void start(uint32_t rank, std::function<void()> body);
  /// Returns when all other ranks have ended.
  void wait_for_others();
  /// Called with a text that says which ranks wait where, when none of them can ever go on. It does not return.
  void on_deadlock(std::function<void(const std::string& who)> tell) { tell_deadlock_ = std::move(tell); }
  /// Called when the loss of a host ends the job: with the rank that says so or "", and what it says. It does not
  /// return.
  void on_host_lost(std::function<void(const char* whose, const std::string& line)> tell) {
    tell_host_lost_ = std::move(tell);
  }
  /// Called once, between two ranks' turns, when a signal has asked the process to end (os::end_signal).
  void on_end_signal(std::function<void()> tell) { tell_end_signal_ = std::move(tell); }

  /// Called by on_end_signal(): `look` runs where the rank has stopped. Not if it has not begun or has ended.
  void visit(uint32_t rank, const std::function<void()>& look);

  /// Keeps what is under way, and so may still happen, as long as itself.
  void keep(std::shared_ptr<void> what) { kept_.push_back(std::move(what)); }

  // ---- From a rank ----

  uint32_t ranks() const { return plan_.ranks; }
  uint32_t rank() const { return running_->rank; }
  uint64_t seed() const { return plan_.seed; }
  Calendar& calendar() { return calendar_; }
  Network& network() { return *network_; }
  /// The rank's own time.
  Time time() const { return running_->clock; }
  void spend(Time span) { running_->clock += slowed(*running_, span); }
  /// With Computation::modelled: the rank computes, so many floating-point operations and bytes copied.
  void compute(double operations, double bytes) {
    if (plan_.computation != Computation::modelled) return;
    // Parts of a nanosecond add up, or an inner loop would compute in no time.
    const double ns = *network_->computation_ns(rank(), operations, bytes) * running_->slowness + running_->part_ns;
    const auto whole = static_cast<Time>(ns);
    running_->part_ns = ns - static_cast<double>(whole);
    running_->clock += whole;
    computed_ = true;
    act();
  }
  void spend_until(Time when) { running_->clock = std::max(running_->clock, when); }
  /// The rank sends a message: that takes its processor time, and the network has it then.
  void send(const Message& message, Delivery& delivery) {
    spend(network_->send_overhead(message));
    send_at(running_->clock, message, delivery);
  }
  /// The network's hardware sends one, which takes nobody's processor time.
  void send_at(Time when, const Message& message, Delivery& delivery) {
    ++messages_;
    bytes_ += message.bytes;
    network_->send(when, message, delivery);
  }
  /// What the rank does now may let others, or itself, go on later: no deadlock, even if all that follows is time.
  void act() { active_until(running_->clock); }
  /// The rank takes in a message.
  void receive(const Message& message) { spend(network_->receive_overhead(message)); }
  /// Messages that have been sent, and their bytes.
  uint64_t messages() const { return messages_; }
  uint64_t bytes() const { return bytes_; }

  /// Where what the rank knows by that address is now, whoever runs: it may be a thread-local variable.
  std::byte* memory_of(uint32_t rank, void* address) const {
    return rank == running_->rank ? static_cast<std::byte*>(address) : processes_[rank].fiber.while_resting(address);
  }
  const std::byte* memory_of(uint32_t rank, const void* address) const {
    return memory_of(rank, const_cast<void*>(address));
  }

  /// All that comes before the rank's time has happened when this returns.
  void catch_up();
  /// Rests until wake() or the time, and says whether it was the former. `call`: where the rank waits, a text that
  /// stays. `surely`: it has nothing else to do and no time of its own, so that if all rest so, they do for ever.
  bool rest(const char* call, Time until, bool surely);
  /// The rank goes on if it rests: at `when`, or now, but not before its own time.
  void wake(uint32_t rank, Time when = 0);
  /// Whether the rank rests, `surely`, and would have its turn at once if it were woken.
  bool is_idle(uint32_t rank) const { return rests_surely(rank) && processes_[rank].clock <= calendar_.now(); }
  /// A rank that rests `surely` takes in a message, and goes on resting. Returns its time then.
  Time receive_at_rest(uint32_t rank, const Message& message);
  /// Whether the rank rests, `surely`.
  bool rests_surely(uint32_t rank) const {
    const Process& process = processes_[rank];
    return process.state == State::rests && process.surely;
  }

  // ---- From a fault ----

  const FaultPlan& faults() const { return plan_.faults; }
  /// The rank has no more turns.
  void stop(uint32_t rank);
  /// Whether it has still something to do, if it can.
  bool is_alive(uint32_t rank) const;
  void host_lost(const char* whose, const std::string& line) { tell_host_lost_(whose, line); }

  /// As long as this exists, what the processor does is the simulation's work, not the rank's computation.
  class Inside {
   public:
    explicit Inside(Simulation& simulation) : simulation_(simulation) { simulation.charge(); }
    ~Inside() { simulation_.measure_from_here(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Simulation& simulation_;
  };

  /// The latest clock of all ranks.
  Time end() const;
  /// Whether computation takes what ranks say, and none has said anything.
  bool lacks_computation() const { return plan_.computation == Computation::modelled && !computed_; }
  /// How often a rank has come to its turn.
  uint64_t turns() const { return turns_; }
  const Stacks& stacks() const { return stacks_; }
  const ThreadLocals& thread_locals() const { return locals_; }
  /// Where the rank that runs waited last; for the watchdog, which is another thread.
  uint32_t running_rank() const { return running_rank_.load(std::memory_order_relaxed); }
  /// Changes with each turn, and with each event meanwhile.
  uint64_t heartbeat() const { return heartbeat_.load(std::memory_order_relaxed); }

 private:
  enum class State : uint8_t { runs, ready, due, rests, stopped, ended };

  // A rank. As an event it is the end of its rest. What each turn needs comes first: in a large job it has left the
  // caches by then.
  struct alignas(64) Process final : Event {
    void happen(Time now) override { simulation->time_is_over(*this, now); }

    Simulation* simulation = nullptr;
    Time clock = beginning;
    Time due = never;
    const char* call = "";
    double slowness = 1;  // how many times as long as usual its processor takes
    uint32_t rank = 0;
    uint32_t reads_of_clock = 0;  // since it last did something else
    State state = State::ended;
    bool begun = false;
    bool surely = false;
    bool woken = false;
    Fiber fiber;
    double part_ns = 0;  // less than one, that it has computed beyond its clock
  };

  Simulation(const Plan& plan);
  Status inject_faults();
  static Time slowed(const Process& process, Time span) {
    return process.slowness == 1 ? span : static_cast<Time>(static_cast<double>(span) * process.slowness);
  }
  uint64_t now_ns() override;
  void sleep_ns(uint64_t ns) override;

  void time_is_over(Process& process, Time now);
  void enter(Process& process, Time when);
  void make_ready(Process& process);
  void suspend();
  Process& next_to_run();
  void beat() { heartbeat_.store(heartbeat() + 1, std::memory_order_relaxed); }
  void dawdle(Process& process);
  void choose_at_random();
  void active_until(Time when);
  void look_for_deadlock();
  [[noreturn]] void deadlocked();
  void charge();
  void measure_from_here();

  const Plan plan_;
  std::vector<std::shared_ptr<void>> kept_;
  ThreadLocals locals_;
  Calendar calendar_;
  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<class HostLoss>> losses_;
  Stacks stacks_;
  std::vector<Process> processes_;  // by rank; behind them whoever waits and is no rank
  Process* running_ = nullptr;
  Process* outside_ = nullptr;  // who waits for the others to end
  std::deque<Process*> ready_;
  uint32_t alive_ = 0;           // ranks
  uint32_t resting_surely_ = 0;  // of these
  uint64_t entered_ = 0;         // processes in the calendar, as often as they are
  Time active_until_ = 0;        // the latest time for which something is known to happen but ranks that look again
  uint64_t vain_turns_ = 0;      // rests that have ended since it was last set, and only by time
  uint64_t turns_ = 0;
  uint64_t messages_ = 0;
  uint64_t bytes_ = 0;
  bool computed_ = false;
  Time measured_from_ = 0;
  std::function<void(const std::string& who)> tell_deadlock_;
  std::function<void(const char* whose, const std::string& line)> tell_host_lost_;
  std::function<void()> tell_end_signal_;
  const std::function<void()>* look_ = nullptr;  // what a rank that is visited does
  Process* visitor_ = nullptr;
  std::atomic<uint32_t> running_rank_{0};
  std::atomic<uint64_t> heartbeat_{0};
};

}  // namespace weft::sim
