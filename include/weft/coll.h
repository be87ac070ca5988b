/* Collectives on teams (weft/team.h), blocking and non-blocking.
 *
 * All members of a team call the same collectives on it in the same order, with the same sizes, counts, types,
 * operations, roots and flags; addresses are each rank's own. Any number may be under way, on one team or on teams that
 * overlap. Blocking and _nb forms of one collective match each other. WEFT_CHECK=1 compares the calls and ends the job
 * with a line that names the members that differ.
 *
 * Buffers. Sizes are in bytes, counts in elements. Buffers may lie in the segment or outside it, and differ in that
 * between ranks; in the segment a large collective needs no intermediate copy. Source and destination do not overlap,
 * except as stated with WEFT_IN_PLACE. Pointers to buffers that a rank's part does not have, or of size 0, may be NULL.
 *
 * Completion. A blocking call returns, and a handle is complete, when this rank's source may be reused and its
 * destination is filled, or as the synchronisation flags say. Handles are those of puts: weft_handle_wait() and its
 * family (weft/rma.h). A NULL pointer for the handle ends the job with a line that names the function. Collectives
 * under way progress inside any Weft call that waits, and in weft_poll(). Until completion sources must not change and
 * destinations not be touched.
 *
 * Synchronisation flags, as in UPC (7.3.3 of its library specification); one IN and one OUT flag may be given:
 *   WEFT_IN_NOSYNC    data of any rank may be read and written as soon as some rank has called; the same as MYSYNC
 *                     here, since a rank's buffers are known to the others when it has called
 *   WEFT_IN_MYSYNC    data of a rank is touched only after that rank has called (default)
 *   WEFT_IN_ALLSYNC   no data is touched before all ranks have called
 *   WEFT_OUT_NOSYNC   complete when this rank's calls are; other ranks may still read this rank's source, write its
 *                     destination: synchronise before using either. On mapped memory large collectives whose buffers
 *                     lie in the segment leave out the phase in which readers and writers report; elsewhere as MYSYNC.
 *   WEFT_OUT_MYSYNC   complete when this rank's own data is settled (default)
 *   WEFT_OUT_ALLSYNC  complete when all ranks' data is settled
 *
 * Results of reductions are the same bits on every rank of the team, not necessarily the same from run to run with
 * other settings, since floating-point sums depend on the order of evaluation.
 *
 * Returns: WEFT_OK. WEFT_ERR_INVALID, before anything is done, for a root outside the team, an operation that the type
 * does not have, contradicting flags, or buffers (size or count times element, times the members where there is a block
 * for each; of functions with a list of sizes their sum, and each offset with its size) of more than PTRDIFF_MAX bytes;
 * the line logged says which. WEFT_ERR_NO_MEMORY: no handle could be made.
 * Threads: one thread of a rank at a time calls collectives on one team. Not in handlers. Sources: UPC collectives 1.3;
 * MPI-3 chapter 5; algorithms are named with their papers in docs/COLLECTIVES.md. */
#ifndef WEFT_COLL_H
#define WEFT_COLL_H

#include <weft/atomic.h>
#include <weft/team.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WEFT_IN_NOSYNC = 1u << 4,
  WEFT_IN_MYSYNC = 1u << 5,
  WEFT_IN_ALLSYNC = 1u << 6,
  WEFT_OUT_NOSYNC = 1u << 7,
  WEFT_OUT_MYSYNC = 1u << 8,
  WEFT_OUT_ALLSYNC = 1u << 9
};

/* Given as source (scatter: as destination, on the root): the data is where the result goes. The functions that take it
 * say so; elsewhere, as in a broadcast, it ends the job with a line that names the function. */
#define WEFT_IN_PLACE ((void*)1)

/* ---- Barrier ------------------------------------------------------------------------------------------------ */

/* As those of weft/barrier.h, over a team; each team's notify and wait alternate by themselves. On WEFT_TEAM_WORLD they
 * are the same barrier. A barrier completes no collective that is under way. */
int weft_team_barrier(weft_team_t team);
int weft_team_barrier_notify(weft_team_t team, int32_t value, unsigned flags);
int weft_team_barrier_wait(weft_team_t team, int32_t value, unsigned flags);
int weft_team_barrier_try(weft_team_t team, int32_t value, unsigned flags);
/* As a collective: complete when all members have called it. Matches only itself. */
int weft_team_barrier_nb(weft_team_t team, weft_handle_t* handle);

/* ---- Moving ------------------------------------------------------------------------------------------------- */

/* `size` bytes of the root's source to every member's destination. The root's own destination may be NULL or the
 * source, and is not written then. source: read on the root only. */
int weft_broadcast(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags);
int weft_broadcast_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root,
                      unsigned flags, weft_handle_t* handle);

/* Block m, of `size` bytes, of the root's source to the destination of member m. In place: the root's block stays. */
int weft_scatter(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags);
int weft_scatter_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags,
                    weft_handle_t* handle);

/* The `size` bytes of member m's source to block m of the root's destination. In place, root: its block is there. */
int weft_gather(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags);
int weft_gather_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags,
                   weft_handle_t* handle);

/* The same to every member's destination. In place: each member's block is there. */
int weft_gather_all(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags);
int weft_gather_all_nb(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags,
                       weft_handle_t* handle);

/* Block m of this member's source to block (this member) of m's destination; `size` bytes per block. In place: the
 * blocks of the destination are sent and replaced. */
int weft_exchange(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags);
int weft_exchange_nb(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags,
                     weft_handle_t* handle);

/* With sizes of their own: source_sizes[m] bytes at source_offsets[m] (bytes from source) go to member m, which expects
 * as many from this one in its destination_sizes. Arrays have one entry per member, are not NULL (which ends the job
 * with a line) and are read before the call returns. */
int weft_exchange_v(weft_team_t team, void* destination, const size_t* destination_sizes,
                    const size_t* destination_offsets, const void* source, const size_t* source_sizes,
                    const size_t* source_offsets, unsigned flags);
int weft_exchange_v_nb(weft_team_t team, void* destination, const size_t* destination_sizes,
                       const size_t* destination_offsets, const void* source, const size_t* source_sizes,
                       const size_t* source_offsets, unsigned flags, weft_handle_t* handle);

/** Collects blocks of different sizes in the root's destination.
 *
 * The `source_size` bytes of member m's source go to destination + destination_offsets[m] of the root, which expects
 * destination_sizes[m] bytes from it. Only the root knows all sizes. Blocks do not overlap; what lies between them is
 * not written. If a member sends another number of bytes than the root expects, the job ends with a line that names
 * both members and both numbers; with WEFT_CHECK=1 it does so before anything is moved.
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
/** As weft_gather_v(), without waiting for completion.
 *
 * @param handle  gets the handle to wait for; NULL ends the job with a line
 * @return as weft_gather_v(); WEFT_ERR_NO_MEMORY if no handle could be made
 * @since 0.2 */
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
/** As weft_scatter_v(), without waiting for completion.
 *
 * @param handle  gets the handle to wait for; NULL ends the job with a line
 * @return as weft_scatter_v(); WEFT_ERR_NO_MEMORY if no handle could be made
 * @since 0.2 */
int weft_scatter_v_nb(weft_team_t team, void* destination, size_t destination_size, const void* source,
                      const size_t* source_sizes, const size_t* source_offsets, uint32_t root, unsigned flags,
                      weft_handle_t* handle);

/** Collects blocks of different sizes in every member's destination.
 *
 * The `source_size` bytes of member m's source go to destination + destination_offsets[m] of every member. All members
 * give the same destination_sizes, in which entry m is member m's source_size; offsets are each member's own. Blocks do
 * not overlap; what lies between them is not written. A source_size that is not this member's own entry ends the job
 * with a line. With WEFT_CHECK=1 so does one that differs from another member's entry for it, and the line names both
 * members and both numbers; without, what the destinations hold then is undefined, and the call may not return.
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
/** As weft_gather_all_v(), without waiting for completion.
 *
 * @param handle  gets the handle to wait for; NULL ends the job with a line
 * @return as weft_gather_all_v(); WEFT_ERR_NO_MEMORY if no handle could be made
 * @since 0.2 */
int weft_gather_all_v_nb(weft_team_t team, void* destination, const size_t* destination_sizes,
                         const size_t* destination_offsets, const void* source, size_t source_size, unsigned flags,
                         weft_handle_t* handle);

/* `size` bytes to the destination of member `to`. Each member is the `to` of exactly one. */
int weft_permute(weft_team_t team, void* destination, const void* source, size_t size, uint32_t to, unsigned flags);
int weft_permute_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t to, unsigned flags,
                    weft_handle_t* handle);

/* ---- Reducing ----------------------------------------------------------------------------------------------- */

/* x op y, elementwise. Logical operations give 0 or 1. AND, OR and XOR are for integer types. Integers wrap. */
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

/* An operation of the program's: result[i] = left[i] op right[i] for `count` elements. result is the same array as
 * left, or as right, or apart from both. It must be associative, and must not call Weft. It may run inside any Weft
 * call that makes progress. */
typedef void (*weft_reduce_function_t)(void* result, const void* left, const void* right, size_t count, void* argument);

/* What a reduction does: an operation on a type. A value type; `function` and `argument` are each rank's own. */
typedef struct weft_reduction {
  weft_type_t type; /* of a predefined operation */
  weft_reduce_op_t op;
  weft_reduce_function_t function; /* NULL: the predefined operation */
  void* argument;
  size_t element_size;           /* bytes; with a function only */
  int commutative;               /* with a function: 0 if left and right must stay in the order of members */
} weft_reduction_t;

static inline weft_reduction_t weft_reduction_of(weft_type_t type, weft_reduce_op_t op) {
  weft_reduction_t reduction = {type, op, NULL, NULL, 0, 1};
  return reduction;
}
static inline weft_reduction_t weft_reduction_by(weft_reduce_function_t function, void* argument, size_t element_size,
                                                 int commutative) {
  weft_reduction_t reduction = {WEFT_U8, WEFT_REDUCE_ADD, function, argument, element_size, commutative};
  return reduction;
}

/* Element i of the root's destination becomes source[i] of member 0 op source[i] of member 1 op ..., `count` elements.
 * In place, root: its source is the destination. */
int weft_reduce(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                uint32_t root, unsigned flags);
int weft_reduce_nb(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                   uint32_t root, unsigned flags, weft_handle_t* handle);

/* The same on every member. In place: the source is the destination. */
int weft_reduce_all(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                    unsigned flags);
int weft_reduce_all_nb(weft_team_t team, void* destination, const void* source, size_t count,
                       weft_reduction_t reduction, unsigned flags, weft_handle_t* handle);

/* Sources have one block of `count` elements per member; block m of their reduction goes to member m. In place: the
 * source is the destination, whose first block becomes the result; the others are undefined. */
int weft_reduce_scatter(weft_team_t team, void* destination, const void* source, size_t count,
                        weft_reduction_t reduction, unsigned flags);
int weft_reduce_scatter_nb(weft_team_t team, void* destination, const void* source, size_t count,
                           weft_reduction_t reduction, unsigned flags, weft_handle_t* handle);

/* Member m gets the reduction over members 0 to m (inclusive), or 0 to m - 1 (exclusive; member 0's destination is not
 * written). In place: the source is the destination. */
int weft_prefix(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                unsigned flags);
int weft_prefix_nb(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                   unsigned flags, weft_handle_t* handle);
int weft_prefix_exclusive(weft_team_t team, void* destination, const void* source, size_t count,
                          weft_reduction_t reduction, unsigned flags);
int weft_prefix_exclusive_nb(weft_team_t team, void* destination, const void* source, size_t count,
                             weft_reduction_t reduction, unsigned flags, weft_handle_t* handle);

#ifdef __cplusplus
}
#endif
#endif
