// How large a rank's segment is.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "base/status.hpp"
#include "os/processor.hpp"

namespace weft::conduit {

// Address space for all segments of a host. ThreadSanitizer leaves programs little more than a tebibyte.
#if defined(__SANITIZE_THREAD__)
inline constexpr size_t host_address_space = size_t{1} << 39;
#else
inline constexpr size_t host_address_space = size_t{1} << 45;
#endif

inline constexpr size_t segment_page = 4096;

/// Bytes of address space per rank of a host with this many ranks: twice the memory, so that either half of the segment
/// (symmetric, local) can use all of it.
inline size_t default_segment_size(size_t ranks) {
  return std::min<size_t>(2 * os::physical_memory(), std::bit_floor(host_address_space / ranks));
}

/// Logs an error if the user wants a segment without room for the control area and something to allocate.
inline Status check_segment_size(const base::Settings& settings) {
  constexpr size_t smallest = size_t{1} << 20;
  if (settings.segment_size == 0 || settings.segment_size >= smallest) return {};
  base::log_error("setting WEFT_SEGMENT_SIZE is %zu bytes; a segment needs at least 1M",
                  static_cast<size_t>(settings.segment_size));
  return WEFT_ERR_INVALID;
}

inline size_t whole_pages(size_t size) { return (size + segment_page - 1) / segment_page * segment_page; }

/// As the user says (WEFT_SEGMENT_SIZE), in whole pages; else the default for a host with this many ranks.
inline size_t wanted_segment_size(const base::Settings& settings, size_t ranks) {
  return settings.segment_size != 0 ? whole_pages(settings.segment_size) : default_segment_size(ranks);
}

}  // namespace weft::conduit
