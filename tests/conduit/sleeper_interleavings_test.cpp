// A receiver that polls and sleeps, and a sender that sends and nudges, under every interleaving: no wake-up is lost
// while stores are seen in order, and one that is lost because the sender's store was still on its way costs one
// timeout.
//
// Every access to an atomic is a point where the other may be let run; the explorer re-executes the run for every
// sequence of such choices, depth first.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "conduit/smp/sleeper.hpp"
#include "support/choices.hpp"
#include "support/interleaved.hpp"

namespace {

using weft::conduit::smp::BasicSleeper;
using weft_test::Choices;
using weft_test::ModelAtomic;

enum Who : size_t { sender = 0, receiver = 1 };

class Run;
Run* run = nullptr;

// Stores are seen in order; delayed ones are modelled by the run.
class Run {
 public:
  Run(Choices& choices, uint32_t messages, bool late_stores)
      : choices_(choices), messages_(messages), late_stores_(late_stores) {}

  void execute() {
    run = this;
    weft_test::interleaved = &parts_;
    parts_.add([] { run->send_all(); });
    parts_.add([] { run->receive_all(); });
    for (;;) {
      std::vector<size_t> ready;
      for (size_t who : {sender, receiver})
        if (!over_[who] && !(who == receiver && asleep_)) ready.push_back(who);
      // A store on its way arrives at any time, and surely before time passes.
      if (on_its_way_ > 0) ready.push_back(arrival);
      if (ready.empty()) {
        if (over_[receiver]) return;
        asleep_ = false;  // the time is over
        ++timeouts_;
        continue;
      }
      const size_t choice = ready[choices_.choose(ready.size())];
      if (choice == arrival) {
        visible_ += on_its_way_;
        on_its_way_ = 0;
        continue;
      }
      parts_.run(choice);
    }
  }
  uint32_t timeouts() const { return timeouts_; }

 private:
  static constexpr size_t arrival = 2;

  void send_all() {
    for (uint32_t i = 0; i < messages_; ++i) {
      parts_.yield();
      if (late_stores_)
        ++on_its_way_;
      else
        ++visible_;
      sleeper_.nudge([this](auto&) { asleep_ = false; });
    }
    over_[sender] = true;
  }

  void receive_all() {
    uint32_t received = 0;
    while (received < messages_) {
      parts_.yield();
      if (visible_ > received) {
        ++received;
        continue;
      }
      sleeper_.doze(
          [&] {
            parts_.yield();
            return visible_ > received;
          },
          [&](auto& word, uint32_t expected) {
            parts_.yield();
            // The kernel compares and goes to sleep in one step.
            if (word.value != expected) return;
            asleep_ = true;
            parts_.yield();
          });
    }
    over_[receiver] = true;
  }

  Choices& choices_;
  uint32_t messages_;
  bool late_stores_;
  BasicSleeper<ModelAtomic> sleeper_{};
  uint32_t visible_ = 0, on_its_way_ = 0, timeouts_ = 0;
  bool asleep_ = false;
  bool over_[2] = {false, false};
  weft_test::Interleaved parts_;
};

struct Outcome {
  uint64_t runs = 0, runs_with_timeout = 0;
  uint32_t most_timeouts = 0;
};

Outcome explore(uint32_t messages, bool late_stores) {
  Outcome outcome;
  Choices choices;
  do {
    Run one(choices, messages, late_stores);
    one.execute();
    ++outcome.runs;
    outcome.runs_with_timeout += one.timeouts() > 0;
    outcome.most_timeouts = std::max(outcome.most_timeouts, one.timeouts());
  } while (choices.next());
  return outcome;
}

TEST(SleeperInterleavings, NoWakeUpIsLostWhenStoresAreSeenInOrder) {
  const Outcome outcome = explore(2, false);
  EXPECT_GT(outcome.runs, 1000u);
  EXPECT_EQ(outcome.runs_with_timeout, 0u);
}

TEST(SleeperInterleavings, AStoreOnItsWayCostsAtMostOneTimeout) {
  const Outcome outcome = explore(1, true);
  EXPECT_GT(outcome.runs_with_timeout, 0u) << "the model cannot show what it is for";
  EXPECT_EQ(outcome.most_timeouts, 1u);
}

}  // namespace
