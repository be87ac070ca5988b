/* Non-contiguous puts and gets: vector, indexed and strided (VIS).
 *
 * Completion, flags, results and thread safety as in weft/rma.h for the form of the same suffix. The two sides of an
 * operation may be cut differently as long as they add up to the same number of bytes (WEFT_ERR_INVALID if not, or if
 * that is more than a size_t counts). A list that is NULL but has entries ends the job with a line.
 * Parts of zero length and lists of zero parts are allowed. Parts of the destination must not overlap. The lists
 * may be reused as soon as the call returns; the data only at local completion.
 * To signal that the data is there: weft_put_strided() or its like, and then weft_put_signal() of 0 bytes or
 * weft_semaphore_post(); a blocking put is in place when it returns. There is no form that does both at once: where the
 * memory is not mapped, the pieces travel in messages of their own that overtake each other, so it would wait, too.
 * There, packing into one weft_put_signal() is the better way, even where the target unpacks: 128 pieces of 64 bytes to
 * 8 KiB take 0.2 to 1.0 of the time of a strided put and its signal. On mapped memory the strided put is (0.7 to 1.2 of
 * packing and unpacking): it is the one copy.
 * Source: GASNet-EX VIS; Berkeley UPC's bupc_mem{put,get}_{vlist,ilist,fstrided,strided}. */
#ifndef WEFT_VIS_H
#define WEFT_VIS_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_local_part {
  void* address;
  size_t size;
} weft_local_part_t;

typedef struct weft_remote_part {
  size_t offset;
  size_t size;
} weft_remote_part_t;

/* ---- Vector: lists of parts of any sizes ---- */
int weft_put_vector(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                    const weft_local_part_t* local);
int weft_put_vector_nb(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                       const weft_local_part_t* local, unsigned flags, weft_handle_t* handle);
int weft_put_vector_nbi(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                        const weft_local_part_t* local, unsigned flags);
int weft_get_vector(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                    const weft_remote_part_t* remote);
int weft_get_vector_nb(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                       const weft_remote_part_t* remote, unsigned flags, weft_handle_t* handle);
int weft_get_vector_nbi(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                        const weft_remote_part_t* remote, unsigned flags);

/* ---- Indexed: lists of addresses, all parts of a side of the same size ---- */
int weft_put_indexed(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                     size_t local_count, const void* const* local, size_t local_size);
int weft_put_indexed_nb(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                        size_t local_count, const void* const* local, size_t local_size, unsigned flags,
                        weft_handle_t* handle);
int weft_put_indexed_nbi(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                         size_t local_count, const void* const* local, size_t local_size, unsigned flags);
int weft_get_indexed(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size,
                     size_t remote_count, const size_t* remote_offsets, size_t remote_size);
int weft_get_indexed_nb(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size,
                        size_t remote_count, const size_t* remote_offsets, size_t remote_size, unsigned flags,
                        weft_handle_t* handle);
int weft_get_indexed_nbi(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size,
                         size_t remote_count, const size_t* remote_offsets, size_t remote_size, unsigned flags);

/* ---- Strided: an N-dimensional block; WEFT_ERR_INVALID for too many dimensions or bytes ---- */

/* Element (i_1, ..., i_n), 0 <= i_d < count[d], of `element_size` contiguous bytes stands at
 * start + sum over d of i_d * stride[d]. Strides are in bytes and may be negative; dimension 0 varies fastest.
 * dimensions 0 is one element. At most WEFT_STRIDED_DIMENSIONS. */
enum { WEFT_STRIDED_DIMENSIONS = 16 };

int weft_put_strided(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                     const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions);
int weft_put_strided_nb(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                        const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions,
                        unsigned flags, weft_handle_t* handle);
int weft_put_strided_nbi(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                         const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions,
                         unsigned flags);
int weft_get_strided(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                     const ptrdiff_t* remote_stride, size_t element_size, const size_t* count, size_t dimensions);
int weft_get_strided_nb(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                        const ptrdiff_t* remote_stride, size_t element_size, const size_t* count, size_t dimensions,
                        unsigned flags, weft_handle_t* handle);
int weft_get_strided_nbi(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                         const ptrdiff_t* remote_stride, size_t element_size, const size_t* count,
                         size_t dimensions, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
