// What the public functions of teams and collectives share.
#pragma once

#include "capi/state.hpp"

namespace weft::capi {

/// The team of a handle; ends the job if there is none.
coll::Team& find_team(Thread& thread, const char* function, weft_team_t team);

void tell_no_member(const char* function, const coll::Team& team, uint32_t member);
/// Logs an error if there is no such member.
inline bool has_member(const char* function, const coll::Team& team, uint32_t member) {
  if (__builtin_expect(member < team.members.size(), 1)) return true;
  tell_no_member(function, team, member);
  return false;
}

}  // namespace weft::capi
