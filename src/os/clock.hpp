// Time.
#pragma once

#include <cstdint>

namespace weft::os {

/// Monotonic nanoseconds, comparable between the processes of one host.
uint64_t now_ns();

}  // namespace weft::os
