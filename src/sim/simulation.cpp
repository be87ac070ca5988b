#include "sim/simulation.hpp"

#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

#include "base/log.hpp"
#include "os/ending.hpp"
#include "sim/faulty_network.hpp"
#include "sim/host_loss.hpp"

namespace weft::sim {
namespace {

std::atomic<Simulation*> current_simulation{nullptr};
pthread_t thread_of_ranks;

// From this many readings of the clock in a row on, each takes some time: a rank may wait by the clock alone.
constexpr uint32_t free_readings = 64;
constexpr Time time_of_reading = 25;

// Ranks that only look again and again, though nothing is under way, are stuck: after this many turns each in calls
// that wait without end, and after this much time if they have a time of their own.
constexpr uint64_t vain_turns_each = 64;
constexpr Time longest_vain = 20'000'000'000;
// Of the ranks' own computation, where it is measured, a loop that polls takes less at a time.
constexpr Time least_computation = 1'000'000;

Time processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<Time>(time.tv_sec) * 1'000'000'000u + static_cast<Time>(time.tv_nsec);
}

}  // namespace

std::string ranks_text(const std::vector<uint32_t>& ranks) {
  struct Range {
    uint32_t first, last;
  };
  std::vector<Range> ranges;
  for (const uint32_t rank : ranks) {
    if (!ranges.empty() && ranges.back().last + 1 == rank)
      ++ranges.back().last;
    else
      ranges.push_back({rank, rank});
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  constexpr size_t most_ranges = 8;
  for (size_t i = 0; i < std::min(ranges.size(), most_ranges); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranges[i].first);
    if (ranges[i].last != ranges[i].first) text += "-" + std::to_string(ranges[i].last);
  }
  return text + (ranges.size() > most_ranges ? " and more" : "");
}

Simulation* Simulation::current() { return current_simulation.load(std::memory_order_acquire); }

bool Simulation::on_this_thread() {
  return current() != nullptr && pthread_equal(thread_of_ranks, pthread_self()) != 0;
}

Simulation::Simulation(const Plan& plan) : plan_(plan), processes_(size_t{plan.ranks} + 1) {
  for (uint32_t i = 0; i <= plan.ranks; ++i) {
    processes_[i].simulation = this;
    processes_[i].rank = i;
  }
}

Status Simulation::make(const Plan& plan, const MakeNetwork& make_network, std::unique_ptr<Simulation>& simulation) {
  std::unique_ptr<Simulation> made(new Simulation(plan));
  Status status = make_network(made->calendar_, made->network_);
  if (status.ok() && plan.computation == Computation::modelled && !made->network_->computation_ns(0, 0, 0)) {
    base::log_error(
        "setting WEFT_SIM_COMPUTE (--sim-compute) is 'model', but the platform does not say how fast its processors "
        "are: give its file a processor.flop_rate");
    return WEFT_ERR_INVALID;
  }
  if (status.ok()) status = made->inject_faults();
  if (status.ok()) status = Stacks::make(plan.ranks, plan.stack_size, made->stacks_);
  if (!status.ok()) return status;
  // Until it becomes a rank the caller is none.
  made->running_ = &made->processes_.back();
  made->running_->fiber.adopt(made->locals_);
  made->running_->state = State::runs;
  thread_of_ranks = pthread_self();
  current_simulation.store(made.get(), std::memory_order_release);
  os::use_clock(made.get());
  simulation = std::move(made);
  return {};
}

Status Simulation::inject_faults() {
  const FaultPlan& faults = plan_.faults;
  uint32_t hosts = 0;
  for (uint32_t rank = 0; rank < plan_.ranks; ++rank) hosts = std::max(hosts, network_->host_of(rank) + 1);
  if (const std::string wrong = check_hosts(faults, hosts); !wrong.empty()) {
    base::log_error("setting WEFT_SIM_FAULT (--sim-fault): %s", wrong.c_str());
    return WEFT_ERR_INVALID;
  }
  for (const FaultPlan::Slow& slow : faults.slow)
    for (uint32_t rank = 0; rank < plan_.ranks; ++rank)
      if (network_->host_of(rank) == slow.host) processes_[rank].slowness *= slow.factor;
  if (!faults.changes_network()) return {};
  auto faulty = std::make_unique<FaultyNetwork>(std::move(network_), faults, calendar_);
  for (size_t i = 0; i < faults.losses.size(); ++i) losses_.push_back(std::make_unique<HostLoss>(*this, *faulty, i));
  network_ = std::move(faulty);
  return {};
}

Simulation::~Simulation() {
  if (current() != this) return;
  os::use_clock(nullptr);
  current_simulation.store(nullptr, std::memory_order_release);
}

void Simulation::join_as_first() {
  processes_.pop_back();
  running_ = &processes_.front();
  running_->begun = true;
  running_->fiber.adopt(locals_);
  running_->state = State::runs;
  ++alive_;
  measure_from_here();
}

void Simulation::start(uint32_t rank, std::function<void()> body) {
  Process& process = processes_[rank];
  ++alive_;
  process.fiber.prepare(locals_, stacks_.lowest(rank), stacks_.size(),
                        [this, &process, body = std::move(body)]() -> Fiber& {
                          locals_.begin();
                          process.begun = true;
                          measure_from_here();
                          body();
                          charge();
                          process.state = State::ended;
                          --alive_;
                          const bool last = alive_ == (outside_ != nullptr && outside_->rank < plan_.ranks ? 1 : 0);
                          if (last && outside_ != nullptr) make_ready(*outside_);
                          Process& next = next_to_run();
                          running_ = &next;
                          next.state = State::runs;
                          return next.fiber;
                        });
  make_ready(process);
}

void Simulation::wait_for_others() {
  const uint32_t own = running_->rank < plan_.ranks ? 1 : 0;
  if (alive_ == own) return;
  outside_ = running_;
  running_->state = State::due;  // nobody wakes it but the last of the others
  running_->call = "weft_finalize";
  suspend();
  outside_ = nullptr;
}

// ---- Resting and waking ----

void Simulation::catch_up() {
  Process& own = *running_;
  own.reads_of_clock = 0;
  dawdle(own);
  if (ready_.empty() && (calendar_.empty() || calendar_.next() > own.clock)) return;
  own.state = State::due;
  enter(own, own.clock);
  suspend();
}

bool Simulation::rest(const char* call, Time until, bool surely) {
  Process& own = *running_;
  own.reads_of_clock = 0;
  own.call = call;
  own.state = State::rests;
  own.surely = surely;
  own.woken = false;
  own.due = never;
  resting_surely_ += surely ? 1 : 0;
  if (until != never) enter(own, std::max(until, own.clock));
  suspend();
  return own.woken;
}

void Simulation::wake(uint32_t rank, Time when) {
  Process& process = processes_[rank];
  if (process.state != State::rests) return;
  resting_surely_ -= process.surely ? 1 : 0;
  process.woken = true;
  process.clock = std::max(process.clock, when);
  active_until(process.clock);
  dawdle(process);
  if (process.clock <= calendar_.now()) return make_ready(process);
  process.state = State::due;
  enter(process, process.clock);
}

Time Simulation::receive_at_rest(uint32_t rank, const Message& message) {
  Process& process = processes_[rank];
  process.clock = std::max(process.clock, calendar_.now());
  active_until(process.clock);
  return process.clock += slowed(process, network_->receive_overhead(message));
}

void Simulation::enter(Process& process, Time when) {
  process.due = when;
  ++entered_;
  calendar_.at(when, process);
}

// One that has been woken meanwhile stands in the calendar with a time that counts no more.
void Simulation::time_is_over(Process& process, Time now) {
  --entered_;
  if (process.due != now || (process.state != State::rests && process.state != State::due)) return;
  if (process.state == State::rests) {
    ++vain_turns_;
    resting_surely_ -= process.surely ? 1 : 0;
  }
  make_ready(process);
}

void Simulation::make_ready(Process& process) {
  process.state = State::ready;
  process.due = never;
  process.fiber.fetch();
  ready_.push_back(&process);
}

void Simulation::suspend() {
  Process& own = *running_;
  Process& next = next_to_run();
  running_ = &next;
  next.state = State::runs;
  if (&next != &own) own.fiber.switch_to(next.fiber);
  while (look_ != nullptr) {
    (*std::exchange(look_, nullptr))();
    own.fiber.switch_to(visitor_->fiber);
  }
  own.clock = std::max(own.clock, calendar_.now());
}

void Simulation::visit(uint32_t rank, const std::function<void()>& look) {
  Process& process = processes_[rank];
  if (&process == running_) return look();
  if (!process.begun || process.state == State::ended) return;
  look_ = &look;
  visitor_ = running_;
  visitor_->fiber.switch_to(process.fiber);
}

// The fiber that runs is at rest already, but its stack is as good as any other for events.
Simulation::Process& Simulation::next_to_run() {
  while (ready_.empty()) {
    look_for_deadlock();
    if (!calendar_.run_next()) deadlocked();
    beat();
  }
  if (plan_.faults.advance != 0) choose_at_random();
  if (os::end_signal.load(std::memory_order_relaxed) != 0 && tell_end_signal_) std::exchange(tell_end_signal_, {})();
  Process& next = *ready_.front();
  ready_.pop_front();
  ++turns_;
  running_rank_.store(next.rank, std::memory_order_relaxed);
  beat();
  return next;
}

// With random turns a rank loses some time now and then, so that others come first.
void Simulation::dawdle(Process& process) {
  const FaultPlan& faults = plan_.faults;
  if (faults.advance == 0) return;
  process.clock += roll(faults.seed, Die::advance, process.rank, turns_) % (faults.advance + 1);
}

// Of all that could go on now.
void Simulation::choose_at_random() {
  while (!calendar_.empty() && calendar_.next() <= calendar_.now()) calendar_.run_next();
  std::swap(ready_.front(), ready_[roll(plan_.faults.seed, Die::turn, 0, turns_) % ready_.size()]);
}

void Simulation::stop(uint32_t rank) {
  Process& process = processes_[rank];
  if (!is_alive(rank)) return;
  if (process.state == State::rests) resting_surely_ -= process.surely ? 1 : 0;
  std::erase(ready_, &process);
  process.state = State::stopped;
}

bool Simulation::is_alive(uint32_t rank) const {
  const Process& process = processes_[rank];
  return process.state != State::ended && &process != outside_;
}

void Simulation::active_until(Time when) {
  active_until_ = std::max(active_until_, when);
  vain_turns_ = 0;
}

// No rank has its turn.
void Simulation::look_for_deadlock() {
  const Time now = calendar_.now();
  const bool something_is_under_way = calendar_.size() != entered_;
  if (something_is_under_way) return active_until(now);
  const uint32_t others = alive_ - (outside_ != nullptr && outside_->rank < plan_.ranks ? 1 : 0);
  if (now <= active_until_ || vain_turns_ < vain_turns_each * others) return;
  if (resting_surely_ == others || now - active_until_ > longest_vain) deadlocked();
}

void Simulation::deadlocked() {
  std::map<std::string, std::vector<uint32_t>> waiting;
  for (const Process& process : processes_)
    if (process.rank != plan_.ranks && process.state != State::ended) waiting[process.call].push_back(process.rank);
  std::string who;
  for (const auto& [call, ranks] : waiting)
    who +=
        (who.empty() ? "" : "; ") + ranks_text(ranks) + " in " + (call.empty() ? std::string("no call of Weft") : call);
  tell_deadlock_(who);
  std::abort();
}

// ---- Time ----

uint64_t Simulation::now_ns() {
  if (!on_this_thread()) return running_->clock;
  charge();
  if (++running_->reads_of_clock > free_readings) spend(time_of_reading);
  measure_from_here();
  return running_->clock;
}

void Simulation::sleep_ns(uint64_t ns) {
  const Inside inside(*this);
  spend_until(running_->clock + ns);
  act();
  catch_up();
}

void Simulation::charge() {
  if (plan_.computation != Computation::measured) return;
  const Time now = processor_time();
  const auto computed = static_cast<Time>(static_cast<double>(now - measured_from_) * plan_.factor);
  spend(computed);
  if (computed >= least_computation) act();
  measured_from_ = now;
}

void Simulation::measure_from_here() {
  if (plan_.computation == Computation::measured) measured_from_ = processor_time();
}

Time Simulation::end() const {
  Time latest = beginning;
  for (const Process& process : processes_) latest = std::max(latest, process.clock);
  return latest;
}

}  // namespace weft::sim
