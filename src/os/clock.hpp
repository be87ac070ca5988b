// Time.
#pragma once

#include <cstdint>

namespace weft::os {

/// Monotonic nanoseconds, comparable between the processes of one host.
uint64_t now_ns();

/// Nanoseconds since 1970, as well as the host knows. It may jump.
uint64_t day_ns();

}  // namespace weft::os
