/**
 * @file
 * Teams: ordered sets of ranks on which collectives run.
 *
 * A team of n members numbers them 0 to n - 1. WEFT_TEAM_WORLD is all ranks of the job in their order. A rank may be in
 * any number of teams; teams may overlap and nest. A team costs each member memory in proportion to the team's size,
 * and scratch space in its segment, which grows when a collective needs more.
 *
 * **Making teams** is collective over the parent team: all its members call the function with arguments that fit
 * together, in the same order as their other collectives on that team. The function returns when the caller's new team
 * can be used. It synchronises no more than a gather-all does. Each rank gets the team it is a member of, or
 * WEFT_TEAM_NONE. If a segment has no room for the scratch space, the function returns WEFT_ERR_NO_MEMORY on every
 * rank. It uses collectives of the parent team. If a segment has no room even for those, the job ends with a line, as
 * in any other collective.
 *
 * **Misuse** ends the job with a line: a freed team, a value that never was a team, NULL for the new team, a NULL list
 * of more than 0 entries.
 *
 * Threads: one thread of a rank at a time calls collective functions on one team. Not in handlers. The functions that
 * only ask (weft_team_rank() and so on) may be called by any thread, in handlers too. weft/coll.h has the
 * collectives, docs/COLLECTIVES.md is the guide.
 *
 * Source: GASNet-EX's teams; the team collectives of Nishtala, Zheng and Hargrove (2010); MPI-3 6.4.
 */
#ifndef WEFT_TEAM_H
#define WEFT_TEAM_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Names a team on the calling rank. A value type. */
typedef uint64_t weft_team_t;
/** No team. */
#define WEFT_TEAM_NONE ((weft_team_t)0)
/** All ranks of the job in their order. */
#define WEFT_TEAM_WORLD ((weft_team_t)1)

/** The colour of a rank that is to be in no team. */
enum { WEFT_NO_COLOR = -1 };
/** No member: a translated rank that the other team does not have. */
#define WEFT_NO_MEMBER UINT32_MAX

/** Makes one team per colour. Members are numbered by key, those with equal keys as in the parent. Collective.
 * @param parent     the team to split
 * @param color      from 0, or WEFT_NO_COLOR to be in no team
 * @param key        orders the members
 * @param[out] team  the new team, or WEFT_TEAM_NONE
 * @return WEFT_OK; WEFT_ERR_INVALID, on every rank, if a colour is below WEFT_NO_COLOR
 * @since 0.1 */
int weft_team_split(weft_team_t parent, int32_t color, int32_t key, weft_team_t* team);

/** Cuts a team into teams of equal size, whose members lie equally far apart in it. Collective.
 *
 * Member m of the parent is in the team that starts at (m / (count * stride)) * count * stride + m % stride. On a grid
 * numbered row by row, split_stride(parent, columns, 1, &row) gives the rows and split_stride(parent, rows, columns,
 * &column) the columns. All members give the same count and stride; WEFT_CHECK=1 ends the job with a line if they
 * differ.
 * @param parent     the team to cut
 * @param count      members of each new team
 * @param stride     how far apart they lie in the parent
 * @param[out] team  the new team
 * @return WEFT_OK; WEFT_ERR_INVALID, on every rank, if count or stride is 0 or count * stride does not divide the
 *         parent's size
 * @since 0.1 */
int weft_team_split_stride(weft_team_t parent, uint32_t count, uint32_t stride, weft_team_t* team);

/** Makes the teams of the members that share a host, in the parent's order. Collective.
 *
 * Ranks share a host as weft_host_size() counts them: host name, boot id and network namespace are the same
 * (WEFT_HOST_NAME says otherwise, for tests). Source: MPI_Comm_split_type with MPI_COMM_TYPE_SHARED (MPI-3, section
 * 6.4.2); OpenSHMEM's SHMEM_TEAM_SHARED.
 * @param parent     the team to split
 * @param[out] team  the team of this rank's host; every rank gets one
 * @return WEFT_OK
 * @since 0.2 */
int weft_team_split_host(weft_team_t parent, weft_team_t* team);

/** Makes the team of some members, in the order of a list. Collective: all members of the parent call it with the same
 * list.
 * @param parent     the team they are members of
 * @param members    the list: numbers in the parent
 * @param count      entries in it
 * @param[out] team  the new team, or WEFT_TEAM_NONE on a member that is not listed
 * @return WEFT_OK; WEFT_ERR_INVALID, on every rank, if a member is listed twice or does not exist; WEFT_ERR_MISMATCH,
 *         on every rank, if the lists differ
 * @since 0.1 */
int weft_team_from_list(weft_team_t parent, const uint32_t* members, uint32_t count, weft_team_t* team);

/** Makes the team of this rank and a partner that names this rank as its own; the lower comes first. Collective.
 *
 * A rank that names itself gets a team of one. With it the members of two teams are paired across.
 * @param parent     the team both are members of
 * @param partner    the other's number in the parent
 * @param[out] team  the new team
 * @return WEFT_OK; WEFT_ERR_MISMATCH, on every rank, if two ranks do not name each other; WEFT_ERR_INVALID, on every
 *         rank, if there is no such member
 * @since 0.1 */
int weft_team_pair(weft_team_t parent, uint32_t partner, weft_team_t* team);

/** Frees a team. Collective over its members. It does not wait: collectives that are under way complete, and the memory
 * is given back when the last member has called this.
 * @param team  which; WEFT_TEAM_NONE is ignored, WEFT_TEAM_WORLD is not freed (it ends the job with a line)
 * @return WEFT_OK
 * @since 0.1 */
int weft_team_free(weft_team_t team);

/** This rank's number in a team.
 * @param team  one it is a member of
 * @return 0 to weft_team_size() - 1
 * @since 0.1 */
uint32_t weft_team_rank(weft_team_t team);
/** The number of members of a team.
 * @param team  which
 * @return at least 1
 * @since 0.1 */
uint32_t weft_team_size(weft_team_t team);

/** The job's rank of a member. It takes a few nanoseconds.
 *
 * One-sided operations, signals and messages name ranks of the job. To a member of a team:
 *
 *     const weft_rank_t right = weft_team_world_rank(row, (weft_team_rank(row) + 1) % weft_team_size(row));
 *     weft_put_nbi(right, offset, border, sizeof border, 0);
 *     weft_flush(right);
 *
 * A loop over the members translates once, into an array, and uses that: weft_team_translate() to WEFT_TEAM_WORLD.
 * @param team    which
 * @param member  its number in the team; one that does not exist ends the job with a line
 * @return its rank
 * @since 0.1 */
weft_rank_t weft_team_world_rank(weft_team_t team, uint32_t member);
/** The number that a rank of the job has in a team. The time grows with the number of members.
 * @param team  which
 * @param rank  the job's rank
 * @return its number in the team, or WEFT_NO_MEMBER
 * @since 0.1 */
uint32_t weft_team_member(weft_team_t team, weft_rank_t rank);

/** Translates members of one team to numbers in another.
 * @param from         the team of the list
 * @param members      numbers in it; one that does not exist ends the job with a line
 * @param count        how many
 * @param to           the other team
 * @param[out] result  for each its number in the other team, or WEFT_NO_MEMBER
 * @return WEFT_OK
 * @since 0.1 */
int weft_team_translate(weft_team_t from, const uint32_t* members, size_t count, weft_team_t to, uint32_t* result);

#ifdef __cplusplus
}
#endif
#endif
