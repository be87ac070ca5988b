/* The functions of the UPC libraries as C sees them: a pointer-to-shared is an upcr_pts_t. Their meaning is that of the
 * UPC headers in include/upc; docs/UPC-RUNTIME.md says what this implementation adds. Compiled UPC code declares the
 * ones it uses by itself; this header is for the runtime, for C and C++ that is linked with UPC, and for tests. */
#ifndef WEFT_UPCRT_FUNCTIONS_H
#define WEFT_UPCRT_FUNCTIONS_H

#include <weft/upcrt/pts.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- <upc.h> ---- */
void upc_global_exit(int status) __attribute__((noreturn));
upcr_pts_t upc_global_alloc(size_t nblocks, size_t nbytes);
upcr_pts_t upc_all_alloc(size_t nblocks, size_t nbytes);
upcr_pts_t upc_alloc(size_t nbytes);
void upc_free(upcr_pts_t ptr);
void upc_all_free(upcr_pts_t ptr);
void upcr_free_at(upcr_pts_t ptr, const char* file, int line);
void upcr_all_free_at(upcr_pts_t ptr, const char* file, int line);
size_t upc_threadof(upcr_pts_t ptr);
size_t upc_phaseof(upcr_pts_t ptr);
upcr_pts_t upc_resetphase(upcr_pts_t ptr);
size_t upc_addrfield(upcr_pts_t ptr);
size_t upc_affinitysize(size_t totalsize, size_t nbytes, size_t threadid);
upcr_pts_t upc_global_lock_alloc(void);
upcr_pts_t upc_all_lock_alloc(void);
void upc_lock_free(upcr_pts_t lock);
void upc_all_lock_free(upcr_pts_t lock);
void upc_lock(upcr_pts_t lock);
int upc_lock_attempt(upcr_pts_t lock);
void upc_unlock(upcr_pts_t lock);
void upcr_lock_free_at(upcr_pts_t lock, const char* file, int line);
void upcr_all_lock_free_at(upcr_pts_t lock, const char* file, int line);
void upcr_lock_at(upcr_pts_t lock, const char* file, int line);
int upcr_lock_attempt_at(upcr_pts_t lock, const char* file, int line);
void upcr_unlock_at(upcr_pts_t lock, const char* file, int line);
void upc_memcpy(upcr_pts_t dst, upcr_pts_t src, size_t n);
void upc_memget(void* dst, upcr_pts_t src, size_t n);
void upc_memput(upcr_pts_t dst, const void* src, size_t n);
void upc_memset(upcr_pts_t dst, int c, size_t n);

/* ---- <upc_tick.h> ---- */
uint64_t upc_ticks_now(void);
uint64_t upc_ticks_to_ns(uint64_t ticks);

/* ---- <upc_nb.h> ---- */
typedef unsigned long upc_handle_t;
upc_handle_t upc_memcpy_nb(upcr_pts_t dst, upcr_pts_t src, size_t n);
upc_handle_t upc_memget_nb(void* dst, upcr_pts_t src, size_t n);
upc_handle_t upc_memput_nb(upcr_pts_t dst, const void* src, size_t n);
upc_handle_t upc_memset_nb(upcr_pts_t dst, int c, size_t n);
void upc_memcpy_nbi(upcr_pts_t dst, upcr_pts_t src, size_t n);
void upc_memget_nbi(void* dst, upcr_pts_t src, size_t n);
void upc_memput_nbi(upcr_pts_t dst, const void* src, size_t n);
void upc_memset_nbi(upcr_pts_t dst, int c, size_t n);
int upc_sync_attempt(upc_handle_t handle);
void upc_sync(upc_handle_t handle);
int upc_synci_attempt(void);
void upc_synci(void);

/* ---- <upc_castable.h> ---- */
typedef struct upc_thread_info_t {
  int guaranteedCastable;
  int probablyCastable;
} upc_thread_info_t;
void* upc_cast(upcr_pts_t ptr);
upc_thread_info_t upc_thread_info(size_t thread);

/* ---- <upc_atomic.h> ---- */
upcr_pts_t upc_all_atomicdomain_alloc(int type, int ops, int hints);
void upc_all_atomicdomain_free(upcr_pts_t domain);
void upc_atomic_strict(upcr_pts_t domain, void* fetch_ptr, int op, upcr_pts_t target, const void* operand1,
                       const void* operand2);
void upc_atomic_relaxed(upcr_pts_t domain, void* fetch_ptr, int op, upcr_pts_t target, const void* operand1,
                        const void* operand2);
int upc_atomic_isfast(int type, int ops, upcr_pts_t addr);

/* ---- <upc_collective.h> ---- */
void upc_all_broadcast(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);
void upc_all_scatter(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);
void upc_all_gather(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);
void upc_all_gather_all(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);
void upc_all_exchange(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);
void upc_all_permute(upcr_pts_t dst, upcr_pts_t src, upcr_pts_t perm, size_t nbytes, int flags);
#define UPCR_REDUCTION(suffix, type)                                                                         \
  void upc_all_reduce##suffix(upcr_pts_t dst, upcr_pts_t src, int op, size_t nelems, size_t blk_size,        \
                              type (*func)(type, type), int flags);                                          \
  void upc_all_prefix_reduce##suffix(upcr_pts_t dst, upcr_pts_t src, int op, size_t nelems, size_t blk_size, \
                                     type (*func)(type, type), int flags)
UPCR_REDUCTION(C, signed char);
UPCR_REDUCTION(UC, unsigned char);
UPCR_REDUCTION(S, signed short);
UPCR_REDUCTION(US, unsigned short);
UPCR_REDUCTION(I, signed int);
UPCR_REDUCTION(UI, unsigned int);
UPCR_REDUCTION(L, signed long);
UPCR_REDUCTION(UL, unsigned long);
UPCR_REDUCTION(F, float);
UPCR_REDUCTION(D, double);
UPCR_REDUCTION(LD, long double);
#undef UPCR_REDUCTION

/* ---- <upc_team.h> ---- */
typedef unsigned long upc_team_t;
upc_team_t upc_team_split(upc_team_t parent, int color, int key);
upc_team_t upc_team_split_stride(upc_team_t parent, size_t count, size_t stride);
upc_team_t upc_team_from_list(upc_team_t parent, const unsigned int* members, size_t count);
void upc_team_free(upc_team_t team);
size_t upc_team_rank(upc_team_t team);
size_t upc_team_size(upc_team_t team);
size_t upc_team_thread(upc_team_t team, size_t member);
int upc_team_member(upc_team_t team, size_t thread);
void upc_team_barrier(upc_team_t team);
void upc_team_notify(upc_team_t team);
void upc_team_wait(upc_team_t team);
#define UPC_TEAM_FORMS(result, nb)                                                                                    \
  result upc_team_broadcast##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);           \
  result upc_team_scatter##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);             \
  result upc_team_gather##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);              \
  result upc_team_gather_all##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);          \
  result upc_team_exchange##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags);            \
  result upc_team_permute##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t to, size_t nbytes, int flags);  \
  result upc_team_reduce##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, int op, int type, size_t nelems,        \
                             int flags);                                                                              \
  result upc_team_reduce_all##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, int op, int type, size_t nelems,    \
                                 int flags);                                                                          \
  result upc_team_prefix_reduce##nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, int op, int type, size_t nelems, \
                                    int flags)
UPC_TEAM_FORMS(void, );
UPC_TEAM_FORMS(upc_handle_t, _nb);
#undef UPC_TEAM_FORMS

/* ---- <upc_io.h> ---- */
typedef long upc_off_t;
typedef struct upc_hint {
  const char* key;
  const char* value;
} upc_hint_t;
struct upc_local_memvec {
  void* baseaddr;
  size_t len;
};
struct upc_shared_memvec {
  upcr_pts_t baseaddr;
  size_t blocksize;
  size_t len;
};
struct upc_filevec {
  upc_off_t offset;
  size_t len;
};
upcr_pts_t upc_all_fopen(const char* fname, int flags, size_t numhints, const struct upc_hint* hints);
int upc_all_fclose(upcr_pts_t fd);
int upc_all_fsync(upcr_pts_t fd);
upc_off_t upc_all_fseek(upcr_pts_t fd, upc_off_t offset, int origin);
int upc_all_fset_size(upcr_pts_t fd, upc_off_t size);
upc_off_t upc_all_fget_size(upcr_pts_t fd);
int upc_all_fpreallocate(upcr_pts_t fd, upc_off_t size);
int upc_all_fcntl(upcr_pts_t fd, int cmd, void* arg);
#define UPC_IO_FORMS(result, direction, async)                                                                    \
  result upc_all_##direction##_local##async(upcr_pts_t fd, void* buffer, size_t size, size_t nmemb, int flags);   \
  result upc_all_##direction##_shared##async(upcr_pts_t fd, upcr_pts_t buffer, size_t blocksize, size_t size,     \
                                             size_t nmemb, int flags);                                            \
  result upc_all_##direction##_list_local##async(upcr_pts_t fd, size_t memvec_entries,                            \
                                                 const struct upc_local_memvec* memvec, size_t filevec_entries,   \
                                                 const struct upc_filevec* filevec, int flags);                   \
  result upc_all_##direction##_list_shared##async(upcr_pts_t fd, size_t memvec_entries,                           \
                                                  const struct upc_shared_memvec* memvec, size_t filevec_entries, \
                                                  const struct upc_filevec* filevec, int flags)
UPC_IO_FORMS(upc_off_t, fread, );
UPC_IO_FORMS(upc_off_t, fwrite, );
UPC_IO_FORMS(void, fread, _async);
UPC_IO_FORMS(void, fwrite, _async);
#undef UPC_IO_FORMS
upc_off_t upc_all_fwait_async(upcr_pts_t fd);
upc_off_t upc_all_ftest_async(upcr_pts_t fd, int* flag);

/* ---- <bupc.h> ---- */
upc_handle_t bupc_memcpy_async(upcr_pts_t dst, upcr_pts_t src, size_t n);
upc_handle_t bupc_memget_async(void* dst, upcr_pts_t src, size_t n);
upc_handle_t bupc_memput_async(upcr_pts_t dst, const void* src, size_t n);
upc_handle_t bupc_memset_async(upcr_pts_t dst, int c, size_t n);
void bupc_memcpy_asynci(upcr_pts_t dst, upcr_pts_t src, size_t n);
void bupc_memget_asynci(void* dst, upcr_pts_t src, size_t n);
void bupc_memput_asynci(upcr_pts_t dst, const void* src, size_t n);
void bupc_memset_asynci(upcr_pts_t dst, int c, size_t n);
void bupc_waitsync(upc_handle_t handle);
int bupc_trysync(upc_handle_t handle);
void bupc_waitsync_all(upc_handle_t* handles, size_t n);
int bupc_trysync_all(upc_handle_t* handles, size_t n);
void bupc_waitsync_some(upc_handle_t* handles, size_t n);
int bupc_trysync_some(upc_handle_t* handles, size_t n);
void bupc_waitsynci(void);
int bupc_trysynci(void);
void bupc_begin_accessregion(void);
upc_handle_t bupc_end_accessregion(void);

typedef struct bupc_smemvec_t {
  upcr_pts_t addr;
  size_t len;
} bupc_smemvec_t;
typedef struct bupc_pmemvec_t {
  void* addr;
  size_t len;
} bupc_pmemvec_t;
#define BUPC_VIS_FORMS(result, async)                                                                                \
  result bupc_memcpy_vlist##async(size_t dstcount, bupc_smemvec_t const dstlist[], size_t srccount,                  \
                                  bupc_smemvec_t const srclist[]);                                                   \
  result bupc_memput_vlist##async(size_t dstcount, bupc_smemvec_t const dstlist[], size_t srccount,                  \
                                  bupc_pmemvec_t const srclist[]);                                                   \
  result bupc_memget_vlist##async(size_t dstcount, bupc_pmemvec_t const dstlist[], size_t srccount,                  \
                                  bupc_smemvec_t const srclist[]);                                                   \
  result bupc_memcpy_ilist##async(size_t dstcount, upcr_pts_t const dstlist[], size_t dstlen, size_t srccount,       \
                                  upcr_pts_t const srclist[], size_t srclen);                                        \
  result bupc_memput_ilist##async(size_t dstcount, upcr_pts_t const dstlist[], size_t dstlen, size_t srccount,       \
                                  const void* const srclist[], size_t srclen);                                       \
  result bupc_memget_ilist##async(size_t dstcount, void* const dstlist[], size_t dstlen, size_t srccount,            \
                                  upcr_pts_t const srclist[], size_t srclen);                                        \
  result bupc_memcpy_fstrided##async(upcr_pts_t dstaddr, size_t dstchunklen, size_t dstchunkstride,                  \
                                     size_t dstchunkcount, upcr_pts_t srcaddr, size_t srcchunklen,                   \
                                     size_t srcchunkstride, size_t srcchunkcount);                                   \
  result bupc_memput_fstrided##async(upcr_pts_t dstaddr, size_t dstchunklen, size_t dstchunkstride,                  \
                                     size_t dstchunkcount, const void* srcaddr, size_t srcchunklen,                  \
                                     size_t srcchunkstride, size_t srcchunkcount);                                   \
  result bupc_memget_fstrided##async(void* dstaddr, size_t dstchunklen, size_t dstchunkstride, size_t dstchunkcount, \
                                     upcr_pts_t srcaddr, size_t srcchunklen, size_t srcchunkstride,                  \
                                     size_t srcchunkcount);                                                          \
  result bupc_memcpy_strided##async(upcr_pts_t dstaddr, const size_t dststrides[], upcr_pts_t srcaddr,               \
                                    const size_t srcstrides[], const size_t count[], size_t stridelevels);           \
  result bupc_memput_strided##async(upcr_pts_t dstaddr, const size_t dststrides[], const void* srcaddr,              \
                                    const size_t srcstrides[], const size_t count[], size_t stridelevels);           \
  result bupc_memget_strided##async(void* dstaddr, const size_t dststrides[], upcr_pts_t srcaddr,                    \
                                    const size_t srcstrides[], const size_t count[], size_t stridelevels)
BUPC_VIS_FORMS(void, );
BUPC_VIS_FORMS(upc_handle_t, _async);
#undef BUPC_VIS_FORMS

upcr_pts_t upc_local_alloc(size_t nblocks, size_t nbytes);
upcr_pts_t bupc_sem_alloc(int flags);
void bupc_sem_free(upcr_pts_t sem);
void bupc_sem_post(upcr_pts_t sem);
void bupc_sem_postN(upcr_pts_t sem, size_t n);
void bupc_sem_wait(upcr_pts_t sem);
void bupc_sem_waitN(upcr_pts_t sem, size_t n);
int bupc_sem_try(upcr_pts_t sem);
int bupc_sem_tryN(upcr_pts_t sem, size_t n);
void bupc_memput_signal(upcr_pts_t dst, const void* src, size_t nbytes, upcr_pts_t sem, size_t n);
upc_handle_t bupc_memput_signal_async(upcr_pts_t dst, const void* src, size_t nbytes, upcr_pts_t sem, size_t n);

#define BUPC_ATOMIC_FORMS(name, type, order)                                        \
  type bupc_atomic##name##_read_##order(upcr_pts_t ptr);                            \
  void bupc_atomic##name##_set_##order(upcr_pts_t ptr, type val);                   \
  type bupc_atomic##name##_swap_##order(upcr_pts_t ptr, type val);                  \
  type bupc_atomic##name##_cswap_##order(upcr_pts_t ptr, type oldval, type newval); \
  type bupc_atomic##name##_mswap_##order(upcr_pts_t ptr, type mask, type val);      \
  type bupc_atomic##name##_fetchadd_##order(upcr_pts_t ptr, type op);               \
  type bupc_atomic##name##_fetchand_##order(upcr_pts_t ptr, type op);               \
  type bupc_atomic##name##_fetchor_##order(upcr_pts_t ptr, type op);                \
  type bupc_atomic##name##_fetchxor_##order(upcr_pts_t ptr, type op);               \
  type bupc_atomic##name##_fetchnot_##order(upcr_pts_t ptr)
BUPC_ATOMIC_FORMS(U64, uint64_t, strict);
BUPC_ATOMIC_FORMS(U64, uint64_t, relaxed);
BUPC_ATOMIC_FORMS(I64, int64_t, strict);
BUPC_ATOMIC_FORMS(I64, int64_t, relaxed);
BUPC_ATOMIC_FORMS(U32, uint32_t, strict);
BUPC_ATOMIC_FORMS(U32, uint32_t, relaxed);
BUPC_ATOMIC_FORMS(I32, int32_t, strict);
BUPC_ATOMIC_FORMS(I32, int32_t, relaxed);
BUPC_ATOMIC_FORMS(UL, unsigned long, strict);
BUPC_ATOMIC_FORMS(UL, unsigned long, relaxed);
BUPC_ATOMIC_FORMS(L, long, strict);
BUPC_ATOMIC_FORMS(L, long, relaxed);
BUPC_ATOMIC_FORMS(UI, unsigned int, strict);
BUPC_ATOMIC_FORMS(UI, unsigned int, relaxed);
BUPC_ATOMIC_FORMS(I, int, strict);
BUPC_ATOMIC_FORMS(I, int, relaxed);
#undef BUPC_ATOMIC_FORMS

int upcr_type_of_size(size_t size, int is_signed, int is_floating);
void upcr_allv_reduce(void* value, size_t size, int type, int op, int root);
void upcr_allv_prefix_reduce(void* value, size_t size, int type, int op);
void upcr_allv_broadcast(void* value, size_t size, int root);
void upcr_allv_scatter(void* value, const void* root_source, size_t size, int root);
void upcr_allv_gather(const void* value, void* root_destination, size_t size, int root);
void upcr_allv_permute(void* value, size_t size, int to_thread);

uint64_t bupc_ticks_now(void);
uint64_t bupc_ticks_to_us(uint64_t ticks);
uint64_t bupc_ticks_to_ns(uint64_t ticks);
double bupc_tick_granularity(void);
double bupc_tick_overhead(void);
unsigned int bupc_thread_distance(int thread_x, int thread_y);
void bupc_poll(void);
upcr_pts_t bupc_ptradd(upcr_pts_t ptr, size_t blockelems, size_t elemsz, ptrdiff_t elems);
upcr_pts_t bupc_local_to_shared(void* ptr, int thread, int phase);
upcr_pts_t bupc_inverse_cast(void* ptr);
int bupc_castable(upcr_pts_t ptr);
int bupc_thread_castable(unsigned int thread);
void* bupc_cast(upcr_pts_t ptr);
int bupc_dump_shared(upcr_pts_t ptr, char* buffer, int maxlen);
char* bupc_getenv(const char* name);

#if defined(__cplusplus)
}
#endif
#endif
