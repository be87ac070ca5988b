// weft-tune compare: how good the choices are.
#pragma once

#include "measure.hpp"

namespace tune {

/// Measures all candidates of every operation and size, then once more the fastest, the choice and the model's choice
/// beside each other, since the least of many times is less than its candidate's. Prints how many times longer the two
/// take than the fastest, and the geometric means and worst of these.
void compare(const Options& options, weft_team_t team);

}  // namespace tune
