// Private copies of arrays that loops read again and again (weft/upcrt/replica.h).
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::upcrt {

/// Bytes that the copy of an array has at most; 0: none is made. Set at the start.
extern std::atomic<uint64_t> largest_replica;

}  // namespace weft::upcrt
