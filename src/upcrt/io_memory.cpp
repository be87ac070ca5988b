#include "upcrt/io_memory.hpp"

#include <algorithm>
#include <cstring>

#include "base/small_copy.hpp"

namespace weft::upcrt::io {
namespace {

// Block `index` of the array: whose, and where it begins.
struct Block {
  uint64_t thread;
  uint64_t offset;
};
Block block_of(const Region& region, uint64_t index, uint64_t threads) {
  const uint64_t turn = upcr_thread(region.first) + index;
  return {turn % threads, region.first.offset + turn / threads * region.block};
}

void copy(bool to_linear, char* linear, char* memory, size_t size) {
  std::memcpy(to_linear ? linear : memory, to_linear ? memory : linear, size);
}

// A broken block at either end, and between them whole blocks, of which each thread's are consecutive in its memory:
// one pass per thread keeps to few streams.
void interleave(bool to_linear, char* linear, const Region& region, uint64_t at, uint64_t bytes, const Bases& bases) {
  const uint64_t threads = bases.size(), size = region.block;
  const uint64_t begin = region.skip + at;
  uint64_t index = begin / size;
  if (const uint64_t within = begin % size; within != 0) {
    const Block head = block_of(region, index++, threads);
    const uint64_t head_bytes = std::min(bytes, size - within);
    copy(to_linear, linear, bases[head.thread] + head.offset + within, head_bytes);
    linear += head_bytes;
    bytes -= head_bytes;
  }
  const uint64_t whole = bytes / size;
  for (uint64_t turn = 0; turn < std::min(whole, threads); ++turn) {
    const Block first = block_of(region, index + turn, threads);
    const uint64_t count = (whole - turn + threads - 1) / threads;
    char* const memory = bases[first.thread] + first.offset;
    if (to_linear)
      copy_blocks(linear + turn * size, threads * size, memory, size, size, count);
    else
      copy_blocks(memory, size, linear + turn * size, threads * size, size, count);
  }
  if (const uint64_t tail_bytes = bytes % size; tail_bytes != 0) {
    const Block tail = block_of(region, index + whole, threads);
    copy(to_linear, linear + whole * size, bases[tail.thread] + tail.offset, tail_bytes);
  }
}

}  // namespace

void copy_blocks(char* to, size_t to_stride, const char* from, size_t from_stride, size_t size, size_t count) {
  const base::Row target{reinterpret_cast<std::byte*>(to), static_cast<ptrdiff_t>(to_stride)};
  const base::Row source{reinterpret_cast<std::byte*>(const_cast<char*>(from)), static_cast<ptrdiff_t>(from_stride)};
  base::copy_elements(size, target, source, count);
}

Piece piece_at(const Region& region, uint64_t at, uint64_t most, const Bases& bases) {
  most = std::min(most, region.bytes - at);
  if (region.local != nullptr) return {region.local + region.skip + at, 0, 0, most};
  const uint64_t begin = region.skip + at;
  if (!region.scattered()) {
    const auto thread = static_cast<weft_rank_t>(upcr_thread(region.first));
    const uint64_t offset = region.first.offset + begin;
    return {bases[thread] == nullptr ? nullptr : bases[thread] + offset, thread, offset, most};
  }
  const Block block = block_of(region, begin / region.block, bases.size());
  const uint64_t within = begin % region.block, offset = block.offset + within;
  const auto thread = static_cast<weft_rank_t>(block.thread);
  return {bases[thread] == nullptr ? nullptr : bases[thread] + offset, thread, offset,
          std::min(most, region.block - within)};
}

Piece share_of(const Region& region, uint64_t at, uint64_t bytes, uint64_t thread, const Bases& bases) {
  Piece share;
  share.thread = static_cast<weft_rank_t>(thread);
  if (bytes == 0) return share;
  const uint64_t threads = bases.size(), size = region.block;
  const uint64_t begin = region.skip + at, end = begin + bytes;
  const uint64_t first = begin / size, last = (end - 1) / size;
  // The thread's first block from `first` on, and its last up to `last`.
  const uint64_t home = upcr_thread(region.first);
  const uint64_t mine = first + (thread + threads - (home + first) % threads) % threads;
  if (mine > last) return share;
  const uint64_t final = last - (last - mine) % threads;
  share.offset = block_of(region, mine, threads).offset + (mine == first ? begin % size : 0);
  const uint64_t stop = block_of(region, final, threads).offset + (final == last ? (end - 1) % size + 1 : size);
  share.bytes = stop - share.offset;
  if (bases[thread] != nullptr) share.here = bases[thread] + share.offset;
  return share;
}

void gather(char* linear, const Region& region, uint64_t at, uint64_t bytes, const Bases& bases) {
  interleave(true, linear, region, at, bytes, bases);
}

void scatter(const char* linear, const Region& region, uint64_t at, uint64_t bytes, const Bases& bases) {
  interleave(false, const_cast<char*>(linear), region, at, bytes, bases);
}

bool reachable(const Region& region, const Bases& bases) {
  if (region.local != nullptr || region.bytes == 0) return true;
  if (!region.scattered()) return bases[upcr_thread(region.first)] != nullptr;
  for (uint64_t thread = 0; thread < bases.size(); ++thread)
    if (bases[thread] == nullptr && share_of(region, 0, region.bytes, thread, bases).bytes != 0) return false;
  return true;
}

uint64_t end_of(const Region& region, uint64_t threads) {
  uint64_t end = 0;
  if (__builtin_add_overflow(region.skip, region.bytes, &end)) return UINT64_MAX;
  if (region.scattered()) {
    const uint64_t blocks = (end - 1) / region.block;
    const uint64_t rows = (upcr_thread(region.first) + blocks) / threads + 1;
    if (__builtin_mul_overflow(rows, region.block, &end)) return UINT64_MAX;
  }
  return __builtin_add_overflow(end, region.first.offset, &end) ? UINT64_MAX : end;
}

void Memory::skip(uint64_t bytes) {
  while (bytes != 0) {
    const uint64_t here = std::min(bytes, room());
    advance(here);
    bytes -= here;
  }
}

}  // namespace weft::upcrt::io
