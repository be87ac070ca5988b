#include "capi/state.hpp"

#include <pthread.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "capi/sim_ranks.hpp"
#include "os/ending.hpp"
#include "rma/atomic_list.hpp"
#include "weft/detail/language.h"

extern "C" {
__thread weft_detail_context_t* weft_detail_current = nullptr;
__thread uint64_t weft_detail_map = 0;
}

namespace weft::capi {
namespace {

// The rank of a process whose ranks are processes, so that threads that the program makes can find it. Null when ranks
// are threads: a thread of such a process belongs to the rank that made it known.
std::atomic<RankState*> process_rank{nullptr};

// What a thread sees outside a job: no ranks.
Thread& outside_any_job() {
  static Thread thread;
  static std::once_flag once;
  std::call_once(once, [] {
    thread.context.thread = &thread;
    thread.context.implicit_pending = 1;  // so that weft_nbi_wait comes to the library, and is refused
  });
  return thread;
}

// The map word for these segments; 0 if one is missing or they do not lie a power of two apart.
uint64_t map_word(const core::MappedPeers& segments, conduit::RankId ranks) {
  size_t distance = 0;
  const auto first = reinterpret_cast<uint64_t>(segments.base_of_all(ranks, distance));
  if (ranks == 1) distance = size_t{1} << 40;
  if (first == 0 || !std::has_single_bit(distance) || first % 64 != 0) return 0;
  return first | static_cast<unsigned>(std::countr_zero(distance));
}

constinit const core::MappedPeers none_mapped;

}  // namespace

void set_process_rank(RankState* rank) { process_rank.store(rank, std::memory_order_release); }

RankState::RankState(std::unique_ptr<core::Rank> core_rank)
    : core(std::move(core_rank)),
      rma(*core),
      call_checks(*core),
      barrier(*core, call_checks, coll::Barrier::all_ranks(*core)),
      coll(*core, rma, call_checks),
      totals(*core),
      check(core->settings().check) {
  rma::Packer::install(*core);
  rma::install_atomic_list(*core);
  if (check)
    core->heap().publish_local_bottom(
        *reinterpret_cast<std::atomic<uint64_t>*>(core->conduit().segment() + core::ControlArea::local_bottom_offset));
  const bool asks_conduit = check || !core->capabilities().may_bypass || core->capabilities().orders_accesses;
  direct = asks_conduit ? &none_mapped : &core->mapped();
  map = map_word(*direct, core->size());
  coll.agree_between_hosts();
}

Thread& RankState::attach() {
  auto thread = std::make_unique<Thread>();
  thread->rank = this;
  thread->conduit = &core->conduit();
  thread->progress = &core->progress();
  thread->context.rank = core->id();
  thread->context.size = core->size();
  thread->context.segment_size = core->conduit().segment_size();
  thread->context.thread = thread.get();
  thread->outstanding.start(rma.handles(), core->size());
  std::lock_guard guard(threads_mutex);
  threads.push_back(std::move(thread));
  return *threads.back();
}

void RankState::report() {
  const os::LastWords words;
  if (conduit::hook::Recorder* recorder = core->recorder()) recorder->report(barrier.count());
}

void set_current(Thread* thread) {
  weft_detail_current = thread ? &thread->context : nullptr;
  weft_detail_map = thread && thread->rank ? thread->rank->map : 0;
}

void retire_threads(RankState& rank) {
  // Needs no construction at run time, which a program's ThreadSanitizer could not see to be ordered.
  static constinit std::mutex mutex;
  static std::vector<std::unique_ptr<Thread>>* retired = nullptr;  // never destroyed: they point there
  const std::scoped_lock guard(mutex, rank.threads_mutex);
  if (retired == nullptr) retired = new std::vector<std::unique_ptr<Thread>>;
  for (std::unique_ptr<Thread>& thread : rank.threads) {
    std::atomic_ref(thread->rank).store(nullptr, std::memory_order_relaxed);
    thread->context.rank = thread->context.size = 0;
    thread->context.implicit_pending = 1;
    thread->outstanding = {};
    retired->push_back(std::move(thread));
  }
  rank.threads.clear();
}

namespace {

std::atomic<bool> job_ends{false};  // this process has said why

// The threads of this process that are ranks; 0: none. What finds no room here is not told of.
constexpr size_t most_rank_threads = 256;
std::atomic<pthread_t> rank_threads[most_rank_threads];

// The signal has come to one thread of a process whose ranks are threads: it goes to the others, too, so that each
// tells where it is.
void pass_on(int signal) {
  static std::atomic<bool> passed{false};
  if (passed.exchange(true)) return;
  for (const std::atomic<pthread_t>& slot : rank_threads) {
    const pthread_t thread = slot.load(std::memory_order_acquire);
    if (thread != 0 && pthread_equal(thread, pthread_self()) == 0) pthread_kill(thread, signal);
  }
}

// One thread writes its backtrace at a time; none waits for ever.
class Speaking {
 public:
  Speaking() {
    constexpr timespec moment{0, 1'000'000};
    for (int look = 0; look < 100 && taken_.test_and_set(std::memory_order_acquire); ++look)
      nanosleep(&moment, nullptr);
  }
  ~Speaking() { taken_.clear(std::memory_order_release); }
  Speaking(const Speaking&) = delete;
  Speaking& operator=(const Speaking&) = delete;

 private:
  static inline std::atomic_flag taken_;
};

// In the signal handler. A rank that waits ends the process itself, outside of it.
bool will_end(int signal) {
  if (job_ends.load(std::memory_order_relaxed)) return false;
  if (os::LastWords::own()) return true;  // it is at its end, where it waits for the others
  const weft_detail_context_t* context = weft_detail_current;
  RankState* rank = process_rank.load(std::memory_order_acquire);
  if (rank == nullptr) pass_on(signal);
  if (context != nullptr && context->waiting != 0) return true;
  if (rank == nullptr && context != nullptr) rank = static_cast<Thread*>(context->thread)->rank;
  if (rank == nullptr) return false;
  const base::Settings& settings = rank->core->settings();
  const char* call = context != nullptr && context->call != nullptr ? context->call : "none";
  const Speaking speaking;
  // To write these now could find the heap in the midst of a change.
  if (settings.stats || !settings.trace.empty()) {
    const char* what = settings.trace.empty() ? "statistics are"
                       : settings.stats       ? "statistics and trace are"
                                              : "trace is";
    os::log_in_handler("SIG%s while not waiting in Weft (last call: %s); this rank's %s not written",
                       sigabbrev_np(signal), call, what);
  }
  if (!settings.backtrace) return false;
  // A rank that ends waits in the launcher's and the transport's functions, too.
  if (std::strcmp(call, "weft_finalize") == 0)
    os::log_backtrace(nullptr, "SIG%s in weft_finalize; %s", sigabbrev_np(signal), os::backtrace_follows);
  else
    os::log_backtrace(nullptr, "SIG%s while not waiting in Weft (last call: %s); %s", sigabbrev_np(signal), call,
                      os::backtrace_follows);
  return false;
}

std::atomic<void (*)(weft_detail_wait_t*)> words_of_wait{nullptr};

void end_waiting(void* self, const char* call, uint64_t waited_ns) {
  auto& rank = *static_cast<RankState*>(self);
  if (rank.core->settings().backtrace) {
    weft_detail_wait_t wait{};
    std::snprintf(wait.call, sizeof wait.call, "%s", call);
    if (const auto words = words_of_wait.load(std::memory_order_relaxed)) words(&wait);
    const Speaking speaking;
    os::log_backtrace(nullptr, "SIG%s after waiting in %s for %.1f s; %s%s%s", sigabbrev_np(os::end_signal.load()),
                      wait.call, static_cast<double>(waited_ns) * 1e-9, wait.note, wait.note[0] != '\0' ? "; " : "",
                      os::backtrace_follows);
  }
  std::fflush(nullptr);
  rank.report();
  os::end_by_signal();
}

}  // namespace

void tell_of_end(RankState& rank) {
  if (ends_with_simulation(rank)) return;
  const base::Settings& settings = rank.core->settings();
  if (!settings.backtrace && !settings.stats && settings.trace.empty()) return;
  rank.core->progress().on_end(end_waiting, &rank);
  os::watch_end_signals(will_end);
  for (std::atomic<pthread_t>& slot : rank_threads) {
    pthread_t none = 0;
    if (!slot.compare_exchange_strong(none, pthread_self(), std::memory_order_acq_rel)) continue;
    rank.end_slot = &slot;
    return;
  }
}

void forget_end(RankState& rank) {
  forget_simulated(rank);
  if (rank.end_slot != nullptr) rank.end_slot->store(0, std::memory_order_release);
}

void end_job(RankState& rank, int code, const char* reason) {
  job_ends.store(true, std::memory_order_relaxed);
  std::fflush(nullptr);
  rank.report();
  // A launcher can name the process alone.
  const bool one_of_several = process_rank.load(std::memory_order_acquire) == nullptr;
  if (one_of_several && code != 0 && *reason == '\0') {
    base::log_error("ends the job with exit code %d", code);
    reason = "logged";
  }
  rank.core->boot().abort(code, reason);
  __builtin_unreachable();
}

void misuse(const char* format, ...) {
  char line[1024] = "";
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const bool placed = core::worded(line, sizeof line, true);
  auto* thread = weft_detail_current ? static_cast<Thread*>(weft_detail_current->thread) : nullptr;
  const bool in_job = thread != nullptr && thread->rank != nullptr;
  const bool backtrace = in_job && thread->rank->core->settings().backtrace;
  const bool hint = in_job && !backtrace && !placed;
  base::log_error("%s%s", line, hint ? "; WEFT_BACKTRACE=1 shows where" : "");
  if (!in_job) {
    std::fflush(nullptr);
    _exit(1);
  }
  if (backtrace) os::print_backtrace();
  end_job(*thread->rank, 1, line);
}

}  // namespace weft::capi

extern "C" void weft_detail_word_wait(void (*words)(weft_detail_wait_t* wait)) {
  weft::capi::words_of_wait.store(words, std::memory_order_relaxed);
}

// Not by weft_detail_context(): a thread that never called Weft need not become one of a rank that ends meanwhile.
extern "C" int weft_initialized(void) {
  using namespace weft::capi;
  if (weft_detail_current == nullptr) return process_rank.load(std::memory_order_acquire) != nullptr ? 1 : 0;
  const auto thread = static_cast<Thread*>(weft_detail_current->thread);
  return std::atomic_ref(thread->rank).load(std::memory_order_relaxed) != nullptr ? 1 : 0;
}

extern "C" weft_detail_context_t* weft_detail_attach(void) {
  using namespace weft::capi;
  RankState* rank = process_rank.load(std::memory_order_acquire);
  if (rank == nullptr) refuse_threads_of_simulated_ranks();
  Thread& thread = rank ? rank->attach() : outside_any_job();
  if (rank && rank->check && rank->core->thread_mode() == WEFT_THREAD_SINGLE) {
    thread.context.handler = "a second thread";
    thread.restriction = Restriction::second_thread;
  }
  if (rank) {
    weft::base::log_identity(("rank " + std::to_string(rank->core->id())).c_str());
    set_current(&thread);
  }
  return &thread.context;
}
