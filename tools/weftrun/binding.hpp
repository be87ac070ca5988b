// --bind: which processor each process gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weftrun {

/// The first `count` processors that this process may use; empty, with the reason in `error`, if there are too few.
std::vector<int> choose_processors(uint32_t count, std::string& error);

}  // namespace weftrun
