#include "conduit/progress_thread.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/processor.hpp"
#include "os/thread.hpp"

namespace weft::conduit {

void ProgressThread::start(std::function<bool(int stop)> sleep, std::function<bool()> take) {
  sleep_ = std::move(sleep);
  take_ = std::move(take);
  stop_descriptor_ = ::eventfd(0, EFD_CLOEXEC);
  thread_ = os::start_thread("WEFT_PROGRESS=thread", [this] { run(); });
}

void ProgressThread::run() {
  constexpr uint64_t first_for_rank_ns = 20'000, ranks_time_ns = 200'000;
  os::take_short_turns();
  bool rank_away = false;
  while (!stopping_.load(std::memory_order_acquire)) {
    const uint64_t before = polls_.load(std::memory_order_relaxed);
    const auto rank_polled = [&] { return polls_.load(std::memory_order_relaxed) != before; };
    const bool came = sleep_(stop_descriptor_);
    if (came && !rank_away && !rank_polled()) os::sleep_ns(first_for_rank_ns);
    const bool polled = rank_polled();
    if (came) rank_away = !polled;
    const bool stuck = !polled && !take_();
    if (came && (polled || stuck)) os::sleep_ns(ranks_time_ns);
  }
}

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  stopping_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  if (::write(stop_descriptor_, &one, sizeof one) < 0) base::log_warning("cannot wake the progress thread");
  thread_.join();
  ::close(stop_descriptor_);
}

}  // namespace weft::conduit
