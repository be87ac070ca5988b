/* <upc_team.h>: teams of threads and collectives on them, blocking and non-blocking. An extension of this compiler's.
 *
 * A team of n threads numbers its members from 0 to n - 1; UPC_TEAM_ALL is all threads in their order. Teams may
 * overlap and nest. Functions that make a team and collectives are called by all members of the (parent) team, in the
 * same order, with the same sizes, types, operations, roots and flags.
 *
 * Buffers. A pointer stands for the caller's own part: memory at the pointer's offset (upc_addrfield) of the caller's
 * thread, whichever thread the pointer names. So, as in <upc_collective.h>, all members may pass the address of the
 * first element of one array that has the part of each thread at the same place: of upc_all_alloc(), or a static one
 * with one block per thread; or each the address of memory of its own. The thread that src (broadcast, scatter) or dst
 * (gather, reduce) names is the root and must be a member. Sources and destinations do not overlap.
 *
 * Flags are those of <upc_collective.h>, for the members of the team: 0 is UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC. With
 * UPC_OUT_MYSYNC, the cheapest, a call is complete when the caller's own part is.
 *
 * The forms that end in _nb return at once, with a handle for upc_sync() and upc_sync_attempt() of <upc_nb.h>. Any
 * number may be under way; until then sources must not change and destinations not be touched.
 *
 * Private memory: upc_team_t is the weft_team_t of <weft/coll.h>, which UPC programs may include.
 *
 * A null pointer-to-shared, a size that reaches beyond shared memory, a root that is no member, an operation that a
 * type does not have or a team that was freed ends the job with a line that says so; WEFT_CHECK=1 also compares what
 * the members call, and the members that a permute names. */
#ifndef UPC_TEAM_H
#define UPC_TEAM_H

#include <upc.h>
#include <upc_nb.h>
#include <upc_types.h>

typedef unsigned long upc_team_t;
#define UPC_TEAM_NONE ((upc_team_t)0)
#define UPC_TEAM_ALL ((upc_team_t)1)

/* ---- Making teams: each returns the team that the caller is a member of, or UPC_TEAM_NONE ---- */

/* One team per colour; members are numbered by key, those with equal keys as in the parent. */
#define UPC_TEAM_NO_COLOR (-1)
upc_team_t upc_team_split(upc_team_t parent, int color, int key);

/* Teams of `count` members that lie `stride` apart in the parent, which must be a multiple of count * stride threads.
 * On a grid numbered row by row, (parent, columns, 1) gives the rows and (parent, rows, columns) the columns. */
upc_team_t upc_team_split_stride(upc_team_t parent, size_t count, size_t stride);

/* The team of these members of the parent, in this order. */
upc_team_t upc_team_from_list(upc_team_t parent, const unsigned int *members, size_t count);

/* By all members; does not wait. Collectives under way complete. UPC_TEAM_NONE is ignored. */
void upc_team_free(upc_team_t team);

/* ---- Members ---- */
size_t upc_team_rank(upc_team_t team); /* the caller's number in the team */
size_t upc_team_size(upc_team_t team);
size_t upc_team_thread(upc_team_t team, size_t member);
/* The thread's number in the team, or -1. */
int upc_team_member(upc_team_t team, size_t thread);

/* ---- Synchronising: fences as upc_barrier, upc_notify and upc_wait are ---- */
void upc_team_barrier(upc_team_t team);
void upc_team_notify(upc_team_t team);
void upc_team_wait(upc_team_t team);

/* ---- Moving: nbytes is the size of a block ---- */
#define UPC_TEAM_FORMS(result, nb)                                                                                    \
  /* The root's block to every member. */                                                                             \
  result upc_team_broadcast##nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,             \
                                upc_flag_t flags);                                                                    \
  /* Block m of the root's src to member m. */                                                                        \
  result upc_team_scatter##nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,               \
                              upc_flag_t flags);                                                                      \
  /* Member m's block to block m of the root's dst; of every member's dst. */                                         \
  result upc_team_gather##nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,                \
                             upc_flag_t flags);                                                                       \
  result upc_team_gather_all##nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,            \
                                 upc_flag_t flags);                                                                   \
  /* Block m of member k's src to block k of member m's dst. */                                                       \
  result upc_team_exchange##nb(upc_team_t team, shared void *dst, shared const void *src, size_t nbytes,              \
                               upc_flag_t flags);                                                                     \
  /* The caller's block to member `to`; each member is the `to` of one. */                                            \
  result upc_team_permute##nb(upc_team_t team, shared void *dst, shared const void *src, size_t to, size_t nbytes,    \
                              upc_flag_t flags);                                                                      \
                                                                                                                      \
  /* Reducing: element i of dst is the reduction of element i of all members' src, nelems elements; on the root, on   \
   * every member, and over members 0 to the caller. */                                                               \
  result upc_team_reduce##nb(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op, upc_type_t type, \
                             size_t nelems, upc_flag_t flags);                                                        \
  result upc_team_reduce_all##nb(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op,              \
                                 upc_type_t type, size_t nelems, upc_flag_t flags);                                   \
  result upc_team_prefix_reduce##nb(upc_team_t team, shared void *dst, shared const void *src, upc_op_t op,           \
                                    upc_type_t type, size_t nelems, upc_flag_t flags)
UPC_TEAM_FORMS(void, );
UPC_TEAM_FORMS(upc_handle_t, _nb);
#undef UPC_TEAM_FORMS

#endif
