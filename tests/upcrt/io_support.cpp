#include "io_support.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>

namespace upc_test {

Faults faults;
thread_local int own_error = 0;

}  // namespace upc_test

// ---- The system's calls ----

namespace {

using namespace upc_test;

// -1 with errno set, or how many bytes of `bytes` the call may move.
ssize_t allowed(size_t bytes) {
  ++faults.calls;
  for (int ms = 0; faults.stuck && ms < 10'000; ++ms) usleep(1000);
  const int error = own_error != 0 ? own_error : faults.error.load();
  if (error == 0) return static_cast<ssize_t>(faults.short_calls && bytes > 1 ? (bytes + 2) / 3 : bytes);
  errno = error;
  return -1;
}

size_t total(const iovec* parts, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += parts[i].iov_len;
  return bytes;
}

// The first `bytes` of the parts.
std::vector<iovec> cut(const iovec* parts, int count, size_t bytes) {
  std::vector<iovec> result;
  for (int i = 0; i < count && bytes != 0; ++i) {
    result.push_back({parts[i].iov_base, std::min(bytes, parts[i].iov_len)});
    bytes -= result.back().iov_len;
  }
  return result;
}

}  // namespace

extern "C" {
ssize_t pread(int fd, void* to, size_t bytes, off_t at) {
  const ssize_t most = allowed(bytes);
  return most < 0 ? -1 : syscall(SYS_pread64, fd, to, most, at);
}
ssize_t pwrite(int fd, const void* from, size_t bytes, off_t at) {
  const ssize_t most = allowed(bytes);
  return most < 0 ? -1 : syscall(SYS_pwrite64, fd, from, most, at);
}
ssize_t preadv(int fd, const iovec* parts, int count, off_t at) {
  const ssize_t most = allowed(total(parts, count));
  if (most < 0) return -1;
  const std::vector<iovec> some = cut(parts, count, static_cast<size_t>(most));
  return syscall(SYS_preadv, fd, some.data(), some.size(), at, 0);
}
ssize_t pwritev(int fd, const iovec* parts, int count, off_t at) {
  const ssize_t most = allowed(total(parts, count));
  if (most < 0) return -1;
  const std::vector<iovec> some = cut(parts, count, static_cast<size_t>(most));
  return syscall(SYS_pwritev, fd, some.data(), some.size(), at, 0);
}
int fsync(int fd) { return allowed(1) < 0 ? -1 : static_cast<int>(syscall(SYS_fsync, fd)); }
}

// ---- Files ----

namespace upc_test {

std::string name_of(const char* test) {
  const char* folder = std::getenv("TMPDIR");
  long number = getpid();
  (void)weft_broadcast(WEFT_TEAM_WORLD, &number, &number, sizeof number, 0, 0);
  return std::string(folder == nullptr ? "/tmp" : folder) + "/weft-io-" + test + "-" + std::to_string(number);
}

upcr_pts_t open_file(const std::string& name, int flags) {
  const upcr_pts_t file = upc_all_fopen(name.c_str(), flags, 0, nullptr);
  REQUIRE(!upcr_is_null(file));
  return file;
}

bool exists(const std::string& name) { return access(name.c_str(), F_OK) == 0; }

Bytes contents(const std::string& name) {
  Bytes bytes;
  const int fd = open(name.c_str(), O_RDONLY);
  REQUIRE(fd >= 0);
  for (std::array<unsigned char, 4096> part;;) {
    const ssize_t got = read(fd, part.data(), part.size());
    if (got <= 0) break;
    bytes.insert(bytes.end(), part.begin(), part.begin() + got);
  }
  close(fd);
  return bytes;
}

void put_contents(const std::string& name, const Bytes& bytes) {
  const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(fd >= 0);
  REQUIRE(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(fd);
}

void remove_file(const std::string& name) {
  barrier();
  if (me() == 0) unlink(name.c_str());
  barrier();
}

}  // namespace upc_test
