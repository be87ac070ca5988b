// Reads and writes of parallel files as the operating system does them. Any thread may call these functions; none of
// them calls Weft.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>

namespace weft::upcrt::io {

/// What a transfer came to: bytes moved, and an errno (0: none). A read that meets the end of the file moves fewer
/// bytes than were asked for and is no error.
struct Outcome {
  uint64_t bytes = 0;
  int error = 0;
};

/// Fills the parts, or takes them, at `offset` of the file, in as many calls as it takes. Changes the parts.
Outcome read_at(int fd, std::span<iovec> parts, int64_t offset);
Outcome write_at(int fd, std::span<iovec> parts, int64_t offset);

/// The parts of one call.
inline constexpr size_t most_parts = 1024;

/// All data of the file to the device. Things that cannot be synchronised (devices) are none to complain about.
int sync_to_device(int fd);

}  // namespace weft::upcrt::io
