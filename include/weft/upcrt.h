/**
 * @file
 * The interface between compiled UPC code and the UPC runtime.
 *
 * The table says which C stands for which UPC construct. A translated unit defines, before it includes this header,
 *  - UPCR_THREADS to the number of threads, if THREADS is static;
 *  - UPCR_PTHREADS to 1, if threads of the program are to be able to share a process (`upcc --pthreads`).
 *
 * @verbatim
 *   UPC                                   C                                                                 header
 *   ------------------------------------  ----------------------------------------------------------------  ---------
 *   the unit itself                       UPCR_UNIT(static THREADS or 0, "file.upc");                       unit.h
 *   shared T x; shared [B] T a[...];      UPCR_SHARED(x, bytes on a thread, alignment), UPCR_SHARED_STATIC
 *     extern shared ...                   UPCR_SHARED_EXTERN(x);
 *     &x, a                               UPCR_STATIC(x): thread 0, phase 0
 *     initialisers                        UPCR_INITIALISER(f); f calls upcr_initialise(), upcc_put_... or assigns
 *   int main(...)                         int upcr_user_main(int, char**, char**) calls it
 *   MYTHREAD, THREADS                     upcr_mythread(), upcr_threads()                                   view.h
 *   type pointer-to-shared                upcr_pts_t: size 16, alignment 8; also `shared void *`              pts.h
 *   0 or NULL as pointer-to-shared        upcr_null(); {0} in a static initialiser
 *   !p, if (p), p && ..., p == 0          upcr_is_null(p)
 *   p == q, p != q                        upcr_equal(p, q)
 *   p + i, p - i, &p[i], p += i           upcr_add(p, i * n, B, E): n ultimate elements in *p, B the block size (0
 *                                         indefinite), E the size of the ultimate element
 *   ++p, --p                              upcr_next(p, B, E), upcr_previous(p, B, E) if n is 1, else upcr_add
 *   &a[i] of a declared array             upcr_element(UPCR_STATIC_OFFSET(a), i, B, E) (i in ultimate elements)
 *   p - q                                 upcr_subtract(p, q, B, E) / n
 *   p < q and the like                    upcr_subtract(p, q, B, E) < 0
 *   &s.m, &p->m                           upcr_field(p, offsetof(S, m))
 *   (shared [B] T *)p                     p, or upcr_resetphase(p) where 6.4.3 says so
 *   (T *)p                                (T*)upcr_local(p)
 *   *p read, relaxed and strict           upcc_get_int(p, UPCR_HERE), upcc_get_strict_int(p, UPCR_HERE)     accessors.h
 *   *p = v                                upcc_put_int(p, v, UPCR_HERE), upcc_put_strict_int(p, v, UPCR_HERE)
 *   *p op= v, ++*p                        the address into a local once, then a get and a put
 *   other types, and loops with a bound   if (upcr_direct()) an access of upcr_at(p), else upcr_get_slow()  access.h
 *                                         or upcr_put_slow() with a variable
 *   bit-fields                            the same with the bytes that have its bits; strict: between two fences
 *   struct copies between shared objects  if (upcr_direct()) an assignment, else upcr_copy_slow()
 *   upc_fence                             upcr_fence()
 *   upc_notify e; upc_wait e;             upcr_notify(1, e, UPCR_HERE), upcr_wait(1, e, UPCR_HERE)          control.h
 *   upc_barrier; upc_barrier e;           upcr_barrier(0, 0, UPCR_HERE), upcr_barrier(1, e, UPCR_HERE)
 *   upc_forall                            UPCR_FORALL and the tests of control.h
 *   known-local accesses                  *(T*)upcr_own_at(p, sizeof(T), UPCR_HERE); *(T*)upcr_self_at(offset) where
 *                                         upcr_unchecked() has been tested
 *   library functions                     the same names; a pointer-to-shared is passed and returned as upcr_pts_t by
 *                                         value. The headers in include/upc map some calls to inline functions
 *                                         (upcrt/library.h), whose names begin with upcr_: do not emit declarations
 *                                         of those, this header has them.
 * @endverbatim
 *
 * The arithmetic and access functions are always inline, so a construct costs what its fast path costs: one address
 * computation and a load or a store where the memory of all threads is mapped, one call otherwise.
 */
#ifndef WEFT_UPCRT_H
#define WEFT_UPCRT_H

#include <weft/upcrt/access.h>
#include <weft/upcrt/control.h>
#include <weft/upcrt/gather.h>
#include <weft/upcrt/library.h>
#include <weft/upcrt/pts.h>
#include <weft/upcrt/replica.h>
#include <weft/upcrt/shadow.h>
#include <weft/upcrt/unit.h>
#include <weft/upcrt/update.h>
#include <weft/upcrt/view.h>
#include <weft/upcrt/window.h>

#endif
