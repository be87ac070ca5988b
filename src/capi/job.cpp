// Start and end of a job, and its identity.
#include "weft/job.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "boot/thread_job.hpp"
#include "capi/in_process.hpp"
#include "capi/sim_ranks.hpp"
#include "capi/state.hpp"
#include "capi/thread_ranks.hpp"
#include "os/clock.hpp"
#include "os/ending.hpp"
#include "weft/rma.h"

namespace weft::capi {
namespace {

std::atomic<bool> process_was_a_rank{false};

// The process ends. Not every launcher notices that a rank has not left the job; weftrun does, and says it better.
void refuse_to_end(int code, void* process) {
  const Thread* thread = weft_detail_current ? static_cast<Thread*>(weft_detail_current->thread) : nullptr;
  const bool forked = static_cast<pid_t>(reinterpret_cast<intptr_t>(process)) != getpid();
  if (code != 0 || forked || thread == nullptr || thread->rank == nullptr || std::getenv("WEFT_JOB") != nullptr) return;
  base::log_error("the program ends without weft_finalize; ending the job");
  std::fflush(nullptr);
  // Launchers end a job in which a rank fails; asked to, some would be too quick for the line above.
  _exit(1);
}

// Where the rank comes from: assigned to this thread, or the launcher's to this process, whose ranks may be threads.
Status find_boot(int* argc, char*** argv, weft_thread_mode_t mode, std::unique_ptr<boot::Boot>& boot,
                 bool& is_process) {
  auto* thread = weft_detail_current ? static_cast<Thread*>(weft_detail_current->thread) : nullptr;
  is_process = false;
  if (thread != nullptr && thread->assigned) {
    boot = std::move(thread->assigned);
    return {};
  }
  uint32_t thread_ranks = 0, simulated_ranks = 0;
  Status status = boot::ranks_in_process(thread_ranks, simulated_ranks);
  if (!status.ok()) return status;
  if (simulated_ranks > 0) return start_main_simulation(simulated_ranks, argc, argv, mode, boot);
  if (thread_ranks > 0) return start_main_threads(thread_ranks, argc, argv, boot);
  is_process = true;
  if (process_was_a_rank.exchange(true)) misuse("weft_init was called again; a process joins a job only once");
  return boot::connect(boot);
}

void meet(RankState& rank) {
  if (!rank.barrier.notify(0, true, coll::Occasion::finalize).ok())
    misuse("weft_finalize was called between weft_barrier_notify and weft_barrier_wait");
  (void)rank.barrier.wait(0, true);
}

// Handles messages until there are none.
void handle_all(RankState& rank) {
  // What a network has of a message may take more than one look to come in.
  constexpr int quiet_looks = 8;
  for (int quiet = 0; quiet < quiet_looks;) quiet = rank.core->progress().poll_all() == 0 ? quiet + 1 : 0;
}

// Every message that was sent before everybody came here has been handled when this returns, and so have the replies;
// and what is to be said about the program has been said, so that rank 0's summary comes last.
void drain(RankState& rank) {
  if (rank.check) rank.call_checks.symmetric.tell_count();
  meet(rank);
  handle_all(rank);
  // All that the program sends has been sent, replies included.
  if (conduit::hook::Statistics* statistics = rank.statistics())
    rank.totals.tell(statistics->close(rank.barrier.count()));
  meet(rank);
  handle_all(rank);
  if (rank.check) rank.call_checks.symmetric.compare_counts();
  rank.report();
  meet(rank);
}

// For a program that gives up before weft_init has succeeded, or after weft_finalize. In the second case other ranks of
// its process go on.
[[noreturn]] void end_process(int code) {
  leave_main(code);
  std::fflush(nullptr);
  _exit(code);
}

int init(int* argc, char*** argv, weft_thread_mode_t mode) {
  if (weft_size() != 0) misuse("weft_init was called twice; a process joins a job only once");
  if (mode < WEFT_THREAD_SINGLE || mode > WEFT_THREAD_MULTIPLE)
    misuse("weft_init_thread: %d is no weft_thread_mode_t", static_cast<int>(mode));
  std::unique_ptr<boot::Boot> boot;
  bool is_process = false;
  Status status = find_boot(argc, argv, mode, boot, is_process);
  if (!status.ok()) return status.code();
  // Not in a simulation, where no other rank ends the job while one waits.
  const base::HoldErrors hold(boot->rank() != 0 && !simulates_threads());
  std::unique_ptr<core::Rank> core;
  status = core::Rank::create(std::move(boot), mode, coll::Choice::check, core);
  if (!status.ok()) return status.code();
  auto* rank = new RankState(std::move(core));
  set_current(&rank->attach());
  if (is_process) {
    set_process_rank(rank);
    on_exit(refuse_to_end, reinterpret_cast<void*>(static_cast<intptr_t>(getpid())));
  }
  tell_of_end(*rank);
  log_start(*rank);
  return WEFT_OK;
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;

extern "C" {

int weft_init(int* argc, char*** argv) { return init(argc, argv, WEFT_THREAD_SERIALIZED); }

int weft_init_thread(int* argc, char*** argv, weft_thread_mode_t mode) { return init(argc, argv, mode); }

int weft_finalize(void) {
  Thread& thread = enter("weft_finalize");
  RankState* rank = thread.rank;
  if (thread.outstanding.in_region())
    misuse("weft_finalize: weft_region_begin was called without weft_region_end after it");
  weft_nbi_wait();
  check_prepared(*rank);
  if (rank->check) check_handles(thread);
  rank->coll.finish();
  drain(*rank);
  if (rank->core->id() == 0) rank->totals.print();
  weft::Status status = rank->core->conduit().finalize();
  const weft::Status left = rank->core->boot().finalize();
  if (status.ok()) status = left;
  const bool first = rank->core->id() == 0;
  forget_end(*rank);
  set_process_rank(nullptr);
  set_current(nullptr);
  retire_threads(*rank);
  delete rank;
  if (first) {
    join_main_threads();
    join_main_simulation();
  }
  expect_exit();
  return status.code();
}

void weft_exit(int code) {
  if (code < 0 || code > 255) misuse("weft_exit: there is no exit code %d; they are 0 to 255", code);
  if (weft_size() == 0) end_process(code);
  Thread& thread = enter_anywhere("weft_exit");
  end_job(*thread.rank, code, "");
}

void weft_abort(const char* reason) {
  if (reason == nullptr) reason = "no reason given";
  weft::base::log_error("aborted: %s", reason);
  if (weft_size() == 0) end_process(134);
  Thread& thread = enter_anywhere("weft_abort");
  if (thread.rank->core->settings().backtrace) weft::os::print_backtrace(__builtin_return_address(0));
  end_job(*thread.rank, 134, reason);
}

uint64_t weft_time_ns(void) {
  const uint64_t virtual_ns = time_outside_simulation();
  return virtual_ns != 0 ? virtual_ns : weft::os::now_ns();
}

weft_rank_t weft_host_size(void) { return enter_anywhere("weft_host_size").rank->core->conduit().host_size(); }
weft_rank_t weft_host_rank(void) { return enter_anywhere("weft_host_rank").rank->core->conduit().host_rank(); }

weft_thread_mode_t weft_thread_mode_get(void) {
  return enter_anywhere("weft_thread_mode_get").rank->core->thread_mode();
}

int weft_poll(void) { return enter("weft_poll").progress->poll(); }

const char* weft_status_string(int status) {
  switch (status) {
    case WEFT_OK:
      return "success";
    case WEFT_RETRY:
      return "declined for now: make progress and try again";
    case WEFT_ERR_INVALID:
      return "an argument is outside its documented range";
    case WEFT_ERR_NO_MEMORY:
      return "not enough memory";
    case WEFT_ERR_MISMATCH:
      return "ranks differ in what must be the same on all of them";
    case WEFT_ERR_BOOT:
      return "the job could not be started";
    case WEFT_ERR_UNSUPPORTED:
      return "not supported by this build or machine";
    case WEFT_ERR_SYSTEM:
      return "a system call failed";
    default:
      return "unknown status";
  }
}

}  // extern "C"
