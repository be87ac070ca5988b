/**
 * @file
 * Shared accesses: how compiled UPC code reads and writes shared memory.
 *
 * UPC 5.1.2.3, appendix B.
 *
 * This header has the parts that accesses are made of; accessors.h has the accesses of the basic types.
 *
 * Relaxed accesses to memory that is mapped here are plain loads and stores, which the C compiler may optimise as such
 * (upcc writes volatile ones, except in loops with a bound); all others are blocking calls, so a thread's own accesses
 * to a location stay in order, also through private pointers. Such a read may give what the thread has read before and
 * kept (UPC_CACHE, docs/UPC-RUNTIME.md), until an upcr_fence(), a strict access or a library function.
 * A strict access is ordered against all accesses of its thread: a full memory fence stands before a strict read and
 * after a strict write. Strict reads and fences make the network progress, and give the processor away now and then, so
 * a loop that spins on one ends. An access of more than 8 bytes (a pointer-to-shared too) may be seen half done by a
 * thread that races with it.
 */
#ifndef WEFT_UPCRT_ACCESS_H
#define WEFT_UPCRT_ACCESS_H

#include <weft/upcrt/pts.h>

#pragma GCC system_header

#if defined(__cplusplus)
extern "C" {
#endif

/** @cond Library side; compiled code calls these where memory is not mapped. */
void upcr_get_slow(void* to, upcr_pts_t from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_put_slow(upcr_pts_t to, const void* from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_get_strict_slow(void* to, upcr_pts_t from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_put_strict_slow(upcr_pts_t to, const void* from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_copy_slow(upcr_pts_t to, upcr_pts_t from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_progress_slow(void) UPCR_COLD;
void upcr_forget_slow(void) UPCR_COLD;
void upcr_spin_slow(unsigned turns) UPCR_COLD;
void* upcr_local_slow(upcr_pts_t p, const char* file, int line) UPCR_COLD;
void upcr_check_own(upcr_pts_t p, size_t size, const char* file, int line) UPCR_COLD;
extern UPCR_THREAD_LOCAL uint32_t upcr_strict_count __attribute__((tls_model("initial-exec")));

/** @endcond */

/** @name Addresses
 * @{ */

/** Whether all shared memory is mapped here at equal distances, and nothing wants to see each access.
 * @return 1 for yes, 0 for no
 * @since 0.1 */
UPCR_INLINE int upcr_direct(void) { return UPCR_LIKELY(upcr_view.base != NULL); }
/** Where p points, if upcr_direct().
 * @param p  the pointer
 * @return the address
 * @since 0.1 */
UPCR_INLINE char* upcr_at(upcr_pts_t p) { return upcr_view.base + ((upcr_thread(p) << upcr_view.shift) + p.offset); }

/** The segment of a thread: lets a loop over one thread's elements do its addressing itself.
 * @param thread  which
 * @return its start if it can be accessed by plain loads and stores, else NULL
 * @since 0.1 */
UPCR_INLINE char* upcr_thread_base(uint64_t thread) {
  return upcr_direct() ? upcr_view.base + (thread << upcr_view.shift) : NULL;
}
/** Address of this thread's own memory, which is always mapped.
 * @param offset  bytes in its segment
 * @return the address
 * @since 0.1 */
UPCR_INLINE char* upcr_self_at(uint64_t offset) { return upcr_view.self + offset; }
/** Where not all memory is mapped: whether p is to an object of this thread's own, and nothing wants to see each
 * access.
 * @param p  the pointer
 * @return 1 for yes; 0 for no, if p is null, or if all memory is mapped
 * @since 0.2 */
UPCR_INLINE int upcr_is_plainly_mine(upcr_pts_t p) {
  return upcr_view.windowing != 0 && upcr_is_mine(p) && p.offset >= UPCR_STATIC_BASE;
}
/** Whether accesses go without checks.
 * @return 0 if every access is to be checked, its thread's own ones too; else 1
 * @since 0.1 */
UPCR_INLINE int upcr_unchecked(void) { return UPCR_LIKELY(upcr_view.checked == 0); }
/** Address of an object that is known to be this thread's own; checked with WEFT_CHECK=1.
 * @param p     the pointer
 * @param size  bytes of the object
 * @param file  of the source, for messages; UPCR_HERE gives both
 * @param line  in it
 * @return the address
 * @since 0.1 */
UPCR_INLINE char* upcr_own_at(upcr_pts_t p, size_t size, const char* file, int line) {
  if (!upcr_unchecked()) upcr_check_own(p, size, file, line);
  return upcr_self_at(p.offset);
}

/** Cast of a pointer-to-shared to a private pointer: null gives NULL; else p must have affinity to MYTHREAD, which
 * WEFT_CHECK=1 checks. */
#define upcr_local(p) upcr_local_at((p), UPCR_HERE)
/** @cond */
UPCR_INLINE void* upcr_local_at(upcr_pts_t p, const char* file, int line) {
  if (__builtin_expect(upcr_view.checked, 0)) return upcr_local_slow(p, file, line);
  return upcr_is_null(p) ? NULL : upcr_view.self + p.offset;
}

/** @endcond */

/** @} */

/** @name Order
 * @{ */

/** A full memory fence, without progress.
 * @since 0.1 */
UPCR_INLINE void upcr_full_fence(void) {
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
  __atomic_fetch_add(&upcr_strict_count, 0, __ATOMIC_SEQ_CST); /* gcc's TSan does not know fences */
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/** Makes the network progress on every 64th call.
 * @since 0.1 */
UPCR_INLINE void upcr_progress(void) {
  if (__builtin_expect((++upcr_strict_count & 63) == 0, 0)) upcr_progress_slow();
}

/** The next relaxed reads read memory, not what the thread keeps of earlier ones.
 * @since 0.2 */
UPCR_INLINE void upcr_forget(void) {
  if (__builtin_expect(upcr_view.windowing, 0)) upcr_forget_slow();
}

/** upc_fence, a null strict access: upcr_full_fence(), upcr_forget() and upcr_progress().
 * @since 0.1 */
UPCR_INLINE void upcr_fence(void) {
  upcr_full_fence();
  upcr_forget();
  upcr_progress();
}

/** @} */

/** @cond */
/* Copies of an object that are one access where the size allows it. The types may alias anything. */
typedef uint8_t __attribute__((may_alias)) upcr_word1_t;
typedef uint16_t __attribute__((may_alias)) upcr_word2_t;
typedef uint32_t __attribute__((may_alias)) upcr_word4_t;
typedef uint64_t __attribute__((may_alias)) upcr_word8_t;
UPCR_INLINE int upcr_is_word(const char* address, size_t size) {
  return size <= 8 && (size & (size - 1)) == 0 && ((uintptr_t)address & (size - 1)) == 0;
}
UPCR_INLINE void upcr_strict_read(void* to, const char* from, size_t size) {
  upcr_full_fence();
  if (!upcr_is_word(from, size)) {
    __builtin_memcpy(to, from, size);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } else if (size == 1) {
    *(upcr_word1_t*)to = __atomic_load_n((const upcr_word1_t*)from, __ATOMIC_SEQ_CST);
  } else if (size == 2) {
    *(upcr_word2_t*)to = __atomic_load_n((const upcr_word2_t*)(const void*)from, __ATOMIC_SEQ_CST);
  } else if (size == 4) {
    *(upcr_word4_t*)to = __atomic_load_n((const upcr_word4_t*)(const void*)from, __ATOMIC_SEQ_CST);
  } else {
    *(upcr_word8_t*)to = __atomic_load_n((const upcr_word8_t*)(const void*)from, __ATOMIC_SEQ_CST);
  }
  upcr_progress();
}
UPCR_INLINE void upcr_strict_write(char* to, const void* from, size_t size) {
  if (!upcr_is_word(to, size)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __builtin_memcpy(to, from, size);
    upcr_full_fence();
  } else if (size == 1) {
    __atomic_store_n((upcr_word1_t*)to, *(const upcr_word1_t*)from, __ATOMIC_SEQ_CST);
  } else if (size == 2) {
    __atomic_store_n((upcr_word2_t*)(void*)to, *(const upcr_word2_t*)from, __ATOMIC_SEQ_CST);
  } else if (size == 4) {
    __atomic_store_n((upcr_word4_t*)(void*)to, *(const upcr_word4_t*)from, __ATOMIC_SEQ_CST);
  } else {
    __atomic_store_n((upcr_word8_t*)(void*)to, *(const upcr_word8_t*)from, __ATOMIC_SEQ_CST);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/** @endcond */

#if defined(__cplusplus)
}
#endif
#endif
