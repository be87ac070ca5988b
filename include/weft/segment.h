/**
 * @file
 * The segment: the memory of a rank that every rank can address.
 *
 * Address space is reserved generously at start, and backed by memory only where it is touched. So programs rarely need
 * to set its size (WEFT_SEGMENT_SIZE, docs/SETTINGS.md). All segments have the same size. No allocation has offset 0,
 * so 0 can stand for "nothing".
 */
#ifndef WEFT_SEGMENT_H
#define WEFT_SEGMENT_H

#include <weft/detail/context.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Start of this rank's own segment. Any thread, handlers too.
 * @return its address
 * @since 0.1 */
void* weft_segment_base(void);
/** Size of every segment. Any thread, handlers too.
 * @return bytes
 * @since 0.1 */
static inline size_t weft_segment_size(void) { return weft_detail_context()->segment_size; }

/** Allocates at the same offset in the segment of every rank.
 *
 * Collective: all ranks call it with the same arguments, in the same order as their other symmetric allocations and
 * frees. It does not communicate or synchronise. From its own call to its own weft_free_symmetric() a rank may access
 * the memory in any segment. Memory is zero when it is first allocated. With WEFT_THREAD_MULTIPLE any thread may call
 * it, but the order of calls must still agree between ranks. WEFT_CHECK=1 compares the calls of all ranks and checks
 * that what is accessed is allocated.
 * @param size         bytes; 0 gives a unique offset
 * @param alignment    a power of two that divides the segment's size, or 0 for 64 bytes
 * @param[out] offset  where the memory is; NULL ends the job with a line
 * @return WEFT_OK, WEFT_ERR_INVALID for an alignment that cannot be, or WEFT_ERR_NO_MEMORY after logging what was
 *         asked, what was left and which setting to raise
 * @since 0.1 */
int weft_alloc_symmetric(size_t size, size_t alignment, size_t* offset);
/** Frees memory of weft_alloc_symmetric(). Collective in the same sense. No rank may access the memory afterwards.
 * @param offset  as it was allocated; another one ends the job with a line
 * @return WEFT_OK
 * @since 0.1 */
int weft_free_symmetric(size_t offset);

/** Allocates in this rank's segment only. Not collective. Memory is zero when it is first allocated.
 * @param size         bytes; 0 gives a unique offset
 * @param alignment    a power of two that divides the segment's size, or 0 for 64 bytes
 * @param[out] offset  where the memory is; NULL ends the job with a line
 * @return as weft_alloc_symmetric()
 * @since 0.1 */
int weft_alloc(size_t size, size_t alignment, size_t* offset);
/** Frees memory of weft_alloc().
 * @param offset  as it was allocated; another one ends the job with a line
 * @return WEFT_OK
 * @since 0.1 */
int weft_free(size_t offset);

/** Makes memory of this rank's own segment ready for heavy use: touches its pages and, unless WEFT_HUGE_PAGES=0, asks
 * the kernel to join them to huge pages.
 *
 * The content stays. It takes about a millisecond per mebibyte. It pays off for large arrays that are accessed with
 * large strides or by many ranks. A kernel without such pages leaves them as they are.
 * @param offset  where the memory begins
 * @param size    bytes; a range that reaches past the segment's end ends the job with a line
 * @return WEFT_OK
 * @since 0.1 */
int weft_segment_commit(size_t offset, size_t size);

/** Where this rank may load and store a peer's memory directly. Any thread, handlers too.
 *
 * Accesses through the pointer are ordinary memory accesses: no statistics, no checks. (The castability query of UPC's
 * upc_castable.h.)
 * @param peer    whose segment
 * @param offset  where in it
 * @return the address here, or NULL if the peer's segment is not mapped here; never NULL for this rank itself
 * @since 0.1 */
void* weft_pointer(weft_rank_t peer, size_t offset);

/** Offset of a pointer in this rank's own segment. Any thread, handlers too.
 * @param pointer  an address in the segment
 * @return bytes from the segment's start
 * @since 0.1 */
size_t weft_offset(const void* pointer);

#ifdef __cplusplus
}
#endif
#endif
