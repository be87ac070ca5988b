// Refining choices while a program runs: the trial of one size class, with times that the test makes up.
#include "coll/online.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "coll/algorithm.hpp"

namespace {

using weft::coll::find_algorithm;
using weft::coll::Op;
using weft::coll::Plan;
using weft::coll::Trial;
using weft::coll::TuningBudget;

constexpr double plenty = 1e9, nothing = 0;

Plan plan(const char* name) { return {.algorithm = find_algorithm(Op::reduce_all, name)}; }

std::vector<Trial::Candidate> three() { return {{plan("flat"), 100}, {plan("doubling"), 110}, {plan("ring"), 150}}; }

// Members of a team, each with its own trial and clock; they agree as a reduce-all with MAX does.
class Team {
 public:
  Team(size_t members, double part) {
    budgets_.reserve(members);
    for (size_t m = 0; m < members; ++m) {
      budgets_.emplace_back(part);
      trials_.emplace_back("", three(), budgets_.back());
    }
  }
  // time(member, name) is how long a call takes; 0: it is not waited for. Returns the name that all members used.
  template <class Time>
  const char* call(Time time) {
    if (trials_[0].must_agree()) {
      ++agreements;
      double most[Trial::numbers];
      std::fill(most, most + Trial::numbers, -1e308);
      for (Trial& trial : trials_) {
        const double* mine = trial.prepare_numbers();
        for (size_t i = 0; i < Trial::numbers; ++i) most[i] = std::max(most[i], mine[i]);
      }
      for (Trial& trial : trials_) {
        EXPECT_TRUE(trial.must_agree());
        std::copy(most, most + Trial::numbers, trial.agreed());
        trial.decide(50);
      }
    }
    const char* used = nullptr;
    for (size_t m = 0; m < trials_.size(); ++m) {
      bool measured = false;
      const char* name = trials_[m].next(measured).algorithm->name;
      if (used == nullptr) used = name;
      EXPECT_STREQ(used, name) << "member " << m;
      const double ns = time(m, name);
      if (measured && ns > 0) trials_[m].record(ns);
    }
    return used;
  }
  const char* choice() const { return trials_[0].choice().algorithm->name; }
  bool over() const { return trials_[0].over(); }
  int agreements = 0;

 private:
  std::vector<TuningBudget> budgets_;
  std::vector<Trial> trials_;
};

TEST(Online, TheSlowestMembersTimeDecides) {
  Team team(3, plenty);
  const auto time = [](size_t member, const char* name) {
    if (std::string(name) == "flat") return 1000.0;
    if (std::string(name) == "doubling") return member == 1 ? 2000.0 : 10.0;  // fast for all but one
    return 800.0;
  };
  for (int i = 0; i < 1000; ++i) team.call(time);
  EXPECT_TRUE(team.over());
  EXPECT_STREQ(team.choice(), "ring");
  EXPECT_STREQ(team.call(time), "ring");
}

TEST(Online, WhatIsHardlyFasterDoesNotWin) {
  Team team(2, plenty);
  for (int i = 0; i < 1000; ++i)
    team.call([](size_t, const char* name) { return std::string(name) == "flat" ? 1000.0 : 970.0; });
  EXPECT_TRUE(team.over());
  EXPECT_STREQ(team.choice(), "flat");
}

TEST(Online, OneSlowCallDoesNotSpoilABlock) {
  Team team(2, plenty);
  int calls = 0;
  for (int i = 0; i < 1000; ++i)
    team.call([&](size_t, const char* name) {
      return std::string(name) == "doubling" ? (++calls % 5 == 0 ? 1e9 : 100.0) : 1000.0;
    });
  EXPECT_STREQ(team.choice(), "doubling");
}

TEST(Online, WithoutABudgetNothingIsTriedAndAskedForEverLessOften) {
  Team team(2, nothing);
  for (int i = 0; i < 100000; ++i) EXPECT_STREQ(team.call([](size_t, const char*) { return 1000.0; }), "flat");
  EXPECT_FALSE(team.over());
  EXPECT_LE(team.agreements, 14);
}

TEST(Online, CallsThatNobodyWaitsForAreNotTried) {
  Team team(2, plenty);
  for (int i = 0; i < 1000; ++i) team.call([](size_t member, const char*) { return member == 0 ? 1000.0 : 0.0; });
  EXPECT_TRUE(team.over());
  EXPECT_STREQ(team.choice(), "flat");
}

}  // namespace
