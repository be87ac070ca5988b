// --bind: which processor each process gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weftrun {

/// The first `count` processors that this process may use; empty, with the reason in `error`, if there are too few.
std::vector<int> choose_processors(uint32_t count, std::string& error);

/// All processors that this process may use: "0,1,4". With --bind the ranks get this in WEFT_BIND_ALLOWED, for helper
/// threads that are to run beside their rank.
std::string allowed_processors();

}  // namespace weftrun
