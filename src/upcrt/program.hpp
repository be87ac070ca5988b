// The linked program: its units and what they were compiled for, its static shared objects and initialisers (unit.h).
#pragma once

#include <cstdint>

#include "weft/upcrt/unit.h"

namespace weft::upcrt {

struct Program {
  const upcr_program_t* sections = nullptr;
  uint64_t static_threads = 0;  // 0: dynamic
  bool pthreads = false;
  uint64_t static_bytes = 0;  // of static shared objects, per thread

  static Program read();
  /// Ends the program if its units do not fit together or it cannot run with this many threads.
  void check(uint64_t threads) const;
  void run_initialisers() const;
  /// That which takes most of each thread's memory; null if there is none.
  const upcr_object_t* largest_object() const;

 private:
  void check_objects() const;
};

}  // namespace weft::upcrt
