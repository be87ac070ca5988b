#include "verdict.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

namespace weftrun {
namespace {

using Kind = Verdict::Kind;
using Phase = PmiServer::Phase;

Verdict judge_exit(int code, Phase phase, bool anyone_joined) {
  return judge(W_EXITCODE(code, 0), phase, anyone_joined, "rank 2 (pid 7 on h)", "prog");
}

TEST(Verdict, ARankThatLeftInOrderIsFine) {
  const Verdict verdict = judge_exit(0, Phase::finalized, true);
  EXPECT_EQ(verdict.kind, Kind::in_order);
  EXPECT_EQ(verdict.exit_code, 0);
}

TEST(Verdict, AWrongSettingIsAWrongCommandLine) {
  const Verdict verdict = judge_exit(1, Phase::wrong_settings, true);
  EXPECT_EQ(verdict.kind, Kind::failure);
  EXPECT_EQ(verdict.exit_code, 2);
  EXPECT_EQ(verdict.line, "");  // the rank has said which
}

TEST(Verdict, ASignalIsNamed) {
  for (const Phase phase : {Phase::before_init, Phase::joined, Phase::finalized}) {
    const Verdict verdict = judge(W_EXITCODE(0, 9), phase, true, "rank 2 (pid 7 on h)", "prog");
    EXPECT_EQ(verdict.kind, Kind::failure);
    EXPECT_EQ(verdict.exit_code, 137);
    EXPECT_EQ(verdict.line, "rank 2 (pid 7 on h) was killed by signal 9 (Killed); ending the job");
  }
}

TEST(Verdict, AfterACrashItSaysHowToSeeMore) {
  EXPECT_EQ(
      judge(W_EXITCODE(0, 11), Phase::joined, true, "rank 2 (pid 7 on h)", "prog").line,
      "rank 2 (pid 7 on h) was killed by signal 11 (Segmentation fault); WEFT_BACKTRACE=1 shows where, WEFT_CHECK=1 "
      "checks calls; ending the job");
}

TEST(Verdict, WhatIsSetAlreadyIsNoAdvice) {
  const auto line = [] { return judge(W_EXITCODE(0, 11), Phase::joined, true, "rank 2", "prog").line; };
  setenv("WEFT_BACKTRACE", "0", 1);
  setenv("WEFT_CHECK", "1", 1);
  EXPECT_EQ(line(),
            "rank 2 was killed by signal 11 (Segmentation fault); WEFT_BACKTRACE=1 shows where; ending the job");
  setenv("WEFT_BACKTRACE", "yes", 1);
  EXPECT_EQ(line(), "rank 2 was killed by signal 11 (Segmentation fault); ending the job");
  unsetenv("WEFT_BACKTRACE");
  unsetenv("WEFT_CHECK");
}

TEST(Verdict, ALibraryThatIsMissingIsThoughtOf) {
  EXPECT_EQ(
      judge_exit(127, Phase::before_init, false).line,
      "rank 2 (pid 7 on h) exited with code 127 before weft_init (a shared library may be missing: ldd shows which); "
      "ending the job");
  EXPECT_EQ(judge_exit(127, Phase::joined, true).line.find("ldd"), std::string::npos);
}

TEST(Verdict, AnExitCodeIsPassedOn) {
  const Verdict verdict = judge_exit(3, Phase::joined, true);
  EXPECT_EQ(verdict.kind, Kind::failure);
  EXPECT_EQ(verdict.exit_code, 3);
  EXPECT_EQ(verdict.line, "rank 2 (pid 7 on h) exited with code 3 before weft_finalize; ending the job");
  EXPECT_EQ(judge_exit(3, Phase::before_init, false).line,
            "rank 2 (pid 7 on h) exited with code 3 before weft_init; ending the job");
}

TEST(Verdict, AStartThatFailsIsToldAsThat) {
  EXPECT_EQ(judge_exit(1, Phase::init_failed, true).line,
            "rank 2 (pid 7 on h) exited with code 1 in weft_init; ending the job");
}

TEST(Verdict, LeavingWithoutFinalizeFailsEvenWithCodeZero) {
  const Verdict verdict = judge_exit(0, Phase::joined, true);
  EXPECT_EQ(verdict.kind, Kind::failure);
  EXPECT_EQ(verdict.exit_code, 1);
}

TEST(Verdict, AProgramThatNeverJoinsIsNoWeftProgram) {
  const Verdict verdict = judge_exit(0, Phase::before_init, false);
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_EQ(verdict.line.find("prog is not a Weft program"), 0u);
  EXPECT_EQ(judge_exit(0, Phase::before_init, true).line,
            "rank 2 (pid 7 on h) exited with code 0 before weft_init; ending the job");
}

TEST(Verdict, AFailureAfterFinalizeLetsTheOthersFinish) {
  const Verdict verdict = judge_exit(4, Phase::finalized, true);
  EXPECT_EQ(verdict.kind, Kind::late);
  EXPECT_EQ(verdict.exit_code, 4);
}

}  // namespace
}  // namespace weftrun
