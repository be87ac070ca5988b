#include "upcrt/io_worker.hpp"

#include <csignal>

#include "upcrt/runtime.hpp"

namespace weft::upcrt::io {

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
