/* A program as the compiler would emit it, whose main is the library's. The first argument names what it does; the
 * driver (program_test.py) looks at its output and exit code. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upc/upc_types.h>
#include <weft/upcrt.h>
#include <weft/upcrt/accessors.h>
#include <weft/upcrt/functions.h>

#ifndef UPCR_THREADS
UPCR_UNIT(0, "scenarios.upc");
#else
UPCR_UNIT(UPCR_THREADS, "scenarios.upc");
#endif

UPCR_SHARED_EXTERN(table); /* shared int table[10 * THREADS] = {0, 1, 4, 9}; of the other unit */
UPCR_SHARED(flag, 4, 4)
UPCR_SHARED(huge, 3000000000, 8)   /* more than a NOBITS section of its full size could hold */
upcr_pts_t table_entry(int i);     /* of the other unit, which is in an archive */
extern upcr_pts_t private_pointer; /* shared int *private_pointer = &table[2]; */

static int do_statics(void) {
  const int last = 10 * upcr_threads() - 1;
  for (int i = 0; i < 4; ++i)
    if (upcc_get_int(upcr_element(UPCR_STATIC_OFFSET(table), (uint64_t)i, 1, sizeof(int)), UPCR_HERE) != i * i)
      return 1;
  if (!upcr_equal(private_pointer, table_entry(2))) return 2;
  if (upcc_get_int(private_pointer, UPCR_HERE) != 4) return 3;
  upcr_barrier(0, 0, UPCR_HERE);
  if (upcr_mythread() == 0) upcc_put_int(table_entry(last), 77, UPCR_HERE);
  upcr_barrier(0, 0, UPCR_HERE);
  if (upcc_get_int(table_entry(last), UPCR_HERE) != 77) return 4;
  const upcr_pts_t end = upcr_make(UPCR_STATIC_OFFSET(huge) + 3000000000u - 8, (uint64_t)upcr_threads() - 1, 0);
  if (upcr_mythread() == 0) upcc_put_long(end, 88, UPCR_HERE);
  upcr_barrier(0, 0, UPCR_HERE);
  if (upcc_get_long(end, UPCR_HERE) != 88 || upcc_get_int(UPCR_STATIC(flag), UPCR_HERE) != 0) return 5;
  if (upcr_mythread() == 0) puts("statics are right");
  return 0;
}

/* Thread 0 returns from main at once; the others still use its shared memory. */
static int do_outlive(void) {
  if (upcr_mythread() == 0) return 0;
  for (int i = 0; i < 2000; ++i) upcc_put_strict_int(UPCR_STATIC(flag), i, UPCR_HERE);
  if (upcr_mythread() == 1) puts("still there");
  return 0;
}

static void line_100(void) {
#line 100 "user.upc"
  upcr_barrier(1, upcr_mythread(), UPCR_HERE);
}

static void line_300(void) {
#line 300 "user.upc"
  upcr_barrier(0, 0, UPCR_HERE);
}

/* A third of the heap, freed, then most of it: twice from one end, or from both. */
static int do_grow(const char* how) {
  const size_t third = 1300000, most = 3500000;
  const int global = !strcmp(how, "global"), first = global || !strcmp(how, "both");
  const upcr_pts_t small = first ? upc_global_alloc((size_t)upcr_threads(), third) : upc_alloc(third);
  upc_free(small);
  const upcr_pts_t large = global ? upc_global_alloc((size_t)upcr_threads(), most) : upc_alloc(most);
  puts(upcr_is_null(small) || upcr_is_null(large) ? "no" : "yes");
  return 0;
}

static int misuse(const char* what) {
  const upcr_pts_t p = upc_alloc(64);
  if (!strcmp(what, "mismatch")) line_100();
#line 200 "user.upc"
  if (!strcmp(what, "null")) return upcc_get_int(upcr_null(), UPCR_HERE);
  if (!strcmp(what, "freed")) upc_free(p), (void)upcc_put_int(p, 1, UPCR_HERE);
  if (!strcmp(what, "wild")) return upcc_get_int(upcr_field(p, 1u << 20), UPCR_HERE);
  if (!strcmp(what, "beyond")) return upcc_get_strict_int(upcr_make(p.offset, 1000, 0), UPCR_HERE);
  if (!strcmp(what, "double free")) upcr_free_at(p, UPCR_HERE), upcr_free_at(p, UPCR_HERE);
  if (!strcmp(what, "bad free")) upcr_free_at(upcr_field(p, 16), UPCR_HERE);
  if (!strcmp(what, "unlock")) upcr_unlock_at(upc_global_lock_alloc(), UPCR_HERE);
  if (!strcmp(what, "wait")) upcr_wait(0, 0, UPCR_HERE);
  if (!strcmp(what, "notify")) upcr_notify(0, 0, UPCR_HERE), upcr_notify(0, 0, UPCR_HERE);
  if (!strcmp(what, "cast")) return *(int*)upcr_local(upcr_make(p.offset, (uint64_t)upcr_mythread() + 1, 0));
  if (!strcmp(what, "collective")) upcr_notify(0, 0, UPCR_HERE), upc_all_alloc(1, 1);
  if (!strcmp(what, "root")) {
    const upc_team_t alone = upc_team_split(1, upcr_mythread(), 0);
    upc_team_broadcast(alone, p, upcr_make(p.offset, 1 - (uint64_t)upcr_mythread(), 0), 4, 0);
  }
  if (!strcmp(what, "type")) upc_team_reduce_all(1, p, p, UPC_XOR, UPC_DOUBLE, 1, 0);
  if (!strcmp(what, "end")) {
    if (upcr_mythread() != 0) upcr_barrier(0, 0, UPCR_HERE);
    return 0;
  }
  if (!strcmp(what, "relock")) {
    const upcr_pts_t lock = upc_global_lock_alloc();
    upcr_lock_at(lock, UPCR_HERE);
    upcr_lock_at(lock, UPCR_HERE);
  }
  return 0;
}

int upcr_user_main(int argc, char** argv, char** environment) {
  (void)environment;
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "statics")) return do_statics();
  if (!strcmp(what, "outlive")) return do_outlive();
  if (!strcmp(what, "return")) return atoi(argv[2]) + upcr_mythread();
  if (!strcmp(what, "exit")) exit(upcr_mythread() == 0 ? atoi(argv[2]) : 0);
  if (!strcmp(what, "global exit")) {
    printf("before %d\n", upcr_mythread());
    upcr_barrier(0, 0, UPCR_HERE);
    if (upcr_mythread() == 0) upc_global_exit(atoi(argv[2]));
    upcr_barrier(0, 0, UPCR_HERE);
  }
  if (!strcmp(what, "memory")) {
    if (upcr_is_null(upc_alloc(1ul << 40))) puts("null");
    return 0;
  }
  if (!strcmp(what, "heap")) {
    puts(upcr_is_null(upc_alloc((size_t)atol(argv[2]))) ? "no" : "yes");
    return 0;
  }
  if (!strcmp(what, "grow")) return do_grow(argv[2]);
  if (!strcmp(what, "null write")) {
    upcc_put_int(upcr_make(upcr_mythread() == 0 ? (uint64_t)atol(argv[2]) : UPCR_STATIC_OFFSET(flag), 0, 0), 1,
                 UPCR_HERE);
    upcr_barrier(0, 0, UPCR_HERE);
  }
  if (!strcmp(what, "private null write")) {
    if (upcr_mythread() == 0) *(volatile int*)(upcr_view.self + 4096) = 1;
    upcr_barrier(0, 0, UPCR_HERE);
  }
  if (!strcmp(what, "raise")) {
    if (upcr_mythread() == 0) raise(SIGSEGV);
    upcr_barrier(0, 0, UPCR_HERE);
  }
  if (!strcmp(what, "leave")) {
    if (upcr_mythread() == 1) return atoi(argv[2]);
    line_300();
    puts("thread 1 is past the barrier");
  }
  return misuse(what);
}
