// Parallel files: every function, every error, and random operations against a model that is a plain array of bytes.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "upc/upc_io_flags.h"
#include "upc/upc_types.h"
#include "upc_threads.hpp"
#include "weft/coll.h"
#include "weft/job.h"

// ---- The system's calls, with what is to go wrong in them ----

namespace {

struct Faults {
  std::atomic<int> error{0};             // of reads, writes and synchronising
  std::atomic<bool> short_calls{false};  // each call moves a part only
  std::atomic<int> calls{0};
  std::atomic<bool> stuck{false};  // calls do not return, for a while at most
};
Faults faults;
thread_local int own_error = 0;  // of this thread's calls only

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

namespace {

using namespace upc_test;
using Bytes = std::vector<unsigned char>;

constexpr int nosync = UPC_IN_NOSYNC | UPC_OUT_NOSYNC;

size_t count() { return static_cast<size_t>(threads()); }
size_t self() { return static_cast<size_t>(me()); }

// A name that no other test of the machine has, the same on all threads.
std::string name_of(const char* test) {
  const char* folder = std::getenv("TMPDIR");
  long number = getpid();
  (void)weft_broadcast(WEFT_TEAM_WORLD, &number, &number, sizeof number, 0, 0);
  return std::string(folder == nullptr ? "/tmp" : folder) + "/weft-io-" + test + "-" + std::to_string(number);
}

// errno and the result of a call are the same on all threads.
template <class Value>
bool agreed(Value value, int error) {
  std::array<int64_t, 2> mine{static_cast<int64_t>(value), error};
  std::vector<std::array<int64_t, 2>> all(count());
  (void)weft_gather_all(WEFT_TEAM_WORLD, all.data(), mine.data(), sizeof mine, 0);
  return std::all_of(all.begin(), all.end(), [&](const auto& other) { return other == mine; });
}

// The call fails on all threads with this errno.
#define REFUSED(call, code)                         \
  do {                                              \
    errno = 0;                                      \
    const auto refused_result = (call);             \
    const int refused_errno = errno;                \
    REQUIRE(refused_result == -1);                  \
    REQUIRE(agreed(refused_result, refused_errno)); \
    REQUIRE(refused_errno == (code));               \
  } while (0)
#define NOT_OPENED(call, code)              \
  do {                                      \
    errno = 0;                              \
    const upcr_pts_t refused_file = (call); \
    const int refused_errno = errno;        \
    REQUIRE(upcr_is_null(refused_file));    \
    REQUIRE(agreed(0, refused_errno));      \
    REQUIRE(refused_errno == (code));       \
  } while (0)

upcr_pts_t open_file(const std::string& name, int flags) {
  const upcr_pts_t file = upc_all_fopen(name.c_str(), flags, 0, nullptr);
  REQUIRE(!upcr_is_null(file));
  return file;
}

constexpr int fresh = UPC_RDWR | UPC_CREATE | UPC_TRUNC;

bool exists(const std::string& name) { return access(name.c_str(), F_OK) == 0; }

// As any other program sees it.
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

// ---- Opening and closing ----

UPC_TEST(io_open, flags_decide) {
  const std::string name = name_of("flags");
  const int ways = UPC_RDWR | UPC_INDIVIDUAL_FP;
  NOT_OPENED(upc_all_fopen(name.c_str(), ways, 0, nullptr), ENOENT);
  const upcr_pts_t file = open_file(name, ways | UPC_CREATE | UPC_EXCL);
  REQUIRE(upc_all_fclose(file) == 0);
  REQUIRE(exists(name));
  NOT_OPENED(upc_all_fopen(name.c_str(), ways | UPC_CREATE | UPC_EXCL, 0, nullptr), EEXIST);
  barrier();
  if (me() == 0) put_contents(name, Bytes(100, 'x'));
  barrier();
  const upcr_pts_t kept = open_file(name, ways | UPC_CREATE | UPC_APPEND);
  REQUIRE(upc_all_fget_size(kept) == 100);
  REQUIRE(upc_all_fseek(kept, 0, UPC_SEEK_CUR) == 100);
  REQUIRE(upc_all_fclose(kept) == 0);
  const upcr_pts_t cut_off = open_file(name, ways | UPC_TRUNC | UPC_APPEND | UPC_DELETE_ON_CLOSE);
  REQUIRE(upc_all_fget_size(cut_off) == 0);
  REQUIRE(upc_all_fseek(cut_off, 0, UPC_SEEK_CUR) == 0);
  REQUIRE(exists(name));
  REQUIRE(upc_all_fclose(cut_off) == 0);
  REQUIRE(!exists(name));
}

UPC_TEST(io_open, mistakes_are_refused_everywhere) {
  const std::string name = name_of("mistakes");
  const char* text = name.c_str();
  const int create = UPC_CREATE | UPC_INDIVIDUAL_FP;
  NOT_OPENED(upc_all_fopen(text, create, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, UPC_RDWR | UPC_CREATE, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR | UPC_RDONLY, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR | UPC_COMMON_FP, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR | 0x8000, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDONLY | UPC_TRUNC, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_EXCL, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(nullptr, create | UPC_RDWR, 0, nullptr), EINVAL);
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR, 1, nullptr), EINVAL);
  const upc_hint_t half[] = {{"cb_nodes", nullptr}};
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR, 1, half), EINVAL);
  const upc_hint_t odd[] = {{"cb_nodes", "many"}};
  NOT_OPENED(upc_all_fopen(text, create | UPC_RDWR, 1, odd), EINVAL);
  NOT_OPENED(upc_all_fopen("/no/such/folder/file", create | UPC_RDWR, 0, nullptr), ENOENT);
  NOT_OPENED(upc_all_fopen("/tmp", UPC_RDONLY | UPC_INDIVIDUAL_FP, 0, nullptr), EISDIR);
  REQUIRE(!exists(name));
  // One thread alone is wrong: none gets the file, and what was created for it is gone.
  NOT_OPENED(upc_all_fopen(self() + 1 == count() ? nullptr : text, create | UPC_RDWR, 0, nullptr), EINVAL);
  REQUIRE(!exists(name));
  if (count() > 1) {
    const std::string other = self() + 1 == count() ? name + "-elsewhere" : name;
    NOT_OPENED(upc_all_fopen(other.c_str(), create | UPC_RDWR, 0, nullptr), ENOENT);
    REQUIRE(!exists(name));
    // Another file of the same kind is another file.
    barrier();
    if (me() == 0) put_contents(name, Bytes(10, 'a'));
    if (self() + 1 == count()) put_contents(other, Bytes(10, 'a'));
    barrier();
    NOT_OPENED(upc_all_fopen(other.c_str(), UPC_RDWR | UPC_TRUNC | UPC_COMMON_FP, 0, nullptr), EXDEV);
    REQUIRE(contents(other) == Bytes(10, 'a'));
    barrier();
    unlink(other.c_str());
    barrier();
  }
}

UPC_TEST(io_open, handles_end_with_their_file) {
  const std::string name = name_of("handles");
  const upcr_pts_t first = open_file(name, fresh | UPC_INDIVIDUAL_FP);
  const upcr_pts_t second = open_file(name + "-b", fresh | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE);
  REQUIRE(!upcr_equal(first, second));
  REQUIRE(upc_all_fclose(first) == 0);
  char byte = 0;
  REFUSED(upc_all_fclose(first), EBADF);
  REFUSED(upc_all_fsync(first), EBADF);
  REFUSED(upc_all_fseek(first, 0, UPC_SEEK_SET), EBADF);
  REFUSED(upc_all_fset_size(first, 0), EBADF);
  REFUSED(upc_all_fget_size(first), EBADF);
  REFUSED(upc_all_fpreallocate(first, 0), EBADF);
  REFUSED(upc_all_fcntl(first, UPC_GET_FL, nullptr), EBADF);
  REFUSED(upc_all_fread_local(first, &byte, 1, 1, 0), EBADF);
  REFUSED(upc_all_fwrite_list_local(first, 0, nullptr, 0, nullptr, 0), EBADF);
  REFUSED(upc_all_fwait_async(first), EBADF);
  REFUSED(upc_all_fclose(upcr_null()), EBADF);
  REQUIRE(upc_all_fcntl(second, UPC_GET_FP, nullptr) == UPC_COMMON_FP);
  REQUIRE(upc_all_fclose(second) == 0);
  REQUIRE(!exists(name + "-b"));
  remove_file(name);
}

UPC_TEST(io_open, hints_are_kept_and_permissions_set) {
  const std::string name = name_of("hints");
  const upc_hint_t hints[] = {{"file_perm", "640"},
                              {"cb_buffer_size", "8192"},
                              {"no such hint", "x"},
                              {"access_style", "read_once, sequential"}};
  const upcr_pts_t file = upc_all_fopen(name.c_str(), fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE, 4, hints);
  REQUIRE(!upcr_is_null(file));
  struct stat status {};
  REQUIRE(stat(name.c_str(), &status) == 0);
  REQUIRE((status.st_mode & 0777) == 0640);
  const upc_hint_t* kept = nullptr;
  REQUIRE(upc_all_fcntl(file, UPC_GET_HINTS, &kept) == 3);
  REQUIRE(std::strcmp(kept[1].key, "cb_buffer_size") == 0 && std::strcmp(kept[1].value, "8192") == 0);
  upc_hint_t changed = {"cb_buffer_size", "4096"};
  REQUIRE(upc_all_fcntl(file, UPC_SET_HINT, &changed) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_GET_HINTS, &kept) == 3);
  REQUIRE(std::strcmp(kept[1].value, "4096") == 0);
  changed.value = "no number";
  REFUSED(upc_all_fcntl(file, UPC_SET_HINT, &changed), EINVAL);
  REFUSED(upc_all_fcntl(file, UPC_SET_HINT, nullptr), EINVAL);
  const char* given = nullptr;
  REQUIRE(upc_all_fcntl(file, UPC_GET_FN, &given) == 0);
  REQUIRE(given == name);
  REFUSED(upc_all_fcntl(file, UPC_GET_FN, nullptr), EINVAL);
  REFUSED(upc_all_fcntl(file, 99, nullptr), EINVAL);
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- Pointers, sizes, semantics ----

UPC_TEST(io_control, pointers_and_sizes) {
  const std::string name = name_of("sizes");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE);
  const auto mine = static_cast<upc_off_t>(me());
  REQUIRE(upc_all_fseek(file, 10 + mine, UPC_SEEK_SET) == 10 + mine);
  REQUIRE(upc_all_fseek(file, -mine, UPC_SEEK_CUR) == 10);
  REFUSED(upc_all_fseek(file, -11, UPC_SEEK_CUR), EINVAL);
  REFUSED(upc_all_fseek(file, 0, 7), EINVAL);
  REFUSED(upc_all_fseek(file, me() == 0 ? -1 : 5, UPC_SEEK_SET), EINVAL);  // one of them
  REQUIRE(upc_all_fseek(file, INT64_MAX, UPC_SEEK_SET) == INT64_MAX);
  REFUSED(upc_all_fseek(file, 1, UPC_SEEK_CUR), EOVERFLOW);
  REQUIRE(upc_all_fget_size(file) == 0);  // seeking changes no size
  REQUIRE(upc_all_fset_size(file, 1000) == 0);
  REQUIRE(upc_all_fget_size(file) == 1000);
  REQUIRE(upc_all_fseek(file, -1 - mine, UPC_SEEK_END) == 999 - mine);
  REQUIRE(upc_all_fpreallocate(file, 500) == 0);
  REQUIRE(upc_all_fget_size(file) == 1000);
  REQUIRE(upc_all_fpreallocate(file, 100'000) == 0);
  REQUIRE(upc_all_fget_size(file) == 100'000);
  struct stat status {};
  REQUIRE(stat(name.c_str(), &status) == 0);
  REQUIRE(status.st_blocks * 512 >= 100'000);
  REQUIRE(upc_all_fset_size(file, 10) == 0);
  REQUIRE(upc_all_fget_size(file) == 10);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_CUR) == 999 - mine);
  REFUSED(upc_all_fset_size(file, -1), EINVAL);
  REFUSED(upc_all_fpreallocate(file, -5), EINVAL);
  REQUIRE(upc_all_fclose(file) == 0);
}

UPC_TEST(io_control, modes_change) {
  const std::string name = name_of("modes");
  const int flags = fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE;
  const upcr_pts_t file = open_file(name, flags);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FL, nullptr) == flags);
  REQUIRE(upc_all_fcntl(file, UPC_GET_CA_SEMANTICS, nullptr) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_SET_STRONG_CA_SEMANTICS, nullptr) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_GET_CA_SEMANTICS, nullptr) == UPC_STRONG_CA);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FL, nullptr) == (flags | UPC_STRONG_CA));
  REQUIRE(upc_all_fcntl(file, UPC_SET_WEAK_CA_SEMANTICS, nullptr) == 0);
  REQUIRE(upc_all_fseek(file, 5, UPC_SEEK_SET) == 5);
  REQUIRE(upc_all_fcntl(file, UPC_SET_COMMON_FP, nullptr) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FP, nullptr) == UPC_COMMON_FP);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_CUR) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_SET_INDIVIDUAL_FP, nullptr) == 0);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FP, nullptr) == UPC_INDIVIDUAL_FP);
  REQUIRE(upc_all_fcntl(file, UPC_GET_FL, nullptr) == flags);
  REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 0);
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- What reads and writes refuse ----

UPC_TEST(io_data, mistakes_are_refused_everywhere) {
  const std::string name = name_of("refused");
  barrier();
  if (me() == 0) put_contents(name, Bytes(64, 'q'));
  barrier();
  const upcr_pts_t memory = upc_all_alloc(count(), 4096);
  std::array<char, 64> buffer{};
  upcr_pts_t file = open_file(name, UPC_RDONLY | UPC_INDIVIDUAL_FP);
  REFUSED(upc_all_fwrite_local(file, buffer.data(), 1, 1, 0), EBADF);
  REFUSED(upc_all_fwrite_list_local(file, 0, nullptr, 0, nullptr, 0), EBADF);
  REFUSED(upc_all_fset_size(file, 0), EBADF);
  REFUSED(upc_all_fpreallocate(file, 10), EBADF);
  REFUSED(upc_all_fread_local(file, nullptr, 1, 1, 0), EINVAL);
  REFUSED(upc_all_fread_local(file, me() == 0 ? nullptr : buffer.data(), 1, 1, nosync), EINVAL);
  REFUSED(upc_all_fread_local(file, buffer.data(), SIZE_MAX, 2, 0), EINVAL);
  REFUSED(upc_all_fread_local(file, buffer.data(), static_cast<size_t>(-1), 1, 0), EINVAL);
  REFUSED(upc_all_fread_shared(file, upcr_null(), 1, 1, 1, 0), EINVAL);
  REFUSED(upc_all_fread_shared(file, memory, SIZE_MAX, 1, 1, 0), EINVAL);
  REFUSED(upc_all_fread_shared(file, memory, 1, 1, size_t{1} << 50, 0), EFAULT);
  REFUSED(upc_all_fread_shared(file, upcr_make(memory.offset, count(), 0), 1, 1, 1, 0), EFAULT);
  REQUIRE(upc_all_fread_local(file, nullptr, 0, 5, 0) == 0);
  REQUIRE(upc_all_fread_local(file, nullptr, 5, 0, 0) == 0);
  REQUIRE(upc_all_fread_shared(file, upcr_null(), 1, 5, 0, 0) == 0);

  const auto read_list = [&](std::vector<upc_local_memvec> to, std::vector<upc_filevec> from) {
    return upc_all_fread_list_local(file, to.size(), to.data(), from.size(), from.data(), 0);
  };
  REFUSED(read_list({{buffer.data(), 5}}, {{0, 6}}), EINVAL);
  REFUSED(read_list({{nullptr, 5}}, {{0, 5}}), EINVAL);
  REFUSED(read_list({{buffer.data(), 5}}, {{-1, 5}}), EINVAL);
  REFUSED(read_list({{buffer.data(), 2}}, {{10, 1}, {5, 1}}), EINVAL);
  REFUSED(read_list({{buffer.data(), SIZE_MAX}, {buffer.data(), 2}}, {{0, 1}}), EINVAL);
  REFUSED(upc_all_fread_list_local(file, 1, nullptr, 0, nullptr, 0), EINVAL);
  REFUSED(upc_all_fread_list_local(file, 0, nullptr, 1, nullptr, 0), EINVAL);
  REQUIRE(read_list({{nullptr, 0}, {buffer.data(), 3}}, {{7, 0}, {4, 2}, {4, 1}}) == 3);
  REQUIRE(upc_all_fread_list_shared(file, 0, nullptr, 0, nullptr, 0) == 0);
  REQUIRE(upc_all_fclose(file) == 0);

  file = open_file(name, UPC_WRONLY | UPC_COMMON_FP);
  REFUSED(upc_all_fread_shared(file, memory, 1, 1, 1, 0), EBADF);
  REFUSED(upc_all_fread_list_local(file, 0, nullptr, 0, nullptr, 0), EBADF);
  REFUSED(upc_all_fwrite_local(file, buffer.data(), 1, 1, 0), EINVAL);
  const upc_local_memvec two{buffer.data(), 20};
  const upc_filevec overlapping[] = {{0, 10}, {5, 10}};
  REFUSED(upc_all_fwrite_list_local(file, 1, &two, 2, overlapping, 0), EINVAL);
  REQUIRE(upc_all_fseek(file, INT64_MAX - 3, UPC_SEEK_SET) == INT64_MAX - 3);
  REFUSED(upc_all_fwrite_shared(file, memory, 1, 1, 4, 0), EFBIG);
  // Threads that do not give the same to a common pointer. Checked mode ends the job instead.
  if (count() > 1 && upcr_unchecked() != 0) {
    REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
    REFUSED(upc_all_fwrite_shared(file, memory, 1, 1, me() == 0 ? 2 : 3, nosync), EINVAL);
  }
  REQUIRE(upc_all_fclose(file) == 0);
  upc_all_free(memory);
  remove_file(name);
}

// ---- A model ----

constexpr size_t area = size_t{96} << 10;  // of shared memory per thread

// Where byte `i` of a shared array in blocks of `block` bytes is that starts at (thread, offset): the definition.
struct Spot {
  size_t thread, offset;
};
Spot spot(size_t thread, size_t offset, size_t block, size_t i) {
  if (block == 0) return {thread, offset + i};
  const size_t turn = thread + i / block;
  return {turn % count(), offset + turn / count() * block + i % block};
}
// Bytes of every thread's memory that such an array of `bytes` may touch.
size_t reach(size_t block, size_t bytes) { return block == 0 ? bytes : (bytes / block / count() + 2) * block; }

class Model {
 public:
  Model(const std::string& name, uint64_t seed)
      : name_(name), random_(seed), shared_(upc_all_alloc(count(), area)), memory_(count(), Bytes(area)) {
    file_ = open_file(name, fresh | UPC_INDIVIDUAL_FP);
    positions_.assign(count(), 0);
  }
  ~Model() {
    REQUIRE(upc_all_fclose(file_) == 0);
    REQUIRE(contents(name_) == bytes_);
    upc_all_free(shared_);
    remove_file(name_);
  }

  void step() {
    switch (pick(16)) {
      case 0:
        return resize();
      case 1:
        return change_modes();
      case 2:
        return compare_file();
      case 3:
      case 4:
        return seek();
      case 5:
      case 6:
      case 7:
        return lists(pick(2) == 0);
      default:
        return common_ ? common_transfer(pick(2) == 0) : individual_transfer(pick(2) == 0, pick(2) == 0);
    }
  }

 private:
  // All threads draw the same numbers.
  size_t pick(size_t below) { return below == 0 ? 0 : random_() % below; }
  size_t pick_block() {
    constexpr std::array<size_t, 12> sizes{0, 1, 3, 8, 16, 64, 100, 256, 512, 1000, 4096, 9000};
    return sizes[pick(sizes.size())];
  }
  int pick_flags() {
    constexpr std::array<int, 4> all{0, UPC_IN_ALLSYNC | UPC_OUT_MYSYNC, UPC_IN_MYSYNC | UPC_OUT_ALLSYNC, nosync};
    return all[pick(all.size())];
  }

  // What other threads may see is what has been synchronised.
  void before_reading() {
    if (dirty_ && !strong_) REQUIRE(upc_all_fsync(file_) == 0);
    dirty_ = false;
  }

  void new_contents() {
    for (size_t t = 0; t < count(); ++t)
      for (unsigned char& byte : memory_[t]) byte = static_cast<unsigned char>(random_());
    upc_memput(on(self(), shared_), memory_[self()].data(), area);
    barrier();
  }
  void compare_memory() {
    barrier();
    Bytes mine(area);
    upc_memget(mine.data(), on(self(), shared_), area);
    REQUIRE(mine == memory_[self()]);
    barrier();
  }

  // One byte of the file, in a model of reading and writing.
  void move(bool writes, size_t at, unsigned char& byte) {
    if (writes) {
      if (at >= bytes_.size()) bytes_.resize(at + 1);
      bytes_[at] = byte;
    } else if (at < bytes_.size()) {
      byte = bytes_[at];
    }
  }
  size_t readable(size_t at, size_t bytes) const {
    return at >= bytes_.size() ? 0 : std::min(bytes, bytes_.size() - at);
  }

  // Waits, or asks until it is done.
  upc_off_t complete() {
    REQUIRE(upc_all_fcntl(file_, UPC_ASYNC_OUTSTANDING, nullptr) == 1);
    upc_off_t result = 0;
    if (pick(2) == 0) {
      result = upc_all_fwait_async(file_);
    } else {
      int done = 0;
      while (done == 0) result = upc_all_ftest_async(file_, &done);
    }
    REQUIRE(upc_all_fcntl(file_, UPC_ASYNC_OUTSTANDING, nullptr) == 0);
    return result;
  }

  void resize() {
    const size_t size = pick(200'000);
    if (pick(2) == 0) {
      REQUIRE(upc_all_fset_size(file_, static_cast<upc_off_t>(size)) == 0);
      bytes_.resize(size);
    } else {
      REQUIRE(upc_all_fpreallocate(file_, static_cast<upc_off_t>(size)) == 0);
      bytes_.resize(std::max(size, bytes_.size()));
    }
    REQUIRE(upc_all_fget_size(file_) == static_cast<upc_off_t>(bytes_.size()));
  }

  void change_modes() {
    const size_t what = pick(5);
    if (what == 0) {
      common_ = !common_;
      REQUIRE(upc_all_fcntl(file_, common_ ? UPC_SET_COMMON_FP : UPC_SET_INDIVIDUAL_FP, nullptr) == 0);
      positions_.assign(count(), 0);
    } else if (what == 1) {
      strong_ = !strong_;
      REQUIRE(upc_all_fcntl(file_, strong_ ? UPC_SET_STRONG_CA_SEMANTICS : UPC_SET_WEAK_CA_SEMANTICS, nullptr) == 0);
    } else {
      constexpr std::array<upc_hint_t, 8> hints{{{"cb_buffer_size", "4096"},
                                                 {"cb_buffer_size", "70000"},
                                                 {"cb_nodes", "1"},
                                                 {"cb_nodes", "2"},
                                                 {"cb_nodes", "100"},
                                                 {"collective_buffering", "false"},
                                                 {"collective_buffering", "true"},
                                                 {"striping_unit", "777"}}};
      upc_hint_t hint = hints[pick(hints.size())];
      REQUIRE(upc_all_fcntl(file_, UPC_SET_HINT, &hint) == 0);
    }
  }

  void compare_file() {
    REQUIRE(upc_all_fsync(file_) == 0);
    REQUIRE(contents(name_) == bytes_);
    barrier();
  }

  void seek() {
    const bool from_end = pick(2) == 0;
    const size_t same = pick(120'000);
    upc_off_t mine = 0;
    for (size_t t = 0; t < count(); ++t) {
      positions_[t] = common_ ? same : pick(120'000);
      if (t == self()) mine = static_cast<upc_off_t>(positions_[t]);
    }
    const upc_off_t offset = from_end ? mine - static_cast<upc_off_t>(bytes_.size()) : mine;
    REQUIRE(upc_all_fseek(file_, offset, from_end ? UPC_SEEK_END : UPC_SEEK_SET) == mine);
  }

  // Each thread at its pointer, local or shared buffers. Threads' parts of the file and of memory are apart.
  void individual_transfer(bool writes, bool local) {
    if (writes) part_positions();
    if (!writes) before_reading();
    new_contents();
    const int flags = pick_flags();
    const bool async = pick(3) == 0;
    upc_off_t result = 0, expected = 0;
    Bytes buffer;
    Bytes expected_buffer;
    const size_t band = area / count();
    struct Start {
      size_t thread, offset, block, size, elements;
    } mine{};
    for (size_t t = 0; t < count(); ++t) {
      Start start{};
      start.size = 1 + pick(9);
      start.block = pick_block() / 4;
      size_t bytes = pick(20'000);
      while (reach(start.block * start.size, bytes) > band) bytes /= 2, start.block /= 2;
      start.elements = bytes / start.size;
      bytes = start.elements * start.size;
      start.thread = pick(count());
      start.offset = t * band + pick(band - reach(start.block * start.size, bytes) + 1);
      const size_t moved = writes ? bytes : readable(positions_[t], bytes);
      Bytes own(bytes);
      for (unsigned char& byte : own) byte = static_cast<unsigned char>(random_());
      if (t == self()) {
        mine = start;
        buffer = own;
        expected = static_cast<upc_off_t>(moved);
      }
      for (size_t i = 0; i < moved; ++i) {
        const Spot at = spot(start.thread, start.offset, start.block * start.size, i);
        move(writes, positions_[t] + i, local ? own[i] : memory_[at.thread][at.offset]);
      }
      if (t == self()) expected_buffer = own;
      positions_[t] += moved;
    }
    const upcr_pts_t to = upcr_make(shared_.offset + mine.offset, mine.thread, 5);  // the phase is ignored
    if (local && writes && !async) result = upc_all_fwrite_local(file_, buffer.data(), mine.size, mine.elements, flags);
    if (local && !writes && !async) result = upc_all_fread_local(file_, buffer.data(), mine.size, mine.elements, flags);
    if (local && writes && async) upc_all_fwrite_local_async(file_, buffer.data(), mine.size, mine.elements, flags);
    if (local && !writes && async) upc_all_fread_local_async(file_, buffer.data(), mine.size, mine.elements, flags);
    if (!local && writes && !async)
      result = upc_all_fwrite_shared(file_, to, mine.block, mine.size, mine.elements, flags);
    if (!local && !writes && !async)
      result = upc_all_fread_shared(file_, to, mine.block, mine.size, mine.elements, flags);
    if (!local && writes && async) upc_all_fwrite_shared_async(file_, to, mine.block, mine.size, mine.elements, flags);
    if (!local && !writes && async) upc_all_fread_shared_async(file_, to, mine.block, mine.size, mine.elements, flags);
    if (async) result = complete();
    dirty_ = dirty_ || writes;
    REQUIRE(result == expected);
    REQUIRE(buffer == expected_buffer);
    compare_memory();
    REQUIRE(upc_all_fseek(file_, 0, UPC_SEEK_CUR) == static_cast<upc_off_t>(positions_[self()]));
  }

  // Positions of threads that write, apart from each other.
  void part_positions() {
    for (size_t t = 0; t < count(); ++t) positions_[t] = t * 21'000 + pick(1000);
    REQUIRE(upc_all_fseek(file_, static_cast<upc_off_t>(positions_[self()]), UPC_SEEK_SET) >= 0);
  }

  void common_transfer(bool writes) {
    if (!writes) before_reading();
    new_contents();
    const int flags = pick_flags();
    const size_t size = 1 + pick(9);
    size_t block = pick_block(), bytes = pick(3) == 0 ? pick(area * count()) : pick(20'000);
    while (reach(block * size, bytes) > area) bytes /= 2, block /= 2;
    const size_t elements = bytes / size, thread = pick(count());
    bytes = elements * size;
    const size_t offset = pick(area - reach(block * size, bytes) + 1);
    const size_t moved = writes ? bytes : readable(positions_[0], bytes);
    for (size_t i = 0; i < moved; ++i) {
      const Spot at = spot(thread, offset, block * size, i);
      move(writes, positions_[0] + i, memory_[at.thread][at.offset]);
    }
    positions_.assign(count(), positions_[0] + moved);
    const upcr_pts_t to = upcr_make(shared_.offset + offset, thread, 0);
    upc_off_t result = 0;
    if (pick(3) == 0) {
      if (writes)
        upc_all_fwrite_shared_async(file_, to, block, size, elements, flags);
      else
        upc_all_fread_shared_async(file_, to, block, size, elements, flags);
      result = complete();
    } else {
      result = writes ? upc_all_fwrite_shared(file_, to, block, size, elements, flags)
                      : upc_all_fread_shared(file_, to, block, size, elements, flags);
    }
    dirty_ = dirty_ || writes;
    REQUIRE(result == static_cast<upc_off_t>(moved));
    compare_memory();
    REQUIRE(upc_all_fseek(file_, 0, UPC_SEEK_CUR) == static_cast<upc_off_t>(positions_[0]));
  }

  // Pieces of the file in a row, with holes, dealt out to the threads; each thread cuts its memory as it likes.
  void lists(bool writes) {
    if (!writes) before_reading();
    new_contents();
    const bool shared = pick(2) == 0, async = pick(4) == 0;
    const int flags = pick_flags();
    const size_t longest = pick(3) == 0 ? 6000 : 100, hole = pick(3) == 0 ? 300 : 2, pieces = pick(400);
    const size_t band = area / count() / 2;
    std::vector<std::vector<upc_filevec>> runs(count());
    std::vector<size_t> wanted(count());
    size_t at = pick(5000);
    for (size_t i = 0; i < pieces; ++i) {
      const size_t t = pick(count()), bytes = pick(longest);
      if (wanted[t] + bytes > band / 2) continue;
      runs[t].push_back({static_cast<upc_off_t>(at), bytes});
      wanted[t] += bytes;
      at += bytes + pick(hole);
    }
    upc_off_t expected = 0;
    Bytes buffer(band), expected_buffer;
    std::vector<upc_local_memvec> local;
    std::vector<upc_shared_memvec> spread;
    for (size_t t = 0; t < count(); ++t) {
      // The bytes of memory, in order: where each is.
      Bytes own(band);
      for (unsigned char& byte : own) byte = static_cast<unsigned char>(random_());
      std::vector<unsigned char*> order;
      if (t == self()) buffer = own;
      size_t free = t * (area / count());
      for (size_t left = wanted[t], local_at = 0; left != 0;) {
        const size_t bytes = std::min(left, 1 + pick(longest));
        const size_t block = std::min(pick_block() / 8, bytes), thread = pick(count());
        const size_t needed = reach(block, bytes);
        const bool fits = free + needed <= (t + 1) * (area / count());
        if (shared && !fits) {  // no more room: what is left is not read or written
          trim(runs[t], left);
          break;
        }
        if (t == self() && shared) spread.push_back({upcr_make(shared_.offset + free, thread, 0), block, bytes});
        if (t == self() && !shared) local.push_back({buffer.data() + local_at, bytes});
        for (size_t i = 0; i < bytes; ++i) {
          const Spot place = spot(thread, free, block, i);
          order.push_back(shared ? &memory_[place.thread][place.offset] : &own[local_at + i]);
        }
        free += needed;
        local_at += bytes;
        left -= bytes;
      }
      size_t next = 0;
      for (const upc_filevec& run : runs[t]) {
        const auto begin = static_cast<size_t>(run.offset);
        if (t == self()) expected += static_cast<upc_off_t>(writes ? run.len : readable(begin, run.len));
        for (size_t i = 0; i < run.len; ++i) move(writes, begin + i, *order[next++]);
      }
      if (t == self()) expected_buffer = own;
    }
    const std::vector<upc_filevec>& file = runs[self()];
    upc_off_t result = 0;
    if (shared && writes && !async)
      result = upc_all_fwrite_list_shared(file_, spread.size(), spread.data(), file.size(), file.data(), flags);
    if (shared && !writes && !async)
      result = upc_all_fread_list_shared(file_, spread.size(), spread.data(), file.size(), file.data(), flags);
    if (shared && writes && async)
      upc_all_fwrite_list_shared_async(file_, spread.size(), spread.data(), file.size(), file.data(), flags);
    if (shared && !writes && async)
      upc_all_fread_list_shared_async(file_, spread.size(), spread.data(), file.size(), file.data(), flags);
    if (!shared && writes && !async)
      result = upc_all_fwrite_list_local(file_, local.size(), local.data(), file.size(), file.data(), flags);
    if (!shared && !writes && !async)
      result = upc_all_fread_list_local(file_, local.size(), local.data(), file.size(), file.data(), flags);
    if (!shared && writes && async)
      upc_all_fwrite_list_local_async(file_, local.size(), local.data(), file.size(), file.data(), flags);
    if (!shared && !writes && async)
      upc_all_fread_list_local_async(file_, local.size(), local.data(), file.size(), file.data(), flags);
    if (async) {
      local.clear();  // lists may be reused at once
      spread.clear();
      result = complete();
    }
    dirty_ = dirty_ || writes;
    REQUIRE(result == expected);
    REQUIRE(buffer == expected_buffer);
    compare_memory();
    REQUIRE(upc_all_fseek(file_, 0, UPC_SEEK_CUR) == static_cast<upc_off_t>(positions_[self()]));
  }

  static void trim(std::vector<upc_filevec>& runs, size_t bytes) {
    while (bytes != 0) {
      const size_t last = std::min(bytes, runs.back().len);
      runs.back().len -= last;
      bytes -= last;
      if (runs.back().len == 0) runs.pop_back();
    }
  }

  std::string name_;
  std::mt19937_64 random_;
  upcr_pts_t file_{};
  upcr_pts_t shared_;
  std::vector<Bytes> memory_;      // every thread's shared memory
  Bytes bytes_;                    // the file
  std::vector<size_t> positions_;  // every thread's pointer
  bool common_ = false, strong_ = false, dirty_ = false;
};

// WEFT_TEST_SEED repeats a run, WEFT_TEST_STEPS makes it longer.
UPC_TEST(io_model, random_operations) {
  const char* given = std::getenv("WEFT_TEST_SEED");
  const char* length = std::getenv("WEFT_TEST_STEPS");
  uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  (void)weft_broadcast(WEFT_TEAM_WORLD, &seed, &seed, sizeof seed, 0, 0);
  if (me() == 0) std::printf("WEFT_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  const int steps = length != nullptr ? std::atoi(length) : 120;
  Model model(name_of("model"), seed);
  for (int i = 0; i < steps; ++i) {
    // From time to time the system moves less than it is asked for.
    barrier();
    faults.short_calls = i % 7 == 3;
    barrier();
    model.step();
  }
  barrier();
  faults.short_calls = false;
}

// ---- Semantics ----

// Each call of each thread is one step: whoever comes last has all of it.
UPC_TEST(io_strong, calls_are_atomic) {
  const std::string name = name_of("strong");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP | UPC_STRONG_CA | UPC_DELETE_ON_CLOSE);
  constexpr size_t size = 300'000;
  const upcr_pts_t shared = upc_all_alloc(1, size);
  for (int round = 0; round < 8; ++round) {
    const bool async = round % 2 == 1;
    Bytes mine(size, static_cast<unsigned char>(me() + 1));
    REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
    if (async) {
      upc_all_fwrite_local_async(file, mine.data(), 1, size, nosync);
      REQUIRE(upc_all_fwait_async(file) == size);
    } else if (round % 4 == 0) {
      REQUIRE(upc_all_fwrite_local(file, mine.data(), size, 1, nosync) == size);
    } else {  // many runs are one call
      std::vector<upc_filevec> runs;
      for (size_t at = 0; at < size; at += 100) runs.push_back({static_cast<upc_off_t>(at), 100});
      const upc_local_memvec memory{mine.data(), size};
      REQUIRE(upc_all_fwrite_list_local(file, 1, &memory, runs.size(), runs.data(), nosync) == size);
    }
    Bytes now = contents(name);
    REQUIRE(now.size() >= size);
    now.resize(size);
    REQUIRE(std::all_of(now.begin(), now.end(), [&](unsigned char byte) { return byte == now[0]; }));
    // Reads into one buffer, each from its own part of a file.
    barrier();
    REQUIRE(upc_all_fseek(file, static_cast<upc_off_t>(size * self()), UPC_SEEK_SET) >= 0);
    REQUIRE(upc_all_fwrite_local(file, mine.data(), 1, size, 0) == size);
    REQUIRE(upc_all_fseek(file, static_cast<upc_off_t>(size * self()), UPC_SEEK_SET) >= 0);
    if (async) {
      upc_all_fread_shared_async(file, shared, 0, 1, size, 0);
      REQUIRE(upc_all_fwait_async(file) == size);
    } else {
      REQUIRE(upc_all_fread_shared(file, shared, 0, 1, size, 0) == size);
    }
    Bytes got(size);
    upc_memget(got.data(), shared, size);
    REQUIRE(std::all_of(got.begin(), got.end(), [&](unsigned char byte) { return byte == got[0]; }));
    barrier();
  }
  upc_all_free(shared);
  REQUIRE(upc_all_fclose(file) == 0);
}

UPC_TEST(io_weak, own_writes_are_read_back_at_once) {
  const std::string name = name_of("own");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE);
  std::array<int, 100> out{}, in{};
  out.fill(me() + 7);
  const auto at = static_cast<upc_off_t>(sizeof out * self());
  REQUIRE(upc_all_fseek(file, at, UPC_SEEK_SET) == at);
  REQUIRE(upc_all_fwrite_local(file, out.data(), sizeof(int), 100, nosync) == sizeof out);
  REQUIRE(upc_all_fseek(file, at, UPC_SEEK_SET) == at);
  REQUIRE(upc_all_fread_local(file, in.data(), sizeof(int), 100, nosync) == sizeof in);
  REQUIRE(in == out);
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- Asynchronous operations ----

UPC_TEST(io_async, allows_nothing_else_until_it_is_complete) {
  const std::string name = name_of("async");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP);
  int done = 5;
  REFUSED(upc_all_fwait_async(file), EINVAL);
  REFUSED(upc_all_ftest_async(file, &done), EINVAL);
  REQUIRE(done == 1);
  Bytes bytes(5000, static_cast<unsigned char>(me()));
  REQUIRE(upc_all_fseek(file, me() * 5000, UPC_SEEK_SET) == me() * 5000);
  upc_all_fwrite_local_async(file, bytes.data(), 1, bytes.size(), 0);
  REFUSED(upc_all_fclose(file), EBUSY);
  REFUSED(upc_all_fsync(file), EBUSY);
  REFUSED(upc_all_fseek(file, 0, UPC_SEEK_SET), EBUSY);
  REFUSED(upc_all_fget_size(file), EBUSY);
  REFUSED(upc_all_fcntl(file, UPC_GET_FL, nullptr), EBUSY);
  REFUSED(upc_all_fread_local(file, bytes.data(), 1, 1, 0), EBUSY);
  REFUSED(upc_all_ftest_async(file, nullptr), EINVAL);
  REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 1);
  REQUIRE(upc_all_fwait_async(file) == 5000);
  REFUSED(upc_all_fwait_async(file), EINVAL);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_CUR) == me() * 5000 + 5000);
  // Wrong arguments are told at the end; the file is as before then.
  upc_all_fwrite_local_async(file, me() == 0 ? nullptr : bytes.data(), 1, 10, 0);
  REFUSED(upc_all_fwait_async(file), EINVAL);
  REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 0);
  REQUIRE(upc_all_fclose(file) == 0);
  const Bytes all = contents(name);
  for (size_t t = 0; t < count(); ++t) REQUIRE(all[t * 5000 + 17] == static_cast<unsigned char>(t));
  remove_file(name);
}

// An operation is begun and asked for while the system does nothing yet.
UPC_TEST(io_async, goes_on_without_waiting_for_the_system) {
  const std::string name = name_of("stuck");
  const upcr_pts_t file = open_file(name, fresh | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE);
  constexpr size_t each = 100'000, block = 100;
  const size_t all = each * count();
  const upcr_pts_t shared = upc_all_alloc(all / block, block);
  const auto own = static_cast<upc_off_t>(self() * each);
  Bytes bytes(each, static_cast<unsigned char>(me() + 1));
  const upc_local_memvec memory{bytes.data(), each};
  const upc_filevec run{own, each};
  const auto check = [&](auto start, size_t expected) {
    barrier();
    faults.stuck = true;
    barrier();
    start();
    int done = 1;
    REQUIRE(upc_all_ftest_async(file, &done) == 0);
    REQUIRE(done == 0 && faults.stuck);
    REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 1);
    faults.stuck = false;
    REQUIRE(upc_all_fwait_async(file) == static_cast<upc_off_t>(expected));
  };
  upc_memput(on(self(), shared), bytes.data(), each);
  check([&] { upc_all_fwrite_shared_async(file, shared, block, 1, all, 0); }, all);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  upc_memset(on(self(), shared), 0, each);
  check([&] { upc_all_fread_shared_async(file, shared, block, 1, all, 0); }, all);
  Bytes back(each);
  upc_memget(back.data(), on(self(), shared), each);
  REQUIRE(back == bytes);
  check([&] { upc_all_fwrite_list_local_async(file, 1, &memory, 1, &run, 0); }, each);
  back.assign(each, 0);
  const upc_local_memvec to{back.data(), each};
  check([&] { upc_all_fread_list_local_async(file, 1, &to, 1, &run, 0); }, each);
  REQUIRE(back == bytes);
  upc_all_free(shared);
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- Failures of the system ----

// `call` fails with the error, on all threads, wherever it comes from.
template <class Call>
void expect_failure(Call call, int error) {
  for (const size_t who : {size_t{0}, count() - 1}) {
    barrier();
    own_error = self() == who ? error : 0;
    REFUSED(call(), error);
    own_error = 0;
    barrier();
  }
}

UPC_TEST(io_failure, is_told_to_all_threads) {
  const std::string name = name_of("failure");
  const upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP);
  const upcr_pts_t shared = upc_all_alloc(count(), 301'000);
  Bytes bytes(1000, static_cast<unsigned char>('A' + me()));
  const auto own = static_cast<upc_off_t>(1000 * self());
  REQUIRE(upc_all_fseek(file, own, UPC_SEEK_SET) == own);
  REQUIRE(upc_all_fwrite_local(file, bytes.data(), 1, 1000, 0) == 1000);
  REQUIRE(upc_all_fsync(file) == 0);
  REQUIRE(upc_all_fseek(file, 1'000'000 + own, UPC_SEEK_SET) >= 0);
  for (const int error : {EIO, ENOSPC, EDQUOT, ESTALE}) {
    expect_failure([&] { return upc_all_fwrite_local(file, bytes.data(), 1, 1000, nosync); }, error);
    expect_failure([&] { return upc_all_fread_local(file, bytes.data(), 1, 1000, nosync); }, error);
    expect_failure([&] { return upc_all_fread_shared(file, shared, 8, 1, 1000, 0); }, error);
  }
  const upc_local_memvec memory{bytes.data(), 1000};
  const upc_filevec run{2'000'000, 1000};
  expect_failure([&] { return upc_all_fwrite_list_local(file, 1, &memory, 1, &run, 0); }, EIO);
  // The helper's error.
  barrier();
  faults.error = EIO;
  barrier();
  upc_all_fwrite_local_async(file, bytes.data(), 1, 1000, 0);
  REFUSED(upc_all_fwait_async(file), EIO);
  REQUIRE(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, nullptr) == 0);
  REFUSED(upc_all_fsync(file), EIO);
  barrier();
  faults.error = 0;
  barrier();
  // Common pointer, on a file in which all threads do a part.
  REQUIRE(upc_all_fcntl(file, UPC_SET_COMMON_FP, nullptr) == 0);
  REQUIRE(upc_all_fseek(file, 3'000'000, UPC_SEEK_SET) >= 0);
  expect_failure([&] { return upc_all_fwrite_shared(file, shared, 64, 1, 300'000 * count(), 0); }, ENOSPC);
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  // What was synchronised is whole, and the file still works.
  REQUIRE(upc_all_fread_shared(file, shared, 0, 1, 1000 * count(), 0) == static_cast<upc_off_t>(1000 * count()));
  Bytes back(1000 * count());
  upc_memget(back.data(), shared, back.size());
  for (size_t i = 0; i < back.size(); ++i) REQUIRE(back[i] == 'A' + i / 1000);
  // Closing tells what could not be synchronised.
  barrier();
  faults.error = EIO;
  barrier();
  REFUSED(upc_all_fclose(file), EIO);
  REFUSED(upc_all_fclose(file), EBADF);
  barrier();
  faults.error = 0;
  upc_all_free(shared);
  remove_file(name);
}

// A device that is always full, a limit of the process, a file that somebody removed.
UPC_TEST(io_failure, of_the_real_system) {
  std::array<char, 100> bytes{};
  const upcr_pts_t full = open_file("/dev/full", UPC_RDWR | UPC_INDIVIDUAL_FP);
  REFUSED(upc_all_fwrite_local(full, bytes.data(), 1, 100, 0), ENOSPC);
  upc_all_fwrite_local_async(full, bytes.data(), 1, 100, 0);
  REFUSED(upc_all_fwait_async(full), ENOSPC);
  REQUIRE(upc_all_fclose(full) == 0);

  const std::string name = name_of("limit");
  upcr_pts_t file = open_file(name, fresh | UPC_INDIVIDUAL_FP);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{10'000, before.rlim_max};
  barrier();
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  barrier();
  REQUIRE(upc_all_fwrite_local(file, bytes.data(), 1, 100, 0) == 100);
  REQUIRE(upc_all_fseek(file, 9'950, UPC_SEEK_SET) == 9'950);
  REFUSED(upc_all_fwrite_local(file, bytes.data(), 1, 100, 0), EFBIG);
  REFUSED(upc_all_fset_size(file, 10'001), EFBIG);
  barrier();
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  barrier();

  // Removed by somebody: what is open stays usable, and a name that is to be removed and is gone is no error.
  if (me() == 0) unlink(name.c_str());
  barrier();
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  REQUIRE(upc_all_fread_local(file, bytes.data(), 1, 100, 0) == 100);
  REQUIRE(upc_all_fsync(file) == 0);
  REQUIRE(upc_all_fclose(file) == 0);
  NOT_OPENED(upc_all_fopen(name.c_str(), UPC_RDWR | UPC_INDIVIDUAL_FP, 0, nullptr), ENOENT);
  file = open_file(name, fresh | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE);
  barrier();
  if (me() == 0) unlink(name.c_str());
  barrier();
  REQUIRE(upc_all_fclose(file) == 0);
}

// ---- Cost ----

// Small blocks are moved by few large calls, whatever the form.
UPC_TEST(io_cost, small_blocks_take_few_calls) {
  const std::string name = name_of("cost");
  const upcr_pts_t file = open_file(name, fresh | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE);
  constexpr size_t each = size_t{1} << 20, block = 64;
  const upcr_pts_t shared = upc_all_alloc(count() * (each / block), block);
  std::vector<upc_filevec> runs;
  for (size_t i = 0; i < each / block; ++i)
    runs.push_back({static_cast<upc_off_t>((i * count() + self()) * block), block});
  Bytes local(each, static_cast<unsigned char>(me()));
  const upc_local_memvec memory{local.data(), each};
  const auto calls_of = [&](auto call) {
    barrier();
    faults.calls = 0;
    barrier();
    call();
    barrier();
    return static_cast<size_t>(faults.calls);  // of this process
  };
  const size_t all = each * count();
  const auto few = static_cast<int>(all / (64 << 10)) + 4 * threads();
  REQUIRE(calls_of([&] {
            REQUIRE(upc_all_fwrite_shared(file, shared, block, 1, all, 0) == static_cast<upc_off_t>(all));
          }) <= static_cast<size_t>(few));
  REQUIRE(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  REQUIRE(calls_of([&] {
            REQUIRE(upc_all_fread_shared(file, shared, block, 1, all, 0) == static_cast<upc_off_t>(all));
          }) <= static_cast<size_t>(few) * count());
  REQUIRE(calls_of([&] {
            REQUIRE(upc_all_fwrite_list_local(file, 1, &memory, runs.size(), runs.data(), 0) ==
                    static_cast<upc_off_t>(each));
          }) <= static_cast<size_t>(few));
  Bytes back(each);
  const upc_local_memvec to{back.data(), each};
  REQUIRE(calls_of([&] {
            REQUIRE(upc_all_fread_list_local(file, 1, &to, runs.size(), runs.data(), 0) ==
                    static_cast<upc_off_t>(each));
          }) <= static_cast<size_t>(few) * count());
  REQUIRE(back == local);
  upc_all_free(shared);
  REQUIRE(upc_all_fclose(file) == 0);
}

}  // namespace
