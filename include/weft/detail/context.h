/* What the inline fast paths of the public headers read. Not an interface: programs use the functions of the
 * other headers. The layout is part of the library's binary interface.
 *
 * One object exists per thread of a rank (docs/DESIGN.md, decision 1). The inline code only reads it. */
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

typedef struct weft_detail_context_t {
  uint32_t rank;
  uint32_t size;
  uint32_t stream_pending;   /* non-zero after a streaming put (non-temporal stores) that has not been fenced yet */
  uint32_t implicit_pending; /* non-zero after an implicit-handle operation that took the library path */
  size_t segment_size;
  /* fast_base[peer]: where that peer's segment is mapped here, or NULL if the inline path must not touch it:
   * the peer is not mapped, or statistics, traces, faults or checks want to see every operation. */
  char* const* fast_base;
  const char* handler; /* name of the active-message handler that runs on this thread, or NULL */
  void* thread;        /* the library's own state of the thread */
} weft_detail_context_t;

#if defined(__cplusplus)
extern __thread weft_detail_context_t* weft_detail_current __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local weft_detail_context_t* weft_detail_current __attribute__((tls_model("initial-exec")));
#endif

/* Gives a thread that has not called Weft before its context: that of the process's only rank. Never NULL;
 * before weft_init() a context of size 0 whose library calls report WEFT_ERR_NOT_INIT. */
weft_detail_context_t* weft_detail_attach(void);

static inline weft_detail_context_t* weft_detail_context(void) {
  weft_detail_context_t* context = weft_detail_current;
  if (__builtin_expect(context == NULL, 0)) context = weft_detail_attach();
  return context;
}

/* The peer's segment for the inline path, or NULL for the library path. */
static inline char* weft_detail_fast(const weft_detail_context_t* context, uint32_t peer) {
  return context->fast_base[peer];
}

#ifdef __cplusplus
}
#endif
#endif
