#include "capi/sim_ranks.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "base/log.hpp"
#include "base/parse.hpp"
#include "base/settings.hpp"
#include "boot/sim_job.hpp"
#include "capi/destructors.hpp"
#include "capi/in_process.hpp"
#include "capi/state.hpp"
#include "coll/choice.hpp"
#include "os/available_memory.hpp"
#include "os/dataless.hpp"
#include "os/ending.hpp"
#include "sim/make_network.hpp"
#include "sim/overflow.hpp"
#include "sim/simulation.hpp"
#include "sim/watchdog.hpp"
#include "weft/sim.h"

namespace weft::capi {
namespace {

using sim::Simulation;

// What a rank takes that only starts and ends: stack, state and segment, as far as they are touched. With 1,024 and
// 4,096 ranks it is 33 to 34 KiB.
constexpr uint64_t bytes_of_rank = 32 << 10;

constexpr double most_watched = 1e6;  // seconds
constexpr double most_speed = 1e6;    // virtual time has 584 years: more than 5 hours here

// Address space of all stacks, what lies between them aside: half of what x86-64 gives a process.
constexpr uint64_t most_stacks = uint64_t{64} << 40;

// Said before anything is started, since the kernel would end a process that takes too much without a word.
Status check_memory(uint32_t ranks) {
  const uint64_t needed = ranks * bytes_of_rank;
  const uint64_t there = os::available_memory();
  if (needed <= there) return {};
  base::log_error(
      "%u simulated ranks take at least %s (%llu bytes) of memory, and this machine has %s left: simulate fewer", ranks,
      base::size_text(needed).c_str(), static_cast<unsigned long long>(needed), base::size_text(there).c_str());
  return WEFT_ERR_NO_MEMORY;
}

// What cannot be without data.
Status check_data_setting(const base::Settings& settings) {
  if (settings.sim_data != "none") return {};
  const char* const why =
      settings.sim_compute == "measured"
          ? "WEFT_SIM_COMPUTE=measured, since what is not computed cannot be measured: take free or model"
      : settings.sim_share  ? "WEFT_SIM_SHARE=1, which lets ranks copy what is not there: leave it out"
      : !settings.map_peers ? "WEFT_MAP_PEERS=0, which makes messages of all data: leave it out"
                            : nullptr;
  if (why == nullptr) return {};
  base::log_error("setting WEFT_SIM_DATA (--sim-data) is 'none', which does not go with %s", why);
  return WEFT_ERR_INVALID;
}

void tell_of_links_file(const std::string& path, const std::string& why) {
  base::log_error("cannot write the file of WEFT_SIM_LINKS, %s: %s", path.c_str(), why.c_str());
}

// A simulation may take hours, and the file is written at its end. It is not opened here: a pipe would wait.
Status check_links_file(const std::string& path) {
  if (path.empty()) return {};
  const std::string folder = std::filesystem::path(path).parent_path();
  const bool exists = ::access(path.c_str(), F_OK) == 0;
  const bool is_writable = ::access(exists ? path.c_str() : folder.empty() ? "." : folder.c_str(), W_OK) == 0;
  std::error_code no_file;
  const bool is_folder = is_writable && std::filesystem::is_directory(path, no_file);
  if (is_writable && !is_folder) return {};
  tell_of_links_file(path, std::strerror(is_folder ? EISDIR : errno));
  return WEFT_ERR_INVALID;
}

// So that nobody takes an earlier job's links for those of a job that is killed.
void empty_links_file(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::is_regular_file(path, failure)) std::filesystem::resize_file(path, 0, failure);
}

Status plan_of(const base::Settings& settings, uint32_t ranks, Simulation::Plan& plan) {
  plan.ranks = ranks;
  plan.stack_size = settings.sim_stack;
  plan.factor = settings.sim_speed;
  plan.seed = settings.sim_seed;
  if (const std::string wrong = sim::parse_faults(settings.sim_fault, plan.faults); !wrong.empty()) {
    base::log_error("setting WEFT_SIM_FAULT (--sim-fault): %s", wrong.c_str());
    return WEFT_ERR_INVALID;
  }
  plan.computation = settings.sim_compute == "measured" ? sim::Computation::measured
                     : settings.sim_compute == "model"  ? sim::Computation::modelled
                                                        : sim::Computation::free;
  if (const Status status = check_data_setting(settings); !status.ok()) return status;
  if (settings.progress == "thread") {
    base::log_error(
        "setting WEFT_PROGRESS is 'thread', but simulated ranks have no threads of their own: leave it at "
        "'poll'; the simulated network serves one-sided operations itself");
    return WEFT_ERR_INVALID;
  }
  if (plan.factor <= 0 || plan.factor > most_speed) {
    base::log_error("setting WEFT_SIM_SPEED is %g; it must be above 0 and at most %.0f", plan.factor, most_speed);
    return WEFT_ERR_INVALID;
  }
  if (settings.sim_watch < 0 || settings.sim_watch > most_watched) {
    base::log_error("setting WEFT_SIM_WATCH is %g; it must be from 0 (never) to %.0f s", settings.sim_watch,
                    most_watched);
    return WEFT_ERR_INVALID;
  }
  if (plan.stack_size < 64 << 10) {
    base::log_error("setting WEFT_SIM_STACK is %s; a rank needs at least 64K",
                    base::size_text(plan.stack_size).c_str());
    return WEFT_ERR_INVALID;
  }
  if (plan.stack_size > most_stacks / ranks) {
    base::log_error("setting WEFT_SIM_STACK is %s; a rank of %u can have %s", base::size_text(plan.stack_size).c_str(),
                    ranks, base::size_text(most_stacks / ranks).c_str());
    return WEFT_ERR_INVALID;
  }
  if (const Status status = check_links_file(settings.sim_links); !status.ok()) return status;
  return check_memory(ranks);
}

// What weft_simulated() returns; empty: no job is simulated.
std::string machine_json;
// Whether it is simulated without data.
bool without_data = false;
// Whether any memory was without data.
bool any_dropped = false;
// The kernel allows 65,530 mappings; memory whose access faults makes some more for each rank. With more ranks than
// this nothing faults.
constexpr uint32_t most_guarded = 4096;

std::string describe_machine(const Simulation& simulation, const sim::Network& network,
                             const base::Settings& settings) {
  char contention[32];
  std::snprintf(contention, sizeof contention, "%.9g", network.contention());
  return R"({"simulated": true, "platform": )" + base::json_text(settings.sim_platform) + R"(, "machine": )" +
         base::json_text(network.describe()) + R"(, "contention": )" + contention + R"(, "seed": )" +
         std::to_string(simulation.seed()) + R"(, "compute": )" + base::json_text(settings.sim_compute) +
         R"(, "data": )" + base::json_text(settings.sim_data) + "}";
}

// How the job was simulated, for its last line.
std::string conditions_of(const base::Settings& settings) {
  std::string text = "compute " + settings.sim_compute;
  if (settings.sim_compute == "measured" && settings.sim_speed != 1) {
    char speed[40];
    std::snprintf(speed, sizeof speed, " times %g", settings.sim_speed);
    text += speed;
  }
  if (any_dropped) text += "; without data";
  if (!settings.sim_fault.empty()) text += "; faults " + settings.sim_fault;
  return text + "; seed " + std::to_string(settings.sim_seed);
}

sim::Ordering ordering_of(const std::string& order) {
  if (order == "strict") return sim::Ordering::strict;
  return order == "relaxed" ? sim::Ordering::relaxed : sim::Ordering::usual;
}

// A simulation, and the job in it. Made before its ranks and gone after them.
class SimulatedJob {
 public:
  /// On success the job owns the process.
  static Status make(uint32_t ranks, std::unique_ptr<boot::Boot>& process, std::unique_ptr<SimulatedJob>& job) {
    base::Settings settings;
    Status status = base::read_settings(settings, false);
    Simulation::Plan plan;
    if (status.ok()) status = coll::Choice::check(settings);
    if (status.ok()) status = plan_of(settings, ranks, plan);
    if (!status.ok()) return status;
    std::unique_ptr<SimulatedJob> made(new SimulatedJob);
    const sim::NetworkOptions options = {.ranks = ranks,
                                         .ranks_per_node = settings.sim_ranks_per_host,
                                         .map = settings.sim_map,
                                         .seed = settings.sim_seed,
                                         .ordering = ordering_of(settings.order)};
    const auto network = [&](sim::Calendar& calendar, std::unique_ptr<sim::Network>& its) {
      return sim::make_network(settings.sim_platform, options, calendar, its);
    };
    status = Simulation::make(plan, network, made->simulation_);
    if (!status.ok()) return status;
    made->job_ = std::make_unique<boot::SimJob>(*made->simulation_, std::move(process));
    made->simulation_->on_deadlock([&job = *made](const std::string& who) {
      base::log_error("deadlock: nothing is under way, and all ranks wait: %s", who.c_str());
      job.report_so_far();
      job.job_->abort(1, "deadlock");
    });
    made->simulation_->on_host_lost([&job = *made](const char* whose, const std::string& line) {
      base::log_identity(whose);
      base::log_error("%s", line.c_str());
      base::log_identity("");
      job.report_so_far();
      job.job_->abort(1, "a host is lost");
    });
    made->states_.resize(ranks, nullptr);
    made->tell_of_end_signal();
    made->overflow_ = std::make_unique<sim::OverflowWatch>(made->simulation_->stacks());
    made->settings_ = settings;
    empty_links_file(settings.sim_links);
    without_data = settings.sim_data == "none";
    any_dropped = false;
    machine_json = describe_machine(*made->simulation_, made->simulation_->network(), settings);
    // A rank alone waits for nobody.
    made->watchdog_ = std::make_unique<sim::Watchdog>(*made->simulation_, ranks > 1 ? settings.sim_watch : 0, [] {
      if (ftrylockfile(stdout) == 0) fflush_unlocked(stdout);  // else the rank is inside of it, for ever perhaps
      _exit(1);
    });
    current_ = made.get();
    job = std::move(made);
    return {};
  }

  ~SimulatedJob() {
    current_ = nullptr;
    machine_json.clear();
    without_data = false;
    os::Dataless::clear();
  }
  SimulatedJob(const SimulatedJob&) = delete;
  SimulatedJob& operator=(const SimulatedJob&) = delete;

  /// That of this process; null if there is none.
  static SimulatedJob* current() { return current_; }

  Simulation& simulation() { return *simulation_; }
  /// The rank is there from weft_init() to weft_finalize(); null: it is not.
  void set_state(uint32_t rank, RankState* state) { states_[rank] = state; }
  std::unique_ptr<boot::Boot> boot(uint32_t rank) { return job_->boot(rank); }
  /// The rank begins when the caller waits, and leaves in `code` what its body returns.
  void start(uint32_t rank, std::function<int()> body, int& code) {
    simulation_->start(rank, [this, rank, body = std::move(body), &code] {
      try {
        code = run_rank(job_->boot(rank), body);
        run_destructors();
      } catch (abi::__forced_unwind&) {
        base::log_error("called pthread_exit(), but all simulated ranks share a thread; return from main instead");
        std::fflush(nullptr);
        job_->abort(1, "logged");
      }
    });
  }

  /// `until`: "", or why no further. False: the links file could not be written.
  bool summarise(const char* until = "") const {
    Simulation& simulation = *simulation_;
    const sim::Statistics statistics = simulation.network().statistics(sim::beginning, simulation.end());
    std::fprintf(stderr, "weft: simulated %.9f s%s of %u ranks: %llu messages, %s; %s; platform %s; %s\n",
                 static_cast<double>(simulation.end() - sim::beginning) * 1e-9, until, simulation.ranks(),
                 static_cast<unsigned long long>(simulation.messages()), base::size_text(simulation.bytes()).c_str(),
                 sim::summary(statistics).c_str(), simulation.network().describe().c_str(),
                 conditions_of(settings_).c_str());
    const std::string& links_file = settings_.sim_links;
    const std::string why = links_file.empty() ? "" : sim::write_json(statistics, links_file);
    if (!why.empty()) tell_of_links_file(links_file, why);
    return why.empty();
  }

 private:
  SimulatedJob() = default;

  // Ctrl-C: the report so far, of the job and of each rank.
  void tell_of_end_signal() {
    os::watch_end_signals([](int signal) {
      // The second of one kind ends the process: a rank may compute for ever. weftrun sends SIGTERM after a Ctrl-C.
      static std::atomic<uint64_t> asked_before{0};
      const uint64_t this_kind = uint64_t{1} << signal;
      return (asked_before.fetch_or(this_kind) & this_kind) == 0 && Simulation::current() != nullptr;
    });
    simulation_->on_end_signal([this] {
      job_->reports();
      (void)summarise(" so far");
      const auto asks = [](const RankState* state) { return state != nullptr && state->core->settings().backtrace; };
      if (std::ranges::any_of(states_, asks)) tell_where();
      report_ranks();
      os::end_by_signal();
    });
  }

  // Each call of Weft, with the ranks that are there, and how the first of these came there.
  void tell_where() {
    std::map<std::string, std::vector<uint32_t>> at;
    for (uint32_t rank = 0; rank < states_.size(); ++rank) at[place_of(states_[rank])].push_back(rank);
    for (const auto& [place, ranks] : at) {
      simulation_->visit(ranks.front(), [&, &place = place, &ranks = ranks] {
        base::log_identity("");
        os::log_backtrace(nullptr, "SIG%s: %s %s; %s", sigabbrev_np(os::end_signal.load()),
                          sim::ranks_text(ranks).c_str(), place.c_str(), os::backtrace_follows);
      });
    }
  }

  static std::string place_of(const RankState* state) {
    if (state == nullptr) return "outside of Weft";
    const weft_detail_context_t& context = state->threads.front()->context;
    const std::string call = context.call != nullptr ? context.call : "none";
    return context.waiting != 0 ? "waiting in " + call : "not waiting in Weft (last call: " + call + ")";
  }

  // The job ends before its ranks do.
  void report_so_far() {
    (void)summarise(" so far");
    report_ranks();
  }

  void report_ranks() {
    std::fflush(nullptr);
    for (RankState* state : states_)
      if (state != nullptr) state->report();
  }

  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<boot::SimJob> job_;
  std::unique_ptr<sim::OverflowWatch> overflow_;
  std::unique_ptr<sim::Watchdog> watchdog_;
  base::Settings settings_;
  std::vector<RankState*> states_;  // by rank
  static inline SimulatedJob* current_ = nullptr;
};

// The job of this process under weftrun --sim.
struct MainSimulation {
  std::unique_ptr<SimulatedJob> job;
  std::vector<int> codes;
};
MainSimulation* main_simulation = nullptr;

std::atomic<uint64_t> ended_ns{0};  // when the job of this process was over for rank 0, by its clock

}  // namespace

Status start_main_simulation(uint32_t ranks, int* argc, char*** argv, weft_thread_mode_t mode,
                             std::unique_ptr<boot::Boot>& boot) {
  Status status = check_main(ranks, argc, argv, "simulated", "--sim");
  if (status.ok() && mode == WEFT_THREAD_MULTIPLE) {
    base::log_error(
        "a program whose ranks have threads of their own (WEFT_THREAD_MULTIPLE) cannot be simulated: all "
        "ranks share one thread");
    return WEFT_ERR_UNSUPPORTED;
  }
  std::unique_ptr<boot::Boot> process;
  if (status.ok()) status = boot::connect(process);
  std::unique_ptr<SimulatedJob> job;
  if (status.ok()) {
    status = SimulatedJob::make(ranks, process, job);
    if (status.code() == WEFT_ERR_INVALID) (void)process->put(boot::init_failed_key, boot::wrong_settings);
  }
  if (!status.ok()) return status;
  expect_pthread_exit();
  main_simulation = new MainSimulation{.job = std::move(job), .codes = std::vector<int>(ranks, 0)};
  boot = main_simulation->job->boot(0);
  main_simulation->job->simulation().join_as_first();
  for (uint32_t rank = 1; rank < ranks; ++rank)
    main_simulation->job->start(
        rank, [count = *argc, values = *argv] { return run_main(count, values); }, main_simulation->codes[rank]);
  return {};
}

void join_main_simulation() {
  if (main_simulation == nullptr) return;
  Simulation& simulation = main_simulation->job->simulation();
  ended_ns = simulation.time();
  simulation.wait_for_others();
  if (simulation.lacks_computation())
    base::log_warning(
        "--sim-compute is model, but no rank called weft_sim_compute(): computation has taken no time, as with free; "
        "have the program say what it computes, or take measured");
  if (without_data && !any_dropped)
    base::log_warning(
        "--sim-data is none, but no rank called weft_sim_drop_data(): all memory had data, as with exact; have the "
        "program say which arrays need none, or leave the option out");
  if (!main_simulation->job->summarise()) main_simulation->codes.push_back(1);
  end_with_failure_of(main_simulation->codes);
  delete main_simulation;
  main_simulation = nullptr;
}

uint64_t time_outside_simulation() {
  static const bool simulates = simulates_threads();
  if (!simulates || Simulation::current() != nullptr) return 0;
  const uint64_t ended = ended_ns;
  return ended != 0 ? ended : sim::beginning;
}

void refuse_threads_of_simulated_ranks() {
  if (Simulation::current() == nullptr || Simulation::on_this_thread()) return;
  base::log_error("a thread that the program has made called Weft, but simulated ranks have no threads of their own");
  std::fflush(nullptr);
  _exit(1);
}

bool ends_with_simulation(RankState& rank) {
  if (!Simulation::on_this_thread()) return false;
  SimulatedJob::current()->set_state(rank.core->id(), &rank);
  return true;
}

void forget_simulated(RankState& rank) {
  if (Simulation::on_this_thread()) SimulatedJob::current()->set_state(rank.core->id(), nullptr);
}

bool simulates_threads() {
  const char* const conduit = std::getenv("WEFT_CONDUIT");
  return conduit != nullptr && std::strcmp(conduit, "sim") == 0;
}

Status run_simulated(uint32_t ranks, const std::function<int()>& body, std::vector<int>& codes) {
  std::unique_ptr<SimulatedJob> job;
  std::unique_ptr<boot::Boot> no_process;
  const Status status = SimulatedJob::make(ranks, no_process, job);
  if (!status.ok()) return status;
  for (uint32_t rank = 0; rank < ranks; ++rank) job->start(rank, body, codes[rank]);
  job->simulation().wait_for_others();
  return {};
}

}  // namespace weft::capi

using namespace weft::capi;

extern "C" {

const char* weft_simulated(void) { return machine_json.empty() ? nullptr : machine_json.c_str(); }

int weft_sim_has_data(void) { return without_data ? 0 : 1; }

int weft_sim_drop_data(void* address, size_t size) {
  Thread& thread = enter("weft_sim_drop_data");
  check_pointer("weft_sim_drop_data", address, size, "address");
  if (!without_data || size == 0) return 0;
  if (!weft::os::Dataless::add(address, size, thread.context.size <= most_guarded))
    misuse("weft_sim_drop_data: a part of the %zu bytes at %p has no data already", size, address);
  any_dropped = true;
  return 1;
}

void weft_sim_restore_data(void* address) {
  enter("weft_sim_restore_data");
  if (without_data && !weft::os::Dataless::remove(address))
    misuse("weft_sim_restore_data: no memory without data begins at %p", address);
}

void weft_sim_compute(double operations, double bytes) {
  const Thread& thread = enter("weft_sim_compute");
  const auto is_amount = [](double x) { return x >= 0 && std::isfinite(x); };
  if (!is_amount(operations) || !is_amount(bytes))
    misuse("weft_sim_compute: %g operations and %g bytes; both must be 0 or more, and finite", operations, bytes);
  if (!Simulation::on_this_thread()) return;
  Simulation& simulation = *Simulation::current();
  const weft::sim::Time start = simulation.time();
  simulation.compute(operations, bytes);
  if (simulation.time() == start) return;
  if (thread.rank->trace() != nullptr) thread.rank->trace()->add("weft_sim_compute", start, simulation.time());
  simulation.catch_up();  // the program's own loads and stores come next, which nobody sees
}

}  // extern "C"
