// upc_all_fopen and upc_all_fclose, and what becomes of open files when the program ends.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <upc/upc_io_flags.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>

#include "upcrt/io_file.hpp"

namespace weft::upcrt::io {
namespace {

constexpr int all_flags = UPC_RDONLY | UPC_WRONLY | UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_COMMON_FP | UPC_APPEND |
                          UPC_CREATE | UPC_EXCL | UPC_STRONG_CA | UPC_TRUNC | UPC_DELETE_ON_CLOSE;

bool one_of(int flags, int among) { return __builtin_popcount(static_cast<unsigned>(flags & among)) == 1; }

// Empty, or what is wrong.
const char* problem_of(int flags) {
  if ((flags & ~all_flags) != 0) return "the flags have bits that are no flag of <upc_io.h>";
  if (!one_of(flags, UPC_RDONLY | UPC_WRONLY | UPC_RDWR))
    return "the flags must have exactly one of UPC_RDONLY, UPC_WRONLY, UPC_RDWR";
  if (!one_of(flags, UPC_INDIVIDUAL_FP | UPC_COMMON_FP))
    return "the flags must have exactly one of UPC_INDIVIDUAL_FP, UPC_COMMON_FP";
  if ((flags & UPC_EXCL) != 0 && (flags & UPC_CREATE) == 0) return "UPC_EXCL needs UPC_CREATE";
  if ((flags & UPC_TRUNC) != 0 && (flags & UPC_RDONLY) != 0) return "UPC_TRUNC needs a file opened for writing";
  return "";
}

int mode_of(int flags) {
  const int mode = (flags & UPC_RDONLY) != 0 ? O_RDONLY : (flags & UPC_WRONLY) != 0 ? O_WRONLY : O_RDWR;
  // Non-blocking: opening a pipe must not wait for its other end; files know no such thing.
  return mode | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
}

int open_there(const char* name, int mode, unsigned permissions = 0) {
  int fd = -1;
  do fd = open(name, mode, permissions);
  while (fd < 0 && errno == EINTR);
  return fd;
}

// What thread 0 opened, for the others to compare.
struct Identity {
  int error;
  int created;
  uint64_t device;
  uint64_t inode;
  int64_t size;
  int64_t changed_s;
  int64_t changed_ns;
};

void identify(int fd, Identity& identity) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || (!S_ISDIR(status.st_mode) && lseek(fd, 0, SEEK_CUR) < 0))
    identity.error = errno;
  else if (S_ISDIR(status.st_mode))
    identity.error = EISDIR;
  identity.device = status.st_dev;
  identity.inode = status.st_ino;
  identity.size = status.st_size;
  identity.changed_s = status.st_ctim.tv_sec;
  identity.changed_ns = status.st_ctim.tv_nsec;
}

// Hosts number their devices as they like, and two hosts' own discs may have files of one number: between hosts the
// file's last change must be the same, too, to the nanosecond.
bool same(const Identity& a, const Identity& b, bool one_host) {
  if (a.inode != b.inode) return false;
  if (one_host) return a.device == b.device;
  return a.size == b.size && a.changed_s == b.changed_s && a.changed_ns == b.changed_ns;
}

// Thread 0 creates the file, if it is to be created. That it did, and not somebody before, decides whether it is
// removed again should another thread fail.
Identity open_first(File& file) {
  Identity identity{};
  if ((file.flags & UPC_CREATE) != 0) {
    file.fd = open_there(file.name.c_str(), mode_of(file.flags) | O_CREAT | O_EXCL, file.hints.permissions);
    identity.created = file.fd >= 0 ? 1 : 0;
  }
  const bool may_exist = (file.flags & UPC_EXCL) == 0;
  if (file.fd < 0 && ((file.flags & UPC_CREATE) == 0 || (may_exist && errno == EEXIST)))
    file.fd = open_there(file.name.c_str(), mode_of(file.flags));
  if (file.fd < 0)
    identity.error = errno;
  else
    identify(file.fd, identity);
  return identity;
}

// A network file system may keep telling for a while that a file is not there which has just been created.
int open_created(const char* name, int mode, bool just_created_elsewhere) {
  constexpr int tries = 20;
  int fd = open_there(name, mode);
  for (int i = 0; fd < 0 && errno == ENOENT && just_created_elsewhere && i < tries; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    fd = open_there(name, mode);
  }
  return fd;
}

void open_second(State& state, File& file, const Identity& first, Vote& vote) {
  const bool one_host = files_of(state).bases[0] != nullptr;
  file.fd = open_created(file.name.c_str(), mode_of(file.flags), first.created != 0 && !one_host);
  if (file.fd < 0 && errno == ENOENT)
    return vote.refuse(ENOENT, "thread 0 has a file '" + file.name +
                                   "', this thread finds none; all threads need the same file system");
  if (file.fd < 0) return vote.refuse(errno, {});
  Identity mine{};
  identify(file.fd, mine);
  if (mine.error != 0) return vote.refuse(mine.error, {});
  if (!same(first, mine, one_host))
    vote.refuse(EXDEV,
                "'" + file.name + "' is another file here than on thread 0; all threads need the same file system");
}

// Caches of a network file system know nothing of other hosts' writes.
bool is_over_network(int fd) {
  constexpr std::array<unsigned, 4> kinds{0x6969 /* NFS */, 0xff534d42 /* CIFS */, 0xfe534d42 /* SMB2 */,
                                          0x01021997 /* 9P */};
  struct statfs system {};
  return fstatfs(fd, &system) == 0 &&
         std::find(kinds.begin(), kinds.end(), static_cast<unsigned>(system.f_type)) != kinds.end();
}

// A write beyond RLIMIT_FSIZE shall be an error, EFBIG, and not the end of the job.
void ignore_size_signal() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    if (sigaction(SIGXFSZ, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGXFSZ, &action, nullptr);
  });
}

void advise(const File& file) {
  if (file.hints.sequential) (void)posix_fadvise(file.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  if (file.hints.random) (void)posix_fadvise(file.fd, 0, 0, POSIX_FADV_RANDOM);
  if (file.hints.read_once) (void)posix_fadvise(file.fd, 0, 0, POSIX_FADV_NOREUSE);
}

// Arguments of an open; those that are the same on all threads.
Arguments take_arguments(File& file, const char* name, size_t numhints, const upc_hint* hints, Vote& vote) {
  Arguments same("upc_all_fopen", upcr_null());
  same.add("flags", static_cast<uint64_t>(file.flags), Arguments::As::flags);
  same.add("numhints", numhints);
  if (name == nullptr)
    vote.refuse(EINVAL, "fname is a null pointer");
  else
    file.name = name;
  if (const char* problem = problem_of(file.flags); *problem != '\0') vote.refuse(EINVAL, problem);
  if (numhints != 0 && hints == nullptr) {
    vote.refuse(EINVAL, "numhints is " + std::to_string(numhints) + " and hints a null pointer");
    return same;
  }
  for (size_t i = 0; i < numhints; ++i) {
    if (hints[i].key == nullptr || hints[i].value == nullptr) {
      vote.refuse(EINVAL, "hints[" + std::to_string(i) + "] has a null pointer");
      continue;
    }
    if (std::string problem = file.hints.set(hints[i].key, hints[i].value); !problem.empty())
      vote.refuse(EINVAL, std::move(problem));
    same.add_text("a hint's key", hints[i].key);
    same.add_text("a hint's value", hints[i].value);
  }
  return same;
}

void undo(State& state, const File& file, const Identity& first) {
  const int error = errno;
  if (file.fd >= 0) (void)::close(file.fd);
  if (state.me == 0 && first.created != 0) (void)unlink(file.name.c_str());
  errno = error;
}

// Says what is wrong if there is no memory for it; then nobody gets one.
bool get_lock(File& file) {
  if (file.strong()) file.lock = upc_all_lock_alloc();
  return !file.strong() || !upcr_is_null(file.lock);
}

// The file, opened by all threads, or null on all. Nothing of an existing file is changed before all have it.
std::unique_ptr<File> open_all(const Call& call, std::unique_ptr<File> file, Vote vote) {
  State& state = call.state;
  Identity first{};
  if (state.me == 0) {
    if (vote.error == 0) first = open_first(*file);
    if (first.error != 0) vote.refuse(first.error, {});
    first.error = vote.error;
  }
  (void)weft_broadcast(WEFT_TEAM_WORLD, state.me == 0 ? nullptr : &first, &first, sizeof first, 0, 0);
  if (state.me != 0 && first.error == 0 && vote.error == 0) open_second(state, *file, first, vote);
  if (!call.agreed(vote)) {
    undo(state, *file, first);
    return nullptr;
  }
  if ((file->flags & UPC_TRUNC) != 0 && first.created == 0) {
    Vote truncated;
    if (state.me == 0 && ftruncate(file->fd, 0) != 0) truncated.refuse(errno, {});
    if (!call.agreed(truncated)) {
      undo(state, *file, first);
      return nullptr;
    }
    first.size = 0;
    file->dirty = true;
  }
  if (!get_lock(*file)) {
    errno = ENOMEM;
    undo(state, *file, first);
    return nullptr;
  }
  file->created = first.created != 0;
  file->dirty = file->dirty || file->created;
  if ((file->flags & UPC_APPEND) != 0) file->position = first.size;
  return file;
}

int close_one(const Call& call, File& file) {
  State& state = call.state;
  const bool deleted = (file.flags & UPC_DELETE_ON_CLOSE) != 0;
  Vote vote;
  if (const int error = deleted ? 0 : flush(state, file); error != 0) vote.refuse(error, {});
  if (file.lock.offset != 0) upc_all_lock_free(file.lock);
  if (::close(file.fd) != 0 && errno != EINTR && file.dirty && !deleted) vote.refuse(errno, {});
  Result result = call.agree(vote);
  if (deleted) {
    // One name is enough; that it is gone already is what was wanted.
    Vote removed;
    if (state.me == 0 && unlink(file.name.c_str()) != 0 && errno != ENOENT) removed.refuse(errno, {});
    if (const Result end = call.agree(removed); result.error == 0) result = end;
  }
  files_of(state).open.erase(file.number);
  if (result.error == 0) return 0;
  errno = result.error;
  return -1;
}

// The helper may still work on it.
void wait_for_helper(Files& files, const File& file) {
  if (file.pending == nullptr || !file.pending->submitted) return;
  while (!files.worker->wait_for(file.pending->job, std::chrono::milliseconds(1))) (void)weft_poll();
}

}  // namespace

void close_all(State& state) {
  if (state.files == nullptr) return;
  Files& files = *state.files;
  while (!files.open.empty()) {
    File& file = *files.open.begin()->second;
    wait_for_helper(files, file);
    const std::string name = file.name;
    if (close_one(Call("the end of the program"), file) != 0 && state.me == 0)
      std::fprintf(stderr, "upc: '%s', open at the end of the program, could not be closed properly: %s\n",
                   name.c_str(), std::strerror(errno));
  }
  state.files.reset();
}

void abandon_all(State& state) {
  if (state.files == nullptr) return;
  for (const auto& [number, file] : state.files->open) {
    wait_for_helper(*state.files, *file);
    if ((file->flags & UPC_DELETE_ON_CLOSE) != 0)
      (void)unlink(file->name.c_str());
    else if (file->dirty)
      (void)sync_to_device(file->fd);
  }
}

}  // namespace weft::upcrt::io

using namespace weft::upcrt;
using namespace weft::upcrt::io;

extern "C" {

upcr_pts_t upc_all_fopen(const char* fname, int flags, size_t numhints, const upc_hint* hints) {
  Call call("upc_all_fopen");
  auto file = std::make_unique<File>();
  file->flags = flags;
  Vote vote;
  call.begin(take_arguments(*file, fname, numhints, hints, vote), true);
  file = open_all(call, std::move(file), std::move(vote));
  if (file == nullptr) return upcr_null();
  if (file->writable()) ignore_size_signal();
  file->over_network = is_over_network(file->fd);
  advise(*file);
  Files& files = files_of(call.state);
  file->number = ++files.opened;
  const upcr_pts_t handle = handle_of(*file);
  files.open.emplace(file->number, std::move(file));
  return handle;
}

int upc_all_fclose(upcr_pts_t fd) {
  const Call call("upc_all_fclose", fd);
  Vote vote;
  File* const file = find_idle(call.state, fd, vote);
  // The first agreement also says that nobody is still writing.
  return call.agreed(vote) ? close_one(call, *file) : -1;
}

}  // extern "C"
