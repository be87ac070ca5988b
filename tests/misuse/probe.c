/* Does one thing wrong, named by the argument. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weft/weft.h"

static size_t block;
static weft_am_id_t id_bad, id_answer;

static void wait_for_any(size_t offset, weft_compare_t compare) {
  const weft_signal_condition_t conditions[] = {{block, WEFT_EQ, 1}, {offset, compare, 0}};
  weft_signal_wait_any(conditions, 2, NULL, NULL);
}

static void on_answer(const weft_am_t* message) { (void)message; }
static void on_put(const weft_am_t* message) { weft_put_value(message->source, block, 1, 8); }
static void on_post(const weft_am_t* message) { weft_semaphore_post(message->source, block, 1); }
static void on_barrier(const weft_am_t* message) {
  (void)message;
  weft_barrier();
}
static void on_poll(const weft_am_t* message) {
  (void)message;
  weft_poll();
}
static void on_twice(const weft_am_t* message) {
  weft_am_reply_short(message, id_answer, NULL, 0);
  weft_am_reply_short(message, id_answer, NULL, 0);
}
static void on_reply_to_reply(const weft_am_t* message) { weft_am_reply_short(message, id_answer, NULL, 0); }
static void on_answer_badly(const weft_am_t* message) { weft_am_reply_short(message, id_bad, NULL, 0); }

/* Registers a handler and sends it a request from each rank to the next. */
static void send_to(weft_am_handler_t handler) {
  const weft_am_entry_t entries[] = {{"bad handler", handler, &id_bad, WEFT_AM_ANY},
                                     {"answer", on_answer, &id_answer, WEFT_AM_ANY}};
  weft_am_register(entries, 2);
  weft_am_request_short((weft_rank() + 1) % weft_size(), id_bad, NULL, 0, 0);
  weft_barrier();
  for (int i = 0; i < 1000; ++i) weft_poll();
}

static void different_tables(int kind) {
  weft_am_id_t id;
  const int odd = weft_rank() == weft_size() - 1;
  const weft_am_entry_t entries[] = {
      {odd && kind == 0 ? "scatter" : "gather", on_answer, &id, odd && kind == 1 ? 7 : 6},
      {"reduce", on_answer, &id, WEFT_AM_ANY}};
  weft_am_register(entries, odd && kind == 2 ? 1 : 2);
}

/* Both values below are what the name says wherever peers are mapped or not. */
static weft_handle_t put(void) {
  static uint64_t value = 7;
  weft_handle_t handle;
  weft_put_nb((weft_rank() + 1) % weft_size(), block, &value, sizeof value, 0, &handle);
  return handle;
}

static void add(void* result, const void* left, const void* right, size_t count, void* argument) {
  (void)argument;
  for (size_t i = 0; i < count; ++i) ((uint64_t*)result)[i] = ((const uint64_t*)left)[i] + ((const uint64_t*)right)[i];
}
static void add_and_poll(void* result, const void* left, const void* right, size_t count, void* argument) {
  weft_poll();
  add(result, left, right, count, argument);
}

static void different_strides(void) {
  weft_team_t team;
  const int odd = weft_rank() == weft_size() - 1;
  weft_team_split_stride(WEFT_TEAM_WORLD, odd ? 1 : 2, odd ? 2 : 1, &team);
}

static void free_meets_barrier(void) {
  weft_team_t team = WEFT_TEAM_NONE;
  weft_handle_t handle = WEFT_HANDLE_DONE;
  weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team);
  weft_rank() == 0 ? weft_team_free(team) : weft_team_barrier_nb(team, &handle);
  weft_handle_wait(handle);
  weft_finalize();
}

static void different_teams(int by_host) {
  weft_team_t team;
  if (weft_rank() == 0)
    weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team);
  else if (by_host)
    weft_team_split_host(WEFT_TEAM_WORLD, &team);
  else
    weft_team_split_stride(WEFT_TEAM_WORLD, weft_size(), 1, &team);
}

/* Each rank calls something else, or with other arguments. */
static void different_collectives(int kind) {
  uint64_t from[2] = {1, 2}, to[2];
  const int odd = weft_rank() == weft_size() - 1;
  const weft_reduction_t sum = weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD);
  const unsigned all = WEFT_IN_ALLSYNC | WEFT_OUT_ALLSYNC;
  const weft_reduction_t most = weft_reduction_of(WEFT_U64, WEFT_REDUCE_MAX);
  if (kind == 0) weft_broadcast(WEFT_TEAM_WORLD, to, from, odd ? 16 : 8, 0, 0);
  if (kind == 1) weft_broadcast(WEFT_TEAM_WORLD, to, from, 8, odd ? 1 : 0, 0);
  if (kind == 3 && odd) weft_gather(WEFT_TEAM_WORLD, to, from, 8, 0, 0);
  if (kind == 3 && !odd) weft_broadcast(WEFT_TEAM_WORLD, to, from, 8, 0, 0);
  if (kind == 2) weft_reduce_all(WEFT_TEAM_WORLD, to, from, 1, odd ? most : sum, 0);
  if (kind == 4) weft_reduce_all(WEFT_TEAM_WORLD, to, from, 1, weft_reduction_by(add, NULL, 8, !odd), 0);
  if (kind == 5) weft_reduce_all(WEFT_TEAM_WORLD, to, from, 1, weft_reduction_by(add_and_poll, NULL, 8, 1), 0);
  if (kind == 6) weft_broadcast(WEFT_TEAM_WORLD, to, from, 8, 0, odd ? all : 0);
  if (kind == 7 && odd) weft_prefix(WEFT_TEAM_WORLD, to, from, 1, sum, 0);
  if (kind == 7 && !odd) weft_prefix_exclusive(WEFT_TEAM_WORLD, to, from, 1, sum, 0);
}

/* The first rank calls `first`, the others `second`. */
static void meet(const char* first, const char* second) {
  const weft_rank_t peer = (weft_rank() + 1) % weft_size();
  const char* call = weft_rank() == 0 ? first : second;
  uint64_t from = 1, to = 0;
  weft_team_t everybody = WEFT_TEAM_NONE;
  weft_team_split(WEFT_TEAM_WORLD, 0, 0, &everybody);
  if (strcmp(call, "barrier") == 0) weft_barrier();
  if (strcmp(call, "split barrier") == 0) {
    weft_barrier_notify(1, 0);
    weft_barrier_wait(1, 0);
  }
  if (strcmp(call, "team barrier") == 0) weft_team_barrier(everybody);
  if (strcmp(call, "broadcast") == 0) weft_broadcast(WEFT_TEAM_WORLD, &to, &from, 8, peer == 0 ? 1 : 0, 0);
  if (strcmp(call, "handle") == 0) {
    weft_handle_t handle;
    weft_broadcast_nb(WEFT_TEAM_WORLD, &to, &from, 8, peer == 0 ? 1 : 0, 0, &handle);
    weft_handle_wait(handle);
  }
  if (strcmp(call, "team exchange") == 0) weft_gather_all(everybody, (uint64_t[8]){0}, &from, 8, 0);
  if (strcmp(call, "exchange") == 0) weft_gather_all(WEFT_TEAM_WORLD, (uint64_t[8]){0}, &from, 8, 0);
  if (strcmp(call, "free and finalize") == 0) weft_team_free(everybody);
  if (strcmp(call, "register") == 0) weft_am_register(NULL, 0);
  if (strstr(call, "finalize") != NULL) weft_finalize();
}

static void wrong_collective(const char* how) {
  uint64_t from = 1, to;
  if (strcmp(how, "permutation") == 0) weft_permute(WEFT_TEAM_WORLD, &to, &from, 8, 0, 0);
  if (strcmp(how, "source") == 0)
    weft_reduce_all(WEFT_TEAM_WORLD, &to, NULL, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD), 0);
  if (strcmp(how, "destination") == 0) weft_gather(WEFT_TEAM_WORLD, NULL, &from, 8, 0, 0);
  const size_t zeros[] = {0, 0}, all[] = {8, 8}, places[] = {0, 8};
  if (strcmp(how, "bytes") == 0) weft_gather_v(WEFT_TEAM_WORLD, NULL, zeros, places, NULL, 0, 0, 0);
  if (strcmp(how, "bytes") == 0 || strcmp(how, "list-destination") == 0)
    weft_gather_v(WEFT_TEAM_WORLD, NULL, all, places, &from, 8, 0, 0);
  if (strcmp(how, "list-source") == 0) weft_scatter_v(WEFT_TEAM_WORLD, &to, 8, NULL, all, places, 0, 0);
  /* In place where nothing is: rank 0 is not the root. */
  const weft_reduction_t sum = weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD);
  if (weft_rank() != 0) return;
  if (strcmp(how, "place-gather") == 0) weft_gather(WEFT_TEAM_WORLD, NULL, WEFT_IN_PLACE, 8, 1, 0);
  if (strcmp(how, "place-reduce") == 0) weft_reduce(WEFT_TEAM_WORLD, NULL, WEFT_IN_PLACE, 1, sum, 1, 0);
  if (strcmp(how, "place-scatter") == 0) weft_scatter(WEFT_TEAM_WORLD, WEFT_IN_PLACE, NULL, 8, 1, 0);
  if (strcmp(how, "place-permute") == 0) weft_permute(WEFT_TEAM_WORLD, &to, WEFT_IN_PLACE, 8, 1, 0);
  if (strcmp(how, "place-broadcast") == 0) weft_broadcast(WEFT_TEAM_WORLD, &to, WEFT_IN_PLACE, 8, 0, 0);
  if (strcmp(how, "place-broadcast-elsewhere") == 0) weft_broadcast(WEFT_TEAM_WORLD, &to, WEFT_IN_PLACE, 8, 1, 0);
  if (strcmp(how, "place-broadcast-to") == 0) weft_broadcast(WEFT_TEAM_WORLD, WEFT_IN_PLACE, &from, 8, 0, 0);
  if (strcmp(how, "place-gather-to") == 0) weft_gather(WEFT_TEAM_WORLD, WEFT_IN_PLACE, &from, 8, 1, 0);
  const size_t sizes[] = {8, 8}, offsets[] = {0, 8};
  if (strcmp(how, "place-gather-v") == 0) weft_gather_v(WEFT_TEAM_WORLD, NULL, NULL, NULL, WEFT_IN_PLACE, 8, 1, 0);
  if (strcmp(how, "place-scatter-v") == 0) weft_scatter_v(WEFT_TEAM_WORLD, WEFT_IN_PLACE, 8, NULL, NULL, NULL, 1, 0);
  if (strcmp(how, "place-gather-all-v") == 0)
    weft_gather_all_v(WEFT_TEAM_WORLD, WEFT_IN_PLACE, sizes, offsets, &from, 8, 0);
  if (strcmp(how, "place-reduce-all") == 0) weft_reduce_all(WEFT_TEAM_WORLD, WEFT_IN_PLACE, &from, 1, sum, 0);
}

/* The segment is nearly full; what the others send has no place in it. */
static void no_room(void) {
  const size_t each = (size_t)4 << 20, size = each * weft_size();
  size_t offset;
  if (weft_alloc(weft_segment_size() - ((size_t)2 << 20), 0, &offset) != WEFT_OK) weft_exit(2);
  char *from = calloc(1, size), *to = calloc(1, size);
  weft_exchange(WEFT_TEAM_WORLD, to, from, each, 0);
}

static weft_handle_t* volatile no_handle; /* volatile: the compiler must not see that it is NULL */

static void nowhere_for_a_handle(const char* call) {
  const weft_rank_t peer = (weft_rank() + 1) % weft_size();
  uint64_t value = 0;
  if (strcmp(call, "collective") == 0) weft_broadcast_nb(WEFT_TEAM_WORLD, &value, &value, 8, 0, 0, no_handle);
  if (strcmp(call, "barrier") == 0) weft_team_barrier_nb(WEFT_TEAM_WORLD, no_handle);
  if (strcmp(call, "put") == 0) weft_put_nb(peer, block, &value, 8, 0, no_handle);
  if (strcmp(call, "stream") == 0) weft_put_nb(peer, block, &value, 8, WEFT_STREAM, no_handle);
  if (strcmp(call, "memset") == 0) weft_memset_nb(peer, block, 0, 8, 0, no_handle);
  if (strcmp(call, "region") == 0) weft_region_begin();
  if (strcmp(call, "region") == 0) weft_region_end(no_handle);
}

static void refused_flags(const char* how) {
  const unsigned flags = strcmp(how, "of-puts") == 0 ? WEFT_IMMEDIATE | 0x8000 : WEFT_IN_NOSYNC | WEFT_IN_ALLSYNC;
  uint64_t value = 0;
  if (weft_broadcast(WEFT_TEAM_WORLD, &value, &value, 8, 0, flags) == WEFT_ERR_INVALID) weft_exit(4);
}

static void freed_team(int collective) {
  uint64_t value = 0;
  weft_team_t team = WEFT_TEAM_NONE;
  weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team);
  weft_team_free(team);
  collective ? weft_broadcast(team, &value, &value, sizeof value, 0, 0) : (int)weft_team_size(team);
}

static void different_pair_sizes(void) {
  const size_t offsets[] = {0, 8}, expects[] = {8, 8}, sends[] = {weft_rank() == 1 ? 4 : 8, 8};
  char from[16] = {0}, to[16];
  weft_exchange_v(WEFT_TEAM_WORLD, to, expects, offsets, from, sends, offsets, 0);
}

/* Rank 1 has another size in mind than the root. */
static void different_block_sizes(const char* call) {
  const size_t sizes[] = {8, 8}, offsets[] = {0, 8}, others[] = {8, 9}, mine = weft_rank() == 1 ? 4 : 8;
  char from[17] = {0}, to[17];
  if (strcmp(call, "gather") == 0) weft_gather_v(WEFT_TEAM_WORLD, to, sizes, offsets, from, mine, 0, 0);
  if (strcmp(call, "scatter") == 0) weft_scatter_v(WEFT_TEAM_WORLD, to, mine, from, sizes, offsets, 0, 0);
  if (strcmp(call, "own") == 0) weft_gather_all_v(WEFT_TEAM_WORLD, to, sizes, offsets, from, mine, 0);
  if (strcmp(call, "lists") == 0)
    weft_gather_all_v(WEFT_TEAM_WORLD, to, weft_rank() == 0 ? others : sizes, offsets, from, 8, 0);
}

/* What one side takes for a large block, the other for a small one. */
static void sizes_far_apart(const char* call) {
  static char from[200000], to[200000];
  const int large = strstr(call, "large") != NULL;
  const size_t sizes[] = {8, large ? 100000 : 8}, offsets[] = {0, 8};
  const size_t mine = weft_rank() == 0 || large ? 8 : 100000;
  if (strncmp(call, "gather", 6) == 0) weft_gather_v(WEFT_TEAM_WORLD, to, sizes, offsets, from, mine, 0, 0);
  if (strncmp(call, "scatter", 7) == 0) weft_scatter_v(WEFT_TEAM_WORLD, to, mine, from, sizes, offsets, 0, 0);
}

/* In a team whose members are numbered from the last rank down: member 0 is rank 1, member 1 is rank 0. */
static void wrong_in_reverse(const char* how) {
  uint64_t from[2] = {1, 2}, to[2];
  const size_t sizes[] = {8, 8}, offsets[] = {0, 8};
  const uint32_t twice[] = {1, 1};
  weft_team_t team, made;
  int status = WEFT_OK;
  weft_team_split(WEFT_TEAM_WORLD, 0, -(int32_t)weft_rank(), &team);
  const uint32_t me = weft_team_rank(team);
  if (strcmp(how, "roots") == 0) weft_broadcast(team, to, from, 8, me, 0);
  if (strcmp(how, "teams") == 0 && me == 0) weft_team_split_host(team, &made);
  if (strcmp(how, "teams") == 0 && me == 1) weft_team_split(team, 0, 0, &made);
  if (strcmp(how, "receivers") == 0) weft_permute(team, to, from, 8, 1, 0);
  if (strcmp(how, "place") == 0) weft_gather(team, to, me == 0 ? WEFT_IN_PLACE : from, 8, 1, 0);
  if (strcmp(how, "sizes") == 0) weft_gather_v(team, to, sizes, offsets, from, me == 1 ? 4 : 8, 0, 0);
  if (strcmp(how, "own-size") == 0) weft_gather_all_v(team, to, sizes, offsets, from, me == 1 ? 4 : 8, 0);
  if (strcmp(how, "list") == 0) status = weft_team_from_list(team, twice, 2, &made);
  if (strcmp(how, "pair") == 0) status = weft_team_pair(team, 1, &made);
  /* Of pairs that do not match member 0 speaks, and must have the time to. */
  if (status == WEFT_ERR_INVALID || (status == WEFT_ERR_MISMATCH && me == 0)) weft_exit(4);
}

static void die_in_collective(void) {
  uint64_t one = 1, sum = 0;
  if (weft_rank() == 1) kill(getpid(), SIGKILL);
  weft_reduce_all(WEFT_TEAM_WORLD, &sum, &one, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD), 0);
}

/* ---- Memory ---- */

static void symmetric_calls(const char* how) {
  const int odd = weft_rank() == weft_size() - 1;
  size_t offset;
  if (strcmp(how, "sizes") == 0) weft_alloc_symmetric(odd ? 200 : 100, 0, &offset);
  if (strcmp(how, "one-rank") == 0 && odd) weft_alloc_symmetric(100, 0, &offset);
  if (strcmp(how, "order") == 0) odd ? weft_free_symmetric(block) : weft_alloc_symmetric(100, 0, &offset);
  weft_finalize();
}

static void use_freed(int symmetric) {
  size_t offset, last;
  uint64_t word = 0;
  if (symmetric) {
    weft_alloc_symmetric(64, 0, &offset);
    weft_alloc_symmetric(64, 0, &last); /* what is freed at the end could be anybody's local memory */
    weft_free_symmetric(offset);
    weft_put((weft_rank() + 1) % weft_size(), offset, &word, sizeof word);
  } else {
    weft_alloc(64, 0, &offset);
    weft_free(offset);
    weft_get(&word, weft_rank(), offset, sizeof word);
  }
}

/* The caller's buffer lies in its own segment. */
static void wrong_buffer(const char* how) {
  const weft_rank_t me = weft_rank(), peer = (me + 1) % weft_size();
  size_t offset;
  weft_alloc(64, 0, &offset);
  char* own = weft_pointer(me, offset);
  if (strcmp(how, "freed") == 0) weft_free(offset);
  if (strcmp(how, "freed") == 0) weft_put(peer, block, own, 8);
  if (strcmp(how, "too-small") == 0) weft_get(own, peer, block, 128);
  if (strcmp(how, "overlaps") == 0) weft_put(me, offset, own + 8, 16);
}

/* What a rank may access: its own memory, the symmetric memory of all, and the local memory that a peer tells of. */
static void all_that_is_allowed(void) {
  size_t symmetric, local;
  uint64_t words[25] = {0}, theirs = 0;
  const weft_rank_t peer = (weft_rank() + 1) % weft_size();
  if (weft_alloc_symmetric(200, 0, &symmetric) != WEFT_OK || weft_alloc(200, 0, &local) != WEFT_OK) weft_exit(2);
  weft_put(weft_rank(), block, &local, sizeof local);
  weft_barrier();
  weft_get(&theirs, peer, block, sizeof theirs);
  weft_put(peer, symmetric, words, sizeof words);
  weft_put(peer, theirs, words, sizeof words);
  weft_put(weft_rank(), local + 199, words, 1);
  weft_put(peer, 0, words, 0); /* nothing, anywhere */
  char* own = weft_pointer(weft_rank(), local);
  weft_put(weft_rank(), local, own, 100); /* to where it is */
  weft_put(weft_rank(), local, own + 100, 100);
  weft_segment_commit(0, 4096);
  weft_am_buffer_t buffer;
  weft_am_prepare_long(peer, symmetric, 200, 0, &buffer);
  weft_am_cancel(&buffer);
  weft_free(local);
  weft_free_symmetric(symmetric);
}

/* ---- Threads, handles, messages ---- */

static void* put_from_a_thread(void* unused) {
  uint64_t word = 0;
  weft_put(weft_rank(), block, &word, sizeof word);
  return unused;
}

static void second_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, put_from_a_thread, NULL);
  pthread_join(thread, NULL);
}

static void barrier_in_message(void) {
  weft_am_buffer_t buffer;
  weft_am_prepare_medium((weft_rank() + 1) % weft_size(), 64, 0, &buffer);
  weft_barrier();
}

static void end_message_twice(int commits) {
  weft_am_buffer_t buffer;
  weft_am_prepare_long((weft_rank() + 1) % weft_size(), block, 64, 0, &buffer);
  if (commits == 0) weft_am_cancel(&buffer);
  if (commits == 2) weft_am_commit(&buffer, 8, id_bad, NULL, 0);
  weft_am_commit(&buffer, 8, id_bad, NULL, 0);
}

static void refused_list(const char* what) {
  const weft_rank_t peer = (weft_rank() + 1) % weft_size();
  const size_t offsets[] = {block, block + 8, strcmp(what, "misaligned") == 0 ? block + 4 : (size_t)1 << 60};
  const uint64_t operands[3] = {1, 2, 3};
  weft_atomic_domain_t* domain;
  weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain);
  if (strcmp(what, "fetches") == 0) weft_atomic_indexed(domain, peer, WEFT_ATOMIC_SWAP, 3, offsets, operands);
  if (strcmp(what, "null") == 0) weft_atomic_indexed_nbi(domain, peer, WEFT_ATOMIC_ADD, 3, NULL, operands, 0);
  if (strcmp(what, "no-operands") == 0) weft_atomic_indexed(domain, peer, WEFT_ATOMIC_ADD, 3, offsets, NULL);
  weft_atomic_indexed(domain, peer, WEFT_ATOMIC_INC, 3, offsets, NULL);
}

static void different_domains(int destroy) {
  weft_atomic_domain_t *first = NULL, *second = NULL;
  const int odd = weft_rank() == weft_size() - 1;
  weft_atomic_domain_create(WEFT_U64, destroy || !odd ? WEFT_ATOMIC_OPS_ALL : WEFT_ATOMIC_BIT(WEFT_ATOMIC_ADD), &first);
  weft_atomic_domain_create(WEFT_I32, WEFT_ATOMIC_BIT(WEFT_ATOMIC_ADD), &second);
  weft_atomic_domain_destroy(destroy && odd ? first : second);
  weft_finalize();
}

static void unknown_flags(const char* call) {
  const weft_rank_t peer = (weft_rank() + 1) % weft_size();
  uint64_t word = 0;
  weft_handle_t handle;
  if (strcmp(call, "put") == 0) weft_put_nb(peer, block, &word, 8, WEFT_IN_ALLSYNC, &handle);
  if (strcmp(call, "message") == 0) weft_am_request_short(peer, 0, NULL, 0, 4);
  if (strcmp(call, "barrier") == 0) weft_barrier_notify(1, 2);
}

/* What a program is told of and may go on after. */
static void refused_shapes(const char* shape) {
  const weft_rank_t peer = (weft_rank() + 1) % weft_size();
  char bytes[64] = {0};
  const weft_remote_part_t remote = {block, 64};
  const weft_local_part_t local = {bytes, 48};
  const ptrdiff_t strides[17] = {0};
  const size_t counts[17] = {0};
  if (strcmp(shape, "vector") == 0 && weft_put_vector(peer, 1, &remote, 1, &local) == WEFT_ERR_INVALID) weft_exit(4);
  if (strcmp(shape, "strided") == 0 &&
      weft_put_strided(peer, block, strides, bytes, strides, 1, counts, 17) == WEFT_ERR_INVALID)
    weft_exit(4);
  /* Sums that a size_t does not hold: they would be 8 bytes. */
  const weft_remote_part_t parts[] = {{block, SIZE_MAX}, {block, 9}};
  const weft_local_part_t word = {bytes, 8};
  void* const addresses[] = {bytes, bytes, bytes, bytes};
  const size_t many = (SIZE_MAX >> 3) + 2;
  const ptrdiff_t stride = 8;
  int status = WEFT_OK;
  if (strcmp(shape, "vector-sum") == 0) status = weft_put_vector(peer, 2, parts, 1, &word);
  if (strcmp(shape, "indexed-sum") == 0)
    status = weft_get_indexed(peer, 4, addresses, (SIZE_MAX >> 2) + 3, 1, &block, 8);
  if (strcmp(shape, "strided-sum") == 0) status = weft_put_strided(peer, block, &stride, bytes, &stride, 8, &many, 1);
  if (strcmp(shape, "reduction") == 0)
    status =
        weft_reduce_all(WEFT_TEAM_WORLD, bytes, bytes + 8, SIZE_MAX, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD), 0);
  if (strcmp(shape, "gather") == 0) status = weft_gather_all(WEFT_TEAM_WORLD, bytes + 8, bytes, SIZE_MAX / 2 + 5, 0);
  const size_t halves[] = {SIZE_MAX / 4 + 1, SIZE_MAX / 4 + 1}, wrap[] = {SIZE_MAX, 9}, few[] = {8, 8};
  const size_t far[] = {0, SIZE_MAX - 4}, start[] = {0, 8};
  const weft_team_t all = WEFT_TEAM_WORLD;
  if (strcmp(shape, "gather-v-sum") == 0)
    status = weft_gather_v(all, bytes, halves, start, bytes, SIZE_MAX / 4 + 1, weft_rank(), 0);
  if (strcmp(shape, "gather-v-wrap") == 0) status = weft_gather_v(all, bytes, wrap, start, bytes, 8, weft_rank(), 0);
  if (strcmp(shape, "gather-v-own") == 0) status = weft_gather_v(all, bytes, few, start, bytes, SIZE_MAX, peer, 0);
  if (strcmp(shape, "gather-v-root") == 0) status = weft_gather_v(all, bytes, few, start, bytes, 8, weft_size(), 0);
  if (strcmp(shape, "scatter-v-offset") == 0) status = weft_scatter_v(all, bytes, 8, bytes, few, far, weft_rank(), 0);
  if (strcmp(shape, "scatter-v-root") == 0) status = weft_scatter_v(all, bytes, 8, bytes, few, start, weft_size(), 0);
  if (strcmp(shape, "gather-all-v-sum") == 0) status = weft_gather_all_v(all, bytes, wrap, start, bytes, 8, 0);
  if (strcmp(shape, "gather-all-v-flags") == 0)
    status = weft_gather_all_v(all, bytes + 8, few, start, bytes, 8, WEFT_IN_MYSYNC | WEFT_IN_ALLSYNC);
  if (strcmp(shape, "exchange-v-sum") == 0) status = weft_exchange_v(all, bytes, few, start, bytes, wrap, start, 0);
  if (status == WEFT_ERR_INVALID) weft_exit(4);
}

static void refused_teams(const char* how) {
  const uint32_t outside[] = {0, 9}, twice[] = {1, 0, 1}, mine[] = {weft_rank()};
  weft_team_t team;
  int status = WEFT_OK;
  if (strcmp(how, "list-outside") == 0) status = weft_team_from_list(WEFT_TEAM_WORLD, outside, 2, &team);
  if (strcmp(how, "list-twice") == 0) status = weft_team_from_list(WEFT_TEAM_WORLD, twice, 3, &team);
  if (strcmp(how, "list-differs") == 0) status = weft_team_from_list(WEFT_TEAM_WORLD, mine, 1, &team);
  if (strcmp(how, "pair-outside") == 0) status = weft_team_pair(WEFT_TEAM_WORLD, weft_size(), &team);
  /* Of lists that differ rank 0 speaks, and must have the time to. */
  if (status == WEFT_ERR_INVALID || (status == WEFT_ERR_MISMATCH && weft_rank() == 0)) weft_exit(4);
}

static void no_such_operations(void) {
  weft_atomic_domain_t* domain;
  if (weft_atomic_domain_create(WEFT_F64, WEFT_ATOMIC_BIT(WEFT_ATOMIC_ADD) | WEFT_ATOMIC_BIT(WEFT_ATOMIC_XOR),
                                &domain) != WEFT_OK)
    weft_exit(4);
}

/* Before weft_init() or after weft_finalize(). weft_exit() is allowed there. */
static void call_outside_a_job(const char* call) {
  const uint64_t word = 0;
  weft_team_t team;
  size_t offset;
  if (strcmp(call, "put") == 0) weft_put(0, 65536, &word, sizeof word);
  if (strcmp(call, "barrier") == 0) weft_barrier();
  if (strcmp(call, "team-split") == 0) weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team);
  if (strcmp(call, "team-size") == 0) weft_team_size(WEFT_TEAM_WORLD);
  if (strcmp(call, "alloc") == 0) weft_alloc(8, 0, &offset);
  if (strcmp(call, "nbi-wait") == 0) weft_nbi_wait();
  if (strcmp(call, "flush") == 0) weft_flush(0);
  if (strcmp(call, "flush-all") == 0) weft_flush_all();
  if (strcmp(call, "poll") == 0) weft_poll();
  if (strcmp(call, "finalize") == 0) weft_finalize();
  if (strcmp(call, "exit") == 0) weft_exit(7);
}

static volatile size_t large = 16; /* volatile: the compiler must not see it */

static void act(const char* name) {
  char byte = 0;
  const weft_rank_t peer = (weft_rank() + 1) % weft_size();
  const size_t end = weft_segment_size();
  weft_atomic_domain_t* domain = NULL;
  if (strcmp(name, "tables-name") == 0) different_tables(0);
  if (strcmp(name, "collective-sizes") == 0) different_collectives(0);
  if (strcmp(name, "collective-roots") == 0) different_collectives(1);
  if (strcmp(name, "collective-reductions") == 0) different_collectives(2);
  if (strcmp(name, "collective-commutes") == 0) different_collectives(4);
  if (strcmp(name, "collective-flags") == 0) different_collectives(6);
  if (strcmp(name, "collective-exclusive") == 0) different_collectives(7);
  if (strcmp(name, "call-in-reduction") == 0) different_collectives(5);
  if (strcmp(name, "team-calls") == 0) different_teams(0);
  if (strcmp(name, "team-calls-host") == 0) different_teams(1);
  if (strcmp(name, "team-strides") == 0) different_strides();
  if (strcmp(name, "team-free-meets-barrier") == 0) free_meets_barrier();
  if (strncmp(name, "no-handle-", 10) == 0) nowhere_for_a_handle(name + 10);
  if (strncmp(name, "flags-", 6) == 0) refused_flags(name + 6);
  if (strcmp(name, "broadcast-meets-barrier") == 0) meet("barrier", "broadcast");
  if (strcmp(name, "broadcast-meets-split-barrier") == 0) meet("broadcast", "split barrier");
  if (strcmp(name, "broadcast-meets-team-barrier") == 0) meet("team barrier", "broadcast");
  if (strcmp(name, "collectives-cross") == 0) meet("broadcast", "team exchange");
  if (strcmp(name, "broadcast-meets-register") == 0) meet("register", "broadcast");
  if (strcmp(name, "broadcast-meets-finalize") == 0) meet("broadcast", "finalize");
  if (strcmp(name, "free-by-one") == 0) meet("free and finalize", "finalize");
  if (strcmp(name, "other-teams") == 0) meet("exchange", "team exchange");
  if (strcmp(name, "handle-meets-barrier") == 0) meet("barrier", "handle");
  if (strcmp(name, "handle-meets-broadcast") == 0) meet("handle", "team exchange");
  if (strncmp(name, "buffer-", 7) == 0) wrong_buffer(name + 7);
  if (strcmp(name, "collective-operations") == 0) different_collectives(3);
  if (strncmp(name, "collective-no-", 14) == 0) wrong_collective(name + 14);
  if (strncmp(name, "bad-", 4) == 0) refused_teams(name + 4);
  if (strcmp(name, "no-room") == 0) no_room();
  if (strcmp(name, "freed-team") == 0) freed_team(0);
  if (strcmp(name, "freed-team-collective") == 0) freed_team(1);
  if (strcmp(name, "no-team") == 0) weft_team_rank(WEFT_TEAM_NONE);
  if (strcmp(name, "world-freed") == 0) weft_team_free(WEFT_TEAM_WORLD);
  if (strcmp(name, "pair-sizes") == 0) different_pair_sizes();
  if (strncmp(name, "block-sizes-", 12) == 0) different_block_sizes(name + 12);
  if (strncmp(name, "sizes-apart-", 12) == 0) sizes_far_apart(name + 12);
  if (strncmp(name, "reverse-", 8) == 0) wrong_in_reverse(name + 8);
  if (strcmp(name, "death-in-collective") == 0) die_in_collective();
  if (strcmp(name, "tables-index") == 0) different_tables(1);
  if (strcmp(name, "tables-length") == 0) different_tables(2);
  if (strcmp(name, "finalize-meets-barrier") == 0) peer == 0 ? weft_barrier() : weft_finalize();
  if (strcmp(name, "register-meets-finalize") == 0) peer == 0 ? weft_am_register(NULL, 0) : weft_finalize();
  if (strcmp(name, "register-meets-barrier") == 0) peer == 0 ? weft_am_register(NULL, 0) : weft_barrier();
  if (strcmp(name, "put-outside") == 0) weft_put(peer, end - 4, &end, 8);
  if (strcmp(name, "get-outside") == 0) weft_get(&byte, peer, end, 1);
  if (strcmp(name, "signal-outside") == 0) weft_put_signal(peer, block, &byte, 1, end + 8, 1, WEFT_SIGNAL_SET);
  if (strcmp(name, "strided-outside") == 0)
    weft_put_strided(peer, block, &(ptrdiff_t){(ptrdiff_t)end}, &end, &(ptrdiff_t){0}, 8, &(size_t){2}, 1);
  if (strcmp(name, "message-outside") == 0) weft_am_request_long(peer, 0, end - 4, &end, 8, NULL, 0, 0);
  if (strcmp(name, "memset-outside") == 0) weft_memset(peer, (size_t)-8, 0, 16);
  if (strcmp(name, "no-such-rank") == 0) weft_put(weft_size(), block, &byte, 1);
  if (strcmp(name, "wait-twice") == 0) {
    const weft_handle_t handle = put();
    weft_handle_wait(handle);
    weft_handle_wait(handle);
  }
  if (strcmp(name, "never-issued") == 0) weft_handle_wait(0x1234500000007u);
  if (strncmp(name, "after-finalize-", 15) == 0) {
    weft_finalize();
    call_outside_a_job(name + 15);
  }
  if (strcmp(name, "init-again") == 0) {
    weft_finalize();
    weft_init(NULL, NULL);
  }
  if (strcmp(name, "init-twice") == 0) weft_init(NULL, NULL);
  if (strcmp(name, "put-in-handler") == 0) send_to(on_put);
  if (strcmp(name, "post-in-handler") == 0) send_to(on_post);
  if (strcmp(name, "barrier-in-handler") == 0) send_to(on_barrier);
  if (strcmp(name, "poll-in-handler") == 0) send_to(on_poll);
  if (strcmp(name, "reply-twice") == 0) send_to(on_twice);
  if (strcmp(name, "reply-to-reply") == 0) {
    const weft_am_entry_t entries[] = {{"request", on_answer_badly, &id_answer, 10},
                                       {"reply", on_reply_to_reply, &id_bad, 11}};
    weft_am_register(entries, 2);
    weft_am_request_short(peer, 10, NULL, 0, 0);
    weft_barrier();
    for (int i = 0; i < 1000; ++i) weft_poll();
  }
  if (strcmp(name, "no-such-handler") == 0) {
    weft_am_request_short(peer, 99, NULL, 0, 0);
    weft_barrier();
    for (int i = 0; i < 1000; ++i) weft_poll();
  }
  if (strcmp(name, "nine-arguments") == 0) {
    const uint64_t args[9] = {0};
    weft_am_request_short(peer, 0, args, 9, 0);
  }
  if (strcmp(name, "too-large-medium") == 0)
    weft_am_request_medium(peer, 0, &byte, weft_am_max_medium() + 1, NULL, 0, 0);
  if (strcmp(name, "notify-twice") == 0) {
    weft_barrier_notify(1, 0);
    weft_barrier_notify(1, 0);
  }
  if (strcmp(name, "finalize-in-barrier") == 0) {
    weft_barrier_notify(1, 0);
    weft_finalize();
  }
  if (strcmp(name, "wait-without-notify") == 0) weft_barrier_wait(1, 0);
  if (strcmp(name, "no-such-compare") == 0) weft_signal_wait(block, (weft_compare_t)9, 0, NULL);
  if (strcmp(name, "free-of-symmetric") == 0) weft_free(block);
  if (strcmp(name, "free-unknown") == 0) weft_free(block + ((size_t)1 << 20));
  if (strcmp(name, "commit-outside") == 0) weft_segment_commit(block, (size_t)1 << 60);
  if (strcmp(name, "free-symmetric-twice") == 0) {
    weft_free_symmetric(block);
    weft_free_symmetric(block);
  }
  if (strcmp(name, "misaligned-atomic") == 0) {
    weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain);
    weft_atomic(domain, NULL, peer, block + 4, WEFT_ATOMIC_INC, NULL, NULL);
  }
  if (strcmp(name, "operation-not-in-domain") == 0) {
    weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_BIT(WEFT_ATOMIC_ADD), &domain);
    weft_atomic(domain, NULL, peer, block, WEFT_ATOMIC_INC, NULL, NULL);
  }
  if (strcmp(name, "domain-of-another-type") == 0) {
    weft_atomic_domain_create(WEFT_U32, WEFT_ATOMIC_OPS_ALL, &domain);
    weft_atomic_fetch_add64(domain, peer, block, 1);
  }
  if (strcmp(name, "destroyed-domain") == 0) {
    weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain);
    weft_atomic_domain_destroy(domain);
    weft_atomic_fetch_add64(domain, peer, block, 1);
  }
  if (strcmp(name, "no-such-operations") == 0) no_such_operations();
  if (strcmp(name, "no-operand") == 0 || strcmp(name, "no-compare") == 0 || strcmp(name, "no-result") == 0) {
    weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain);
    if (strcmp(name, "no-operand") == 0) weft_atomic(domain, NULL, peer, block, WEFT_ATOMIC_ADD, NULL, NULL);
    if (strcmp(name, "no-compare") == 0) weft_atomic(domain, NULL, peer, block, WEFT_ATOMIC_CSWAP, &end, NULL);
    weft_atomic(domain, NULL, peer, block, WEFT_ATOMIC_GET, NULL, NULL);
  }
  if (strncmp(name, "list-", 5) == 0) refused_list(name + 5);
  if (strcmp(name, "different-domains") == 0) different_domains(0);
  if (strcmp(name, "different-domains-destroyed") == 0) different_domains(1);
  if (strcmp(name, "commit-twice") == 0) end_message_twice(2);
  if (strcmp(name, "commit-after-cancel") == 0) end_message_twice(0);
  if (strncmp(name, "unknown-flags-", 14) == 0) unknown_flags(name + 14);
  if (strncmp(name, "refused-", 8) == 0) refused_shapes(name + 8);
  if (strcmp(name, "control-area") == 0) weft_put(peer, 0, &end, 8);
  if (strcmp(name, "never-allocated") == 0) weft_put(peer, block + ((size_t)1 << 20), &end, 8);
  if (strcmp(name, "past-the-end") == 0) weft_put(peer, block + 4092, &end, 8);
  if (strcmp(name, "freed-symmetric") == 0) use_freed(1);
  if (strcmp(name, "freed-local") == 0) use_freed(0);
  if (strcmp(name, "symmetric-sizes") == 0) symmetric_calls("sizes");
  if (strcmp(name, "symmetric-one-rank") == 0) symmetric_calls("one-rank");
  if (strcmp(name, "symmetric-order") == 0) symmetric_calls("order");
  if (strcmp(name, "handle-never-waited-for") == 0) {
    put();
    weft_finalize();
  }
  if (strcmp(name, "region-never-ended") == 0) {
    weft_region_begin();
    weft_finalize();
  }
  if (strcmp(name, "barrier-in-message") == 0) barrier_in_message();
  if (strcmp(name, "second-thread") == 0) second_thread();
  if (strcmp(name, "no-such-signal-op") == 0) weft_put_signal(peer, block, NULL, 0, block, 1, (weft_signal_op_t)5);
  if (strcmp(name, "message-to-nobody") == 0) weft_am_request_short(weft_size(), id_bad, NULL, 0, 0);
  if (strcmp(name, "misaligned-any-signal") == 0) wait_for_any(block + 4, WEFT_EQ);
  if (strcmp(name, "no-such-compare-of-any") == 0) wait_for_any(block, (weft_compare_t)9);
  if (strcmp(name, "wait-for-none") == 0) weft_signal_wait_any(NULL, 0, NULL, NULL);
  if (strcmp(name, "misaligned-signal") == 0) weft_signal_test(block + 4, WEFT_EQ, 0, NULL);
  if (strcmp(name, "nested-region") == 0) {
    weft_region_begin();
    weft_region_begin();
  }
  if (strcmp(name, "nbi-wait-in-region") == 0) {
    weft_region_begin();
    weft_nbi_wait();
  }
  if (strcmp(name, "exhausted") == 0) {
    size_t offset;
    if (weft_alloc_symmetric(weft_segment_size(), 0, &offset) == WEFT_ERR_NO_MEMORY) weft_exit(3);
  }
  if (strcmp(name, "abort-without-reason") == 0) weft_abort(NULL);
  if (strcmp(name, "exit-256") == 0) weft_exit(256);
  if (strcmp(name, "large-value-got") == 0) weft_get_value(peer, block, large);
  if (strcmp(name, "large-value-put") == 0) weft_put_value(peer, block, 1, 9);
  if (strcmp(name, "uncommitted-message") == 0) {
    weft_am_buffer_t buffer;
    weft_am_prepare_medium(peer, 64, 0, &buffer);
    weft_finalize();
  }
  if (strcmp(name, "domain-destroyed-twice") == 0) {
    weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain);
    weft_atomic_domain_destroy(domain);
    weft_atomic_domain_destroy(domain);
  }
  if (strcmp(name, "abort") == 0) weft_abort("the sky fell");
  if (strcmp(name, "exit-nine") == 0 && weft_rank() == weft_size() - 1) weft_exit(9);
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (strncmp(name, "before-init-", 12) == 0) call_outside_a_job(name + 12);
  if (weft_init_thread(&argc, &argv, WEFT_THREAD_SINGLE) != WEFT_OK) return 1;
  if (weft_alloc_symmetric(4096, 0, &block) != WEFT_OK) return 1;
  weft_barrier();
  act(name);
  if (strcmp(name, "allowed") == 0) {
    all_that_is_allowed();
    return weft_finalize();
  }
  /* A rank that got this far waits for the end that another one's mistake brings. */
  if (strcmp(name, "nothing") != 0) sleep(20);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
