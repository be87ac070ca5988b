/* <upc.h>: the UPC utilities (UPC 7.2). Functions that need to name the caller's source line in a message, or are worth
 * inlining, are macros over a function of the runtime; the functions themselves exist too. */
#ifndef UPC_H
#define UPC_H

#ifndef __UPC__
#error "This header is for UPC programs: compile with upcc."
#endif

#include <stddef.h>
#include <upc_types.h>

/* 7.2.1: ends the job with this exit code (0 to 255), at once. */
void upc_global_exit(int status) __attribute__((noreturn));

/* 7.2.2: shared memory. A null pointer if there is not enough, after a line that says which setting to raise. */
shared void *upc_global_alloc(size_t nblocks, size_t nbytes);
shared void *upc_all_alloc(size_t nblocks, size_t nbytes);
shared void *upc_alloc(size_t nbytes);
void upc_free(shared void *ptr);
void upc_all_free(shared void *ptr);
void upcr_free_at(shared void *ptr, const char *file, int line);
void upcr_all_free_at(shared void *ptr, const char *file, int line);
#define upc_free(ptr) upcr_free_at((ptr), __FILE__, __LINE__)
#define upc_all_free(ptr) upcr_all_free_at((ptr), __FILE__, __LINE__)

/* 7.2.3: parts of pointers-to-shared. */
size_t upc_threadof(shared const void *ptr);
size_t upc_phaseof(shared const void *ptr);
shared void *upc_resetphase(shared void *ptr);
size_t upc_addrfield(shared const void *ptr);
size_t upc_affinitysize(size_t totalsize, size_t nbytes, size_t threadid);
size_t upcr_threadof(shared const void *ptr);
size_t upcr_phaseof(shared const void *ptr);
shared void *upcr_resetphase(shared void *ptr);
size_t upcr_addrfield(shared const void *ptr);
#define upc_threadof(ptr) upcr_threadof(ptr)
#define upc_phaseof(ptr) upcr_phaseof(ptr)
#define upc_resetphase(ptr) upcr_resetphase(ptr)
#define upc_addrfield(ptr) upcr_addrfield(ptr)

/* 7.2.4: locks. First come, first served. */
typedef shared struct upcr_lock upc_lock_t;
upc_lock_t *upc_global_lock_alloc(void);
upc_lock_t *upc_all_lock_alloc(void);
void upc_lock_free(upc_lock_t *ptr);
void upc_all_lock_free(upc_lock_t *ptr);
void upc_lock(upc_lock_t *ptr);
int upc_lock_attempt(upc_lock_t *ptr);
void upc_unlock(upc_lock_t *ptr);
void upcr_lock_free_at(upc_lock_t *ptr, const char *file, int line);
void upcr_all_lock_free_at(upc_lock_t *ptr, const char *file, int line);
void upcr_lock_at(upc_lock_t *ptr, const char *file, int line);
int upcr_lock_attempt_at(upc_lock_t *ptr, const char *file, int line);
void upcr_unlock_at(upc_lock_t *ptr, const char *file, int line);
#define upc_lock_free(ptr) upcr_lock_free_at((ptr), __FILE__, __LINE__)
#define upc_all_lock_free(ptr) upcr_all_lock_free_at((ptr), __FILE__, __LINE__)
#define upc_lock(ptr) upcr_lock_at((ptr), __FILE__, __LINE__)
#define upc_lock_attempt(ptr) upcr_lock_attempt_at((ptr), __FILE__, __LINE__)
#define upc_unlock(ptr) upcr_unlock_at((ptr), __FILE__, __LINE__)

/* 7.2.5: copying. Relaxed accesses, complete for the calling thread on return. */
void upc_memcpy(shared void *restrict dst, shared const void *restrict src, size_t n);
void upc_memget(void *restrict dst, shared const void *restrict src, size_t n);
void upc_memput(shared void *restrict dst, const void *restrict src, size_t n);
void upc_memset(shared void *dst, int c, size_t n);
void upcr_memcpy(shared void *dst, shared const void *src, size_t n, const char *file, int line);
void upcr_memget(void *dst, shared const void *src, size_t n, const char *file, int line);
void upcr_memput(shared void *dst, const void *src, size_t n, const char *file, int line);
void upcr_memset(shared void *dst, int c, size_t n, const char *file, int line);
#define upc_memcpy(dst, src, n) upcr_memcpy((dst), (src), (n), __FILE__, __LINE__)
#define upc_memget(dst, src, n) upcr_memget((dst), (src), (n), __FILE__, __LINE__)
#define upc_memput(dst, src, n) upcr_memput((dst), (src), (n), __FILE__, __LINE__)
#define upc_memset(dst, c, n) upcr_memset((dst), (c), (n), __FILE__, __LINE__)

#endif
