// What a UPC program was compiled for, read from its file: the records that every unit leaves in the section
// upc_config, the size of the section upc_shared (weft/upcrt/unit.h), and the shared libraries that it needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace upcrun {

struct ProgramFacts {
  uint64_t threads = 0;       // static THREADS, or 0
  bool pthreads = false;      // compiled with --pthreads
  uint64_t static_bytes = 0;  // of static shared objects, per thread
  bool open_mpi = false;      // linked with Open MPI's library
};

/// None if the file cannot be read, is no 64-bit ELF program, or holds no UPC.
std::optional<ProgramFacts> read_program(const std::string& path);

}  // namespace upcrun
