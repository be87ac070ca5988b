// The target: x86-64 Linux with gcc's layout, and the sizes our own runtime fixes.
#pragma once

#include <cstdint>

namespace upcc::target {

inline constexpr std::uint64_t kPointerSize = 8;
// A pointer-to-shared in memory (src/upcrt defines the bits).
inline constexpr std::uint64_t kPtsSize = 16;
inline constexpr std::uint64_t kPtsAlign = 8;
// Largest block size of a layout qualifier; also the macro UPC_MAX_BLOCK_SIZE (6.3.3).
inline constexpr std::int64_t kMaxBlockSize = (std::int64_t{1} << 40) - 1;
inline constexpr std::int64_t kMaxThreads = (std::int64_t{1} << 24) - 1;
// Largest object: PTRDIFF_MAX bytes.
inline constexpr std::int64_t kMaxObject = INT64_MAX;
// Most bytes of a static shared object on one thread: what a process can address.
inline constexpr std::uint64_t kMaxSharedBytes = std::uint64_t{1} << 47;
// What __attribute__((aligned)) without a number means.
inline constexpr std::uint64_t kBiggestAlign = 16;

}  // namespace upcc::target
