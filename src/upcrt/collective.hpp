// What the collectives share: synchronisation modes, and the geometry of a shared array.
#pragma once

#include <cstdint>

#include "upcrt/runtime.hpp"
#include "weft/coll.h"

namespace weft::upcrt {

/// The flags of weft/coll.h for a upc_flag_t. Where more than one bit of a half is set the strongest counts; none means
/// ALLSYNC. Ends the job if they are no flags.
unsigned coll_flags(const char* function, int flags);

/// At the start of every collective: checks that it may be called, and lets others see what this thread has put.
void enter(State& state, const char* function);

/// A blocking collective of all threads: its beginning and its end, with the barriers of ALLSYNC. These are those of
/// upc_barrier, which cost less than the library's for any team, and hold for data that the runtime itself touches,
/// too.
class Synchronised {
 public:
  Synchronised(State& state, const char* function, int flags, uint64_t bytes = 0);
  ~Synchronised();
  Synchronised(const Synchronised&) = delete;
  Synchronised& operator=(const Synchronised&) = delete;

  /// What is left for the library.
  unsigned flags() const { return flags_ & ~unsigned{WEFT_IN_ALLSYNC | WEFT_OUT_ALLSYNC}; }

 private:
  Calling calling_;
  State& state_;
  const char* function_;
  uint64_t bytes_;
  unsigned flags_;
};

/// This thread's memory at an offset.
inline char* own(const State& state, uint64_t offset) { return state.view.self + offset; }

/// An array of `count` elements of `size` bytes in blocks of `block` (0: indefinite) that starts at `first`, whose
/// phase counts. Each thread's share of it is contiguous; `position` numbers the elements of one share. A row is one
/// block of each thread, in the order of threads; the first and the last may lack some.
struct SharedArray {
  upcr_pts_t first;
  uint64_t count;
  uint64_t block;
  uint64_t size;
  uint64_t threads;

  /// Elements of `thread`.
  uint64_t share(uint64_t thread) const;
  /// Offset in the thread's segment of its first element.
  uint64_t offset(uint64_t thread) const;
  /// Rows that the array touches.
  uint64_t rows() const;

  /// The blocks of a thread's share, one after another.
  struct Blocks {
    uint64_t share;
    uint64_t block;
    uint64_t row;       // of this block
    uint64_t position;  // of its first element
    uint64_t elements;  // in it

    bool more() const { return position < share; }
    void next() {
      position += elements;
      ++row;
      elements = share - position < block ? share - position : block;
    }
  };
  Blocks blocks_of(uint64_t thread) const;

 private:
  // Blocks from the first one's thread to this one.
  uint64_t distance(uint64_t thread) const;
  // Elements before its share in the thread's first block.
  uint64_t skipped(uint64_t thread) const { return distance(thread) == 0 ? upcr_phase(first) : 0; }
};

/// A size for messages: -1 is what a program with a negative one means.
struct SizeText {
  char text[24];
  explicit SizeText(size_t size);
};

/// A shared argument of a collective, which has `pieces` pieces on each thread that it is used on.
struct Argument {
  const char* name;
  upcr_pts_t at;
  size_t size;  // of a piece, in units
  uint64_t pieces = 1;
  size_t unit = 1;  // bytes
  const char* size_name = "nbytes";
};

/// This thread's part of it: at the same offset as the argument, on this thread. Ends the job if the argument is null
/// or too large to be.
char* part(State& state, const char* function, const Argument& argument);

/// Ends the job if the argument is a null pointer-to-shared.
void check_not_null(const char* function, const char* argument, upcr_pts_t p);

/// Ends the job if the argument, whose elements are counted by `nelems` and `blk_size`, is null or too large to be.
void check_array(State& state, const char* function, const char* argument, const SharedArray& array);

}  // namespace weft::upcrt
