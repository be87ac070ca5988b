// What one thread moves in a call of <upc_io.h>: runs of the file and memory, from checked arguments.
#pragma once

#include "upcrt/io_file.hpp"

namespace weft::upcrt::io {

struct Request {
  Runs runs;
  Memory memory;
  uint64_t bytes = 0;  // that this thread shall move
  uint64_t runs_wanted = 0;
};

/// Arguments of the functions without lists. With a local buffer `local` counts, else `shared`.
struct Buffers {
  void* local = nullptr;
  upcr_pts_t shared{};
  size_t block_elements = 0;
  size_t size = 0;
  size_t elements = 0;
};
/// With a common file pointer all arguments are the same on all threads, and are added to `same`.
Request request_of(State& state, const Form& form, const File& file, const Buffers& buffers, Arguments& same,
                   Vote& vote);

struct Lists {
  size_t memory_entries = 0;
  const upc_local_memvec* local = nullptr;
  const upc_shared_memvec* shared = nullptr;
  size_t file_entries = 0;
  const upc_filevec* file = nullptr;
};
Request request_of(State& state, const Form& form, const Lists& lists, Vote& vote);

}  // namespace weft::upcrt::io
