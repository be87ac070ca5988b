// Copying without displacing what the caches hold.
#pragma once

#include <cstddef>

namespace weft::conduit {

/// memcpy with non-temporal stores where the processor has them. The caller fences (stream_fence) before it tells
/// anyone that the data is there.
void stream_copy(void* destination, const void* source, size_t size);
void stream_fence();

}  // namespace weft::conduit
