/* Gives NULL where a function needs a pointer, in a job of one rank. Each case is named by the line that must come; the
 * argument is its number. Without one the program prints the lines. */
#include <stdio.h>
#include <stdlib.h>

#include "weft/tune.h"
#include "weft/weft.h"

/* The compiler must not see that they are NULL. */
static void* volatile none;
#define NONE(type) ((type*)none)

static size_t block;
static uint64_t word;
static size_t one = 1, size = 8;
static ptrdiff_t stride = 8;
static weft_am_buffer_t buffer;
static weft_am_t request;
static weft_handle_t handle;

#define CASES(CASE)                                                                                               \
  CASE("weft_alloc_symmetric: the pointer to the offset", weft_alloc_symmetric(8, 0, NONE(size_t)))               \
  CASE("weft_alloc: the pointer to the offset", weft_alloc(8, 0, NONE(size_t)))                                   \
  CASE("weft_handle_wait_all: the list of handles", weft_handle_wait_all(NONE(weft_handle_t), 1))                 \
  CASE("weft_handle_wait_some: the list of handles", weft_handle_wait_some(NONE(weft_handle_t), 1))               \
  CASE("weft_handle_test_all: the list of handles", weft_handle_test_all(NONE(weft_handle_t), 1))                 \
  CASE("weft_handle_test_some: the list of handles", weft_handle_test_some(NONE(weft_handle_t), 1))               \
  CASE("weft_put_signal: the caller's buffer", weft_put_signal(0, block, none, 8, block + 8, 1, WEFT_SIGNAL_SET)) \
  CASE("weft_signal_wait_any: the list of conditions",                                                            \
       weft_signal_wait_any(NONE(weft_signal_condition_t), 1, NULL, NULL))                                        \
  CASE("weft_am_register: the table of handlers", weft_am_register(NONE(weft_am_entry_t), 1))                     \
  CASE("weft_am_request_short: the list of arguments", weft_am_request_short(0, 0, NONE(uint64_t), 1, 0))         \
  CASE("weft_am_request_medium: the payload", weft_am_request_medium(0, 0, none, 100, NULL, 0, 0))                \
  CASE("weft_am_request_long: the payload", weft_am_request_long(0, 0, block, none, 8, NULL, 0, 0))               \
  CASE("weft_am_reply_short: the request", weft_am_reply_short(NONE(weft_am_t), 0, NULL, 0))                      \
  CASE("weft_am_reply_medium: the request", weft_am_reply_medium(NONE(weft_am_t), 0, &word, 8, NULL, 0))          \
  CASE("weft_am_reply_medium: the payload", weft_am_reply_medium(&request, 0, none, 8, NULL, 0))                  \
  CASE("weft_am_reply_long: the request", weft_am_reply_long(NONE(weft_am_t), 0, block, &word, 8, NULL, 0))       \
  CASE("weft_am_reply_long: the payload", weft_am_reply_long(&request, 0, block, none, 8, NULL, 0))               \
  CASE("weft_am_prepare_medium: the buffer", weft_am_prepare_medium(0, 8, 0, NONE(weft_am_buffer_t)))             \
  CASE("weft_am_prepare_long: the buffer", weft_am_prepare_long(0, block, 8, 0, NONE(weft_am_buffer_t)))          \
  CASE("weft_am_prepare_reply_medium: the request", weft_am_prepare_reply_medium(NONE(weft_am_t), 8, &buffer))    \
  CASE("weft_am_commit: the buffer", weft_am_commit(NONE(weft_am_buffer_t), 8, 0, NULL, 0))                       \
  CASE("weft_am_cancel: the buffer", weft_am_cancel(NONE(weft_am_buffer_t)))                                      \
  CASE("weft_atomic_domain_create: the pointer to the domain",                                                    \
       weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, NONE(weft_atomic_domain_t*)))                     \
  CASE("weft_atomic_domain_destroy: the atomic domain", weft_atomic_domain_destroy(NONE(weft_atomic_domain_t)))   \
  CASE("weft_atomic: the atomic domain",                                                                          \
       weft_atomic(NONE(weft_atomic_domain_t), &word, 0, block, WEFT_ATOMIC_INC, NULL, NULL))                     \
  CASE("weft_team_split: the pointer to the team", weft_team_split(WEFT_TEAM_WORLD, 0, 0, NONE(weft_team_t)))     \
  CASE("weft_team_split_stride: the pointer to the team",                                                         \
       weft_team_split_stride(WEFT_TEAM_WORLD, 1, 1, NONE(weft_team_t)))                                          \
  CASE("weft_team_split_host: the pointer to the team", weft_team_split_host(WEFT_TEAM_WORLD, NONE(weft_team_t))) \
  CASE("weft_team_from_list: the list of members",                                                                \
       weft_team_from_list(WEFT_TEAM_WORLD, NONE(uint32_t), 1, &(weft_team_t){0}))                                \
  CASE("weft_team_pair: the pointer to the team", weft_team_pair(WEFT_TEAM_WORLD, 0, NONE(weft_team_t)))          \
  CASE("weft_team_translate: the list of results",                                                                \
       weft_team_translate(WEFT_TEAM_WORLD, &(uint32_t){0}, 1, WEFT_TEAM_WORLD, NONE(uint32_t)))                  \
  CASE("weft_exchange_v: the list of source sizes",                                                               \
       weft_exchange_v(WEFT_TEAM_WORLD, &word, &size, &size, &word, NONE(size_t), &size, 0))                      \
  CASE("weft_gather_v: the list of destination sizes",                                                            \
       weft_gather_v(WEFT_TEAM_WORLD, &word, NONE(size_t), &size, &word, 8, 0, 0))                                \
  CASE("weft_scatter_v: the list of source offsets",                                                              \
       weft_scatter_v(WEFT_TEAM_WORLD, &word, 8, &word, &size, NONE(size_t), 0, 0))                               \
  CASE("weft_gather_all_v_nb: the list of destination offsets",                                                   \
       weft_gather_all_v_nb(WEFT_TEAM_WORLD, &word, &size, NONE(size_t), &word, 8, 0, &handle))                   \
  CASE("weft_put_vector: the list of remote parts",                                                               \
       weft_put_vector(0, 1, NONE(weft_remote_part_t), 1, &(weft_local_part_t){&word, 8}))                        \
  CASE("weft_get_vector: the list of local parts",                                                                \
       weft_get_vector(0, 1, NONE(weft_local_part_t), 1, &(weft_remote_part_t){block, 8}))                        \
  CASE("weft_put_indexed: the list of remote offsets",                                                            \
       weft_put_indexed(0, 1, NONE(size_t), 8, 1, (const void*[]){&word}, 8))                                     \
  CASE("weft_get_indexed: the list of local addresses", weft_get_indexed(0, 1, NONE(void*), 8, 1, &block, 8))     \
  CASE("weft_put_strided: the list of remote strides",                                                            \
       weft_put_strided(0, block, NONE(ptrdiff_t), &word, &stride, 8, &one, 1))                                   \
  CASE("weft_get_strided: the list of local strides",                                                             \
       weft_get_strided(&word, NONE(ptrdiff_t), 0, block, &stride, 8, &one, 1))                                   \
  CASE("weft_put_strided: the list of counts",                                                                    \
       weft_put_strided(0, block, &stride, &word, &stride, 8, NONE(size_t), 1))                                   \
  CASE("weft_tune_candidates: the pointer to the count",                                                          \
       weft_tune_candidates(WEFT_TEAM_WORLD, "broadcast", 8, NULL, 0, NONE(size_t)))                              \
  CASE("weft_tune_set: the operation's name", weft_tune_set(WEFT_TEAM_WORLD, NONE(char), 8, NULL))                \
  CASE("weft_candidate_name: the candidate", weft_candidate_name(NONE(weft_candidate_t), NULL, 0))                \
  CASE("weft_counters_read: the pointer to the counters", weft_counters_read(NONE(weft_counters_t)))              \
  CASE("weft_trace_begin: the name", weft_trace_begin(NONE(char)))                                                \
  /* What follows is noticed with WEFT_CHECK=1. */                                                                \
  CASE("weft_put: the caller's buffer", weft_put(0, block, none, 8))                                              \
  CASE("weft_get_nb: the caller's buffer", weft_get_nb(none, 0, block, 8, 0, &handle))                            \
  CASE("weft_put_vector: the local address of a part",                                                            \
       weft_put_vector(0, 1, &(weft_remote_part_t){block, 8}, 1, &(weft_local_part_t){none, 8}))                  \
  CASE("weft_get_strided: the local address of a part", weft_get_strided(none, &stride, 0, block, &stride, 8, &one, 1))

#define NAME(name, call) name,
static const char* const names[] = {CASES(NAME)};

static void run(int number) {
  int next = 0;
#define RUN(name, call) \
  if (number == next++) call;
  CASES(RUN)
}

int main(int argc, char** argv) {
  if (argc < 2) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) puts(names[i]);
    return 0;
  }
  if (weft_init(NULL, NULL) != WEFT_OK || weft_alloc_symmetric(64, 0, &block) != WEFT_OK) return 2;
  run(atoi(argv[1]));
  return weft_finalize();
}
