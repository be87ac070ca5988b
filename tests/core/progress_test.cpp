// Waiting: what is waited for is looked at until it is true, and never again.
#include "core/progress.hpp"

#include <gtest/gtest.h>

#include "conduit/hook/forwarding.hpp"

namespace {

using namespace weft;

// A conduit on which nothing ever happens; it counts how it is waited on.
class Idle final : public conduit::hook::Forwarding {
 public:
  Idle() : Forwarding(nullptr) {}
  conduit::Capabilities capabilities() const override { return {}; }
  bool watches_everything() const override { return false; }
  int poll() override {
    ++polls;
    return 0;
  }
  void doze(uint64_t) override { ++dozes; }
  int polls = 0, dozes = 0;
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

TEST(Progress, AWaitThatIsOverDoesNotPoll) {
  Idle idle;
  core::Progress progress(idle, settings_with(-1, -1));
  progress.wait([] { return true; });
  EXPECT_EQ(idle.polls, 0);
}

}  // namespace
