#include "support/ranks.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/run_tests.hpp"
#include "weft/barrier.h"
#include "weft/segment.h"

#ifndef RANKS_THREAD_MODE
#define RANKS_THREAD_MODE WEFT_THREAD_SERIALIZED
#endif

namespace weft_test {
namespace {

weft_rank_t thread_ranks = 0;  // 0: ranks are processes

// A rank that stops in the middle of a test would leave the others waiting.
class EndJobOnFatalFailure : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.fatally_failed() && weft_size() != 0) weft_exit(1);
  }
};

int run_body_as_rank(void* body) {
  if (int status = weft_init_thread(nullptr, nullptr, RANKS_THREAD_MODE); status != WEFT_OK) return 100;
  (*static_cast<void (**)()>(body))();
  return weft_finalize() == WEFT_OK ? 0 : 101;
}

}  // namespace

bool ranks_are_threads() { return thread_ranks != 0; }

bool ranks_are_simulated() {
  static const char* const conduit = std::getenv("WEFT_CONDUIT");
  return conduit != nullptr && std::strcmp(conduit, "sim") == 0;
}

void on_every_rank(void (*body)()) {
  if (ranks_are_threads()) {
    EXPECT_EQ(weft_run_threads(thread_ranks, run_body_as_rank, &body), 0);
    return;
  }
  EXPECT_EQ(weft_barrier(), WEFT_OK);
  body();
  EXPECT_EQ(weft_barrier(), WEFT_OK);
}

void fail_job(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: rank %u: failed: %s\n", file, line, weft_rank(), condition);
  weft_exit(1);
}

SharedBlock::SharedBlock(size_t size, size_t alignment) {
  REQUIRE(weft_alloc_symmetric(size, alignment, &offset_) == WEFT_OK);
  std::memset(mine(), 0, size);
  REQUIRE(weft_barrier() == WEFT_OK);
}

SharedBlock::~SharedBlock() {
  weft_barrier();
  weft_free_symmetric(offset_);
}

unsigned char* SharedBlock::mine() const { return static_cast<unsigned char*>(weft_segment_base()) + offset_; }

}  // namespace weft_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new weft_test::EndJobOnFatalFailure);
  if (const char* text = std::getenv("TEST_THREAD_RANKS")) {
    weft_test::thread_ranks = static_cast<weft_rank_t>(std::strtoul(text, nullptr, 10));
    return weft_test::run_tests();
  }
  if (weft_init_thread(&argc, &argv, RANKS_THREAD_MODE) != WEFT_OK) return 1;
  const int failed = weft_test::run_tests();
  if (weft_finalize() != WEFT_OK) return 1;
  return failed;
}
