/**
 * @file
 * Teams of threads and collectives on them, blocking and non-blocking.
 *
 * An extension of this compiler's, for UPC programs.
 *
 * A team of n threads numbers its members from 0 to n - 1; UPC_TEAM_ALL is all threads in their order. Teams may
 * overlap and nest. Functions that make a team and collectives are called by all members of the (parent) team, in the
 * same order, with the same sizes, types, operations, roots and flags.
 *
 * **Buffers.** A pointer stands for the caller's own part: memory at the pointer's offset (upc_addrfield) of the
 * caller's thread, whichever thread the pointer names. So, as in upc_collective.h, all members may pass the address of
 * the first element of one array that has the part of each thread at the same place: of upc_all_alloc(), or a static
 * one with one block per thread; or each the address of memory of its own. The thread that src (broadcast, scatter) or
 * dst (gather, reduce) names is the root and must be a member. Sources and destinations do not overlap.
 *
 * **Flags** are those of upc_collective.h, for the members of the team: 0 is UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC. With
 * UPC_OUT_MYSYNC, the cheapest, a call is complete when the caller's own part is.
 *
 * The forms that end in _nb return at once, with a handle for upc_sync() and upc_sync_attempt() of upc_nb.h. Any
 * number may be under way; until then sources must not change and destinations not be touched.
 *
 * **Private memory**: upc_team_t is the weft_team_t of weft/coll.h, which UPC programs may include.
 *
 * A null pointer-to-shared, a size that reaches beyond shared memory, a root that is no member, an operation that a
 * type does not have or a team that was freed ends the job with a line that says so; WEFT_CHECK=1 also compares what
 * the members call, and the members that a permute names. docs/UPC.md is the guide.
 */
#ifndef UPC_TEAM_H
#define UPC_TEAM_H

#include <upc.h>
#include <upc_nb.h>
#include <upc_types.h>

/** Names a team on the calling thread. A value type. */
typedef unsigned long upc_team_t;
/** No team. */
#define UPC_TEAM_NONE ((upc_team_t)0)
/** All threads in their order. */
#define UPC_TEAM_ALL ((upc_team_t)1)

/** @name Making teams
 * @{ */

/** The colour of a thread that is to be in no team. */
#define UPC_TEAM_NO_COLOR (-1)
/** Makes one team per colour; members are numbered by key, those with equal keys as in the parent. Collective.
 * @param parent  the team to split
 * @param color   from 0, or UPC_TEAM_NO_COLOR
 * @param key     orders the members
 * @return the team that the caller is a member of, or UPC_TEAM_NONE
 * @since 0.1 */
upc_team_t upc_team_split(upc_team_t parent, int color, int key);

/** Cuts a team into teams whose members lie equally far apart in it. Collective.
 *
 * On a grid numbered row by row, (parent, columns, 1) gives the rows and (parent, rows, columns) the columns.
 * @param parent  the team to cut, a multiple of count * stride threads
 * @param count   members of each new team
 * @param stride  how far apart they lie in the parent
 * @return the team that the caller is a member of
 * @since 0.1 */
upc_team_t upc_team_split_stride(upc_team_t parent, size_t count, size_t stride);

/** Makes the team of some members, in the order of a list. Collective.
 * @param parent   the team they are members of
 * @param members  the list: numbers in the parent, each at most once
 * @param count    entries in it
 * @return the team, or UPC_TEAM_NONE on a thread that is not listed
 * @since 0.1 */
upc_team_t upc_team_from_list(upc_team_t parent, const unsigned int *members, size_t count);

/** Gives a team up. By all members; does not wait. Collectives under way complete.
 * @param team  which; UPC_TEAM_NONE is ignored
 * @since 0.1 */
void upc_team_free(upc_team_t team);

/** @} */

/** @name Members
 * @{ */

/** The caller's number in a team.
 * @param team  which
 * @return 0 to upc_team_size() - 1
 * @since 0.1 */
size_t upc_team_rank(upc_team_t team);
/** The number of members of a team.
 * @param team  which
 * @return at least 1
 * @since 0.1 */
size_t upc_team_size(upc_team_t team);
/** The thread that a member is.
 * @param team    which
 * @param member  its number; one that does not exist ends the job with a line
 * @return the thread
 * @since 0.1 */
size_t upc_team_thread(upc_team_t team, size_t member);
/** The member that a thread is.
 * @param team    which
 * @param thread  any number
 * @return its number in the team, or -1
 * @since 0.1 */
int upc_team_member(upc_team_t team, size_t thread);

/** @} */

/** @name Synchronising
 * Fences as upc_barrier, upc_notify and upc_wait are.
 * @{ */

/** Waits until all members have called it.
 * @param team  which
 * @since 0.1 */
void upc_team_barrier(upc_team_t team);
/** Tells that the caller has arrived. Notify and wait of a team alternate.
 * @param team  which
 * @since 0.1 */
void upc_team_notify(upc_team_t team);
/** Waits until all members have notified.
 * @param team  which
 * @since 0.1 */
void upc_team_wait(upc_team_t team);

/** @} */

/** @name Moving
 * nbytes is the size of a block.
 * @{ */

/** Copies the root's block to every member.
 * @param team    on which
 * @param dst     one block on each member
 * @param src     names the root, and its block
 * @param nbytes  bytes of a block
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_broadcast(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes, upc_flag_t flags);
/** upc_team_broadcast() that returns at once.
 * @copydetails upc_team_broadcast
 * @return the handle to wait for */
upc_handle_t upc_team_broadcast_nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,
                                   upc_flag_t flags);

/** Copies block m of the root's source to member m.
 * @param team    on which
 * @param dst     one block on each member
 * @param src     names the root, and its blocks, one per member
 * @param nbytes  bytes of a block
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_scatter(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes, upc_flag_t flags);
/** upc_team_scatter() that returns at once.
 * @copydetails upc_team_scatter
 * @return the handle to wait for */
upc_handle_t upc_team_scatter_nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,
                                 upc_flag_t flags);

/** Copies member m's block to block m of the root's destination.
 * @param team    on which
 * @param dst     names the root, and its blocks, one per member
 * @param src     one block on each member
 * @param nbytes  bytes of a block
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_gather(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes, upc_flag_t flags);
/** upc_team_gather() that returns at once.
 * @copydetails upc_team_gather
 * @return the handle to wait for */
upc_handle_t upc_team_gather_nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,
                                upc_flag_t flags);

/** Copies member m's block to block m of every member's destination.
 * @param team    on which
 * @param dst     one block per member on each member
 * @param src     one block on each member
 * @param nbytes  bytes of a block
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_gather_all(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes, upc_flag_t flags);
/** upc_team_gather_all() that returns at once.
 * @copydetails upc_team_gather_all
 * @return the handle to wait for */
upc_handle_t upc_team_gather_all_nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,
                                    upc_flag_t flags);

/** Copies block m of member k's source to block k of member m's destination.
 * @param team    on which
 * @param dst     one block per member on each member
 * @param src     one block per member on each member
 * @param nbytes  bytes of a block
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_exchange(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes, upc_flag_t flags);
/** upc_team_exchange() that returns at once.
 * @copydetails upc_team_exchange
 * @return the handle to wait for */
upc_handle_t upc_team_exchange_nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,
                                  upc_flag_t flags);

/** Copies the caller's block to one member; each member is the `to` of one.
 * @param team    on which
 * @param dst     one block on each member
 * @param src     one block on each member
 * @param to      the member that the caller's block goes to
 * @param nbytes  bytes of a block
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_permute(upc_team_t team, shared void *dst, shared const void *src, size_t to, size_t nbytes,
                      upc_flag_t flags);
/** upc_team_permute() that returns at once.
 * @copydetails upc_team_permute
 * @return the handle to wait for */
upc_handle_t upc_team_permute_nb(upc_team_t team, shared void *dst, shared const void *src, size_t to, size_t nbytes,
                                 upc_flag_t flags);

/** @} */

/** @name Reducing
 * Element i of dst is the reduction of element i of all members' src.
 * @{ */

/** Reduces to the root.
 * @param team    on which
 * @param dst     names the root, and where the result goes
 * @param src     nelems elements on each member
 * @param op      the operation
 * @param type    of the elements
 * @param nelems  elements
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_reduce(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op, upc_type_t type,
                     size_t nelems, upc_flag_t flags);
/** upc_team_reduce() that returns at once.
 * @copydetails upc_team_reduce
 * @return the handle to wait for */
upc_handle_t upc_team_reduce_nb(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op,
                                upc_type_t type, size_t nelems, upc_flag_t flags);

/** Reduces to every member.
 * @param team    on which
 * @param dst     nelems elements on each member
 * @param src     nelems elements on each member
 * @param op      the operation
 * @param type    of the elements
 * @param nelems  elements
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_reduce_all(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op, upc_type_t type,
                         size_t nelems, upc_flag_t flags);
/** upc_team_reduce_all() that returns at once.
 * @copydetails upc_team_reduce_all
 * @return the handle to wait for */
upc_handle_t upc_team_reduce_all_nb(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op,
                                    upc_type_t type, size_t nelems, upc_flag_t flags);

/** Reduces over members 0 to the caller, on each.
 * @param team    on which
 * @param dst     nelems elements on each member
 * @param src     nelems elements on each member
 * @param op      the operation
 * @param type    of the elements
 * @param nelems  elements
 * @param flags   synchronisation flags, or 0
 * @since 0.1 */
void upc_team_prefix_reduce(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op, upc_type_t type,
                            size_t nelems, upc_flag_t flags);
/** upc_team_prefix_reduce() that returns at once.
 * @copydetails upc_team_prefix_reduce
 * @return the handle to wait for */
upc_handle_t upc_team_prefix_reduce_nb(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op,
                                       upc_type_t type, size_t nelems, upc_flag_t flags);

/** @} */

#endif
