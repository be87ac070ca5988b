/* What the inline fast paths of the public headers read. Not an interface: programs use the functions of the
 * other headers. The layout is part of the library's binary interface.
 *
 * Each thread of a rank has two thread-local words (docs/DESIGN.md, decision 1): a pointer to its context, and the map
 * word, which is all that an inline put or get needs. The inline code only reads them.
 *
 * The map word says where all segments are mapped: rank r's segment starts at (word & ~63) + (r << (word & 63)). It is
 * 0 if the inline path must not touch memory: some segment is not mapped here, or statistics, traces, faults or checks
 * want to see every operation, or the thread has not called Weft yet. Then the library does the operation. If it is not
 * 0, every one-sided operation to every rank is complete when its call returns, but for streaming puts. */
#ifndef WEFT_DETAIL_CONTEXT_H
#define WEFT_DETAIL_CONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__GNUC__)
#error "Weft's headers need a compiler with GNU C extensions (gcc or clang)."
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum weft_detail_behalf { WEFT_DETAIL_PROGRAM, WEFT_DETAIL_LIBRARY, WEFT_DETAIL_STATISTICS };

typedef struct weft_detail_context_t {
  uint32_t rank;
  uint32_t size;
  uint32_t stream_pending;   /* non-zero after a streaming put (non-temporal stores) that has not been fenced yet */
  uint32_t implicit_pending; /* non-zero after an implicit-handle operation that took the library path */
  size_t segment_size;
  const char* handler; /* why this thread may call little now: the handler that runs on it, by name; else NULL */
  void* thread;        /* the library's own state of the thread */
  const char* call;    /* the last function of the library that this thread called */
  uint32_t waiting;    /* non-zero while that function waits */
  uint32_t behalf;     /* for whom the thread communicates, for the statistics: weft_detail_behalf */
} weft_detail_context_t;

#if defined(__cplusplus)
extern __thread weft_detail_context_t* weft_detail_current __attribute__((tls_model("initial-exec")));
extern __thread uint64_t weft_detail_map __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local weft_detail_context_t* weft_detail_current __attribute__((tls_model("initial-exec")));
extern _Thread_local uint64_t weft_detail_map __attribute__((tls_model("initial-exec")));
#endif

/* Gives a thread that has not called Weft before its context: that of the process's only rank. Never NULL;
 * before weft_init() and after weft_finalize() a context of size 0 whose library calls end the process with a line. */
weft_detail_context_t* weft_detail_attach(void);

static inline weft_detail_context_t* weft_detail_context(void) {
  weft_detail_context_t* context = weft_detail_current;
  if (__builtin_expect(context == NULL, 0)) context = weft_detail_attach();
  return context;
}

/* Where `offset` of the peer's segment is, by a map word that is not 0. */
static inline char* weft_detail_at(uint64_t map, uint32_t peer, size_t offset) {
  return (char*)((map & ~(uint64_t)63) + ((uint64_t)peer << (map & 63)) + offset);
}

#ifdef __cplusplus
}
#endif
#endif
