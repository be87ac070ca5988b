#include "upcrt/replicas.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "upcrt/heap.hpp"
#include "upcrt/of_thread.hpp"
#include "upcrt/places.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/window_pieces.hpp"
#include "weft/rma.h"
#include "weft/upcrt/library.h"
#include "weft/upcrt/replica.h"

namespace weft::upcrt {

std::atomic<uint64_t> largest_replica{0};

namespace {

constexpr uint64_t kNever = ~uint64_t{0};
constexpr uint64_t kLine = 64;
// A message to each thread costs about as much as so many elements.
constexpr uint64_t kElementsOfMessage = 32;

// What the array is in each thread's memory, and as a whole.
struct Extent {
  uint64_t bytes;     // of each thread that has a part
  uint64_t elements;  // of the copy: each thread has as many whole blocks
  uint64_t needed;    // reads after which a copy has paid
};

// An array that was copied.
struct Known {
  upcr_pts_t array = {};
  Extent extent = {};
  bool paid = false;
};

struct Buffer {
  std::unique_ptr<char, decltype(&std::free)> memory{nullptr, std::free};
  uint64_t size = 0;
  bool used = false;
};

// Those of a thread.
struct Replicas {
  std::array<Known, 64> known;
  std::vector<Buffer> buffers;
  std::vector<char> parts;  // of other threads, as they lie there
  std::vector<weft_handle_t> handles;

  Known& of(upcr_pts_t array) { return known[(array.offset / kLine + 7 * upcr_thread(array)) % known.size()]; }

  char* take(uint64_t bytes) {
    auto buffer = std::find_if(buffers.begin(), buffers.end(), [](const Buffer& b) { return !b.used; });
    if (buffer == buffers.end()) buffer = buffers.emplace(buffer);
    if (buffer->size < bytes) {
      buffer->size = (bytes + kLine - 1) / kLine * kLine;
      buffer->memory.reset(static_cast<char*>(std::aligned_alloc(kLine, buffer->size)));
      if (buffer->memory == nullptr) fail({}, "no memory for a copy of %zu bytes of a shared array", buffer->size);
    }
    buffer->used = true;
    return buffer->memory.get();
  }
  void give_back(const void* at) {
    for (Buffer& buffer : buffers) buffer.used = buffer.used && buffer.memory.get() != at;
  }
};
constinit thread_local OfThread<Replicas> replicas;

bool is_same(upcr_pts_t a, upcr_pts_t b) { return a.offset == b.offset && a.where == b.where; }

// Threads that have a part: the first one's number, and the one behind the last.
weft_rank_t first_thread(const upcr_replica_t& r) { return r.block == 0 ? thread_of(r.array) : 0; }
weft_rank_t last_thread(const State& state, const upcr_replica_t& r) {
  return r.block == 0 ? thread_of(r.array) + 1 : state.threads;
}

// Allocated memory, whose header says how long it is: in front of the first element.
bool has_header(const upcr_replica_t& r) { return r.elements == 0; }

// Bytes that each thread has of the array; 0 if that is not known.
uint64_t bytes_by_header(const upcr_replica_t& r, const BlockHeader& header) {
  const bool global = r.block != 0 || upcr_thread(r.array) == 0;
  uint64_t bytes = global ? heap_block_bytes(header, r.array.offset, BlockKind::global) : 0;
  if (bytes == 0 && r.block == 0) bytes = heap_block_bytes(header, r.array.offset, BlockKind::local);
  return bytes;
}
uint64_t bytes_of_thread(const State& state, const upcr_replica_t& r) {
  if (has_header(r)) {
    BlockHeader header;
    return heap_read_header(state, r.array, header) ? bytes_by_header(r, header) : 0;
  }
  if (r.elements > largest_replica.load(std::memory_order_relaxed)) return 0;
  if (r.block == 0) return r.elements * r.element_size;
  const uint64_t blocks = (r.elements + r.block - 1) / r.block;
  return (blocks + state.threads - 1) / state.threads * std::min(r.block, r.elements) * r.element_size;
}

// Whether there can be a copy, if the array is not too long.
bool may_have_copy(const State& state, const upcr_replica_t& r) {
  if (largest_replica.load(std::memory_order_relaxed) == 0 || !may_be_object(state, r.array)) return false;
  if (r.block != 0) return upcr_thread(r.array) == 0 && upcr_phase(r.array) == 0;
  // Else it is already in the order of its elements.
  return base_of(thread_of(r.array)) == nullptr;
}

// What the array is if each thread has so many bytes. False if there can be no copy.
bool find_extent(const State& state, const upcr_replica_t& r, uint64_t bytes, Extent& extent) {
  const uint64_t largest = largest_replica.load(std::memory_order_relaxed);
  extent.bytes = bytes;
  extent.elements = extent.bytes / r.element_size;
  if (extent.elements == 0 || extent.bytes > largest) return false;
  if (r.block != 0) {
    if (r.block > largest) return false;
    extent.elements = (extent.elements + r.block - 1) / r.block * r.block * state.threads;
    if (extent.elements * r.element_size > largest) return false;
  }
  extent.needed = extent.elements;
  for (weft_rank_t t = first_thread(r); t < last_thread(state, r); ++t) {
    if (base_of(t) == nullptr) extent.needed += kElementsOfMessage;
  }
  return true;
}

// Whether a pointer leads into the array or just behind it, on whatever thread.
bool may_write(const upcr_replica_t& r, const Extent& extent) {
  return std::any_of(r.written, r.written + r.written_count, [&](upcr_pts_t p) {
    return p.offset >= r.array.offset && p.offset <= r.array.offset + extent.bytes;
  });
}

// Puts a thread's elements where they are in the whole array, `apart` bytes from one block to the next.
void spread(char* to, const char* from, uint64_t bytes, uint64_t block, uint64_t apart) {
  uint64_t done = 0;
  if (block == 8) {
    for (; done + 8 <= bytes; done += 8, to += apart) std::memcpy(to, from + done, 8);
  } else if (block == 4) {
    for (; done + 4 <= bytes; done += 4, to += apart) std::memcpy(to, from + done, 4);
  }
  for (; done < bytes; done += block, to += apart) std::memcpy(to, from + done, std::min(block, bytes - done));
}

// False if a header that came with the elements says that they are not as many.
bool copy_array(const State& state, upcr_replica_t& r, const Extent& extent) {
  Replicas& own = *replicas;
  if (r.file != nullptr) upcr_place(r.file, r.line);
  const uint64_t room = BlockHeader::size + (extent.bytes + kLine - 1) / kLine * kLine;
  const weft_rank_t first = first_thread(r), end = last_thread(state, r);
  uint64_t fetched = 0;
  for (weft_rank_t t = first; t < end; ++t) fetched += base_of(t) == nullptr ? 1 : 0;
  if (own.parts.size() < fetched * room) own.parts.resize(fetched * room);
  char* part = own.parts.data() + BlockHeader::size;
  const bool header_comes = has_header(r) && base_of(first) == nullptr;
  for (weft_rank_t t = first; t < end; ++t) {
    if (base_of(t) != nullptr) continue;
    const uint64_t before = t == first && header_comes ? BlockHeader::size : 0;
    count_message(before + extent.bytes);
    (void)weft_get_nb(part - before, t, r.array.offset - before, before + extent.bytes, 0, &own.handles.emplace_back());
    part += room;
  }
  char* const at = own.take(extent.elements * r.element_size);
  const uint64_t block = r.block == 0 ? extent.bytes : r.block * r.element_size;
  const auto spread_thread = [&](weft_rank_t t, const char* from) {
    spread(at + (t - first) * block, from, extent.bytes, block, block * state.threads);
  };
  for (weft_rank_t t = first; t < end; ++t) {
    if (const char* const base = base_of(t); base != nullptr) spread_thread(t, base + r.array.offset);
  }
  complete(own.handles);
  part = own.parts.data() + BlockHeader::size;
  if (header_comes) {
    BlockHeader header;
    std::memcpy(&header, part - BlockHeader::size, sizeof header);
    if (bytes_by_header(r, header) != extent.bytes) {
      own.give_back(at);
      return false;
    }
  }
  for (weft_rank_t t = first; t < end; ++t) {
    if (base_of(t) != nullptr) continue;
    spread_thread(t, part);
    part += room;
  }
  r.at = at;
  own.of(r.array) = {r.array, extent, true};
  return true;
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upcr_replica_fill(upcr_replica_t* replica) {
  const State& state = self_of_access();
  replica->enough = kNever;
  if (!may_have_copy(state, *replica)) return;
  Extent extent{};
  if (!find_extent(state, *replica, bytes_of_thread(state, *replica), extent) || may_write(*replica, extent)) return;
  if (replica->reads < extent.needed)
    replica->enough = extent.needed;
  else
    (void)copy_array(state, *replica, extent);
}

void upcr_replica_recall(upcr_replica_t* replica) {
  const State& state = self_of_access();
  const Known& known = replicas->of(replica->array);
  if (!known.paid || !is_same(known.array, replica->array)) return;
  replica->enough = kNever;
  if (!may_have_copy(state, *replica)) return;
  const auto copy = [&](uint64_t bytes) {
    Extent extent{};
    return !find_extent(state, *replica, bytes, extent) || may_write(*replica, extent) ||
           copy_array(state, *replica, extent);
  };
  // A header on another host would be a message of its own: it comes with the elements if they are as many as before.
  const bool as_before = has_header(*replica) && base_of(thread_of(replica->array)) == nullptr;
  if (!as_before || !copy(known.extent.bytes)) (void)copy(bytes_of_thread(state, *replica));
}

void upcr_replica_release(upcr_replica_t* replica) {
  replicas->give_back(replica->at);
  Known& known = replicas->of(replica->array);
  if (is_same(known.array, replica->array)) known.paid = replica->reads >= known.extent.needed;
  replica->at = NULL;
}

}  // extern "C"
