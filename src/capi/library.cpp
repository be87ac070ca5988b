// What libraries that come with Weft use beyond the public interface.
#include "weft/detail/library.h"

#include "capi/collective.hpp"

using namespace weft::capi;

extern "C" {

bool weft_detail_silent_where_full(bool silent) { return enter("a library's call").rank->core->heap().silence(silent); }

int weft_detail_team_reserve(weft_team_t team, size_t broadcast, size_t result) {
  Thread& thread = enter("a library's call");
  weft::coll::Team& found = find_team(thread, "a library's call", team);
  return thread.rank->coll.reserve(found, broadcast, result).code();
}

}  // extern "C"
