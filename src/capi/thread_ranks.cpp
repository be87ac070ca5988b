#include "capi/thread_ranks.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "boot/thread_job.hpp"
#include "capi/state.hpp"
#include "os/stack.hpp"

extern char** environ;

// The program's main, if the program has one that the library can see.
extern "C" [[gnu::weak]] int weft_detail_program_main(int argc, char** argv, char** environment) __asm__("main");

namespace weft::capi {
namespace {

// Runs `body` as a rank on the calling thread: weft_init() inside it finds its Boot here.
template <class Body>
int run_rank(boot::ThreadJob& job, uint32_t rank, Body body) {
  Thread waiting;  // stands in until init makes the real one
  waiting.context.thread = &waiting;
  waiting.assigned = job.boot(rank);
  set_current(&waiting);
  const int code = body();
  if (weft_size() != 0) {
    base::log_error("returned without weft_finalize (code %d); ending the job", code);
    auto& thread = *static_cast<Thread*>(weft_detail_current->thread);
    end_job(*thread.rank, (code & 0xff) == 0 ? 1 : code & 0xff, "returned without weft_finalize");
  }
  set_current(nullptr);
  return code;
}

// The job of this process under weftrun --ranks-as=threads. Written by rank 0 before the threads start and after they
// have ended.
struct MainThreads {
  std::unique_ptr<boot::ThreadJob> job;
  std::vector<std::thread> threads;
  std::vector<int> codes;
};
MainThreads* main_threads = nullptr;

void end_with_first_failure(int status, void* code) {
  if (status != 0) return;
  std::fflush(nullptr);
  _exit(static_cast<int>(reinterpret_cast<intptr_t>(code)) & 0xff);
}

}  // namespace

Status start_main_threads(uint32_t ranks, int* argc, char*** argv, std::unique_ptr<boot::Boot>& boot) {
  if (weft_detail_program_main == nullptr) {
    base::log_error("ranks cannot be threads here: the program's main is not visible to the library; link the program "
                    "with -rdynamic, or start it without --ranks-as=threads");
    return WEFT_ERR_UNSUPPORTED;
  }
  if (ranks > 1 && (argc == nullptr || argv == nullptr)) {
    base::log_error("ranks cannot be threads here: the program calls weft_init(NULL, NULL), but the other ranks need "
                    "main's arguments; call weft_init(&argc, &argv)");
    return WEFT_ERR_UNSUPPORTED;
  }
  std::unique_ptr<boot::Boot> process;
  Status status = boot::connect(process);
  if (!status.ok()) return status;
  status = boot::bind_thread_rank(0);
  if (!status.ok()) return status;
  main_threads = new MainThreads;
  main_threads->job = std::make_unique<boot::ThreadJob>(ranks, std::move(process));
  main_threads->codes.resize(ranks, 0);
  boot = main_threads->job->boot(0);
  os::give_threads_whole_stacks();
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    main_threads->threads.emplace_back([rank, count = *argc, values = *argv] {
      (void)boot::bind_thread_rank(rank);  // it has been logged; an unbound rank works too
      main_threads->codes[rank] = run_rank(*main_threads->job, rank, [&] {
        // Each rank gets arguments of its own, as processes do: the vector and the texts.
        std::vector<std::string> texts(values, values + count);
        std::vector<char*> arguments;
        for (std::string& text : texts) arguments.push_back(text.data());
        arguments.push_back(nullptr);
        return weft_detail_program_main(count, arguments.data(), environ);
      });
    });
  }
  return {};
}

void join_main_threads() {
  if (main_threads == nullptr) return;
  for (std::thread& thread : main_threads->threads) thread.join();
  for (int code : main_threads->codes) {
    if (code == 0) continue;
    on_exit(end_with_first_failure, reinterpret_cast<void*>(static_cast<intptr_t>(code)));
    break;
  }
  delete main_threads;
  main_threads = nullptr;
}

}  // namespace weft::capi

extern "C" int weft_run_threads(weft_rank_t ranks, int (*body)(void*), void* argument) {
  using namespace weft::capi;
  if (weft_size() != 0) misuse("weft_run_threads was called by a rank of a job");
  check_pointer("weft_run_threads", reinterpret_cast<const void*>(body), "function");
  if (ranks == 0) {
    weft::base::log_error("weft_run_threads: a job has at least one rank");
    return WEFT_ERR_INVALID;
  }
  weft::boot::ThreadJob job(ranks, nullptr);
  std::vector<int> codes(ranks, 0);
  weft::os::give_threads_whole_stacks();
  std::vector<std::thread> threads;
  for (weft_rank_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] { codes[rank] = run_rank(job, rank, [&] { return body(argument); }); });
  for (std::thread& thread : threads) thread.join();
  for (int code : codes)
    if (code != 0) return code;
  return WEFT_OK;
}
