#include "capi/thread_ranks.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "boot/thread_job.hpp"
#include "capi/in_process.hpp"
#include "capi/sim_ranks.hpp"
#include "capi/state.hpp"
#include "os/stack.hpp"
#include "os/thread.hpp"

namespace weft::capi {
namespace {

// The job of this process under weftrun --ranks-as=threads. Written by rank 0 before the threads start and after they
// have ended.
struct MainThreads {
  std::unique_ptr<boot::ThreadJob> job;
  std::vector<std::thread> threads;
  std::vector<int> codes;
};
MainThreads* main_threads = nullptr;

// From glibc 2.41 on only one thread can be inside of exit(), so it cannot wait there for the others to end.
void refuse_exit(int code) {
  static std::atomic_flag said;
  while (said.test_and_set()) ::pause();
  base::log_error("called exit(%d), which ends the other ranks, too: all are threads; return from main instead", code);
  std::fflush(nullptr);
  main_threads->job->abort((code & 0xff) == 0 ? 1 : code & 0xff, "logged");
}

}  // namespace

Status start_main_threads(uint32_t ranks, int* argc, char*** argv, std::unique_ptr<boot::Boot>& boot) {
  Status status = check_main(ranks, argc, argv, "threads", "--ranks-as=threads");
  std::unique_ptr<boot::Boot> process;
  if (status.ok()) status = boot::connect(process);
  if (status.ok()) status = boot::bind_thread_rank(0);
  if (!status.ok()) return status;
  expect_pthread_exit();
  main_threads = new MainThreads;
  main_threads->job = std::make_unique<boot::ThreadJob>(ranks, std::move(process));
  main_threads->codes.resize(ranks, 0);
  boot = main_threads->job->boot(0);
  os::give_threads_whole_stacks();
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    const auto run = [rank, count = *argc, values = *argv] {
      (void)boot::bind_thread_rank(rank);  // it has been logged; an unbound rank works too
      main_threads->codes[rank] =
          run_rank(main_threads->job->boot(rank), [&] { return run_main(count, values, refuse_exit); });
    };
    main_threads->threads.push_back(os::start_thread("a rank", run));
  }
  return {};
}

void join_main_threads() {
  if (main_threads == nullptr) return;
  for (std::thread& thread : main_threads->threads) thread.join();
  end_with_failure_of(main_threads->codes);
  delete main_threads;
  main_threads = nullptr;
}

namespace {

void run_threads(uint32_t ranks, const std::function<int()>& body, std::vector<int>& codes) {
  boot::ThreadJob job(ranks, nullptr);
  os::give_threads_whole_stacks();
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    threads.push_back(os::start_thread("a rank", [&, rank] { codes[rank] = run_rank(job.boot(rank), body); }));
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

}  // namespace weft::capi

extern "C" int weft_run_threads(weft_rank_t ranks, int (*body)(void*), void* argument) {
  using namespace weft::capi;
  if (weft_size() != 0) misuse("weft_run_threads was called by a rank of a job");
  check_pointer("weft_run_threads", reinterpret_cast<const void*>(body), "function");
  if (ranks == 0) {
    weft::base::log_error("weft_run_threads: a job has at least one rank");
    return WEFT_ERR_INVALID;
  }
  std::vector<int> codes(ranks, 0);
  const auto run = [=] { return body(argument); };
  if (simulates_threads()) {
    const weft::Status status = run_simulated(ranks, run, codes);
    if (!status.ok()) return status.code();
  } else {
    run_threads(ranks, run, codes);
  }
  for (int code : codes)
    if (code != 0) return code;
  return WEFT_OK;
}
