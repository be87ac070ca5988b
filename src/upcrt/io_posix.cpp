#include "upcrt/io_posix.hpp"

#include <unistd.h>

#include <cerrno>

namespace weft::upcrt::io {
namespace {

// Takes `bytes` off the front of the parts.
void drop(std::span<iovec>& parts, size_t bytes) {
  while (!parts.empty() && bytes >= parts.front().iov_len) {
    bytes -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (parts.empty()) return;
  parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + bytes;
  parts.front().iov_len -= bytes;
}

// One part takes the simpler call, which costs less.
ssize_t read_once(int fd, std::span<iovec> parts, int64_t offset) {
  if (parts.size() == 1) return pread(fd, parts[0].iov_base, parts[0].iov_len, offset);
  return preadv(fd, parts.data(), static_cast<int>(parts.size()), offset);
}
ssize_t write_once(int fd, std::span<iovec> parts, int64_t offset) {
  if (parts.size() == 1) return pwrite(fd, parts[0].iov_base, parts[0].iov_len, offset);
  return pwritev(fd, parts.data(), static_cast<int>(parts.size()), offset);
}

template <class Once>
Outcome repeat(Once once, int fd, std::span<iovec> parts, int64_t offset, int error_of_nothing) {
  Outcome outcome;
  drop(parts, 0);
  while (!parts.empty()) {
    const ssize_t moved = once(fd, parts, offset + static_cast<int64_t>(outcome.bytes));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) {
      outcome.error = moved < 0 ? errno : error_of_nothing;
      break;
    }
    outcome.bytes += static_cast<uint64_t>(moved);
    drop(parts, static_cast<size_t>(moved));
  }
  return outcome;
}

}  // namespace

Outcome read_at(int fd, std::span<iovec> parts, int64_t offset) { return repeat(read_once, fd, parts, offset, 0); }
Outcome write_at(int fd, std::span<iovec> parts, int64_t offset) { return repeat(write_once, fd, parts, offset, EIO); }

int sync_to_device(int fd) {
  while (fsync(fd) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == EROFS ? 0 : errno;
  }
  return 0;
}

}  // namespace weft::upcrt::io
