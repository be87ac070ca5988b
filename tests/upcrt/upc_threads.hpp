// Tests that every UPC thread of a job runs, against the runtime's ABI, without a compiler. Like
// tests/support/ranks.hpp: with TEST_THREAD_RANKS=3 each test starts a job of 3 threads of this process; under weftrun
// the ranks run them in step.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "weft/upcrt.h"
#include "weft/upcrt/accessors.h"
#include "weft/upcrt/functions.h"

namespace upc_test {

void on_every_thread(void (*body)());

[[noreturn]] void fail_job(const char* file, int line, const char* condition);

/// The same numbers on every run; different for every stream.
inline std::mt19937_64 random_numbers(uint64_t stream) { return std::mt19937_64(0x9e3779b97f4a7c15u * (stream + 1)); }

inline int me() { return upcr_mythread(); }
inline int threads() { return upcr_threads(); }
inline void barrier() { upcr_barrier(0, 0, UPCR_HERE); }

/// The accesses of a type that compiled code has: the accessors of a basic type, what upcc writes out for others.
template <class T>
struct Accessor {
  static T get(upcr_pts_t p) {
    T value;
    return *static_cast<T*>(upcc_get_whole(p, &value, sizeof(T), UPCR_HERE));
  }
  static T get_strict(upcr_pts_t p) {
    T value;
    return *static_cast<T*>(upcc_get_strict_whole(p, &value, sizeof(T), UPCR_HERE));
  }
  static T put(upcr_pts_t p, T value) {
    if (upcr_direct())
      *reinterpret_cast<T*>(upcr_at(p)) = value;
    else
      upcr_put_slow(p, &value, sizeof(T), UPCR_HERE);
    return value;
  }
};
#define UPC_TEST_ACCESSOR(T, name)                                                                     \
  template <>                                                                                          \
  struct Accessor<T> {                                                                                 \
    static T get(upcr_pts_t p) { return upcc_get_##name(p, UPCR_HERE); }                               \
    static T get_strict(upcr_pts_t p) { return upcc_get_strict_##name(p, UPCR_HERE); }                 \
    static T put(upcr_pts_t p, T value) { return upcc_put_##name(p, value, UPCR_HERE); }               \
    static T put_strict(upcr_pts_t p, T value) { return upcc_put_strict_##name(p, value, UPCR_HERE); } \
  };
UPC_TEST_ACCESSOR(bool, bool)
UPC_TEST_ACCESSOR(char, char)
UPC_TEST_ACCESSOR(signed char, schar)
UPC_TEST_ACCESSOR(unsigned char, uchar)
UPC_TEST_ACCESSOR(short, short)
UPC_TEST_ACCESSOR(unsigned short, ushort)
UPC_TEST_ACCESSOR(int, int)
UPC_TEST_ACCESSOR(unsigned int, uint)
UPC_TEST_ACCESSOR(long, long)
UPC_TEST_ACCESSOR(unsigned long, ulong)
UPC_TEST_ACCESSOR(long long, longlong)
UPC_TEST_ACCESSOR(unsigned long long, ulonglong)
UPC_TEST_ACCESSOR(float, float)
UPC_TEST_ACCESSOR(double, double)
UPC_TEST_ACCESSOR(long double, longdouble)
UPC_TEST_ACCESSOR(upcr_pts_t, pts)
#undef UPC_TEST_ACCESSOR

template <class T>
T get(upcr_pts_t p) {
  return Accessor<T>::get(p);
}
template <class T>
T get_strict(upcr_pts_t p) {
  return Accessor<T>::get_strict(p);
}
template <class T>
T put(upcr_pts_t p, T value) {
  return Accessor<T>::put(p, value);
}
template <class T>
T put_strict(upcr_pts_t p, T value) {
  return Accessor<T>::put_strict(p, value);
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
