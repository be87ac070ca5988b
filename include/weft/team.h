/* Teams: ordered sets of ranks on which collectives run (weft/coll.h).
 *
 * A team of n members numbers them 0 to n - 1, each rank its own copy; WEFT_TEAM_WORLD is all ranks of the job in their
 * order. A rank may be in any number of teams, teams may overlap and nest. A team costs each member memory in
 * proportion to the team's size, and scratch space in its segment that grows by itself when a collective needs more.
 *
 * The functions that make teams are collective over the parent team: all its members call them with arguments that fit
 * together, in the same order as their other collectives on that team. They return when the caller's new team can be
 * used; they synchronise no more than a gather-all does. Each rank gets the team it is a member of, or WEFT_TEAM_NONE.
 *
 * A freed team or a value that never was a team is misuse, and so is a list of more than 0 entries, or a place for the
 * new team, that is NULL: the job ends with a line that says so.
 * Threads: one thread of a rank at a time calls collective functions on one team. Not in handlers.
 * Source: GASNet-EX's teams; the team collectives of Nishtala, Zheng and Hargrove (2010); MPI-3 6.4. */
#ifndef WEFT_TEAM_H
#define WEFT_TEAM_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t weft_team_t;
#define WEFT_TEAM_NONE ((weft_team_t)0)
#define WEFT_TEAM_WORLD ((weft_team_t)1)

enum { WEFT_NO_COLOR = -1 };
/* No member: a translated rank that the other team does not have. */
#define WEFT_NO_MEMBER UINT32_MAX

/* One team per colour. Members are numbered by key, those with equal keys as in the parent. color: from 0, or
 * WEFT_NO_COLOR to be in no team. WEFT_ERR_INVALID, on every rank, if a colour is below WEFT_NO_COLOR;
 * WEFT_ERR_NO_MEMORY, on every rank, if a segment has no room for the scratch space. */
int weft_team_split(weft_team_t parent, int32_t color, int32_t key, weft_team_t* team);

/* Teams of `count` members that lie `stride` apart in the parent, which is cut into such teams completely: member m of
 * the parent is in the team that starts at (m / (count * stride)) * count * stride + m % stride. On a grid numbered row
 * by row, split_stride(parent, columns, 1, &row) gives the rows and split_stride(parent, rows, columns, &column) the
 * columns. All members give the same count and stride; WEFT_CHECK=1 ends the job with a line if they differ.
 * WEFT_ERR_INVALID, on every rank, if count or stride is 0 or count * stride does not divide the parent's size. */
int weft_team_split_stride(weft_team_t parent, uint32_t count, uint32_t stride, weft_team_t* team);

/** The members of the parent that share this rank's host, in the parent's order.
 *
 * Ranks share a host as weft_host_size() counts them: host name, boot id and network namespace are the same (WEFT_HOST_NAME
 * says otherwise, for tests). Collective over the parent, as the other functions that make teams.
 *
 * @param parent The team to split.
 * @param team Where the new team goes; every rank gets one.
 * @return WEFT_OK; WEFT_ERR_NO_MEMORY, on every rank, if a segment has no room for the scratch space.
 * @note Source: MPI_Comm_split_type with MPI_COMM_TYPE_SHARED (MPI-3, section 6.4.2); SHMEM_TEAM_SHARED.
 * @since 0.2 */
int weft_team_split_host(weft_team_t parent, weft_team_t* team);

/* The team of these members of the parent, in this order. All members of the parent call it with the same list; those
 * not listed get WEFT_TEAM_NONE. WEFT_ERR_INVALID, on every rank, if a member is listed twice or does not exist;
 * WEFT_ERR_MISMATCH, on every rank, if the lists differ. */
int weft_team_from_list(weft_team_t parent, const uint32_t* members, uint32_t count, weft_team_t* team);

/* The team of this rank and `partner`, a member of the parent that names this rank as its own; the lower comes first. A
 * rank that names itself gets a team of one. With it the members of two teams are paired across.
 * WEFT_ERR_MISMATCH, on every rank, if two ranks do not name each other; WEFT_ERR_INVALID if there is no such
 * member. */
int weft_team_pair(weft_team_t parent, uint32_t partner, weft_team_t* team);

/* Gives the team up. Collective over its members, does not wait: collectives that are under way complete, and the
 * memory is given back when the last member has called it. WEFT_TEAM_WORLD is not freed. WEFT_TEAM_NONE is ignored. */
int weft_team_free(weft_team_t team);

/* This rank's number in the team and the number of members. */
uint32_t weft_team_rank(weft_team_t team);
uint32_t weft_team_size(weft_team_t team);

/* The job's rank of a member, and the member that a rank of the job is, or WEFT_NO_MEMBER. The first takes a few
 * nanoseconds, the second looks through the members.
 *
 * One-sided operations, signals and messages name ranks of the job. To a member of a team:
 *
 *   const weft_rank_t right = weft_team_world_rank(row, (weft_team_rank(row) + 1) % weft_team_size(row));
 *   weft_put_nbi(right, offset, border, sizeof border, 0);
 *   weft_flush(right);
 *
 * A loop over the members translates once, into an array, and uses that. */
weft_rank_t weft_team_world_rank(weft_team_t team, uint32_t member);
uint32_t weft_team_member(weft_team_t team, weft_rank_t rank);

/* For each of `count` members of one team, what it is in the other, or WEFT_NO_MEMBER. */
int weft_team_translate(weft_team_t from, const uint32_t* members, size_t count, weft_team_t to, uint32_t* result);

#ifdef __cplusplus
}
#endif
#endif
