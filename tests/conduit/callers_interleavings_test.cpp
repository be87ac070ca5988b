// Two ranks that send a third its first messages, which polls, under every interleaving: it learns of each once, and of
// all whose messages it could have seen as soon as nobody is in the middle of entering itself.
//
// Every access to an atomic is a point where another may be let run; the explorer re-executes the run for every
// sequence of such choices, depth first.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "conduit/smp/callers.hpp"
#include "support/choices.hpp"
#include "support/interleaved.hpp"

namespace {

using weft::conduit::smp::BasicCallers;
using weft_test::Choices;
using weft_test::ModelAtomic;

class Run;
Run* run = nullptr;

class Run {
 public:
  using Callers = BasicCallers<ModelAtomic>;
  static constexpr uint32_t senders = 2, polls = 1;

  explicit Run(Choices& choices) : choices_(choices) {}

  void execute() {
    run = this;
    weft_test::interleaved = &parts_;
    for (size_t who = 0; who < senders; ++who) parts_.add([] { run->send(); });
    parts_.add([] { run->receive(); });
    for (;;) {
      std::vector<size_t> ready;
      for (size_t who = 0; who <= senders; ++who)
        if (!over_[who]) ready.push_back(who);
      if (ready.empty()) break;
      current_ = ready[choices_.choose(ready.size())];
      parts_.run(current_);
    }
    poll();
    EXPECT_EQ(taken_.size(), senders);
  }
  bool waited_for_entry() const { return waited_for_entry_; }

 private:
  void send() {
    const auto me = static_cast<uint32_t>(current_);
    entering_ |= 1u << me;
    callers().add(me);
    entering_ &= ~(1u << me);
    parts_.yield();
    sent_ |= 1u << me;
    over_[me] = true;
  }

  void receive() {
    for (uint32_t i = 0; i < polls; ++i) poll();
    over_[senders] = true;
  }

  // What was sent before must be found, unless another sender is in the middle of entering itself.
  void poll() {
    const uint32_t sent = sent_, entering = entering_;
    for (uint32_t who; callers().at(taken_.size(), who);) {
      EXPECT_LT(who, senders);
      EXPECT_EQ(std::ranges::find(taken_, who), taken_.end()) << "taken twice";
      taken_.push_back(who);
    }
    for (uint32_t who = 0; who < senders; ++who) {
      const bool found = std::ranges::find(taken_, who) != taken_.end();
      if ((sent >> who & 1) == 0 || found) continue;
      EXPECT_NE(entering, 0u) << "a message was there and its sender was not known";
      waited_for_entry_ = true;
    }
  }

  Callers& callers() { return *reinterpret_cast<Callers*>(memory_); }

  Choices& choices_;
  alignas(64) std::byte memory_[Callers::bytes(senders)] = {};
  std::vector<uint32_t> taken_;
  uint32_t sent_ = 0, entering_ = 0;  // a bit for each sender
  bool over_[senders + 1] = {};
  bool waited_for_entry_ = false;
  size_t current_ = 0;
  weft_test::Interleaved parts_;
};

struct Outcome {
  uint64_t runs = 0;
  bool waited_for_entry = false;
};

Outcome explore() {
  Outcome outcome;
  Choices choices;
  do {
    Run one(choices);
    one.execute();
    ++outcome.runs;
    outcome.waited_for_entry = outcome.waited_for_entry || one.waited_for_entry();
  } while (choices.next() && !testing::Test::HasFailure());
  return outcome;
}

TEST(CallersInterleavings, EverySenderIsFoundOnceAndBehindNobodyButOneWhoEnters) {
  const Outcome outcome = explore();
  EXPECT_GT(outcome.runs, 1000u);
  EXPECT_TRUE(outcome.waited_for_entry) << "the model cannot show what it is for";
}

}  // namespace
