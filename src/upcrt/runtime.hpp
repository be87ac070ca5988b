// What the files of the runtime share beyond the state: memory access by (thread, offset), used by all libraries.
#pragma once

#include <cstdarg>
#include <cstring>

#include "upcrt/state.hpp"
#include "weft/detail/language.h"
#include "weft/rma.h"
#include "weft/upcrt/library.h"

// ThreadSanitizer's interface; there in programs built with it.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}

namespace weft::upcrt {

/// ThreadSanitizer does not see the synchronisation of the runtime, which is built without it, and would report races
/// in correct programs with --pthreads. What a thread did before let_see(key) precedes what another does after
/// see(key).
inline void let_see(const void* key) {
  if (__tsan_release != nullptr) __tsan_release(const_cast<void*>(key));
}
inline void see(const void* key) {
  if (__tsan_acquire != nullptr) __tsan_acquire(const_cast<void*>(key));
}
/// The keys of all collective functions, handles included, and of two synchronization points after each other.
extern const char collective_key;
extern const char sync_keys[2];

void vfail(int code, Place place, const char* format, std::va_list arguments);

/// Words a line of the core's about misuse as UPC's: names the place in the source, if it is known (then true), the UPC
/// function that called the core's, and threads instead of ranks.
bool word_misuse(char* line, size_t size, bool with_place);

/// Says in a thread's line about the signal that ends it what it waits in, in UPC's terms: the function, its place in
/// the source if it is known, and who holds the lock that it waits for.
void word_wait(weft_detail_wait_t* wait);

/// WEFT_CHECK: the call under way has given the program this handle, for which it must wait before its end.
void note_handle(State& state, const char* function, weft_handle_t handle);
/// WEFT_CHECK: the program's end is here, and no handle is left.
void check_handles(State& state);

/// As long as this exists, the calling thread is in the UPC function of this name, which misuse of the core is said to
/// be of. `place`: of the call, if that is not the last call of a library function; `behind`: the queue node after
/// which it waits for a lock (lock.hpp), or 0.
class Calling {
 public:
  explicit Calling(const char* function, Place place = {}, uint64_t behind = 0);
  ~Calling();
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

  const char* function() const { return function_; }
  Place place() const { return place_; }
  uint64_t behind() const { return behind_; }

 private:
  const char* function_;
  Place place_;
  uint64_t behind_;
  const Calling* outer_;
};

/// Copies the text, or the end of it if it is too long.
template <size_t size>
void keep_end(char (&to)[size], const char* text) {
  const size_t length = text == nullptr ? 0 : std::strlen(text);
  const size_t skipped = length < size ? 0 : length - (size - 1);
  std::memcpy(to, length == 0 ? "" : text + skipped, length - skipped + 1);
}

inline weft_rank_t thread_of(upcr_pts_t p) { return static_cast<weft_rank_t>(upcr_thread(p)); }

/// For internal_barrier(), of an argument that must be the same on all threads.
inline uint64_t signature_of(upcr_pts_t p) { return p.offset ^ p.where * 0x9e37'79b9'7f4a'7c15; }

/// Copies between two places of shared memory on any threads.
void copy_shared(upcr_pts_t to, upcr_pts_t from, size_t size);

/// Where p points, if this thread may load and store there, else null.
char* mapped(upcr_pts_t p);

/// What is synchronised through the memory at p.
inline void let_see(upcr_pts_t p) {
  if (__tsan_release != nullptr) __tsan_release(mapped(p));
}
inline void see(upcr_pts_t p) {
  if (__tsan_acquire != nullptr) __tsan_acquire(mapped(p));
}

/// For loops that look at another thread's memory: makes progress and lets other threads have the processor.
void give_way();

/// Where a word is, if atomics on it are the processor's here (as in weft/atomic.h), else null.
inline uint64_t* direct_word(weft_rank_t thread, uint64_t offset) {
  const uint64_t map = weft_detail_map;
  return map == 0 ? nullptr : reinterpret_cast<uint64_t*>(weft_detail_at(map, thread, offset));
}

/// A read or write of one word that others race for.
inline uint64_t load_word(State& state, weft_rank_t thread, uint64_t offset) {
  if (const uint64_t* word = direct_word(thread, offset)) return __atomic_load_n(word, __ATOMIC_SEQ_CST);
  uint64_t value = 0;
  (void)weft_atomic(state.core_domains[WEFT_U64], &value, thread, offset, WEFT_ATOMIC_GET, nullptr, nullptr);
  return value;
}
/// What was written before is visible to whoever reads the word.
inline void store_word(State& state, weft_rank_t thread, uint64_t offset, uint64_t value) {
  if (uint64_t* word = direct_word(thread, offset)) return __atomic_store_n(word, value, __ATOMIC_RELEASE);
  (void)weft_atomic(state.core_domains[WEFT_U64], nullptr, thread, offset, WEFT_ATOMIC_SET, &value, nullptr);
}
inline uint64_t swap_word(State& state, weft_rank_t thread, uint64_t offset, uint64_t value) {
  if (uint64_t* word = direct_word(thread, offset)) return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
  uint64_t before = 0;
  (void)weft_atomic(state.core_domains[WEFT_U64], &before, thread, offset, WEFT_ATOMIC_SWAP, &value, nullptr);
  return before;
}
/// True if the word was `expected` and is `desired` now; else `expected` is what it was.
inline bool exchange_word(State& state, weft_rank_t thread, uint64_t offset, uint64_t& expected, uint64_t desired) {
  const uint64_t before = weft_atomic_compare_swap64(state.core_domains[WEFT_U64], thread, offset, expected, desired);
  const bool done = before == expected;
  expected = before;
  return done;
}

}  // namespace weft::upcrt
