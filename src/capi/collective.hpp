// What the public functions of teams and collectives share.
#pragma once

#include "capi/state.hpp"

namespace weft::capi {

/// The team of a handle; ends the job if there is none.
coll::Team& find_team(Thread& thread, const char* function, weft_team team);

/// Logs an error if there is no such member.
bool has_member(const char* function, const coll::Team& team, uint32_t member);

}  // namespace weft::capi
