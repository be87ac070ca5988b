// Tests that every rank of a job runs. The same test runs with ranks as threads of one process and as processes:
//
//   TEST_THREAD_RANKS=3 program      each test starts a job of 3 threads
//   weftrun -n 3 program             one job; its ranks run the tests in step
//
// Inside a test EXPECT_... works on every rank. After a failed REQUIRE the other ranks cannot go on, so it ends the
// job.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <random>

#include "weft/job.h"

namespace weft_test {

/// Most ranks that these tests are run with.
inline constexpr weft_rank_t most_ranks = 64;

/// Runs the body on every rank of a job.
void on_every_rank(void (*body)());

/// True if this program's ranks are threads.
bool ranks_are_threads();

[[noreturn]] void fail_job(const char* file, int line, const char* condition);

/// The same numbers on every run; different for every stream.
inline std::mt19937_64 random_numbers(uint64_t stream) { return std::mt19937_64(0x9e3779b97f4a7c15u * (stream + 1)); }

/// True if they are fibers of one thread.
bool ranks_are_simulated();

/// For loops that wait: the ranks outnumber the processors.
inline void progress() {
  if (weft_poll() == 0 && !ranks_are_simulated()) sched_yield();
}

inline weft_rank_t next_rank() { return (weft_rank() + 1) % weft_size(); }
inline weft_rank_t previous_rank() { return (weft_rank() + weft_size() - 1) % weft_size(); }

/// Symmetric memory for the length of a test. Made and freed by all ranks; the end waits for all of them.
class SharedBlock {
 public:
  explicit SharedBlock(size_t size, size_t alignment = 0);
  ~SharedBlock();
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;
  size_t offset() const { return offset_; }
  /// This rank's own copy.
  unsigned char* mine() const;
  uint64_t* words() const { return reinterpret_cast<uint64_t*>(mine()); }

 private:
  size_t offset_ = 0;
};

}  // namespace weft_test

#define RANK_TEST(suite, name)                                              \
  static void suite##_##name##_on_rank();                                   \
  TEST(suite, name) { weft_test::on_every_rank(suite##_##name##_on_rank); } \
  static void suite##_##name##_on_rank()

#define REQUIRE(condition) \
  if (!(condition)) weft_test::fail_job(__FILE__, __LINE__, #condition)
