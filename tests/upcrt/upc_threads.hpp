// Tests that every UPC thread of a job runs, against the runtime's ABI, without a compiler. Like
// tests/support/ranks.hpp: with TEST_THREAD_RANKS=3 each test starts a job of 3 threads of this process; under weftrun
// the ranks run them in step.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "weft/upcrt.h"
#include "weft/upcrt/functions.h"

namespace upc_test {

void on_every_thread(void (*body)());

[[noreturn]] void fail_job(const char* file, int line, const char* condition);

/// The same numbers on every run; different for every stream.
inline std::mt19937_64 random_numbers(uint64_t stream) { return std::mt19937_64(0x9e3779b97f4a7c15u * (stream + 1)); }

inline int me() { return upcr_mythread(); }
inline int threads() { return upcr_threads(); }
inline void barrier() { upcr_barrier(0, 0, UPCR_HERE); }

template <class T>
T get(upcr_pts_t p) {
  return UPCR_GET(T, p);
}
template <class T>
void put(upcr_pts_t p, T value) {
  (void)UPCR_PUT(T, p, value);
}

/// Byte `offset` from p on p's thread, or on another.
inline upcr_pts_t at(upcr_pts_t p, uint64_t bytes) { return upcr_field(p, bytes); }
inline upcr_pts_t on(uint64_t thread, upcr_pts_t p, uint64_t bytes = 0) {
  return upcr_make(p.offset + bytes, thread, 0);
}

}  // namespace upc_test

#define UPC_TEST(suite, name)                                                  \
  static void suite##_##name##_on_thread();                                    \
  TEST(suite, name) { upc_test::on_every_thread(suite##_##name##_on_thread); } \
  static void suite##_##name##_on_thread()

#define REQUIRE(condition) \
  if (!(condition)) upc_test::fail_job(__FILE__, __LINE__, #condition)
