// What the environment says to the UPC runtime itself. The core's settings are its own.
#pragma once

#include <cstdint>

namespace weft::upcrt {

/// WEFT_CHECK=1.
bool checks_wanted();

/// WEFT_STATS=1.
bool statistics_wanted();

/// UPC_PLACES: the file for the counts of all places (places.hpp), or null.
const char* places_file_wanted();

/// UPC_SHARED_HEAP_SIZE (upcrun --shared-heap): bytes of shared heap per thread, as 2G or 64MB; 0 if not set. Ends the
/// program if it is no size.
uint64_t heap_size_wanted();

/// UPC_CACHE: bytes of other hosts' memory that a thread keeps of its reads (read_cache.hpp), as 4M; 1M if not set, 0
/// for none. Ends the program if it is no size.
uint64_t cache_size_wanted();

/// Before weft_init(): a segment in which the static objects and the wanted heap fit, unless WEFT_SEGMENT_SIZE is set.
void ask_for_segment(uint64_t static_bytes);

}  // namespace weft::upcrt
