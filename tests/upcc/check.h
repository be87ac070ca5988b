/* Checks for UPC test programs: a failure names the place and ends the job. */
#ifndef WEFT_TESTS_UPCC_CHECK_H
#define WEFT_TESTS_UPCC_CHECK_H
#include <stdio.h>
#include <upc.h>

#define CHECK(condition)                                                                              \
  do {                                                                                                \
    if (!(condition)) {                                                                               \
      fprintf(stderr, "%s:%d: thread %d of %d: failed: %s\n", __FILE__, __LINE__, MYTHREAD, THREADS, #condition); \
      upc_global_exit(1);                                                                             \
    }                                                                                                 \
  } while (0)

#define CHECK_EQUAL(actual, expected)                                                                 \
  do {                                                                                                \
    long long check_a_ = (long long)(actual), check_e_ = (long long)(expected);                       \
    if (check_a_ != check_e_) {                                                                       \
      fprintf(stderr, "%s:%d: thread %d of %d: %s is %lld, not %lld\n", __FILE__, __LINE__, MYTHREAD, THREADS, \
              #actual, check_a_, check_e_);                                                           \
      upc_global_exit(1);                                                                             \
    }                                                                                                 \
  } while (0)

#define RUN(test)                         \
  do {                                    \
    upc_barrier;                          \
    test();                               \
    upc_barrier;                          \
    if (MYTHREAD == 0) puts(#test);       \
  } while (0)
#endif
