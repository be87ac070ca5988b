#include "upcrt/io_worker.hpp"

#include <sched.h>

#include <csignal>
#include <cstdlib>

#include "upcrt/runtime.hpp"

namespace weft::upcrt::io {
namespace {

// A rank that the launcher has bound to a processor needs that for itself: its helper may run on all that the launcher
// may use, which are in the environment then ("0,1,4"). What cannot be is left as it is.
void leave_the_rank_its_processor() {
  const char* list = std::getenv("WEFT_BIND_ALLOWED");
  if (list == nullptr) return;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (char* end = nullptr; *list >= '0' && *list <= '9'; list = *end == ',' ? end + 1 : end) {
    const unsigned long processor = std::strtoul(list, &end, 10);
    if (processor < CPU_SETSIZE) CPU_SET(processor, &allowed);
  }
  (void)sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace

// The program's signals are for its own threads: the helper starts with all of them blocked.
Worker::Worker() {
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
  thread_.join();
}

void Worker::submit(Job& job) {
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
