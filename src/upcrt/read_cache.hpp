// Relaxed reads of memory that is not mapped, kept by the thread that read them.
//
// Writes go through: a thread sees its own ones, and no other waits for them. What orders accesses forgets all: every
// function of the runtime but the relaxed accesses themselves, through self() and Calling. A line that is read again
// and again is fetched anew now and then, so a loop that spins on a relaxed variable ends. Other threads of the
// program's own (OpenMP) end the keeping: what synchronises them is not seen here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/upcrt/gather.h"

namespace weft::upcrt {

class ReadCache;

/// Bytes of the largest element that is kept, and copied from what is.
constexpr uint64_t kLargestRead = 512;

/// The calling thread's cache, while it holds anything.
extern thread_local ReadCache* filled_reads __attribute__((tls_model("initial-exec")));

/// UPC_CACHE: bytes a thread keeps at most, 0 for none. Set at the start, 0 where all memory is mapped or every access
/// is to be seen.
extern std::atomic<uint64_t> kept_bytes;

/// Reads from what is kept.
/// @return whether all of it was there
bool read_kept(void* to, upcr_pts_t from, size_t size);

/// Reads what is not mapped here and keeps it, with what lies near.
/// @return whether it did; if not, nothing is kept of this read
bool read_and_keep(void* to, upcr_pts_t from, size_t size);

/// For loops that read elements at any places of memory that is not mapped, some at a time. Reads those that are kept,
/// and fetches whole pages whose elements have cost as much one strip at a time, for the place that was told last.
/// @param places  of all iterations
/// @param wanted  which iterations to read; those that were read are taken out
/// @param size    bytes of an element
/// @param to      memory for all that are wanted
/// @param at      set for those that were read: where in `to`
void read_kept_places(const upcr_pts_t* places, std::vector<uint32_t>& wanted, size_t size, char* to, char** at);

/// Pages that the calling thread's loops read without asking: mapped ones, and those that are kept whole.
/// @param reads  how many are to come, of pages that are kept
upcr_known_page_t* known_pages(uint64_t reads);

/// The page of p is mapped.
void know_mapped_page(upcr_pts_t p, char* base);

/// After a write to memory that is not mapped: what is kept of it is changed, too.
void change_kept(upcr_pts_t to, const void* from, size_t size);

/// Forgets all.
void forget_kept();
inline void forget_reads() {
  if (filled_reads != nullptr) forget_kept();
}

}  // namespace weft::upcrt
