#include "upc_threads.hpp"

#include <cstdio>
#include <cstdlib>

#include "../support/run_tests.hpp"
#include "weft/job.h"

// A unit of a program, as compiled code has it.
extern "C" {
UPCR_UNIT(0, "upc_threads.cpp");
}

namespace upc_test {
namespace {

weft_rank_t thread_ranks = 0;  // 0: threads are processes

// A thread that stops in the middle of a test would leave the others waiting.
class EndJobOnFatalFailure : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.fatally_failed() && weft_size() != 0) weft_exit(1);
  }
};

int run_body_as_thread(void* body) {
  upcr_start(nullptr, nullptr);
  (*static_cast<void (**)()>(body))();
  upcr_finish();
  return 0;
}

}  // namespace

void on_every_thread(void (*body)()) {
  if (thread_ranks != 0) {
    EXPECT_EQ(weft_run_threads(thread_ranks, run_body_as_thread, &body), 0);
    return;
  }
  barrier();
  body();
  barrier();
}

void fail_job(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: thread %d: failed: %s\n", file, line, me(), condition);
  weft_exit(1);
}

}  // namespace upc_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new upc_test::EndJobOnFatalFailure);
  if (const char* text = std::getenv("TEST_THREAD_RANKS")) {
    upc_test::thread_ranks = static_cast<weft_rank_t>(std::strtoul(text, nullptr, 10));
    return weft_test::run_tests();
  }
  upcr_start(&argc, &argv);
  const int failed = weft_test::run_tests();
  upcr_finish();
  return failed;
}
