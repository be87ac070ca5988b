/* What upcc includes before every UPC source file: the runtime's interface, the record of how this unit is compiled,
 * and helpers of the C that upcc generates. Programs do not include it. */
#ifndef WEFT_UPCC_H
#define WEFT_UPCC_H

/* What gcc finds out about inline functions after it has put them into the program it would tell of this file, not of
 * the program. */
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wnonnull"
#pragma GCC diagnostic ignored "-Wnull-dereference"
#pragma GCC diagnostic ignored "-Wrestrict"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wuse-after-free"
#endif

#include <weft/upcrt.h>
#include <weft/upcrt/accessors.h>

#ifdef UPCR_THREADS
UPCR_UNIT(UPCR_THREADS, __BASE_FILE__);
#else
UPCR_UNIT(0, __BASE_FILE__);
#endif

/* ThreadSanitizer does not see what orders the steps inside collectives, in which threads copy from and to each other's
 * memory. (What orders the program's own accesses the runtime tells it.) */
#if defined(__SANITIZE_THREAD__)
#define UPCC_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UPCC_THREAD_SANITIZER 1
#endif
#endif
#ifdef UPCC_THREAD_SANITIZER
__attribute__((weak, visibility("default"), no_sanitize_thread)) const char* __tsan_default_suppressions(void);
const char* __tsan_default_suppressions(void) { return "race:weft::coll::\n"; }
#endif

/* Tells upcc which compiler preprocessed the file: the two spell sections differently. */
#if defined(__clang__)
typedef int upcc_for_clang_t;
#endif

/* Offset of a static shared object in every segment. */
UPCR_INLINE uint64_t upcc_offset(const char* object) {
  return UPCR_STATIC_BASE + (uint64_t)(object - __start_upc_shared) * UPCR_STATIC_SCALE;
}

/* A private pointer-to-shared, which a packed struct may hold anywhere. */
typedef upcr_pts_t upcc_unaligned_pts_t __attribute__((aligned(1)));

/* ---- Loops that look at one shared object until another thread changes it: always true ---- */
UPCC_INLINE int upcc_spin(unsigned* turns) {
  if (__builtin_expect((++*turns & 1023) == 0, 0)) upcr_spin_slow(*turns);
  return 1;
}

/* ---- Planned loops: upcc's optimise/loop_plan.hpp says what the numbers mean ---- */

/* How often a loop runs whose index goes from first to limit in steps of `step` (more than 0), up or down. A loop that
 * would run for longer than anyone waits, and so ends otherwise, gets a number far too large. */
enum { UPCC_BELOW, UPCC_UP_TO, UPCC_UNTIL_EQUAL };
UPCC_INLINE long upcc_iterations(long first, long limit, int up, long step, int relation, int is_unsigned) {
  const unsigned long forever = 1ul << 62;
  const long low = up ? first : limit, high = up ? limit : first;
  const unsigned long distance = (unsigned long)high - (unsigned long)low;
  unsigned long count;
  if (low == high) return relation == UPCC_UP_TO;
  if (is_unsigned ? (unsigned long)low > (unsigned long)high : low > high)
    return relation == UPCC_UNTIL_EQUAL ? (long)forever : 0;
  count = relation == UPCC_UP_TO ? distance / (unsigned long)step : (distance - 1) / (unsigned long)step;
  return count < forever ? (long)(count + 1) : (long)forever;
}

/* The index of an iteration, which is an int: it lies between the loop's first one and its limit. The C compiler then
 * knows that it moves evenly, and vectorises what is subscripted by it. */
UPCC_INLINE int upcc_index(long index) {
  if (index < -__INT_MAX__ - 1 || index > __INT_MAX__) __builtin_unreachable();
  return (int)index;
}

/* Where element `index` of the cyclic array at p is, in mapped memory: upcr_at(upcr_add_cyclic(...)) in half the
 * instructions. All but the product, the shift and the sum of the last lines is the same for every index.
 *
 * With q = x / THREADS element x is at base + (x - q * THREADS << shift) + q * size: a sum of x << shift and of q times
 * something. The quotient is the high half of one product while x < 2^48 and THREADS < 2^16, which is what 2^47 bytes
 * of address space have room for; x begins at a multiple of THREADS that makes it positive. Where THREADS is a power of
 * two there is no product. */
UPCC_INLINE char* upcc_at_cyclic(upcr_pts_t p, long index, uint64_t element_size) {
  const uint64_t threads = (uint64_t)upcr_threads(), rounds = upcr_divide_threads((uint64_t)1 << 47) + 1;
  const uint64_t per_round = element_size - (threads << upcr_view.shift);
  uint64_t x = p.where + rounds * threads, origin = p.offset - (rounds * threads << upcr_view.shift), q;
#ifdef UPCR_THREADS
  x += (uint64_t)index;
  q = x / threads - rounds;
#else
  __extension__ typedef unsigned __int128 upcc_wide_t;
  /* 2^64 / THREADS, rounded up. */
  const int shift = upcr_view.divide_shift - 1;
  const uint64_t magic = (upcr_view.divide_magic + ((uint64_t)1 << (shift & 63)) - 1) >> (shift & 63);
  if ((threads & (threads - 1)) == 0) { /* divide_shift is its logarithm */
    x = p.where + (uint64_t)index;
    return (char*)((uintptr_t)upcr_view.base + ((x & (threads - 1)) << upcr_view.shift) + p.offset +
                   (uint64_t)((int64_t)x >> upcr_view.divide_shift) * element_size);
  }
  origin -= rounds * per_round;
  x += (uint64_t)index;
  q = (uint64_t)((upcc_wide_t)x * magic >> 64);
#endif
  return (char*)((uintptr_t)upcr_view.base + origin + (x << upcr_view.shift) + q * per_round);
}

/* Element `index` of a row of a declared array, which lies in one block: no division. An index outside of the row
 * counts on to the next one, as it does everywhere else. */
static __attribute__((cold, noinline, unused, const)) upcr_pts_t upcc_outside_row(upcr_pts_t row, long index,
                                                                                  uint64_t block, uint64_t size) {
  return upcr_add_blocked(row, index, block, size);
}
UPCC_INLINE upcr_pts_t upcc_in_row(upcr_pts_t row, long index, uint64_t length, uint64_t block, uint64_t size) {
  upcr_pts_t p;
  if (__builtin_expect((uint64_t)index >= length, 0)) return upcc_outside_row(row, index, block, size);
  p.offset = row.offset + (uint64_t)index * size;
  p.where = row.where + ((uint64_t)index << UPCR_THREAD_BITS);
  return p;
}

/* Where it is in mapped memory. The row's own address is the same for every index. */
UPCC_INLINE char* upcc_at_row(upcr_pts_t row, long index, uint64_t length, uint64_t block, uint64_t size) {
  if (__builtin_expect((uint64_t)index >= length, 0)) return upcr_at(upcc_outside_row(row, index, block, size));
  return upcr_at(row) + (uint64_t)index * size;
}

/* An access that goes from thread to thread: `step` elements of a cyclic array per iteration. */
typedef struct upcc_walk {
  char* at;
  int64_t thread, threads_forth;
  int64_t hop, wrap; /* bytes, for an iteration that does not come round to thread 0, and in addition when it does */
} upcc_walk_t;
UPCC_INLINE upcc_walk_t upcc_walk_start(upcr_pts_t p, int64_t step, uint64_t element_size) {
  upcc_walk_t walk;
  int64_t rounds = upcr_floor_threads(step);
  walk.at = upcr_at(p);
  walk.thread = (int64_t)upcr_thread(p);
  walk.threads_forth = step - rounds * upcr_threads();
  walk.hop = (int64_t)((uint64_t)walk.threads_forth << upcr_view.shift) + rounds * (int64_t)element_size;
  walk.wrap = (int64_t)element_size - ((int64_t)upcr_threads() << upcr_view.shift);
  return walk;
}
UPCC_INLINE void upcc_walk_step(upcc_walk_t* walk) {
  walk->at += walk->hop;
  walk->thread += walk->threads_forth;
  if (walk->thread >= upcr_threads()) {
    walk->thread -= upcr_threads();
    walk->at += walk->wrap;
  }
}

/* The same through a window. The memory of each thread that the walk comes to is somewhere else. */
typedef struct upcc_window_walk {
  char* at;
  char* const* base;
  uint64_t offset, forth, element_size; /* bytes: in the segment, per iteration, and when it comes round to thread 0 */
  int64_t thread, threads_forth;
} upcc_window_walk_t;
UPCC_INLINE upcc_window_walk_t upcc_window_walk_start(const upcr_window_t* window, upcr_pts_t p, int64_t step,
                                                      uint64_t element_size) {
  upcc_window_walk_t walk;
  int64_t rounds = upcr_floor_threads(step);
  walk.at = upcr_window_at(window, p);
  walk.base = window->base;
  walk.offset = p.offset;
  walk.forth = (uint64_t)rounds * element_size;
  walk.element_size = element_size;
  walk.thread = upcr_thread(p) < (uint64_t)upcr_threads() ? (int64_t)upcr_thread(p) : 0;
  walk.threads_forth = step - rounds * upcr_threads();
  return walk;
}
UPCC_INLINE void upcc_window_walk_step(upcc_window_walk_t* walk) {
  walk->offset += walk->forth;
  walk->thread += walk->threads_forth;
  if (walk->thread >= upcr_threads()) {
    walk->thread -= upcr_threads();
    walk->offset += walk->element_size;
  }
  walk->at = (char*)((uintptr_t)walk->base[walk->thread] + walk->offset);
}

/* Shortens a run to the iterations that stay in p's block, `step` elements each. */
UPCC_INLINE void upcc_limit_run(long* run, upcr_pts_t p, long block, long step) {
  long phase = (long)upcr_phase(p);
  long left = step > 0 ? (block - 1 - phase) / step + 1 : phase / -step + 1;
  if (left < *run) *run = left > 0 ? left : 1; /* an address that is not used may have any phase */
}

/* What a upc_forall whose affinity is the integer i / block has in common with one whose affinity is a pointer to
 * element i of an array in blocks. */
UPCC_INLINE upcr_pts_t upcc_integer_affinity(long i, long block) {
  return upcr_make(0, (uint64_t)upcr_mod_threads(i / block), (uint64_t)(i % block));
}

/* How far this thread is behind `thread`, 0 to THREADS - 1. */
UPCC_INLINE long upcc_threads_behind(long thread) {
  const long behind = upcr_mythread() - thread;
  return behind < 0 ? behind + upcr_threads() : behind;
}
/* How many of the iterations begin, begin + THREADS, ... there are below `count`. */
UPCC_INLINE long upcc_every_threads(long begin, long count) {
  return begin < count ? (long)upcr_divide_threads((uint64_t)(count - begin + upcr_threads() - 1)) : 0;
}

/* Number of the first block at or behind the one p is in that belongs to this thread; blocks count from thread 0's. */
UPCC_INLINE long upcc_first_block(upcr_pts_t p) {
  return (long)upcr_thread(p) + upcc_threads_behind((long)upcr_thread(p));
}
/* The first iteration k >= 0 with origin + k * step >= number * block. */
UPCC_INLINE long upcc_block_begin(long number, long block, long origin, long step) {
  long distance = number * block - origin;
  return distance <= 0 ? 0 : (distance + step - 1) / step;
}

/* The same for iterations that go down: the first block at or before p's, and the first iteration k >= 0 with
 * origin + k * step < (number + 1) * block. */
UPCC_INLINE long upcc_first_block_down(upcr_pts_t p) {
  return (long)upcr_thread(p) - upcr_mod_threads((int64_t)upcr_thread(p) - (int64_t)upcr_mythread());
}
UPCC_INLINE long upcc_block_begin_down(long number, long block, long origin, long step) {
  long distance = origin - (number + 1) * block;
  return distance < 0 ? 0 : distance / -step + 1;
}

/* How many of the elements 0 .. position - 1 are this thread's. */
UPCC_INLINE long upcc_own_before(long position, long block) {
  const long number = position / block, rounds = (long)upcr_divide_threads((uint64_t)number);
  const long behind = number - rounds * upcr_threads() - upcr_mythread();
  return rounds * block + (behind > 0 ? block : behind == 0 ? position - number * block : 0);
}

/* Which iterations k have (thread + k * step) mod THREADS == MYTHREAD: begin, begin + stride, ... If none, begin stays
 * what it was. */
UPCC_INLINE void upcc_cyclic_share(long thread, long step, long* begin, long* stride) {
  /* Euclid: `gcd` of step and threads, and `inverse` with inverse * step = gcd (mod threads). */
  const long threads = upcr_threads();
  long gcd = threads, rest = upcr_mod_threads(step), inverse = 0, next = 1, wanted, first;
  while (rest != 0) {
    const long quotient = gcd / rest, left = gcd - quotient * rest, before = inverse - quotient * next;
    gcd = rest;
    rest = left;
    inverse = next;
    next = before;
  }
  *stride = threads / gcd;
  wanted = upcr_mod_threads((int64_t)upcr_mythread() - thread);
  if (wanted % gcd != 0) return;
  first = wanted / gcd * inverse % *stride;
  if (first < 0) first += *stride;
  if (first < *begin) *begin = first;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#endif
