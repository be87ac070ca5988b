/* What libraries on top of Weft that come with it need of the segment beyond the public interface. Not for programs. */
#ifndef WEFT_DETAIL_LIBRARY_H
#define WEFT_DETAIL_LIBRARY_H

#include <stdbool.h>
#include <weft/team.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this rank is silent where its segment is full: the caller tells it in its own words, and by weft_alloc() and
 * the functions that make teams it gets WEFT_ERR_NO_MEMORY without a line. Returns what held before. */
bool weft_detail_silent_where_full(bool silent);

/* Makes room for later collectives of the team, so that these need no memory of the segment that they may not find:
 * for broadcasts of up to `broadcast` bytes, and for reductions to all (of at least 4 bytes an element) and gather-alls
 * with results of up to `result` bytes. Data of broadcasts is in the segment, other data anywhere.
 *
 * Collective over the team, of which no other call is under way, with the same sizes on all members. WEFT_OK, or, on
 * all members, WEFT_ERR_NO_MEMORY. The room goes with the team. Plans that WEFT_TUNE=online tries are not provided
 * for. */
int weft_detail_team_reserve(weft_team_t team, size_t broadcast, size_t result);

#ifdef __cplusplus
}
#endif
#endif
