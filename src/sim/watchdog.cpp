#include "sim/watchdog.hpp"

#include <chrono>
#include <ctime>
#include <utility>

#include "base/log.hpp"
#include "os/thread.hpp"

namespace weft::sim {
namespace {

using Clock = std::chrono::steady_clock;

// Of the seconds after which it warns, in processor time: on a busy machine a rank that computes is not to blame for
// time.
constexpr double times_until_end = 10;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

Watchdog::Watchdog(const Simulation& simulation, double seconds, std::function<void()> end)
    : simulation_(simulation), end_(std::move(end)) {
  if (seconds > 0) thread_ = os::start_thread("WEFT_SIM_WATCH", [this, seconds] { watch(seconds); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::watch(double seconds) {
  uint64_t turn = simulation_.heartbeat();
  Clock::time_point since = Clock::now();
  double used = processor_seconds();
  double limit = seconds;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::duration<double>(seconds / 4), [this] { return over_; })) {
    const uint64_t now = simulation_.heartbeat();
    if (now != turn) {
      turn = now;
      since = Clock::now();
      used = processor_seconds();
      limit = seconds;
    }
    const double passed = std::chrono::duration<double>(Clock::now() - since).count();
    const double computed = processor_seconds() - used;
    if (computed >= times_until_end * seconds) {
      base::log_error(
          "simulated rank %u has computed for %.0f s of processor time without waiting in Weft; the job ends, since it "
          "may wait for memory to change, without weft_poll(): if it does compute, raise WEFT_SIM_WATCH, or set 0",
          simulation_.running_rank(), computed);
      end_();
    }
    if (passed < limit) continue;
    limit *= 2;
    base::log_warning(
        "simulated rank %u has computed for %.0f s by the clock without waiting in Weft, and all others wait for it; "
        "if it waits for memory to change, it must call weft_poll() (WEFT_SIM_WATCH)",
        simulation_.running_rank(), passed);
  }
}

}  // namespace weft::sim
