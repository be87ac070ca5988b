#include "upcrt/heap.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/upcrt/library.h"

namespace weft::upcrt {
namespace {

constexpr uint64_t chunk = 64 << 10;
// A thread takes at least this much of an end at once, or a small part of the heap if that is less.
constexpr uint64_t most_growth = 1 << 20;
// Blocks of this size and more start on a cache line.
constexpr uint64_t line_aligned_from = 256;
// WEFT_CHECK: this much freed memory of a thread is not used again, so that stale pointers are noticed; less of a small
// heap, since what the local end has grown to for it is lost to the global one.
constexpr uint64_t most_quarantined = uint64_t{64} << 20;
constexpr uint64_t quarantined_part = 8;  // of the heap

constexpr uint64_t live_tag = 0x5550'4321'4c49'5645;   // bits 63-62: 01
constexpr uint64_t freed_tag = 0x8000'0000'0000'0000;  // bits 63-62: 10

// How far both ends have grown, in chunks.
struct HeapTop {
  uint32_t global;
  uint32_t local;  // the most of all threads

  static HeapTop decode(uint64_t word) { return {static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(word)}; }
  uint64_t encode() const { return uint64_t{global} << 32 | local; }
};

// A block on a stack of freed ones, or in quarantine: its offset, odd if it is global.
struct BlockName {
  static uint64_t encode(uint64_t offset, BlockKind kind) { return offset | (kind == BlockKind::global ? 1 : 0); }
  static uint64_t offset(uint64_t name) { return name & ~uint64_t{1}; }
  static BlockKind kind(uint64_t name) { return (name & 1) != 0 ? BlockKind::global : BlockKind::local; }
};

struct Description {
  static uint64_t encode(uint64_t total, BlockKind kind, weft_rank_t owner) {
    return total / Arena::granule | uint64_t{kind == BlockKind::global} << 39 | uint64_t{owner} << 40;
  }
  static uint64_t total(uint64_t d) { return (d & ((uint64_t{1} << 39) - 1)) * Arena::granule; }
  static BlockKind kind(uint64_t d) { return (d >> 39 & 1) != 0 ? BlockKind::global : BlockKind::local; }
  static weft_rank_t owner(uint64_t d) { return static_cast<weft_rank_t>(d >> 40); }
};

enum Shadow : int { live = 1, freed = 2 };

uint64_t heap_chunks(const State& state) { return (state.layout.heap_end - state.layout.heap) / chunk; }

Arena& arena_of(State& state, BlockKind kind) {
  return kind == BlockKind::global ? state.global_arena : state.local_arena;
}

weft_rank_t home_of(const State& state, BlockKind kind) { return kind == BlockKind::global ? 0 : state.me; }

void mark(State& state, uint64_t offset, uint64_t bytes, BlockKind kind, weft_rank_t thread, Shadow value) {
  if (state.layout.shadow == 0) return;
  const uint64_t first = state.layout.shadow + (offset - state.layout.heap) / Arena::granule;
  const bool everywhere = kind == BlockKind::global;
  for (weft_rank_t t = everywhere ? 0 : thread; t < (everywhere ? state.threads : thread + 1); ++t)
    (void)weft_memset(t, first, value, bytes / Arena::granule);
}

uint64_t chunks_of(uint64_t bytes) { return (bytes + chunk - 1) / chunk; }

// Both: what of this thread is free beside the new memory counts, since it becomes one piece with that.
bool grow_global(State& state, uint64_t bytes, uint64_t usual) {
  const uint64_t word = WEFT_UPCRT_CONTROL(state, heap_top);
  uint64_t seen = load_word(state, 0, word);
  for (;;) {
    HeapTop top = HeapTop::decode(seen);
    const uint64_t start = state.layout.heap + top.global * chunk;
    const uint64_t least = chunks_of(bytes - std::min(bytes, state.global_arena.free_before(start)));
    const uint64_t room = heap_chunks(state) - top.global - top.local;
    const uint64_t chunks = std::min(std::max(least, usual), room);
    if (least > room || chunks == 0) return false;
    top.global += static_cast<uint32_t>(chunks);
    if (!exchange_word(state, 0, word, seen, top.encode())) continue;
    state.global_arena.add(start, chunks * chunk);
    return true;
  }
}

bool grow_local(State& state, uint64_t bytes, uint64_t usual) {
  const uint64_t word = WEFT_UPCRT_CONTROL(state, heap_top);
  const uint64_t end = state.layout.heap_end - state.local_chunks * chunk;
  const uint64_t least = chunks_of(bytes - std::min(bytes, state.local_arena.free_from(end)));
  uint64_t chunks = 0;
  uint64_t seen = load_word(state, 0, word);
  for (;;) {
    HeapTop top = HeapTop::decode(seen);
    const uint64_t room = heap_chunks(state) - top.global - state.local_chunks;
    chunks = std::min(std::max(least, usual), room);
    if (least > room || chunks == 0) return false;
    if (top.local >= state.local_chunks + chunks) break;
    top.local = static_cast<uint32_t>(state.local_chunks + chunks);
    if (exchange_word(state, 0, word, seen, top.encode())) break;
  }
  state.local_arena.add(end - chunks * chunk, chunks * chunk);
  state.local_chunks += chunks;
  return true;
}

bool grow(State& state, BlockKind kind, uint64_t bytes) {
  if (chunks_of(bytes) > heap_chunks(state)) return false;
  const uint64_t usual =
      std::clamp<uint64_t>(heap_chunks(state) / (16 * uint64_t{state.threads}), 1, most_growth / chunk);
  return kind == BlockKind::global ? grow_global(state, bytes, usual) : grow_local(state, bytes, usual);
}

// Large free memory at the end of what is global becomes untouched again, for all threads and for the other end.
void give_back(State& state) {
  const uint64_t word = WEFT_UPCRT_CONTROL(state, heap_top);
  uint64_t seen = load_word(state, 0, word);
  for (;;) {
    HeapTop top = HeapTop::decode(seen);
    const uint64_t end = state.layout.heap + top.global * chunk;
    const uint64_t chunks = state.global_arena.free_before(end) / chunk;
    if (chunks * chunk < most_growth) return;
    top.global -= static_cast<uint32_t>(chunks);
    if (!exchange_word(state, 0, word, seen, top.encode())) continue;
    state.global_arena.remove(end - chunks * chunk, chunks * chunk);
    return;
  }
}

void reuse(State& state, uint64_t name) {
  const BlockKind kind = BlockName::kind(name);
  const uint64_t start = BlockName::offset(name) - BlockHeader::size;
  BlockHeader header;
  (void)weft_get(&header, home_of(state, kind), start, sizeof header);
  const uint64_t total = Description::total(header.description);
  arena_of(state, kind).release(start, total);
  if (kind == BlockKind::global && total >= most_growth) give_back(state);
}

// Lets go of quarantined memory until no more than `most` bytes of it are left.
void end_quarantine(State& state, uint64_t most) {
  while (state.quarantined_bytes > most) {
    const uint64_t name = state.quarantine.front();
    state.quarantine.pop_front();
    uint64_t description = 0;
    (void)weft_get(&description, home_of(state, BlockName::kind(name)), BlockName::offset(name) - 8, 8);
    state.quarantined_bytes -= Description::total(description);
    reuse(state, name);
  }
}

// A freed block of this thread's is back.
void take_back(State& state, uint64_t name, uint64_t total) {
  if (!state.view.checked) return reuse(state, name);
  state.quarantine.push_back(name);
  state.quarantined_bytes += total;
  end_quarantine(state, std::min(most_quarantined, heap_chunks(state) * chunk / quarantined_part));
}

void collect_freed(State& state) {
  const uint64_t stack = WEFT_UPCRT_CONTROL(state, freed);
  if (load_word(state, state.me, stack) == 0) return;
  uint64_t name = swap_word(state, state.me, stack, 0);
  while (name != 0) {
    BlockHeader header;
    (void)weft_get(&header, home_of(state, BlockName::kind(name)), BlockName::offset(name) - BlockHeader::size,
                   sizeof header);
    take_back(state, name, Description::total(header.description));
    name = header.status & ~freed_tag;
  }
}

void say_exhausted(State& state, const char* function, BlockKind kind, uint64_t bytes) {
  const HeapTop top = HeapTop::decode(load_word(state, 0, WEFT_UPCRT_CONTROL(state, heap_top)));
  const uint64_t untouched = (heap_chunks(state) - top.global - top.local) * chunk;
  const uint64_t left = untouched + arena_of(state, kind).free_bytes();
  char pieces[64] = "";
  if (left >= bytes)
    std::snprintf(pieces, sizeof pieces, " in pieces of at most %" PRIu64,
                  std::max(untouched, arena_of(state, kind).largest()));
  tell(state,
       "%s: %" PRIu64 " bytes%s were asked for, %" PRIu64 " of %" PRIu64
       " are left%s; raise upcrun --shared-heap (UPC_SHARED_HEAP_SIZE) or WEFT_SEGMENT_SIZE",
       function, bytes, kind == BlockKind::global ? " per thread" : "", left, heap_chunks(state) * chunk, pieces);
}

// What each thread has of an array of blocks, ceil(blocks / THREADS) * bytes; if that is no size, more than there is.
uint64_t bytes_per_thread(const State& state, uint64_t blocks, uint64_t bytes) {
  const uint64_t mine = blocks / state.threads + (blocks % state.threads != 0);
  uint64_t result = 0;
  return __builtin_mul_overflow(mine, bytes, &result) ? UINT64_MAX : result;
}

}  // namespace

uint64_t heap_allocate(State& state, const char* function, BlockKind kind, uint64_t bytes) {
  collect_freed(state);
  Arena& arena = arena_of(state, kind);
  const uint64_t alignment = bytes >= line_aligned_from ? 64 : Arena::granule;
  const uint64_t slack = alignment - Arena::granule;
  uint64_t start = 0;
  // Large enough for any heap, small enough not to overflow below.
  bool done = bytes <= (uint64_t{1} << 50);
  const uint64_t total = (bytes + BlockHeader::size + Arena::granule - 1) / Arena::granule * Arena::granule;
  const auto take = [&] { return arena.allocate(total, BlockHeader::size, alignment, start); };
  const auto take_or_grow = [&] { return take() || (grow(state, kind, total + slack) && take()); };
  if (done && !take_or_grow()) {
    done = state.quarantined_bytes != 0;
    if (done) end_quarantine(state, 0);
    done = done && take_or_grow();
  }
  if (!done) {
    say_exhausted(state, function, kind, bytes);
    return 0;
  }
  const uint64_t offset = start + BlockHeader::size;
  const weft_rank_t home = home_of(state, kind);
  const uint64_t description = Description::encode(total, kind, state.me);
  (void)weft_put_value(home, start + offsetof(BlockHeader, description), description, sizeof description);
  store_word(state, home, start, live_tag ^ offset);
  mark(state, offset, total - BlockHeader::size, kind, state.me, live);
  return offset;
}

bool heap_read_header(const State& state, upcr_pts_t p, BlockHeader& header) {
  const bool inside = p.offset >= state.layout.heap + BlockHeader::size && p.offset < state.layout.heap_end;
  if (!inside || p.offset % Arena::granule != 0) return false;
  (void)weft_get(&header, thread_of(p), p.offset - BlockHeader::size, sizeof header);
  return true;
}

uint64_t heap_block_bytes(const BlockHeader& header, uint64_t offset, BlockKind kind) {
  if (header.status != (live_tag ^ offset) || Description::kind(header.description) != kind) return 0;
  return Description::total(header.description) - BlockHeader::size;
}

void heap_free(State& state, const char* function, upcr_pts_t p, Place place, const char* once) {
  const uint64_t offset = p.offset;
  const weft_rank_t home = thread_of(p);
  if (home >= state.threads || offset < state.layout.heap + BlockHeader::size || offset >= state.layout.heap_end ||
      offset % Arena::granule != 0)
    fail(place, "%s: thread %u, offset %#" PRIx64 " was not allocated by a UPC allocation function", function, home,
         offset);
  const uint64_t start = offset - BlockHeader::size;
  uint64_t status = live_tag ^ offset;
  // The word changes from live to freed once; who changes it frees the block.
  if (!exchange_word(state, home, start, status, freed_tag)) {
    const bool freed = (status & freed_tag) != 0;
    fail(place, "%s: the block at thread %u, offset %#" PRIx64 " %s%s", function, home, offset,
         freed ? "has been freed already" : "was not allocated by a UPC allocation function, or was overwritten",
         freed                     ? once
         : state.view.checked != 0 ? ""
                                   : "; WEFT_CHECK=1 finds writes out of bounds");
  }
  uint64_t description = 0;
  (void)weft_get(&description, home, start + offsetof(BlockHeader, description), sizeof description);
  const BlockKind kind = Description::kind(description);
  const weft_rank_t owner = Description::owner(description);
  const uint64_t total = Description::total(description);
  mark(state, offset, total - BlockHeader::size, kind, home, freed);
  const uint64_t name = BlockName::encode(offset, kind);
  if (owner == state.me) return take_back(state, name, total);
  const uint64_t stack = WEFT_UPCRT_CONTROL(state, freed);
  uint64_t head = load_word(state, owner, stack);
  do {
    store_word(state, home, start, freed_tag | head);
  } while (!exchange_word(state, owner, stack, head, name));
}

}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

upcr_pts_t upc_alloc(size_t nbytes) {
  State& state = self();
  if (nbytes == 0) return upcr_null();
  const uint64_t offset = heap_allocate(state, "upc_alloc", BlockKind::local, nbytes);
  return offset == 0 ? upcr_null() : upcr_make(offset, state.me, 0);
}

// UPC 1.1.
upcr_pts_t upc_local_alloc(size_t nblocks, size_t nbytes) {
  size_t bytes = 0;
  return upc_alloc(__builtin_mul_overflow(nblocks, nbytes, &bytes) ? SIZE_MAX : bytes);
}

upcr_pts_t upc_global_alloc(size_t nblocks, size_t nbytes) {
  State& state = self();
  if (nblocks == 0 || nbytes == 0) return upcr_null();
  const uint64_t bytes = bytes_per_thread(state, nblocks, nbytes);
  return upcr_make(heap_allocate(state, "upc_global_alloc", BlockKind::global, bytes), 0, 0);
}

upcr_pts_t upc_all_alloc(size_t nblocks, size_t nbytes) {
  State& state = self();
  check_collective(state, "upc_all_alloc");
  if (nblocks == 0 || nbytes == 0) return upcr_null();
  const uint64_t bytes = bytes_per_thread(state, nblocks, nbytes);
  uint64_t offset = 0;
  if (state.me == 0) offset = heap_allocate(state, "upc_all_alloc", BlockKind::global, bytes);
  return upcr_make(broadcast_word(state, "upc_all_alloc", offset, 0, bytes), 0, 0);
}

void upcr_free_at(upcr_pts_t p, const char* file, int line) {
  State& state = self();
  if (upcr_is_null(p)) return;
  heap_free(state, "upc_free", p, {file, line}, "; one thread calls upc_free, or all call upc_all_free");
}
void upc_free(upcr_pts_t p) { upcr_free_at(p, nullptr, 0); }

// The memory stays valid until all threads are here.
void upcr_all_free_at(upcr_pts_t p, const char* file, int line) {
  State& state = self();
  if (file != nullptr) upcr_place(file, line);
  check_collective(state, "upc_all_free");
  if (upcr_is_null(p) && state.view.checked == 0) return;
  internal_barrier(state, "upc_all_free", 0, signature_of(p));
  if (upcr_is_null(p)) return;
  if (state.me == 0) heap_free(state, "upc_all_free", p, {file, line});
}
void upc_all_free(upcr_pts_t p) { upcr_all_free_at(p, nullptr, 0); }

}  // extern "C"
