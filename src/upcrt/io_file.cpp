#include "upcrt/io_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <upc/upc_io_flags.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "weft/coll.h"
#include "weft/segment.h"
#include "weft/upcrt/access.h"

namespace weft::upcrt::io {
namespace {

// Bit 62 makes a handle no address of shared memory.
constexpr uint64_t handle_mark = uint64_t{1} << 62;

// What travels in an agreement. Lengths of one thread's votes are combined two by two, in any order.
struct Ballot {
  uint64_t error;  // thread << 32 | errno; all ones: none
  int64_t bytes;
  int64_t count;
  int64_t low;
  int64_t high;
  uint64_t least_hash;
  uint64_t greatest_hash;
  uint64_t done;
};

constexpr uint64_t no_error = UINT64_MAX;

void combine(void* result, const void* left, const void* right, size_t count, void*) {
  auto* out = static_cast<Ballot*>(result);
  const auto* a = static_cast<const Ballot*>(left);
  const auto* b = static_cast<const Ballot*>(right);
  for (size_t i = 0; i < count; ++i)
    out[i] = {std::min(a[i].error, b[i].error),
              a[i].bytes + b[i].bytes,
              a[i].count + b[i].count,
              std::min(a[i].low, b[i].low),
              std::max(a[i].high, b[i].high),
              std::min(a[i].least_hash, b[i].least_hash),
              std::max(a[i].greatest_hash, b[i].greatest_hash),
              a[i].done & b[i].done};
}

}  // namespace

bool File::common() const { return (flags & UPC_COMMON_FP) != 0; }
bool File::strong() const { return (flags & UPC_STRONG_CA) != 0; }
bool File::readable() const { return (flags & (UPC_RDONLY | UPC_RDWR)) != 0; }
bool File::writable() const { return (flags & (UPC_WRONLY | UPC_RDWR)) != 0; }
size_t File::clamp(uint64_t wanted) { return std::clamp<uint64_t>(wanted, uint64_t{4} << 10, uint64_t{1} << 30); }

Files& files_of(State& state) {
  if (state.files == nullptr) {
    state.files = std::make_shared<Files>();
    for (weft_rank_t thread = 0; thread < state.threads; ++thread)
      state.files->bases.push_back(static_cast<char*>(weft_pointer(thread, 0)));
    state.files->bases[state.me] = state.view.self;
  }
  return *state.files;
}

upcr_pts_t handle_of(const File& file) { return upcr_make(handle_mark | file.number, 0, 0); }

File* find(State& state, upcr_pts_t handle) {
  if ((handle.offset & handle_mark) == 0 || handle.where != 0) return nullptr;
  auto& open = files_of(state).open;
  const auto found = open.find(handle.offset & ~handle_mark);
  return found == open.end() ? nullptr : found->second.get();
}

namespace {

constexpr const char* same_wanted =
    "all threads make the same calls with the same file, flags, sizes and shared buffer; only private buffers and what "
    "goes through them may differ";

}  // namespace

void Call::begin(const Arguments& same_on_all, bool barrier) {
  arguments = same_on_all;
  enter(state, function);
  if (barrier || state.view.checked != 0) internal_barrier(state, function);
  if (state.view.checked == 0) return;
  bool differ = false;
  const std::string difference = arguments.difference(state, differ);
  if (!difference.empty()) fail({}, "%s: %s; %s", function, difference.c_str(), same_wanted);
  // The thread that says it ends the job.
  if (differ) (void)weft_team_barrier(WEFT_TEAM_WORLD);
}

File* find_idle(State& state, upcr_pts_t handle, Vote& vote) {
  File* const file = find(state, handle);
  if (file == nullptr) {
    vote.refuse(EBADF, upcr_is_null(handle) ? "the file is a null pointer; upc_all_fopen returned none"
                                            : "that is no open file; it may have been closed");
    return nullptr;
  }
  if (file->pending != nullptr) {
    vote.refuse(EBUSY, std::string("the ") + file->pending->form.function +
                           " of this file is not complete; call upc_all_fwait_async first");
    return nullptr;
  }
  return file;
}

Result agree(State& state, const char* function, const Vote& vote, const Arguments& arguments) {
  Ballot mine{vote.error == 0 ? no_error : uint64_t{state.me} << 32 | static_cast<uint32_t>(vote.error),
              vote.bytes,
              vote.count,
              vote.low,
              vote.high,
              arguments.hash(),
              arguments.hash(),
              vote.done ? uint64_t{1} : 0};
  Ballot all = mine;
  let_see(&collective_key);
  if (state.threads > 1)
    (void)weft_reduce_all(WEFT_TEAM_WORLD, &all, &mine, 1, weft_reduction_by(combine, nullptr, sizeof mine, 1), 0);
  see(&collective_key);
  upcr_full_fence();
  Result result{0, all.bytes, all.count, all.low, all.high, all.done != 0};
  const bool differ = all.least_hash != all.greatest_hash;
  if (all.error == no_error && !differ) return result;
  result.error = all.error == no_error ? EINVAL : static_cast<int>(static_cast<uint32_t>(all.error));
  const bool mine_counts = all.error == mine.error && all.error != no_error;
  if (mine_counts && !vote.complaint.empty()) tell(state, "%s: %s", function, vote.complaint.c_str());
  if (all.error == no_error) {
    bool differs = false;
    const std::string difference = arguments.difference(state, differs);
    if (!difference.empty()) tell(state, "%s: %s; %s", function, difference.c_str(), same_wanted);
  }
  // Else a thread that ends the job for it could do so before another one has said it.
  if (state.threads > 1) (void)weft_team_barrier(WEFT_TEAM_WORLD);
  errno = result.error;
  return result;
}

namespace {

// The name of a new file outlives a crash only if its folder is synchronised, too. Some file systems cannot do that.
void sync_folder(const std::string& name) {
  const size_t slash = name.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : name.substr(0, slash + 1);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)sync_to_device(fd);
  (void)::close(fd);
}

}  // namespace

int flush(const State& state, const File& file) {
  if (!file.dirty || weft_host_rank() != 0) return 0;
  const int error = sync_to_device(file.fd);
  if (error == 0 && file.created && state.me == 0) sync_folder(file.name);
  return error;
}

bool synchronise(const Call& call, File& file) {
  Vote vote;
  if (const int error = flush(call.state, file); error != 0) vote.refuse(error, {});
  if (!call.agreed(vote)) return false;
  file.dirty = false;
  file.created = false;
  // What this host has cached of other hosts' parts may be older than what they have written.
  if (file.over_network) (void)posix_fadvise(file.fd, 0, 0, POSIX_FADV_DONTNEED);
  return true;
}

}  // namespace weft::upcrt::io
