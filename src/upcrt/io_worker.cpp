#include "upcrt/io_worker.hpp"

#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "base/parse.hpp"
#include "upcrt/runtime.hpp"
#include "weft/sim.h"

namespace weft::upcrt::io {
namespace {

// A rank that the launcher has bound to a processor needs that for itself: its helper may run on all that the launcher
// may use, which are in the environment then ("0,1,4"). What cannot be is left as it is.
void leave_the_rank_its_processor() {
  const char* text = std::getenv("WEFT_BIND_ALLOWED");
  if (text == nullptr) return;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (std::string_view list = text; !list.empty();) {
    const size_t comma = std::min(list.find(','), list.size());
    const auto processor = base::parse_number<unsigned>(list.substr(0, comma), 0, CPU_SETSIZE - 1);
    if (processor) CPU_SET(*processor, &allowed);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  (void)sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace

// The program's signals are for its own threads: the helper starts with all of them blocked.
Worker::Worker() {
  if (weft_simulated() != nullptr) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wanted_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::submit(Job& job) {
  if (!thread_.joinable()) {
    job.outcome = job.transfer.run();
    job.done = true;
    return;
  }
  let_see(&job);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(&job);
  }
  wanted_.notify_one();
}

bool Worker::is_done(const Job& job) { return wait_for(job, std::chrono::microseconds(0)); }

bool Worker::wait_for(const Job& job, std::chrono::microseconds time) {
  std::unique_lock lock(mutex_);
  const bool done = job.done || (time.count() != 0 && done_.wait_for(lock, time, [&] { return job.done; }));
  if (done) see(&job);
  return done;
}

void Worker::work() {
  leave_the_rank_its_processor();
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return over_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Job& job = *queue_.front();
    queue_.pop_front();
    lock.unlock();
    see(&job);
    const Outcome outcome = job.transfer.run();
    let_see(&job);
    lock.lock();
    job.outcome = outcome;
    job.done = true;
    done_.notify_all();
  }
}

}  // namespace weft::upcrt::io
