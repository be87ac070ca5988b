/**
 * @file
 * Non-contiguous puts and gets: vector, indexed and strided (VIS).
 *
 * Completion, flags, results and thread safety are those of weft/rma.h for the form of the same suffix.
 *
 * - The two sides of an operation may be cut into different parts. They must add up to the same number of bytes.
 *   Otherwise, and if a size_t does not hold the sum, the result is WEFT_ERR_INVALID.
 * - Parts of zero length and lists of zero parts are allowed. Parts of the destination must not overlap.
 * - The lists may be reused as soon as the call returns, the data only at local completion.
 * - A NULL list that has entries ends the job with a line.
 *
 * To signal that the data is in place, call weft_put_strided() or its like, and then weft_put_signal() of 0 bytes or
 * weft_semaphore_post(): a blocking put is in place when it returns. There is no form that does both at once. Where the
 * memory is not mapped the pieces travel in messages that overtake each other, so such a form would have to wait, too.
 * Which way is faster:
 *
 * - Memory not mapped: pack into one weft_put_signal(), even if the target has to unpack. With 128 pieces of 64 bytes
 * to 8 KiB that takes 0.2 to 1.0 of the time of a strided put and its signal.
 * - Mapped memory: the strided put, which copies once. It takes 0.7 to 1.2 of the time of packing and unpacking.
 *
 * Source: GASNet-EX VIS; Berkeley UPC's bupc_mem{put,get}_{vlist,ilist,fstrided,strided}.
 */
#ifndef WEFT_VIS_H
#define WEFT_VIS_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Vector: lists of parts of any sizes
 * @{ */

/** A piece of this rank's memory, in the segment or outside. */
typedef struct weft_local_part {
  void* address; /**< where it begins */
  size_t size;   /**< bytes */
} weft_local_part_t;

/** A piece of the peer's segment. */
typedef struct weft_remote_part {
  size_t offset; /**< where it begins */
  size_t size;   /**< bytes */
} weft_remote_part_t;

/** Puts a list of local parts into a list of parts of a peer's segment; returns when they are in place.
 * @param peer          whose segment
 * @param remote_count  parts there
 * @param remote        where they lie
 * @param local_count   parts here
 * @param local         where they lie
 * @return WEFT_OK, or WEFT_ERR_INVALID, with a line logged, if the sides differ in bytes; from _nb and _nbi
 *         also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_put_vector(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                    const weft_local_part_t* local);
/** weft_put_vector() that returns when it is initiated; the handle completes it.
 * @copydetails weft_put_vector
 * @param flags        WEFT_IMMEDIATE, WEFT_STREAM, or 0
 * @param[out] handle  to wait for */
int weft_put_vector_nb(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                       const weft_local_part_t* local, unsigned flags, weft_handle_t* handle);
/** weft_put_vector() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_put_vector
 * @param flags  WEFT_IMMEDIATE, WEFT_STREAM, or 0 */
int weft_put_vector_nbi(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                        const weft_local_part_t* local, unsigned flags);
/** Gets a list of parts of a peer's segment into a list of local parts; returns when they are here.
 * @param peer          whose segment
 * @param local_count   parts here
 * @param local         where they lie
 * @param remote_count  parts there
 * @param remote        where they lie
 * @return WEFT_OK, or WEFT_ERR_INVALID, with a line logged, if the sides differ in bytes; from _nb and _nbi
 *         also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_get_vector(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                    const weft_remote_part_t* remote);
/** weft_get_vector() that returns when it is initiated; the handle completes it.
 * @copydetails weft_get_vector
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] handle  to wait for */
int weft_get_vector_nb(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                       const weft_remote_part_t* remote, unsigned flags, weft_handle_t* handle);
/** weft_get_vector() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_get_vector
 * @param flags  WEFT_IMMEDIATE, or 0 */
int weft_get_vector_nbi(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                        const weft_remote_part_t* remote, unsigned flags);

/** @} */

/** @name Indexed: lists of addresses, all parts of a side of the same size
 * @{ */

/** Puts parts of one size into parts of one size of a peer's segment; returns when they are in place.
 * @param peer            whose segment
 * @param remote_count    parts there
 * @param remote_offsets  where each begins
 * @param remote_size     bytes of each
 * @param local_count     parts here
 * @param local           where each begins
 * @param local_size      bytes of each
 * @return WEFT_OK, or WEFT_ERR_INVALID, with a line logged, if the sides differ in bytes; from _nb and _nbi
 *         also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_put_indexed(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                     size_t local_count, const void* const* local, size_t local_size);
/** weft_put_indexed() that returns when it is initiated; the handle completes it.
 * @copydetails weft_put_indexed
 * @param flags        WEFT_IMMEDIATE, WEFT_STREAM, or 0
 * @param[out] handle  to wait for */
int weft_put_indexed_nb(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                        size_t local_count, const void* const* local, size_t local_size, unsigned flags,
                        weft_handle_t* handle);
/** weft_put_indexed() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_put_indexed
 * @param flags  WEFT_IMMEDIATE, WEFT_STREAM, or 0 */
int weft_put_indexed_nbi(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                         size_t local_count, const void* const* local, size_t local_size, unsigned flags);
/** Gets parts of one size of a peer's segment into parts of one size; returns when they are here.
 * @param peer            whose segment
 * @param local_count     parts here
 * @param local           where each begins
 * @param local_size      bytes of each
 * @param remote_count    parts there
 * @param remote_offsets  where each begins
 * @param remote_size     bytes of each
 * @return WEFT_OK, or WEFT_ERR_INVALID, with a line logged, if the sides differ in bytes; from _nb and _nbi
 *         also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_get_indexed(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size, size_t remote_count,
                     const size_t* remote_offsets, size_t remote_size);
/** weft_get_indexed() that returns when it is initiated; the handle completes it.
 * @copydetails weft_get_indexed
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] handle  to wait for */
int weft_get_indexed_nb(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size,
                        size_t remote_count, const size_t* remote_offsets, size_t remote_size, unsigned flags,
                        weft_handle_t* handle);
/** weft_get_indexed() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_get_indexed
 * @param flags  WEFT_IMMEDIATE, or 0 */
int weft_get_indexed_nbi(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size,
                         size_t remote_count, const size_t* remote_offsets, size_t remote_size, unsigned flags);

/** @} */

/** @name Strided: an N-dimensional block
 * Element (i_1, ..., i_n), 0 <= i_d < count[d], of `element_size` contiguous bytes stands at
 * start + sum over d of i_d * stride[d]. Strides are in bytes and may be negative; dimension 0 varies fastest.
 * dimensions 0 is one element.
 * @{ */

/** The most dimensions. */
enum { WEFT_STRIDED_DIMENSIONS = 16 };

/** Puts a block; returns when it is in place.
 * @param peer           whose segment
 * @param remote_offset  where element (0, ..., 0) goes
 * @param remote_stride  the strides there, one per dimension
 * @param local          element (0, ..., 0) here
 * @param local_stride   the strides here, one per dimension
 * @param element_size   bytes of an element
 * @param count          elements in each dimension
 * @param dimensions     how many, at most WEFT_STRIDED_DIMENSIONS
 * @return WEFT_OK, or WEFT_ERR_INVALID, with a line logged, for too many dimensions or bytes; from _nb and _nbi
 *         also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_put_strided(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                     const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions);
/** weft_put_strided() that returns when it is initiated; the handle completes it.
 * @copydetails weft_put_strided
 * @param flags        WEFT_IMMEDIATE, WEFT_STREAM, or 0
 * @param[out] handle  to wait for */
int weft_put_strided_nb(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                        const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions,
                        unsigned flags, weft_handle_t* handle);
/** weft_put_strided() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_put_strided
 * @param flags  WEFT_IMMEDIATE, WEFT_STREAM, or 0 */
int weft_put_strided_nbi(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                         const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions,
                         unsigned flags);
/** Gets a block; returns when it is here.
 * @param[out] local     where element (0, ..., 0) goes
 * @param local_stride   the strides here, one per dimension
 * @param peer           whose segment
 * @param remote_offset  element (0, ..., 0) there
 * @param remote_stride  the strides there, one per dimension
 * @param element_size   bytes of an element
 * @param count          elements in each dimension
 * @param dimensions     how many, at most WEFT_STRIDED_DIMENSIONS
 * @return WEFT_OK, or WEFT_ERR_INVALID, with a line logged, for too many dimensions or bytes; from _nb and _nbi
 *         also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_get_strided(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                     const ptrdiff_t* remote_stride, size_t element_size, const size_t* count, size_t dimensions);
/** weft_get_strided() that returns when it is initiated; the handle completes it.
 * @copydetails weft_get_strided
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] handle  to wait for */
int weft_get_strided_nb(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                        const ptrdiff_t* remote_stride, size_t element_size, const size_t* count, size_t dimensions,
                        unsigned flags, weft_handle_t* handle);
/** weft_get_strided() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_get_strided
 * @param flags  WEFT_IMMEDIATE, or 0 */
int weft_get_strided_nbi(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                         const ptrdiff_t* remote_stride, size_t element_size, const size_t* count, size_t dimensions,
                         unsigned flags);

/** @} */

#ifdef __cplusplus
}
#endif
#endif
