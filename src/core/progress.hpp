// Making progress and waiting for something. A wait polls; when that has been in vain for a while it yields the
// processor between polls, and then sleeps between them, so that many ranks on few processors still move.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "base/settings.hpp"
#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"
#include "os/clock.hpp"
#include "os/ending.hpp"
#include "weft/detail/context.h"

namespace weft::core {

/// The function of the interface that this thread is in; "weft_init" if there is none.
const char* current_call();

/// For whom this thread communicates as long as this exists.
class OnBehalf {
 public:
  explicit OnBehalf(weft_detail_behalf whom)
      : context_(weft_detail_current), before_(context_ != nullptr ? context_->behalf : uint32_t{WEFT_DETAIL_PROGRAM}) {
    if (context_ != nullptr) context_->behalf = whom;
  }
  ~OnBehalf() {
    if (context_ != nullptr) context_->behalf = before_;
  }
  OnBehalf(const OnBehalf&) = delete;
  OnBehalf& operator=(const OnBehalf&) = delete;

 private:
  weft_detail_context_t* context_;
  uint32_t before_;
};

/// For Progress::wait(): a done() that only the end of operations can change, not what others write to memory.
template <class Done>
struct ByCompletion : Done {
  using Done::operator();
};
template <class Done>
ByCompletion(Done) -> ByCompletion<Done>;
template <class Done>
inline constexpr bool is_by_completion = false;
template <class Done>
inline constexpr bool is_by_completion<ByCompletion<Done>> = true;

class Progress {
 public:
  /// `recorder`: is told of waits; may be null.
  Progress(conduit::Conduit& conduit, const base::Settings& settings, conduit::hook::Recorder* recorder = nullptr);

  int poll() {
    const int handled = conduit_.poll();
    return __builtin_expect(busy_.load(std::memory_order_relaxed), 0) ? handled + work_(self_) : handled;
  }

  /// A poll that looks at everybody, as Conduit::poll_all().
  int poll_all() {
    const int handled = conduit_.poll_all();
    return busy_.load(std::memory_order_relaxed) ? handled + work_(self_) : handled;
  }

  /// A layer above has work of its own under way: every poll calls work(self), which returns what it got done, while
  /// busy. depends(self, ...): whether it may get something done when others have written to this memory.
  void add_work(int (*work)(void* self), bool (*depends)(const void* self, const std::byte* begin, size_t size),
                void* self) {
    work_ = work;
    depends_ = depends;
    self_ = self;
  }
  /// While this rank is in doze(): whether what it waits for may depend on this memory.
  bool concerns(const std::byte* begin, size_t size) const {
    if (!waits_by_completion_.load(std::memory_order_relaxed)) return true;
    return busy_.load(std::memory_order_relaxed) && depends_(self_, begin, size);
  }
  void busy(bool is) { busy_.store(is, std::memory_order_relaxed); }

  /// What to do when a signal asks the process to end while this rank waits: it does not return.
  void on_end(void (*end)(void* self, const char* call, uint64_t waited_ns), void* self) {
    end_ = end;
    end_self_ = self;
  }

  /// Returns when done() is true. done() is cheap and is called again after every poll, but not after it was true: it
  /// may be an attempt that must succeed once.
  template <class Done>
  void wait(Done done) {
    if (quick_polls_ == 0 && look(done)) return;
    for (int i = shares_processor() ? 1 : quick_polls_; i > 0; --i) {
      if (look(done)) return;
      poll();
    }
    wait_slowly(done);
  }

 private:
  // A wait, as the recorder and those who end the process see it.
  class SlowWait {
   public:
    explicit SlowWait(Progress& progress);
    ~SlowWait();
    SlowWait(const SlowWait&) = delete;
    SlowWait& operator=(const SlowWait&) = delete;

    uint64_t start() const { return start_; }
    void end() const;

   private:
    Progress& progress_;
    uint64_t start_;
    uint32_t outer_;  // whether this wait is part of another
  };

  static constexpr int looks_per_poll = 4;  // what is waited for is often one word; a poll looks at many
  // Sleeps get longer while nothing happens. A waker that just misses the sleeper costs at most one such time.
  static constexpr uint64_t first_sleep_ns = 50'000;
  static constexpr uint64_t longest_sleep_ns = 1'000'000;

  template <class Done>
  [[gnu::noinline]] void wait_slowly(Done done) {
    const SlowWait wait(*this);
    uint64_t idle_since = wait.start();
    uint64_t sleep_ns = first_sleep_ns;
    for (;;) {
      if (look(done)) return;
      if (__builtin_expect(os::end_signal.load(std::memory_order_relaxed) != 0, 0)) wait.end();
      if (poll() != 0) {
        idle_since = 0;  // begins at the next poll in vain
        continue;
      }
      const uint64_t now = os::now_ns();
      if (idle_since == 0) {
        idle_since = now;
        sleep_ns = first_sleep_ns;
      }
      const uint64_t idle = now - idle_since;
      if (idle < spin_ns_ && !shares_processor()) {
        if (repeat<16>(Spin(), done, idle_since)) return;
      } else if (idle < spin_ns_ + yield_ns_) {
        if (repeat<8>(Yield(*this), done, idle_since)) return;
      } else {
        waits_by_completion_.store(is_by_completion<Done>, std::memory_order_relaxed);
        conduit_.doze(sleep_ns);
        if (sleep_ns < longest_sleep_ns) sleep_ns *= 2;
      }
    }
  }

  // The pause between two looks leaves the cache line to the one who is about to write it, who has another processor.
  template <class Done>
  bool look(Done& done) const {
    if (spin_ns_ == 0) return done();
    for (int i = 0; i < looks_per_poll; ++i) {
      if (done()) return true;
      base::cpu_relax();
    }
    return false;
  }

  // A few polls for one look at the clock. True if done() was. `between` passes the time before each and is told
  // whether it has found something.
  template <int polls, class Between, class Done>
  bool repeat(Between between, Done& done, uint64_t& idle_since) {
    for (int i = 0; i < polls; ++i) {
      between.pass();
      const bool over = look(done);
      const bool found = over || poll() != 0;
      between.saw(found);
      if (over) return true;
      if (!found) continue;
      idle_since = 0;
      break;
    }
    return false;
  }
  struct Spin {
    void pass() {}
    void saw(bool) {}
  };

  // Ranks that have processors of their own may still be put on one by the system, for a moment or for long. Then each
  // spins while the other could do what it waits for. Who gives its processor away and gets it back after the turn of
  // somebody like itself, with what it has waited for, has been in that place; so it gives it away at once in the waits
  // that follow, until several times nobody wanted it. The long turn of somebody who computes is no such sign.
  // A processor that nobody else wants comes back after 0.4 to 0.6 us on an EPYC, after a turn that is two switches and
  // a look after 2.1 to 3.4.
  static constexpr uint64_t turn_at_least_ns = 1'500, turn_at_most_ns = 400'000;
  static constexpr int sure = 16;

  bool shares_processor() const { return sharing_.load(std::memory_order_relaxed) > 0; }
  class Yield {
   public:
    explicit Yield(Progress& progress) : progress_(progress) {}
    void pass() {
      const uint64_t before = progress_.learns_ ? os::now_ns() : 0;
      sched_yield();
      if (progress_.learns_) turn_ns_ = os::now_ns() - before;
    }
    void saw(bool found) {
      if (!progress_.learns_) return;
      std::atomic<int>& sharing = progress_.sharing_;
      if (turn_ns_ >= turn_at_least_ns && turn_ns_ <= turn_at_most_ns && found)
        sharing.store(sure, std::memory_order_relaxed);
      else if (turn_ns_ < turn_at_least_ns && progress_.shares_processor())
        sharing.store(sharing.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    }

   private:
    Progress& progress_;
    uint64_t turn_ns_ = 0;
  };

  conduit::Conduit& conduit_;
  std::atomic<int> sharing_{0};  // so many turns that nobody wants until this counts as a processor of its own again
  std::atomic<bool> busy_{false};
  std::atomic<bool> waits_by_completion_{false};  // the wait that is in doze()
  int (*work_)(void*) = nullptr;
  bool (*depends_)(const void*, const std::byte*, size_t) = nullptr;
  void* self_ = nullptr;
  void (*end_)(void*, const char*, uint64_t) = nullptr;
  void* end_self_ = nullptr;
  conduit::hook::Recorder* recorder_;
  int quick_polls_;  // before the first look at the clock; 0 where a wait is over only when another has the processor
  uint64_t spin_ns_;
  uint64_t yield_ns_;
  bool learns_;  // whether a wait that should spin is in vain; not where somebody has set how long it should
};

}  // namespace weft::core
