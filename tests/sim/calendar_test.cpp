#include "sim/calendar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace weft::sim {
namespace {

struct Recorded {
  Time when;
  int number;
  bool operator==(const Recorded&) const = default;
};

struct Note final : Event {
  Note(std::vector<Recorded>& to, int its_number) : notes(&to), number(its_number) {}
  void happen(Time now) override { notes->push_back({now, number}); }

  std::vector<Recorded>* notes;
  int number;
};

TEST(Calendar, BeginsEmptyAtZero) {
  Calendar calendar;
  EXPECT_TRUE(calendar.empty());
  EXPECT_FALSE(calendar.run_next());
  EXPECT_EQ(calendar.now(), 0u);
  EXPECT_EQ(calendar.happened(), 0u);
}

TEST(Calendar, EventsOfOneTimeHappenInTheOrderOfEntry) {
  Calendar calendar;
  std::vector<Recorded> notes;
  std::deque<Note> events;
  for (int i = 0; i < 100; ++i) calendar.at(7, events.emplace_back(notes, i));
  while (calendar.run_next()) {
  }
  ASSERT_EQ(notes.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(notes[static_cast<size_t>(i)], (Recorded{7, i}));
}

TEST(Calendar, WhatIsOverHappensNow) {
  Calendar calendar;
  std::vector<Recorded> notes;
  Note first(notes, 1), late(notes, 2), next(notes, 3);
  calendar.at(50, first);
  ASSERT_TRUE(calendar.run_next());
  calendar.at(60, next);
  calendar.at(10, late);
  EXPECT_EQ(calendar.next(), 50u);
  while (calendar.run_next()) {
  }
  EXPECT_EQ(notes, (std::vector<Recorded>{{50, 1}, {50, 2}, {60, 3}}));
}

// An event that enters itself again until some time.
struct Clock final : Event {
  explicit Clock(Calendar& its) : calendar(its) {}
  void happen(Time now) override {
    ticks.push_back(now);
    if (now < 100) calendar.at(now + 10, *this);
  }
  Calendar& calendar;
  std::vector<Time> ticks;
};

TEST(Calendar, AnEventMayEnterItselfAgain) {
  Calendar calendar;
  Clock clock(calendar);
  calendar.at(0, clock);
  while (calendar.run_next()) {
  }
  EXPECT_EQ(clock.ticks.size(), 11u);
  EXPECT_EQ(calendar.now(), 100u);
  EXPECT_EQ(calendar.happened(), 11u);
}

// Against a stable sort, with events entered while others happen; in half of the rounds with few different times, so
// that many are alike, in the others near and far ones.
TEST(Calendar, RandomEventsHappenAsAStableSortHasThem) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    Calendar calendar;
    std::vector<Recorded> notes;
    std::vector<Recorded> expected;
    std::deque<Note> events;
    int number = 0;
    while (number < 500 || !calendar.empty()) {
      const bool enter = number < 500 && (calendar.empty() || random() % 3 != 0);
      if (enter) {
        const Time when = calendar.now() + (round % 2 == 0 ? random() % 8 : random() >> random() % 32);
        expected.push_back({when, number});
        calendar.at(when, events.emplace_back(notes, number++));
      } else {
        const Time next = calendar.next();
        ASSERT_TRUE(calendar.run_next());
        ASSERT_EQ(next, calendar.now());
        ASSERT_EQ(calendar.size(), events.size() - notes.size());
        ASSERT_EQ(notes.back().when, calendar.now());
      }
    }
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.when < b.when; });
    ASSERT_EQ(notes, expected);
  }
}

}  // namespace
}  // namespace weft::sim
