// The functions of <upc_io.h> about a file as a whole: synchronising, pointers, size, semantics, hints.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <upc/upc_io_flags.h>

#include <cerrno>
#include <string_view>

#include "upcrt/io_file.hpp"

namespace weft::upcrt::io {
namespace {

constexpr int semantics_flags = UPC_STRONG_CA;
constexpr int pointer_flags = UPC_COMMON_FP | UPC_INDIVIDUAL_FP;

int64_t size_here(const File& file, Vote& vote) {
  struct stat status {};
  if (fstat(file.fd, &status) != 0) vote.refuse(errno, {});
  return status.st_size;
}

File* find_writable(State& state, upcr_pts_t fd, Vote& vote) {
  File* const file = find_idle(state, fd, vote);
  if (file != nullptr && !file->writable()) vote.refuse(EBADF, "the file was opened with UPC_RDONLY");
  return file;
}

// After all hosts' data is on the device, thread 0 changes the file, as `change` says.
template <class Change>
int resize(const char* function, upcr_pts_t fd, upc_off_t size, Change change) {
  Arguments arguments(function, fd);
  arguments.add("size", static_cast<uint64_t>(size));
  const Call call(function, arguments);
  Vote vote;
  File* const file = find_writable(call.state, fd, vote);
  if (size < 0) vote.refuse(EINVAL, "size is " + std::to_string(size));
  if (!call.agreed(vote) || !synchronise(call, *file)) return -1;
  Vote changed;
  if (const int error = call.state.me == 0 ? change(*file) : 0; error != 0) changed.refuse(error, {});
  file->dirty = true;
  return call.agreed(changed) ? 0 : -1;
}

// ---- upc_all_fcntl ----

// Sets flags among `among`, with what goes with them.
int set_flags(const Call& call, File& file, int among, int flags) {
  if (!synchronise(call, file)) return -1;
  const bool lock = (flags & UPC_STRONG_CA) != 0 && file.lock.offset == 0;
  if (lock) file.lock = upc_all_lock_alloc();
  if (lock && upcr_is_null(file.lock)) {
    errno = ENOMEM;
    return -1;
  }
  file.flags = (file.flags & ~among) | flags;
  if (among == pointer_flags) file.position = 0;
  return 0;
}

int set_hint(Call& call, File& file, const upc_hint_t* hint) {
  Vote vote;
  if (hint == nullptr || hint->key == nullptr || hint->value == nullptr)
    vote.refuse(EINVAL, "UPC_SET_HINT needs a upc_hint_t with a key and a value");
  Hints changed = file.hints;
  std::string problem = vote.error == 0 ? changed.set(hint->key, hint->value) : std::string();
  if (!problem.empty()) vote.refuse(EINVAL, std::move(problem));
  if (vote.error == 0) {
    call.arguments.add_text("the hint's key", hint->key);
    call.arguments.add_text("the hint's value", hint->value);
  }
  if (!call.agreed(vote) || !synchronise(call, file)) return -1;
  (void)file.hints.set(hint->key, hint->value);
  return 0;
}

template <class Value>
int give(const Call& call, void* arg, const char* name, Value value, int result) {
  Vote vote;
  if (arg == nullptr) vote.refuse(EINVAL, std::string(name) + " needs a place for its result in arg");
  if (!call.agreed(vote)) return -1;
  *static_cast<Value*>(arg) = value;
  return result;
}

int control(Call& call, File& file, int cmd, void* arg) {
  switch (cmd) {
    case UPC_SET_WEAK_CA_SEMANTICS:
      return set_flags(call, file, semantics_flags, 0);
    case UPC_SET_STRONG_CA_SEMANTICS:
      return set_flags(call, file, semantics_flags, UPC_STRONG_CA);
    case UPC_SET_COMMON_FP:
      return set_flags(call, file, pointer_flags, UPC_COMMON_FP);
    case UPC_SET_INDIVIDUAL_FP:
      return set_flags(call, file, pointer_flags, UPC_INDIVIDUAL_FP);
    case UPC_SET_HINT:
      return set_hint(call, file, static_cast<const upc_hint_t*>(arg));
    case UPC_GET_FN:
      return give(call, arg, "UPC_GET_FN", file.name.c_str(), 0);
    case UPC_GET_HINTS:
      return give(call, arg, "UPC_GET_HINTS", file.hints.list(), file.hints.count());
    case UPC_GET_CA_SEMANTICS:
      return file.flags & semantics_flags;
    case UPC_GET_FP:
      return file.flags & pointer_flags;
    default:  // UPC_GET_FL
      return file.flags;
  }
}

}  // namespace
}  // namespace weft::upcrt::io

using namespace weft::upcrt;
using namespace weft::upcrt::io;

extern "C" {

int upc_all_fsync(upcr_pts_t fd) {
  const Call call("upc_all_fsync", fd);
  Vote vote;
  File* const file = find_idle(call.state, fd, vote);
  return call.agreed(vote) && synchronise(call, *file) ? 0 : -1;
}

upc_off_t upc_all_fseek(upcr_pts_t fd, upc_off_t offset, int origin) {
  Call call("upc_all_fseek", fd);
  Vote vote;
  File* const file = find_idle(call.state, fd, vote);
  int64_t target = 0;
  if (file != nullptr) {
    if (file->common()) {
      call.arguments.add("offset", static_cast<uint64_t>(offset));
      call.arguments.add("origin", static_cast<uint64_t>(origin));
    }
    int64_t from = 0;
    if (origin == UPC_SEEK_CUR)
      from = file->position;
    else if (origin == UPC_SEEK_END)
      from = size_here(*file, vote);
    else if (origin != UPC_SEEK_SET)
      vote.refuse(EINVAL, "origin is " + std::to_string(origin) + "; it must be UPC_SEEK_SET, _CUR or _END");
    if (__builtin_add_overflow(from, offset, &target))
      vote.refuse(EOVERFLOW, {});
    else if (target < 0)
      vote.refuse(EINVAL, "that is " + std::to_string(-target) + " bytes before the start of the file");
  }
  if (!call.agreed(vote)) return -1;
  return file->position = target;
}

int upc_all_fset_size(upcr_pts_t fd, upc_off_t size) {
  return resize("upc_all_fset_size", fd, size,
                [size](const File& file) { return ftruncate(file.fd, size) == 0 ? 0 : errno; });
}

upc_off_t upc_all_fget_size(upcr_pts_t fd) {
  const Call call("upc_all_fget_size", fd);
  Vote vote;
  // What one host has written another host may not know yet.
  if (const File* const file = find_idle(call.state, fd, vote); file != nullptr) vote.high = size_here(*file, vote);
  const Result result = call.agree(vote);
  return result.error == 0 ? result.high : -1;
}

int upc_all_fpreallocate(upcr_pts_t fd, upc_off_t size) {
  return resize("upc_all_fpreallocate", fd, size, [size](const File& file) {
    if (size == 0) return 0;
    int error = 0;
    do error = posix_fallocate(file.fd, 0, size);
    while (error == EINTR);
    return error;
  });
}

int upc_all_fcntl(upcr_pts_t fd, int cmd, void* arg) {
  constexpr const char* function = "upc_all_fcntl";
  Arguments arguments(function, fd);
  arguments.add("cmd", static_cast<uint64_t>(cmd));
  Call call(function, arguments);
  Vote vote;
  const File* const asked = find(call.state, fd);
  const bool about_async = asked != nullptr && cmd == UPC_ASYNC_OUTSTANDING;
  File* const file = about_async ? nullptr : find_idle(call.state, fd, vote);
  if (cmd < UPC_GET_CA_SEMANTICS || cmd > UPC_ASYNC_OUTSTANDING)
    vote.refuse(EINVAL, "there is no command " + std::to_string(cmd));
  if (!call.agreed(vote)) return -1;
  if (about_async) return asked->pending != nullptr ? 1 : 0;
  return control(call, *file, cmd, arg);
}

}  // extern "C"
