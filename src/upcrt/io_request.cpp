#include "upcrt/io_request.hpp"

#include <algorithm>
#include <cerrno>
#include <string>

namespace weft::upcrt::io {
namespace {

// Where threads do not reach each other's memory: blocks from this size on are moved by their owners.
constexpr uint64_t own_blocks_from = 16384;
// Smaller ones, too, when reading: so many threads each read through the others' blocks at less cost than the
// network's.
constexpr uint64_t threads_read_through = 4;
// Threads' parts of a contiguous operation begin at multiples of this, unless the file has a striping unit.
constexpr uint64_t part_alignment = uint64_t{64} << 10;

std::string entry(const char* list, size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

// A shared region from arguments; empty if they are refused. The name is made only then.
template <class Name>
Region shared_region(State& state, const Form& form, Name name, upcr_pts_t first, uint64_t block, uint64_t bytes,
                     bool own_part, Vote& vote) {
  Region region{nullptr, upcr_make(first.offset, upcr_thread(first), 0), state.threads == 1 ? 0 : block, 0, bytes};
  if (upcr_is_null(first) || first.offset < UPCR_STATIC_BASE) {
    vote.refuse(EINVAL, name() + " is a null pointer-to-shared");
    return {};
  }
  if (upcr_thread(first) >= state.threads || end_of(region, state.threads) > state.layout.heap_end) {
    vote.refuse(EFAULT, name() + " and " + std::to_string(bytes) + " bytes reach beyond the end of shared memory");
    return {};
  }
  if (state.view.checked == 0) return region;
  const Bases& bases = files_of(state).bases;
  for (uint64_t thread = 0; thread < state.threads; ++thread) {
    if (own_part && thread != state.me) continue;
    const Piece share = region.scattered() ? share_of(region, 0, bytes, thread, bases)
                                           : piece_at(region, 0, thread == upcr_thread(first) ? bytes : 0, bases);
    check_access(state, form.function, upcr_make(share.offset, share.thread, 0), share.bytes, {});
  }
  return region;
}

void check_mode(const Form& form, const File& file, Vote& vote) {
  if (form.writes ? !file.writable() : !file.readable())
    vote.refuse(EBADF, form.writes ? "the file was opened with UPC_RDONLY" : "the file was opened with UPC_WRONLY");
  if (!form.lists && !form.shared && file.common())
    vote.refuse(EINVAL, "the file has a common file pointer, which needs a shared buffer");
}

// Bytes that a call asks for; 0 after refusing.
uint64_t bytes_of(const Buffers& buffers, int64_t position, Vote& vote) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(buffers.size, buffers.elements, &bytes) || bytes > INT64_MAX) {
    vote.refuse(EINVAL, "size times nmemb, " + std::string(SizeText(buffers.size).text) + " times " +
                            SizeText(buffers.elements).text + ", is more than a file can have");
    return 0;
  }
  if (bytes > static_cast<uint64_t>(INT64_MAX - position)) {
    vote.refuse(EFBIG, "from the file pointer, " + std::to_string(position) + ", on that is more than a file can have");
    return 0;
  }
  return bytes;
}

// Cuts [0, total) of an operation at `position` in `parts`, at multiples of the alignment in the file.
uint64_t cut(uint64_t part, uint64_t parts, uint64_t total, int64_t position, uint64_t alignment) {
  if (part >= parts) return total;
  __extension__ using Wide = unsigned __int128;
  const auto even = static_cast<uint64_t>(Wide{total} * part / parts);
  const uint64_t at = static_cast<uint64_t>(position) + even;
  return part == 0 ? 0 : std::min(total, even + (alignment - at % alignment) % alignment);
}

// This thread's blocks of the region, which are consecutive in its memory.
void take_own_blocks(State& state, const File& file, const Region& whole, Request& request) {
  const Bases& bases = files_of(state).bases;
  if (!whole.scattered()) {
    if (upcr_thread(whole.first) != state.me) return;
    request.runs = Runs::one(file.position, whole.bytes);
    request.memory = Memory({whole});
    return;
  }
  const Piece share = share_of(whole, 0, whole.bytes, state.me, bases);
  const uint64_t turn = (state.me + state.threads - upcr_thread(whole.first)) % state.threads;
  request.runs = Runs::strided(file.position + static_cast<int64_t>(turn * whole.block), whole.block,
                               whole.block * state.threads, share.bytes);
  request.memory = Memory({Region::of_private(share.here, share.bytes)});
}

// This thread's part of the file, whoever has the memory.
void take_part(State& state, const File& file, const Region& whole, Request& request) {
  const uint64_t threads = state.threads;
  const uint64_t parts = file.hints.aggregators == 0 ? threads : std::min(file.hints.aggregators, threads);
  const uint64_t alignment = file.hints.striping_unit == 0 ? part_alignment : file.hints.striping_unit;
  // Part k is thread k * threads / parts's.
  const uint64_t part = (state.me * parts + threads - 1) / threads;
  if (part >= parts || part * threads / parts != state.me) return;
  const uint64_t begin = cut(part, parts, whole.bytes, file.position, alignment);
  const uint64_t end = cut(part + 1, parts, whole.bytes, file.position, alignment);
  if (begin >= end) return;
  Region mine = whole;
  mine.skip += begin;
  mine.bytes = end - begin;
  request.runs = Runs::one(file.position + static_cast<int64_t>(begin), mine.bytes);
  request.memory = Memory({mine});
}

// What this thread does of an operation with the common file pointer. All threads decide alike.
void share_out(State& state, const Form& form, const File& file, const Region& whole, Request& request) {
  const Bases& bases = files_of(state).bases;
  const bool all_mapped = std::find(bases.begin(), bases.end(), nullptr) == bases.end();
  const bool read_through = !form.writes && state.threads <= threads_read_through && !file.over_network;
  const bool large = !whole.scattered() || whole.block >= own_blocks_from;
  if (!all_mapped && (large || read_through || !file.hints.collective_buffering))
    take_own_blocks(state, file, whole, request);
  else
    take_part(state, file, whole, request);
}

}  // namespace

Request request_of(State& state, const Form& form, const File& file, const Buffers& buffers, Arguments& same,
                   Vote& vote) {
  Request request;
  check_mode(form, file, vote);
  if (file.common()) {
    same.add("buffer's thread", upcr_thread(buffers.shared));
    same.add("buffer's offset", buffers.shared.offset);
    same.add("blocksize", buffers.block_elements);
    same.add("size", buffers.size);
    same.add("nmemb", buffers.elements);
  }
  const uint64_t bytes = bytes_of(buffers, file.position, vote);
  if (bytes == 0 || vote.error != 0) return request;
  if (!form.shared) {
    if (buffers.local == nullptr) return vote.refuse(EINVAL, "buffer is a null pointer"), request;
    request.runs = Runs::one(file.position, bytes);
    request.memory = Memory({Region::of_private(buffers.local, bytes)});
  } else {
    uint64_t block = 0;
    if (buffers.block_elements > static_cast<uint64_t>(UPCR_MAX_BLOCK_SIZE) ||
        __builtin_mul_overflow(buffers.block_elements, buffers.size, &block))
      return vote.refuse(EINVAL, std::string("blocksize is ") + SizeText(buffers.block_elements).text), request;
    const Region whole = shared_region(
        state, form, [] { return std::string("buffer"); }, buffers.shared, block, bytes, file.common(), vote);
    if (vote.error != 0) return request;
    if (file.common()) {
      share_out(state, form, file, whole, request);
    } else {
      request.runs = Runs::one(file.position, bytes);
      request.memory = Memory({whole});
    }
  }
  request.bytes = request.runs.bytes_left();
  return request;
}

namespace {

std::vector<Region> memory_of(State& state, const Form& form, const Lists& lists, uint64_t& bytes, Vote& vote) {
  std::vector<Region> regions;
  const bool missing = lists.local == nullptr && lists.shared == nullptr;
  if (missing && lists.memory_entries != 0) vote.refuse(EINVAL, "memvec is a null pointer");
  for (size_t i = 0; i < lists.memory_entries && vote.error == 0; ++i) {
    const size_t length = form.shared ? lists.shared[i].len : lists.local[i].len;
    if (length == 0) continue;
    if (__builtin_add_overflow(bytes, length, &bytes) || bytes > INT64_MAX) {
      vote.refuse(EINVAL, entry("memvec", i) + ".len is " + SizeText(length).text);
    } else if (form.shared) {
      const upc_shared_memvec& one = lists.shared[i];
      regions.push_back(shared_region(
          state, form, [i] { return entry("memvec", i) + ".baseaddr"; }, one.baseaddr, one.blocksize, length, false,
          vote));
    } else if (lists.local[i].baseaddr == nullptr) {
      vote.refuse(EINVAL, entry("memvec", i) + ".baseaddr is a null pointer");
    } else {
      regions.push_back(Region::of_private(lists.local[i].baseaddr, length));
    }
  }
  return regions;
}

std::vector<FileRun> runs_of(const Form& form, const Lists& lists, uint64_t& bytes, Vote& vote) {
  std::vector<FileRun> runs;
  if (lists.file_entries != 0 && lists.file == nullptr) vote.refuse(EINVAL, "filevec is a null pointer");
  int64_t last = 0, end = 0;
  for (size_t i = 0; i < lists.file_entries && vote.error == 0; ++i) {
    const upc_filevec& one = lists.file[i];
    if (one.len == 0) continue;
    const auto name = [i](const char* member) { return entry("filevec", i) + member; };
    if (one.offset < 0)
      vote.refuse(EINVAL, name(".offset is ") + std::to_string(one.offset));
    else if (one.len > static_cast<uint64_t>(INT64_MAX - one.offset) || __builtin_add_overflow(bytes, one.len, &bytes))
      vote.refuse(EINVAL, name(".len is ") + SizeText(one.len).text);
    else if (one.offset < last)
      vote.refuse(EINVAL, name(".offset is ") + std::to_string(one.offset) + ", less than the one before, " +
                              std::to_string(last) + "; offsets must not decrease");
    else if (form.writes && one.offset < end)
      vote.refuse(EINVAL, name(" begins at ") + std::to_string(one.offset) + ", where the one before has not ended (" +
                              std::to_string(end) + "); what is written must not overlap");
    last = one.offset;
    end = one.offset + static_cast<int64_t>(one.len);
    runs.push_back({one.offset, one.len});
  }
  return runs;
}

// Private regions that a read would fill twice.
void check_overlap(std::vector<Region> regions, Vote& vote) {
  std::sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) { return a.local < b.local; });
  for (size_t i = 1; i < regions.size(); ++i)
    if (regions[i - 1].local + regions[i - 1].bytes > regions[i].local)
      return vote.refuse(EINVAL, "two regions of memvec overlap");
}

}  // namespace

Request request_of(State& state, const Form& form, const Lists& lists, Vote& vote) {
  Request request;
  uint64_t in_memory = 0, in_file = 0;
  std::vector<Region> regions = memory_of(state, form, lists, in_memory, vote);
  std::vector<FileRun> runs = runs_of(form, lists, in_file, vote);
  if (vote.error == 0 && in_memory != in_file)
    vote.refuse(EINVAL, "memvec has " + std::to_string(in_memory) + " bytes, filevec " + std::to_string(in_file));
  if (state.view.checked != 0 && !form.shared && !form.writes && vote.error == 0) check_overlap(regions, vote);
  if (vote.error != 0) return request;
  request.runs_wanted = runs.size();
  request.bytes = in_file;
  request.runs = Runs::list(std::move(runs));
  request.memory = Memory(std::move(regions));
  return request;
}

}  // namespace weft::upcrt::io
