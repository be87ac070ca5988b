/* <upc.h>: the UPC utilities (UPC 7.2), and Berkeley UPC's extensions. In calls of the functions that name the caller's
 * source line in a message, or are worth inlining, upcc puts a function of the runtime (lower_library.cpp); the
 * functions themselves exist, too. */
#ifndef UPC_H
#define UPC_H

#ifndef __UPC__
#error "This header is for UPC: compile the file with upcc, with -x upc before it if its name ends with .c."
#include "upc: C ends here" /* not there: the rest would be errors only */
#endif

#include <stddef.h>
#include <sys/types.h> /* as in other compilers: programs find struct timeval in it */
#include <upc_predeclared.h>
#include <upc_types.h>

/* 7.2.1: ends the job at once, with the low eight bits of status as its exit code: the system keeps no more, and exit()
 * gives it the same. -1 is 255; do not use multiples of 256 for failures. */
void upc_global_exit(int status) __attribute__((noreturn));

/* 7.2.2: shared memory. A null pointer if there is not enough, after a line that says which setting to raise. */
shared void *upc_global_alloc(size_t nblocks, size_t nbytes);
shared void *upc_all_alloc(size_t nblocks, size_t nbytes);
shared void *upc_alloc(size_t nbytes);
shared void *upc_local_alloc(size_t nblocks, size_t nbytes); /* UPC 1.1: upc_alloc(nblocks * nbytes) */
void upc_free(shared void *ptr);
void upc_all_free(shared void *ptr);

/* 7.2.3: parts of pointers-to-shared. */
size_t upc_threadof(shared const void *ptr);
size_t upc_phaseof(shared const void *ptr);
shared void *upc_resetphase(shared void *ptr);
size_t upc_addrfield(shared const void *ptr);
size_t upc_affinitysize(size_t totalsize, size_t nbytes, size_t threadid);

/* 7.2.4: locks. First come, first served. */
upc_lock_t *upc_global_lock_alloc(void);
upc_lock_t *upc_all_lock_alloc(void);
void upc_lock_free(upc_lock_t *ptr);
void upc_all_lock_free(upc_lock_t *ptr);
void upc_lock(upc_lock_t *ptr);
int upc_lock_attempt(upc_lock_t *ptr);
void upc_unlock(upc_lock_t *ptr);

/* 7.2.5: copying. Relaxed accesses, complete for the calling thread on return. */
void upc_memcpy(shared void *restrict dst, shared const void *restrict src, size_t n);
void upc_memget(void *restrict dst, shared const void *restrict src, size_t n);
void upc_memput(shared void *restrict dst, const void *restrict src, size_t n);
void upc_memset(shared void *dst, int c, size_t n);

#include <bupc.h>

#endif
