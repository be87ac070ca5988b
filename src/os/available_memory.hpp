// How much memory there is to take.
#pragma once

#include <cstddef>

namespace weft::os {

/// Bytes of memory that this process may still take, as far as the host tells: what is free on the host, or less in a
/// control group with a limit.
size_t available_memory();

}  // namespace weft::os
