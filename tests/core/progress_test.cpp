// Waiting: what is waited for is looked at until it is true, and never again.
#include "core/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <thread>
#include <utility>
#include <vector>

#include "conduit/hook/forwarding.hpp"
#include "os/processor.hpp"

namespace {

using namespace weft;

// A conduit on which nothing ever happens; it counts how it is waited on.
class Idle final : public conduit::hook::Forwarding {
 public:
  Idle() : Forwarding(nullptr) {}
  conduit::Capabilities capabilities() const override { return {}; }
  int poll() override {
    if (++polls != busy_poll) return 0;
    os::sleep_ns(busy_ns);
    return 1;
  }
  void doze(uint64_t) override {
    ++dozes;
    if (busy_poll != 0 && polls > busy_poll && polls_to_doze == 0) polls_to_doze = polls - busy_poll;
  }
  int polls = 0, dozes = 0;
  int busy_poll = 0;  // this one handles something, for so long; polls count from 1
  uint64_t busy_ns = 0;
  int polls_to_doze = 0;  // from then to the first doze after it
};

base::Settings settings_with(double spin_us, double yield_us) {
  base::Settings settings;
  settings.spin_us = spin_us;
  settings.yield_us = yield_us;
  return settings;
}

// An attempt that succeeds at the nth look is made n times: at whatever stage of waiting it succeeds, its success
// counts.
TEST(Progress, AnAttemptThatSucceededIsNotMadeAgain) {
  for (int nth = 1; nth < 3000; nth += nth < 500 ? 1 : 37) {
    Idle idle;
    core::Progress progress(idle, settings_with(200, 200));
    int attempts = 0;
    progress.wait([&] { return ++attempts == nth; });
    ASSERT_EQ(attempts, nth);
  }
}

TEST(Progress, AWaitEndsUpSleepingBetweenPolls) {
  Idle idle;
  core::Progress progress(idle, settings_with(0, 0));
  progress.wait([&] { return idle.dozes == 20; });
  EXPECT_GE(idle.polls, 20);
}

// At whatever stage of waiting a message comes, and however late: the time to spin begins anew.
TEST(Progress, TimeIsCountedFromTheLastMessage) {
  for (int nth = 1000; nth < 1040; ++nth) {
    Idle idle;
    idle.busy_poll = nth;
    idle.busy_ns = 6'000'000;
    core::Progress progress(idle, settings_with(5'000, 0));
    progress.wait([&] { return idle.polls_to_doze != 0; });
    EXPECT_GT(idle.polls_to_doze, 16) << nth;
  }
}

// Whether a write to memory may end a wait is asked while the rank sleeps.
TEST(Progress, OnlyAWaitByCompletionSleepsThroughWritesThatItsWorkDoesNotNeed) {
  struct Asking final : conduit::hook::Forwarding {
    Asking() : Forwarding(nullptr) {}
    conduit::Capabilities capabilities() const override { return {}; }
    int poll() override { return 0; }
    void doze(uint64_t) override {
      for (const std::byte& byte : memory) concerned.push_back(progress->concerns(&byte, 1));
    }
    core::Progress* progress = nullptr;
    std::byte memory[2] = {};
    std::vector<bool> concerned;
  } asking;
  core::Progress progress(asking, settings_with(0, 0));
  asking.progress = &progress;
  progress.add_work([](void*) { return 0; },
                    [](const void* self, const std::byte* begin, size_t) {
                      return begin == &static_cast<const Asking*>(self)->memory[1];
                    },
                    &asking);
  const auto asked = [&] { return !asking.concerned.empty(); };
  progress.wait(asked);
  EXPECT_EQ(std::exchange(asking.concerned, {}), (std::vector{true, true}));
  progress.wait(core::ByCompletion{asked});
  EXPECT_EQ(std::exchange(asking.concerned, {}), (std::vector{false, false}));
  progress.busy(true);
  progress.wait(core::ByCompletion{asked});
  EXPECT_EQ(std::exchange(asking.concerned, {}), (std::vector{false, true}));
}

TEST(Progress, AWaitThatIsOverDoesNotPoll) {
  Idle idle;
  core::Progress progress(idle, settings_with(-1, -1));
  progress.wait([] { return true; });
  EXPECT_EQ(idle.polls, 0);
}

// Two that wait for each other in turns, on one processor though nobody has said so. Spinning alone would be 64 polls.
TEST(Progress, WhoFindsItsPartnerOnItsProcessorGivesItAwayAtOnce) {
  constexpr int blocks = 20, turns = 200;
  std::atomic<int> turn{0};
  int fewest = INT_MAX;
  const auto take_turns = [&](int me) {
    ASSERT_TRUE(os::bind_to_processor(0));
    Idle idle;
    core::Progress progress(idle, settings_with(-1, -1));
    for (int block = 0; block < blocks; ++block) {
      const int before = idle.polls;
      for (int i = 0; i < turns; ++i) {
        progress.wait([&] { return turn.load(std::memory_order_acquire) % 2 == me; });
        turn.fetch_add(1, std::memory_order_release);
      }
      if (me == 0) fewest = std::min(fewest, idle.polls - before);
    }
  };
  std::thread first(take_turns, 0), second(take_turns, 1);
  first.join();
  second.join();
  EXPECT_LT(fewest, 16 * turns);
}

}  // namespace
