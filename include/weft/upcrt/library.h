/* Library functions that compiled code may call instead of the ones UPC programs name, because these inline or know the
 * source line. <upc.h> maps the UPC names to them with macros; the plain functions exist as well
 * (upcrt/functions.h). */
#ifndef WEFT_UPCRT_LIBRARY_H
#define WEFT_UPCRT_LIBRARY_H

#include <weft/upcrt/access.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* <upc.h> 7.2.3: what upc_threadof() and its like become. */
UPCR_INLINE size_t upcr_threadof(upcr_pts_t p) { return (size_t)upcr_thread(p); }
UPCR_INLINE size_t upcr_phaseof(upcr_pts_t p) { return (size_t)upcr_phase(p); }
UPCR_INLINE size_t upcr_addrfield(upcr_pts_t p) { return (size_t)p.offset; }

/* <upc.h> 7.2.5: upc_memget(), upc_memput(), upc_memcpy(), upc_memset(), inline where the memory is mapped. The other
 * functions refuse null pointers-to-shared, naming the function. */
void upcr_memget_slow(void* to, upcr_pts_t from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_memput_slow(upcr_pts_t to, const void* from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_memcpy_slow(upcr_pts_t to, upcr_pts_t from, size_t size, const char* file, int line) UPCR_COLD;
void upcr_memset_slow(upcr_pts_t to, int byte, size_t size, const char* file, int line) UPCR_COLD;

UPCR_INLINE void upcr_memget(void* to, upcr_pts_t from, size_t size, const char* file, int line) {
  if (upcr_direct() && !upcr_is_null(from))
    __builtin_memcpy(to, upcr_at(from), size);
  else
    upcr_memget_slow(to, from, size, file, line);
}
UPCR_INLINE void upcr_memput(upcr_pts_t to, const void* from, size_t size, const char* file, int line) {
  if (upcr_direct() && !upcr_is_null(to))
    __builtin_memcpy(upcr_at(to), from, size);
  else
    upcr_memput_slow(to, from, size, file, line);
}
UPCR_INLINE void upcr_memcpy(upcr_pts_t to, upcr_pts_t from, size_t size, const char* file, int line) {
  if (upcr_direct() && !upcr_is_null(to) && !upcr_is_null(from))
    __builtin_memcpy(upcr_at(to), upcr_at(from), size);
  else
    upcr_memcpy_slow(to, from, size, file, line);
}
UPCR_INLINE void upcr_memset(upcr_pts_t to, int byte, size_t size, const char* file, int line) {
  if (upcr_direct() && !upcr_is_null(to))
    __builtin_memset(upcr_at(to), byte, size);
  else
    upcr_memset_slow(to, byte, size, file, line);
}

/* Where the library function that is called next stands in the source, for messages. upcc puts a call of upcr_place()
 * before those that do not take file and line themselves. */
typedef struct upcr_caller {
  const char* file;
  int line;
} upcr_caller_t;
extern UPCR_THREAD_LOCAL upcr_caller_t upcr_caller __attribute__((tls_model("initial-exec")));
UPCR_INLINE void upcr_place(const char* file, int line) {
  upcr_caller.file = file;
  upcr_caller.line = line;
}

/* Ends the job with a line that names the place: for checks that the compiler emits. */
void upcr_fail(const char* file, int line, const char* format, ...)
    __attribute__((noreturn, cold, format(printf, 3, 4)));

#if defined(__cplusplus)
}
#endif
#endif
