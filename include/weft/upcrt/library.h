/**
 * @file
 * Library functions that inline or know the source line.
 *
 * Compiled code may call them instead of the ones UPC programs name. upc.h maps the UPC names to them with macros; the
 * plain functions exist as well (upcrt/functions.h).
 */
#ifndef WEFT_UPCRT_LIBRARY_H
#define WEFT_UPCRT_LIBRARY_H

#include <weft/upcrt/access.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** What upc_threadof() becomes.
 * @param p  the pointer
 * @return its thread
 * @since 0.1 */
UPCR_INLINE size_t upcr_threadof(upcr_pts_t p) { return (size_t)upcr_thread(p); }
/** What upc_phaseof() becomes.
 * @param p  the pointer
 * @return its phase
 * @since 0.1 */
UPCR_INLINE size_t upcr_phaseof(upcr_pts_t p) { return (size_t)upcr_phase(p); }
/** What upc_addrfield() becomes.
 * @param p  the pointer
 * @return its offset
 * @since 0.1 */
UPCR_INLINE size_t upcr_addrfield(upcr_pts_t p) { return (size_t)p.offset; }

/** @cond */
void upcr_memget_slow(void* to, upcr_pts_t from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_memput_slow(upcr_pts_t to, const void* from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_memcpy_slow(upcr_pts_t to, upcr_pts_t from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_memset_slow(upcr_pts_t to, int byte, size_t size, const char* file, int line) UPCR_COLD;
/** @endcond */

/** What upc_memget() becomes: inline where the memory is mapped. A null pointer-to-shared ends the job with a line.
 * @param to    private memory
 * @param from  shared memory of one thread
 * @param size  bytes
 * @param file  of the source, for messages; UPCR_HERE gives both
 * @param line  in it
 * @since 0.1 */
UPCR_INLINE void upcr_memget(void* to, upcr_pts_t from, size_t size, const char* file, int line) {
  if (upcr_direct() && !upcr_is_null(from))
    __builtin_memcpy(to, upcr_at(from), size);
  else
    upcr_memget_slow(to, from, size, file, line);
}
/** What upc_memput() becomes: inline where the memory is mapped. A null pointer-to-shared ends the job with a line.
 * @param to    shared memory of one thread
 * @param from  private memory
 * @param size  bytes
 * @param file  of the source, for messages; UPCR_HERE gives both
 * @param line  in it
 * @since 0.1 */
UPCR_INLINE void upcr_memput(upcr_pts_t to, const void* from, size_t size, const char* file, int line) {
  if (upcr_direct() && !upcr_is_null(to))
    __builtin_memcpy(upcr_at(to), from, size);
  else
    upcr_memput_slow(to, from, size, file, line);
}
/** What upc_memcpy() becomes: inline where the memory is mapped. A null pointer-to-shared ends the job with a line.
 * @param to    shared memory of one thread
 * @param from  shared memory of one thread
 * @param size  bytes
 * @param file  of the source, for messages; UPCR_HERE gives both
 * @param line  in it
 * @since 0.1 */
UPCR_INLINE void upcr_memcpy(upcr_pts_t to, upcr_pts_t from, size_t size, const char* file, int line) {
  if (upcr_direct() && !upcr_is_null(to) && !upcr_is_null(from))
    __builtin_memcpy(upcr_at(to), upcr_at(from), size);
  else
    upcr_memcpy_slow(to, from, size, file, line);
}
/** What upc_memset() becomes: inline where the memory is mapped. A null pointer-to-shared ends the job with a line.
 * @param to    shared memory of one thread
 * @param byte  the value of each
 * @param size  bytes
 * @param file  of the source, for messages; UPCR_HERE gives both
 * @param line  in it
 * @since 0.1 */
UPCR_INLINE void upcr_memset(upcr_pts_t to, int byte, size_t size, const char* file, int line) {
  if (upcr_direct() && !upcr_is_null(to))
    __builtin_memset(upcr_at(to), byte, size);
  else
    upcr_memset_slow(to, byte, size, file, line);
}

/** @cond what upcr_place() sets */
typedef struct upcr_caller {
  const char* file;
  int line;
} upcr_caller_t;
extern UPCR_THREAD_LOCAL upcr_caller_t upcr_caller __attribute__((tls_model("initial-exec")));
/** @endcond */
/** Tells where the library function that is called next stands in the source, for messages. upcc puts a call of it
 * before those that do not take file and line themselves.
 * @param file  of the source
 * @param line  in it
 * @since 0.1 */
UPCR_INLINE void upcr_place(const char* file, int line) {
  upcr_caller.file = file;
  upcr_caller.line = line;
}

/** Ends the job with a line that names the place: for checks that the compiler emits.
 * @param file    of the source
 * @param line    in it
 * @param format  as printf has it, of what follows
 * @since 0.1 */
void upcr_fail(const char* file, int line, const char* format, ...)
    __attribute__((noreturn, cold, format(printf, 3, 4)));

#if defined(__cplusplus)
}
#endif
#endif
