/**
 * @file
 * Collectives on teams, blocking and non-blocking.
 *
 * All members of a team (weft/team.h) call the same collectives on it in the same order, with the same sizes, counts,
 * types, operations, roots and flags. Addresses are each rank's own. Any number may be under way, on one team or on
 * teams that overlap. Blocking and _nb forms of one collective match each other. WEFT_CHECK=1 compares the calls and
 * ends the job with a line that names the members that differ.
 *
 * **Buffers.** Sizes are in bytes, counts in elements. Buffers may lie in the segment or outside it, on each rank as it
 * likes. In the segment a large collective needs no intermediate copy. Source and destination must not overlap, except
 * as stated with WEFT_IN_PLACE. A buffer that a rank's part does not have, or of size 0, may be NULL.
 *
 * **Completion.** A blocking call returns, and a handle is complete, when this rank's source may be reused and its
 * destination is filled, or as the synchronisation flags say. Until then sources must not change, and destinations must
 * not be touched. Handles are those of puts: weft_handle_wait() and its family (weft/rma.h). NULL for the handle ends
 * the job with a line that names the function. Collectives under way make progress inside any Weft call that waits, and
 * in weft_poll().
 *
 * **Synchronisation** flags, as in UPC (7.3.3 of its library specification): one IN and one OUT flag may be given.
 *
 * **Results** of reductions are the same bits on every rank of the team. With other settings they may differ from run
 * to run, because floating-point sums depend on the order of evaluation.
 *
 * **Returns**
 * - WEFT_OK.
 * - WEFT_ERR_INVALID, before anything is done: a root outside the team, an operation that the type does not have,
 *   contradicting flags, or a buffer of more than PTRDIFF_MAX bytes. The line that is logged says which. A buffer has
 *   its size, or its count times the element's size, times the members if there is a block for each. With a list of
 *   sizes it has their sum, and each offset with its size counts, too.
 * - WEFT_ERR_NO_MEMORY: no handle could be made.
 *
 * **Threads**: one thread of a rank at a time calls collectives on one team. Not in handlers.
 *
 * docs/COLLECTIVES.md is the guide. Sources: UPC collectives 1.3; MPI-3 chapter 5; algorithms are named with their
 * papers there.
 */
#ifndef WEFT_COLL_H
#define WEFT_COLL_H

#include <weft/atomic.h>
#include <weft/team.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Synchronisation flags. */
enum {
  /** Data of any rank may be read and written as soon as some rank has called. Here it is the same as MYSYNC: the
   * others know a rank's buffers only when it has called. */
  WEFT_IN_NOSYNC = 1u << 4,
  WEFT_IN_MYSYNC = 1u << 5,  /**< data of a rank is touched only after that rank has called (default) */
  WEFT_IN_ALLSYNC = 1u << 6, /**< no data is touched before all ranks have called */
  /** Complete when this rank's calls are. Other ranks may still read this rank's source and write its destination, so
   * synchronise before using either. On mapped memory large collectives whose buffers lie in the segment leave out the
   * phase in which readers and writers report. Elsewhere it is the same as MYSYNC. */
  WEFT_OUT_NOSYNC = 1u << 7,
  WEFT_OUT_MYSYNC = 1u << 8, /**< complete when this rank's own data is settled (default) */
  WEFT_OUT_ALLSYNC = 1u << 9 /**< complete when all ranks' data is settled */
};

/** Given as source (scatter: as destination, on the root): the data is where the result goes. The functions that take
 * it say so; elsewhere, as in a broadcast, it ends the job with a line that names the function. */
#define WEFT_IN_PLACE ((void*)1)

/** @name Barrier
 * As those of weft/barrier.h, over a team; each team's notify and wait alternate by themselves. On WEFT_TEAM_WORLD they
 * are the same barrier. A barrier completes no collective that is under way.
 * @{ */

/** weft_barrier() over a team.
 * @param team  which
 * @copydetails weft_barrier */
int weft_team_barrier(weft_team_t team);
/** weft_barrier_notify() over a team.
 * @param team   which
 * @copydetails weft_barrier_notify */
int weft_team_barrier_notify(weft_team_t team, int32_t value, unsigned flags);
/** weft_barrier_wait() over a team.
 * @param team   which
 * @copydetails weft_barrier_wait */
int weft_team_barrier_wait(weft_team_t team, int32_t value, unsigned flags);
/** weft_barrier_try() over a team.
 * @param team   which
 * @copydetails weft_barrier_try */
int weft_team_barrier_try(weft_team_t team, int32_t value, unsigned flags);
/** A barrier as a collective: complete when all members have called it. Matches only itself.
 * @param team         which
 * @param[out] handle  to wait for
 * @return WEFT_OK
 * @since 0.1 */
int weft_team_barrier_nb(weft_team_t team, weft_handle_t* handle);

/** @} */

/** @name Moving
 * @{ */

/** Copies the root's source to every member's destination.
 * @param team         on which
 * @param destination  where to; on the root it may be NULL or the source, and is not written then
 * @param source       what to copy; read on the root only
 * @param size         bytes
 * @param root         the member that has the source
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_broadcast(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags);
/** weft_broadcast() that returns at once; the handle completes it.
 * @copydetails weft_broadcast
 * @param[out] handle  to wait for */
int weft_broadcast_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root,
                      unsigned flags, weft_handle_t* handle);

/** Copies block m of the root's source to the destination of member m.
 * @param team         on which
 * @param destination  of `size` bytes; WEFT_IN_PLACE on the root: its block stays
 * @param source       one block per member; read on the root only
 * @param size         bytes of a block
 * @param root         the member that has the source
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_scatter(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags);
/** weft_scatter() that returns at once; the handle completes it.
 * @copydetails weft_scatter
 * @param[out] handle  to wait for */
int weft_scatter_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags,
                    weft_handle_t* handle);

/** Copies the source of member m to block m of the root's destination.
 * @param team         on which
 * @param destination  one block per member; written on the root only
 * @param source       of `size` bytes; WEFT_IN_PLACE on the root: its block is there
 * @param size         bytes of a block
 * @param root         the member that has the destination
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_gather(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags);
/** weft_gather() that returns at once; the handle completes it.
 * @copydetails weft_gather
 * @param[out] handle  to wait for */
int weft_gather_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags,
                   weft_handle_t* handle);

/** Copies the source of member m to block m of every member's destination.
 * @param team         on which
 * @param destination  one block per member
 * @param source       of `size` bytes; WEFT_IN_PLACE: each member's block is there
 * @param size         bytes of a block
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_gather_all(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags);
/** weft_gather_all() that returns at once; the handle completes it.
 * @copydetails weft_gather_all
 * @param[out] handle  to wait for */
int weft_gather_all_nb(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags,
                       weft_handle_t* handle);

/** Copies block m of this member's source to block (this member) of m's destination.
 * @param team         on which
 * @param destination  one block per member
 * @param source       one block per member; WEFT_IN_PLACE: the blocks of the destination are sent and replaced
 * @param size         bytes of a block
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_exchange(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags);
/** weft_exchange() that returns at once; the handle completes it.
 * @copydetails weft_exchange
 * @param[out] handle  to wait for */
int weft_exchange_nb(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags,
                     weft_handle_t* handle);

/** weft_exchange() of blocks with sizes of their own.
 *
 * Each array has one entry per member and is read before the call returns. A NULL array ends the job with a line. This
 * member must send to m as many bytes as m expects from it.
 * @param team                 on which
 * @param destination          receives the blocks
 * @param destination_sizes    bytes that come from each member
 * @param destination_offsets  where each block goes, in bytes from destination
 * @param source               has the blocks to send
 * @param source_sizes         bytes that go to each member
 * @param source_offsets       where each block begins, in bytes from source
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_exchange_v(weft_team_t team, void* destination, const size_t* destination_sizes,
                    const size_t* destination_offsets, const void* source, const size_t* source_sizes,
                    const size_t* source_offsets, unsigned flags);
/** weft_exchange_v() that returns at once; the handle completes it.
 * @copydetails weft_exchange_v
 * @param[out] handle  to wait for */
int weft_exchange_v_nb(weft_team_t team, void* destination, const size_t* destination_sizes,
                       const size_t* destination_offsets, const void* source, const size_t* source_sizes,
                       const size_t* source_offsets, unsigned flags, weft_handle_t* handle);

/** Collects blocks of different sizes in the root's destination.
 *
 * The `source_size` bytes of member m's source go to destination + destination_offsets[m] of the root, which expects
 * destination_sizes[m] bytes from it. Only the root knows all sizes. Blocks do not overlap; what lies between them is
 * not written. If a member sends another number of bytes than the root expects, the job ends with a line that names
 * both members and both numbers. With WEFT_CHECK=1 it does so before anything is moved.
 *
 * @param team               the team; all its members call
 * @param destination        read on the root only: where the blocks go
 * @param destination_sizes  read on the root only, where it is not NULL (which ends the job with a line): bytes from
 *                           each member, one entry per member; read before the call returns
 * @param destination_offsets  as destination_sizes: where each block begins, in bytes from destination
 * @param source             this member's block; WEFT_IN_PLACE on the root: its block is in the destination already
 * @param source_size        bytes of this member's block; not read with WEFT_IN_PLACE
 * @param root               the member that collects
 * @param flags              synchronisation flags, or 0
 * @return WEFT_OK; WEFT_ERR_INVALID for a root outside the team, contradicting flags, or sizes, a sum of sizes, or an
 *         offset with its size of more than PTRDIFF_MAX
 * @since 0.2 */
int weft_gather_v(weft_team_t team, void* destination, const size_t* destination_sizes,
                  const size_t* destination_offsets, const void* source, size_t source_size, uint32_t root,
                  unsigned flags);
/** weft_gather_v() that returns at once; the handle completes it.
 * @copydetails weft_gather_v
 * @param[out] handle  to wait for */
int weft_gather_v_nb(weft_team_t team, void* destination, const size_t* destination_sizes,
                     const size_t* destination_offsets, const void* source, size_t source_size, uint32_t root,
                     unsigned flags, weft_handle_t* handle);

/** Hands out blocks of different sizes from the root's source.
 *
 * The source_sizes[m] bytes at source + source_offsets[m] of the root go to the destination of member m, which expects
 * `destination_size` bytes. Only the root knows all sizes. Blocks may overlap: they are read only. If a member expects
 * another number of bytes than the root sends, the job ends with a line that names both members and both numbers; with
 * WEFT_CHECK=1 it does so before anything is moved.
 *
 * @param team              the team; all its members call
 * @param destination       this member's block; WEFT_IN_PLACE on the root: its block stays in the source
 * @param destination_size  bytes of this member's block; not read with WEFT_IN_PLACE
 * @param source            read on the root only: what is handed out
 * @param source_sizes      read on the root only, where it is not NULL (which ends the job with a line): bytes for each
 *                          member, one entry per member; read before the call returns
 * @param source_offsets    as source_sizes: where each block begins, in bytes from source
 * @param root              the member that hands out
 * @param flags             synchronisation flags, or 0
 * @return WEFT_OK; WEFT_ERR_INVALID for a root outside the team, contradicting flags, or sizes, a sum of sizes, or an
 *         offset with its size of more than PTRDIFF_MAX
 * @since 0.2 */
int weft_scatter_v(weft_team_t team, void* destination, size_t destination_size, const void* source,
                   const size_t* source_sizes, const size_t* source_offsets, uint32_t root, unsigned flags);
/** weft_scatter_v() that returns at once; the handle completes it.
 * @copydetails weft_scatter_v
 * @param[out] handle  to wait for */
int weft_scatter_v_nb(weft_team_t team, void* destination, size_t destination_size, const void* source,
                      const size_t* source_sizes, const size_t* source_offsets, uint32_t root, unsigned flags,
                      weft_handle_t* handle);

/** Collects blocks of different sizes in every member's destination.
 *
 * The `source_size` bytes of member m's source go to destination + destination_offsets[m] of every member. All members
 * give the same destination_sizes, in which entry m is member m's source_size; offsets are each member's own. Blocks do
 * not overlap; what lies between them is not written. A source_size that is not this member's own entry ends the job
 * with a line. With WEFT_CHECK=1 so does one that differs from another member's entry for it. The line names both
 * members and both numbers. Without WEFT_CHECK=1 the destinations are undefined then, and the call may not return.
 *
 * @param team                 the team; all its members call
 * @param destination          where the blocks go
 * @param destination_sizes    bytes from each member, one entry per member, alike on all; not NULL, which ends the job
 *                             with a line; read before the call returns
 * @param destination_offsets  as destination_sizes, but each member's own: where each block begins, in bytes from
 *                             destination
 * @param source               this member's block; WEFT_IN_PLACE: it is in the destination already
 * @param source_size          bytes of this member's block; not read with WEFT_IN_PLACE
 * @param flags                synchronisation flags, or 0
 * @return WEFT_OK; WEFT_ERR_INVALID for contradicting flags, or sizes, a sum of sizes, or an offset with its size of
 *         more than PTRDIFF_MAX
 * @since 0.2 */
int weft_gather_all_v(weft_team_t team, void* destination, const size_t* destination_sizes,
                      const size_t* destination_offsets, const void* source, size_t source_size, unsigned flags);
/** weft_gather_all_v() that returns at once; the handle completes it.
 * @copydetails weft_gather_all_v
 * @param[out] handle  to wait for */
int weft_gather_all_v_nb(weft_team_t team, void* destination, const size_t* destination_sizes,
                         const size_t* destination_offsets, const void* source, size_t source_size, unsigned flags,
                         weft_handle_t* handle);

/** Copies this member's source to the destination of one other. Each member is the `to` of exactly one.
 * @param team         on which
 * @param destination  where what comes goes
 * @param source       what goes
 * @param size         bytes
 * @param to           the member that it goes to
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_permute(weft_team_t team, void* destination, const void* source, size_t size, uint32_t to, unsigned flags);
/** weft_permute() that returns at once; the handle completes it.
 * @copydetails weft_permute
 * @param[out] handle  to wait for */
int weft_permute_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t to, unsigned flags,
                    weft_handle_t* handle);

/** @} */

/** @name Reducing
 * @{ */

/** Operations x op y, elementwise. Logical operations give 0 or 1. AND, OR and XOR are for integer types. Integers
 * wrap. */
typedef enum weft_reduce_op {
  WEFT_REDUCE_ADD = 0,
  WEFT_REDUCE_MULT = 1,
  WEFT_REDUCE_MIN = 2,
  WEFT_REDUCE_MAX = 3,
  WEFT_REDUCE_AND = 4,
  WEFT_REDUCE_OR = 5,
  WEFT_REDUCE_XOR = 6,
  WEFT_REDUCE_LOGAND = 7,
  WEFT_REDUCE_LOGOR = 8
} weft_reduce_op_t;

/** An operation of the program's: result[i] = left[i] op right[i] for `count` elements. result is the same array as
 * left, or as right, or apart from both. It must be associative, and must not call Weft. It may run inside any Weft
 * call that makes progress. */
typedef void (*weft_reduce_function_t)(void* result, const void* left, const void* right, size_t count, void* argument);

/** What a reduction does: an operation on a type. A value type; `function` and `argument` are each rank's own. */
typedef struct weft_reduction {
  weft_type_t type;                /**< of a predefined operation */
  weft_reduce_op_t op;             /**< the predefined operation */
  weft_reduce_function_t function; /**< NULL: the predefined operation */
  void* argument;                  /**< given to the function */
  size_t element_size;             /**< bytes; with a function only */
  int commutative;                 /**< with a function: 0 if left and right must stay in the order of members */
} weft_reduction_t;

/** A reduction by a predefined operation. Any thread, at any time.
 * @param type  of the elements
 * @param op    the operation
 * @return the reduction
 * @since 0.1 */
static inline weft_reduction_t weft_reduction_of(weft_type_t type, weft_reduce_op_t op) {
  weft_reduction_t reduction = {type, op, NULL, NULL, 0, 1};
  return reduction;
}
/** A reduction by an operation of the program's. Any thread, at any time.
 * @param function      the operation
 * @param argument      given to it
 * @param element_size  bytes of an element
 * @param commutative   0 if left and right must stay in the order of members
 * @return the reduction
 * @since 0.1 */
static inline weft_reduction_t weft_reduction_by(weft_reduce_function_t function, void* argument, size_t element_size,
                                                 int commutative) {
  weft_reduction_t reduction = {WEFT_U8, WEFT_REDUCE_ADD, function, argument, element_size, commutative};
  return reduction;
}

/** Reduces the sources of all members to the root's destination.
 *
 * Element i becomes source[i] of member 0 op source[i] of member 1 op ...
 * @param team         on which
 * @param destination  of `count` elements; written on the root only
 * @param source       of `count` elements; WEFT_IN_PLACE on the root: its source is the destination
 * @param count        elements
 * @param reduction    the operation and the type
 * @param root         the member that has the destination
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_reduce(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                uint32_t root, unsigned flags);
/** weft_reduce() that returns at once; the handle completes it.
 * @copydetails weft_reduce
 * @param[out] handle  to wait for */
int weft_reduce_nb(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                   uint32_t root, unsigned flags, weft_handle_t* handle);

/** Reduces the sources of all members to every member's destination.
 *
 * Element i becomes source[i] of member 0 op source[i] of member 1 op ...
 * @param team         on which
 * @param destination  of `count` elements
 * @param source       of `count` elements; WEFT_IN_PLACE: the source is the destination
 * @param count        elements
 * @param reduction    the operation and the type
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_reduce_all(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                    unsigned flags);
/** weft_reduce_all() that returns at once; the handle completes it.
 * @copydetails weft_reduce_all
 * @param[out] handle  to wait for */
int weft_reduce_all_nb(weft_team_t team, void* destination, const void* source, size_t count,
                       weft_reduction_t reduction, unsigned flags, weft_handle_t* handle);

/** Reduces the sources of all members; block m of the result goes to member m.
 * @param team         on which
 * @param destination  of `count` elements
 * @param source       one block of `count` elements per member; WEFT_IN_PLACE: the source is the destination, whose
 *                     first block becomes the result; the others are undefined
 * @param count        elements of a block
 * @param reduction    the operation and the type
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_reduce_scatter(weft_team_t team, void* destination, const void* source, size_t count,
                        weft_reduction_t reduction, unsigned flags);
/** weft_reduce_scatter() that returns at once; the handle completes it.
 * @copydetails weft_reduce_scatter
 * @param[out] handle  to wait for */
int weft_reduce_scatter_nb(weft_team_t team, void* destination, const void* source, size_t count,
                           weft_reduction_t reduction, unsigned flags, weft_handle_t* handle);

/** Reduces over the members up to this one: member m gets the reduction over members 0 to m.
 * @param team         on which
 * @param destination  of `count` elements
 * @param source       of `count` elements; WEFT_IN_PLACE: the source is the destination
 * @param count        elements
 * @param reduction    the operation and the type
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_prefix(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                unsigned flags);
/** weft_prefix() that returns at once; the handle completes it.
 * @copydetails weft_prefix
 * @param[out] handle  to wait for */
int weft_prefix_nb(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                   unsigned flags, weft_handle_t* handle);
/** Reduces over the members before this one: member m gets the reduction over members 0 to m - 1.
 * @param team         on which
 * @param destination  of `count` elements; that of member 0 is not written
 * @param source       of `count` elements; WEFT_IN_PLACE: the source is the destination
 * @param count        elements
 * @param reduction    the operation and the type
 * @param flags        synchronisation flags, or 0
 * @return WEFT_OK, or an error as this header's beginning says
 * @since 0.1 */
int weft_prefix_exclusive(weft_team_t team, void* destination, const void* source, size_t count,
                          weft_reduction_t reduction, unsigned flags);
/** weft_prefix_exclusive() that returns at once; the handle completes it.
 * @copydetails weft_prefix_exclusive
 * @param[out] handle  to wait for */
int weft_prefix_exclusive_nb(weft_team_t team, void* destination, const void* source, size_t count,
                             weft_reduction_t reduction, unsigned flags, weft_handle_t* handle);

/** @} */

#ifdef __cplusplus
}
#endif
#endif
