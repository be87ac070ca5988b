// Which MPI library this process has loaded, asked without being linked with any.
#pragma once

#include <dlfcn.h>

#include <cstring>

namespace weft::boot {

/// "openmpi"; "mpich" for all others, which stem from it; null: none.
inline const char* loaded_mpi() {
  using Version = int (*)(char*, int*);
  const auto version = reinterpret_cast<Version>(::dlsym(RTLD_DEFAULT, "MPI_Get_library_version"));
  if (version == nullptr) return nullptr;
  char text[16384];  // more than MPI_MAX_LIBRARY_VERSION_STRING of any MPI
  int length = 0;
  version(text, &length);
  return std::strstr(text, "Open MPI") != nullptr ? "openmpi" : "mpich";
}

}  // namespace weft::boot
