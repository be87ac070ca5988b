/* <bupc.h>: extensions that users of Berkeley UPC have in their code, under the same names. <upc.h> includes it. The
 * semaphores and the signalling put are also there as upc_sem_* and upc_memput_signal*; with BUPC_USE_UPC_NAMESPACE
 * defined before, all have names that begin with upc_. docs/UPC-RUNTIME.md lists what each one promises. */
#ifndef BUPC_H
#define BUPC_H

#include <inttypes.h>
#include <upc.h>

/* ---- Non-blocking copies ---- */
typedef unsigned long bupc_handle_t;
#define BUPC_COMPLETE_HANDLE ((bupc_handle_t)0)

bupc_handle_t bupc_memcpy_async(shared void *dst, shared const void *src, size_t nbytes);
bupc_handle_t bupc_memget_async(void *dst, shared const void *src, size_t nbytes);
bupc_handle_t bupc_memput_async(shared void *dst, const void *src, size_t nbytes);
bupc_handle_t bupc_memset_async(shared void *dst, int c, size_t nbytes);
void bupc_memcpy_asynci(shared void *dst, shared const void *src, size_t nbytes);
void bupc_memget_asynci(void *dst, shared const void *src, size_t nbytes);
void bupc_memput_asynci(shared void *dst, const void *src, size_t nbytes);
void bupc_memset_asynci(shared void *dst, int c, size_t nbytes);

void bupc_waitsync(bupc_handle_t handle);
int bupc_trysync(bupc_handle_t handle);
void bupc_waitsync_all(bupc_handle_t *handles, size_t n);
int bupc_trysync_all(bupc_handle_t *handles, size_t n);
void bupc_waitsync_some(bupc_handle_t *handles, size_t n);
int bupc_trysync_some(bupc_handle_t *handles, size_t n);
void bupc_waitsynci(void);
int bupc_trysynci(void);
void bupc_begin_accessregion(void);
bupc_handle_t bupc_end_accessregion(void);

/* ---- Non-contiguous copies, in all proposed forms. All shared parts of one side have affinity to one thread. ---- */
#define BUPC_SG_DESIGN_A 1
#define BUPC_SG_DESIGN_B 1
#define BUPC_STRIDED_DESIGN_A 1
#define BUPC_STRIDED_DESIGN_B 1
typedef struct bupc_smemvec_t {
  shared void *addr;
  size_t len;
} bupc_smemvec_t;
typedef struct bupc_pmemvec_t {
  void *addr;
  size_t len;
} bupc_pmemvec_t;

#define BUPC_VIS_FORMS(result, async)                                                                                  \
  result bupc_memcpy_vlist##async(size_t dstcount, bupc_smemvec_t const dstlist[], size_t srccount,                    \
                                  bupc_smemvec_t const srclist[]);                                                     \
  result bupc_memput_vlist##async(size_t dstcount, bupc_smemvec_t const dstlist[], size_t srccount,                    \
                                  bupc_pmemvec_t const srclist[]);                                                     \
  result bupc_memget_vlist##async(size_t dstcount, bupc_pmemvec_t const dstlist[], size_t srccount,                    \
                                  bupc_smemvec_t const srclist[]);                                                     \
  result bupc_memcpy_ilist##async(size_t dstcount, shared void *const dstlist[], size_t dstlen, size_t srccount,       \
                                  shared const void *const srclist[], size_t srclen);                                  \
  result bupc_memput_ilist##async(size_t dstcount, shared void *const dstlist[], size_t dstlen, size_t srccount,       \
                                  const void *const srclist[], size_t srclen);                                         \
  result bupc_memget_ilist##async(size_t dstcount, void *const dstlist[], size_t dstlen, size_t srccount,              \
                                  shared const void *const srclist[], size_t srclen);                                  \
  result bupc_memcpy_fstrided##async(shared void *dstaddr, size_t dstchunklen, size_t dstchunkstride,                  \
                                     size_t dstchunkcount, shared const void *srcaddr, size_t srcchunklen,             \
                                     size_t srcchunkstride, size_t srcchunkcount);                                     \
  result bupc_memput_fstrided##async(shared void *dstaddr, size_t dstchunklen, size_t dstchunkstride,                  \
                                     size_t dstchunkcount, const void *srcaddr, size_t srcchunklen,                    \
                                     size_t srcchunkstride, size_t srcchunkcount);                                     \
  result bupc_memget_fstrided##async(void *dstaddr, size_t dstchunklen, size_t dstchunkstride, size_t dstchunkcount,   \
                                     shared const void *srcaddr, size_t srcchunklen, size_t srcchunkstride,            \
                                     size_t srcchunkcount);                                                            \
  result bupc_memcpy_strided##async(shared void *dstaddr, const size_t dststrides[], shared const void *srcaddr,       \
                                    const size_t srcstrides[], const size_t count[], size_t stridelevels);             \
  result bupc_memput_strided##async(shared void *dstaddr, const size_t dststrides[], const void *srcaddr,              \
                                    const size_t srcstrides[], const size_t count[], size_t stridelevels);             \
  result bupc_memget_strided##async(void *dstaddr, const size_t dststrides[], shared const void *srcaddr,              \
                                    const size_t srcstrides[], const size_t count[], size_t stridelevels)
BUPC_VIS_FORMS(void, );
BUPC_VIS_FORMS(bupc_handle_t, _async);
#undef BUPC_VIS_FORMS

/* ---- Semaphores and signalling puts ---- */
typedef shared struct upcr_semaphore bupc_sem_t;
#define BUPC_SEM_INTEGER 0x0
#define BUPC_SEM_BOOLEAN 0x1
#define BUPC_SEM_MPRODUCER 0x0
#define BUPC_SEM_SPRODUCER 0x2
#define BUPC_SEM_MCONSUMER 0x0
#define BUPC_SEM_SCONSUMER 0x4
#define BUPC_SEM_MAXVALUE 0x7fffffff

bupc_sem_t *bupc_sem_alloc(int flags);
void bupc_sem_free(bupc_sem_t *sem);
void bupc_sem_post(bupc_sem_t *sem);
void bupc_sem_postN(bupc_sem_t *sem, size_t n);
void bupc_sem_wait(bupc_sem_t *sem);
void bupc_sem_waitN(bupc_sem_t *sem, size_t n);
int bupc_sem_try(bupc_sem_t *sem);
int bupc_sem_tryN(bupc_sem_t *sem, size_t n);
void bupc_memput_signal(shared void *dst, const void *src, size_t nbytes, bupc_sem_t *sem, size_t n);
bupc_handle_t bupc_memput_signal_async(shared void *dst, const void *src, size_t nbytes, bupc_sem_t *sem, size_t n);

typedef bupc_sem_t upc_sem_t;
#define UPC_SEM_INTEGER BUPC_SEM_INTEGER
#define UPC_SEM_BOOLEAN BUPC_SEM_BOOLEAN
#define UPC_SEM_MPRODUCER BUPC_SEM_MPRODUCER
#define UPC_SEM_SPRODUCER BUPC_SEM_SPRODUCER
#define UPC_SEM_MCONSUMER BUPC_SEM_MCONSUMER
#define UPC_SEM_SCONSUMER BUPC_SEM_SCONSUMER
#define UPC_SEM_MAXVALUE BUPC_SEM_MAXVALUE
#define upc_sem_alloc bupc_sem_alloc
#define upc_sem_free bupc_sem_free
#define upc_sem_post bupc_sem_post
#define upc_sem_postN bupc_sem_postN
#define upc_sem_wait bupc_sem_wait
#define upc_sem_waitN bupc_sem_waitN
#define upc_sem_try bupc_sem_try
#define upc_sem_tryN bupc_sem_tryN
#define upc_memput_signal bupc_memput_signal
#define upc_memput_signal_async bupc_memput_signal_async

/* ---- Atomics on aligned integers ---- */
#define BUPC_ATOMIC_FORMS(name, type, order)                                                     \
  type bupc_atomic##name##_read_##order(shared void *ptr);                                       \
  void bupc_atomic##name##_set_##order(shared void *ptr, type val);                              \
  type bupc_atomic##name##_swap_##order(shared void *ptr, type val);                             \
  type bupc_atomic##name##_cswap_##order(shared void *ptr, type oldval, type newval);            \
  /* Only the bits of the mask change. */                                                        \
  type bupc_atomic##name##_mswap_##order(shared void *ptr, type mask, type val);                 \
  type bupc_atomic##name##_fetchadd_##order(shared void *ptr, type op);                          \
  type bupc_atomic##name##_fetchand_##order(shared void *ptr, type op);                          \
  type bupc_atomic##name##_fetchor_##order(shared void *ptr, type op);                           \
  type bupc_atomic##name##_fetchxor_##order(shared void *ptr, type op);                          \
  type bupc_atomic##name##_fetchnot_##order(shared void *ptr)
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

/* ---- Collectives on private values. TYPE: an arithmetic type for the reductions, else any type but an array. ---- */
int upcr_type_of_size(size_t size, int is_signed, int is_floating);
void upcr_allv_reduce(void *value, size_t size, upc_type_t type, upc_op_t op, int root);
void upcr_allv_prefix_reduce(void *value, size_t size, upc_type_t type, upc_op_t op);
void upcr_allv_broadcast(void *value, size_t size, int root);
void upcr_allv_scatter(void *value, const void *root_source, size_t size, int root);
void upcr_allv_gather(const void *value, void *root_destination, size_t size, int root);
void upcr_allv_permute(void *value, size_t size, int to_thread);
#define BUPC_TYPE_CODE(TYPE) upcr_type_of_size(sizeof(TYPE), (TYPE)-1 < (TYPE)1, (TYPE)0.5 != (TYPE)0)

#define bupc_allv_reduce(TYPE, value, rootthread, op)                                      \
  __extension__({                                                                          \
    TYPE bupc_v_ = (value);                                                                \
    upcr_allv_reduce(&bupc_v_, sizeof(TYPE), BUPC_TYPE_CODE(TYPE), (op), (rootthread));    \
    bupc_v_;                                                                               \
  })
#define bupc_allv_reduce_all(TYPE, value, op)                                              \
  __extension__({                                                                          \
    TYPE bupc_v_ = (value);                                                                \
    upcr_allv_reduce(&bupc_v_, sizeof(TYPE), BUPC_TYPE_CODE(TYPE), (op), -1);              \
    bupc_v_;                                                                               \
  })
#define bupc_allv_prefix_reduce(TYPE, value, op)                                           \
  __extension__({                                                                          \
    TYPE bupc_v_ = (value);                                                                \
    upcr_allv_prefix_reduce(&bupc_v_, sizeof(TYPE), BUPC_TYPE_CODE(TYPE), (op));           \
    bupc_v_;                                                                               \
  })
#define bupc_allv_broadcast(TYPE, value, rootthread)                                       \
  __extension__({                                                                          \
    TYPE bupc_v_ = (value);                                                                \
    upcr_allv_broadcast(&bupc_v_, sizeof(TYPE), (rootthread));                             \
    bupc_v_;                                                                               \
  })
#define bupc_allv_scatter(TYPE, rootthread, rootsrcarray)                                  \
  __extension__({                                                                          \
    TYPE bupc_v_;                                                                          \
    upcr_allv_scatter(&bupc_v_, (rootsrcarray), sizeof(TYPE), (rootthread));               \
    bupc_v_;                                                                               \
  })
/* The result is the destination array, at the root; elsewhere it is not touched and may be NULL. */
#define bupc_allv_gather(TYPE, value, rootthread, rootdestarray)                           \
  __extension__({                                                                          \
    TYPE bupc_v_ = (value);                                                                \
    TYPE *bupc_d_ = (TYPE *)(rootdestarray);                                               \
    upcr_allv_gather(&bupc_v_, bupc_d_, sizeof(TYPE), (rootthread));                       \
    bupc_d_;                                                                               \
  })
#define bupc_allv_gather_all(TYPE, value, destarray)                                       \
  __extension__({                                                                          \
    TYPE bupc_v_ = (value);                                                                \
    TYPE *bupc_d_ = (TYPE *)(destarray);                                                   \
    upcr_allv_gather(&bupc_v_, bupc_d_, sizeof(TYPE), -1);                                 \
    bupc_d_;                                                                               \
  })
#define bupc_allv_permute(TYPE, value, tothreadid)                                         \
  __extension__({                                                                          \
    TYPE bupc_v_ = (value);                                                                \
    upcr_allv_permute(&bupc_v_, sizeof(TYPE), (tothreadid));                               \
    bupc_v_;                                                                               \
  })

/* ---- Time ---- */
typedef uint64_t bupc_tick_t;
#define BUPC_TICK_MAX UINT64_MAX
#define BUPC_TICK_MIN ((bupc_tick_t)0)
bupc_tick_t bupc_ticks_now(void);
uint64_t bupc_ticks_to_us(bupc_tick_t ticks);
uint64_t bupc_ticks_to_ns(bupc_tick_t ticks);
double bupc_tick_granularity(void); /* microseconds */
double bupc_tick_overhead(void);    /* microseconds */
#define bupc_tick_granularityus bupc_tick_granularity
#define bupc_tick_overheadus bupc_tick_overhead

/* ---- Threads and pointers ---- */
#define BUPC_THREADS_SAME 0
#define BUPC_THREADS_VERYNEAR 1
#define BUPC_THREADS_NEAR 2
#define BUPC_THREADS_FAR 3
#define BUPC_THREADS_VERYFAR 4
unsigned int bupc_thread_distance(int thread_x, int thread_y);
void bupc_poll(void);
#define upc_poll() bupc_poll()
shared void *bupc_ptradd(shared void *ptr, size_t blockelems, size_t elemsz, ptrdiff_t elems);
shared void *bupc_local_to_shared(void *ptr, int thread, int phase);
shared void *bupc_inverse_cast(void *ptr);
int bupc_castable(shared const void *ptr);
int bupc_thread_castable(unsigned int thread);
void *bupc_cast(shared const void *ptr);
/* Writes what the pointer's parts are: 0, or -1 with errno EINVAL if the buffer is shorter than this. */
#define BUPC_DUMP_MIN_LENGTH 100
int bupc_dump_shared(shared const void *ptr, char *buffer, int maxlen);
#define UPC_DUMP_MIN_LENGTH BUPC_DUMP_MIN_LENGTH
#define upc_dump_shared bupc_dump_shared
char *bupc_getenv(const char *name);

/* 1 if two types, or the types of two expressions, are compatible; their own qualifiers do not count. */
#define bupc_assert_type(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))

/* ---- Tracing and statistics by the program: accepted, without effect. See WEFT_TRACE and WEFT_STATS. ---- */
#define bupc_trace_printf(parenthesized_arguments) ((void)0)
#define bupc_trace_setmask(mask) ((void)(mask))
#define bupc_trace_getmask() ""
#define bupc_trace_settracelocal(local) ((void)(local))
#define bupc_trace_gettracelocal() 0
#define bupc_stats_setmask(mask) ((void)(mask))
#define bupc_stats_getmask() ""

#ifdef BUPC_USE_UPC_NAMESPACE
#include <bupc_upc_names.h>
#endif

#endif
