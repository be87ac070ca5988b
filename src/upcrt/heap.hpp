// The shared heap (UPC 7.2.2).
//
// Problem: upc_global_alloc() is not collective, yet its memory stands at one offset on all threads; any thread may
// free any block; and no allocation should wait for another thread's attention, which may be computing.
//
// The heap is one range of offsets. Global memory grows from its low end, the memory of upc_alloc() from its high end,
// in chunks. How far both ends have grown is one word in thread 0's memory: the chunks that are global, and the most
// that any thread uses at the high end. A thread grows either end with a compare-and-swap and then manages the chunks
// it took alone, in an Arena outside shared memory. A block freed by another thread is pushed on a stack of its owner,
// linked through the blocks' headers, and the owner collects the stack when it next allocates. So nothing waits, the
// two ends share all memory, and there is no limit but the segment.
#pragma once

#include <cstdint>

#include "upcrt/state.hpp"

namespace weft::upcrt {

/// Stands before every block: of a local one on its thread, of a global one on thread 0.
struct BlockHeader {
  static constexpr uint64_t size = 16;
  /// In use: live_tag ^ offset of the block. Freed: freed_tag | the next block of the owner's stack.
  uint64_t status;
  /// Bits 0-38: size with header in units of 16 bytes. Bit 39: global. Bits 40-63: the owner.
  uint64_t description;
};

enum class BlockKind { local, global };

/// Takes a block of `bytes` > 0 (on every thread if global) and gives the offset of its first byte; 0 after a line on
/// standard error if there is not enough memory. `function` is the name for that line.
uint64_t heap_allocate(State& state, const char* function, BlockKind kind, uint64_t bytes);

/// Reads what would be the header of a block that begins at p. False if none can begin there.
bool heap_read_header(const State& state, upcr_pts_t p, BlockHeader& header);

/// Bytes of the block of this kind that begins at `offset` behind the header, on each thread if it is global; 0 if none
/// does.
uint64_t heap_block_bytes(const BlockHeader& header, uint64_t offset, BlockKind kind);

/// Frees the block that p points to. Ends the job if there is none. The line about one that has been freed already ends
/// with `once`: how it is freed once.
void heap_free(State& state, const char* function, upcr_pts_t p, Place place, const char* once = "");

}  // namespace weft::upcrt
