// Ranks that are threads of one process.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.hpp"
#include "boot/boot.hpp"

namespace weft::capi {

/// weftrun --ranks-as=threads: the calling thread, in main's first weft_init(), becomes rank 0; `ranks` - 1 more
/// threads start at main themselves. Gives rank 0's Boot.
Status start_main_threads(uint32_t ranks, int* argc, char*** argv, std::unique_ptr<boot::Boot>& boot);

/// In rank 0's weft_finalize(): waits until the other ranks have returned from main. If one returned non-zero and rank
/// 0 returns 0, the process ends with that code. Does nothing if start_main_threads() was not used.
void join_main_threads();

}  // namespace weft::capi
