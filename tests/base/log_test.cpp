#include "base/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace weft::base;

template <class Body>
std::string said_by(Body body) {
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr();
}

class LogTest : public testing::Test {
 protected:
  void TearDown() override {
    log_identity("");
    log_threshold(LogLevel::warning);
  }
};

// What ranks that are not the first wait before they tell why they cannot start.
TEST_F(LogTest, AnErrorThatIsHeldComesLater) {
  using Clock = std::chrono::steady_clock;
  const HoldErrors hold(true);
  const auto start = Clock::now();
  EXPECT_EQ(said_by([] { log_error("late"); }), "weft: error: late\n");
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(500));
}

TEST_F(LogTest, ErrorsThatAreKeptComeWhenOneIsTheFirstAndElseNever) {
  for (const bool first : {true, false}) {
    EXPECT_EQ(said_by([&] {
                const KeepErrors errors;
                EXPECT_FALSE(errors.any());
                log_error("one");
                log_error("two");
                EXPECT_TRUE(errors.any());
                log_warning("careful");
                std::thread([] { log_error("elsewhere"); }).join();
                KeepErrors::end(first);
                log_error("later");
                KeepErrors::end(true);
              }),
              std::string("weft: warning: careful\nweft: error: elsewhere\n") +
                  (first ? "weft: error: one\nweft: error: two\n" : "") + "weft: error: later\n");
  }
  EXPECT_EQ(said_by([] {
              {
                const KeepErrors errors;
                for (int i = 0; i < 1000; ++i) log_error("more than there is room for");
              }
              log_error("after");
            }),
            "weft: error: after\n");
}

TEST_F(LogTest, ALineSaysWhoAndHowBad) {
  EXPECT_EQ(said_by([] { log_error("%d apples", 3); }), "weft: error: 3 apples\n");
  log_identity("rank 7");
  EXPECT_EQ(said_by([] { log_error("%d apples", 3); }), "weft: rank 7: error: 3 apples\n");
  EXPECT_EQ(said_by([] { log_warning("careful"); }), "weft: rank 7: warning: careful\n");
}

TEST_F(LogTest, LinesAboveTheThresholdAreDropped) {
  EXPECT_EQ(said_by([] { log(LogLevel::info, "news"); }), "");
  log_threshold(LogLevel::info);
  EXPECT_EQ(said_by([] { log(LogLevel::info, "news"); }), "weft: news\n");
  EXPECT_EQ(said_by([] { log(LogLevel::debug, "detail"); }), "");
  log_threshold(LogLevel::error);
  EXPECT_EQ(said_by([] { log_warning("careful"); }), "");
}

TEST_F(LogTest, IdentitiesBelongToThreads) {
  log_identity("rank 0");
  EXPECT_EQ(said_by([] {
              std::thread([] {
                log_identity("rank 1");
                log_error("here");
              }).join();
              log_error("there");
            }),
            "weft: rank 1: error: here\nweft: rank 0: error: there\n");
}

TEST_F(LogTest, LongLinesAreCutButStayLines) {
  const std::string text(10000, 'x');
  const std::string said = said_by([&] { log_error("%s", text.c_str()); });
  EXPECT_LT(said.size(), 4096u);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  EXPECT_EQ(said.back(), '\n');
}

TEST_F(LogTest, LinesOfSeveralThreadsDoNotMix) {
  const std::string said = said_by([] {
    std::vector<std::thread> team;
    for (char name = 'a'; name < 'e'; ++name)
      team.emplace_back([name] {
        for (int i = 0; i < 50; ++i) log_error("%s", std::string(100, name).c_str());
      });
    for (std::thread& thread : team) thread.join();
  });
  for (char name = 'a'; name < 'e'; ++name) {
    const std::string line = "weft: error: " + std::string(100, name) + "\n";
    size_t count = 0;
    for (size_t at = said.find(line); at != std::string::npos; at = said.find(line, at + 1)) ++count;
    EXPECT_EQ(count, 50u);
  }
}

}  // namespace
