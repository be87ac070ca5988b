#include "conduit/mpi/library.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "base/log.hpp"
#include "boot/loaded_mpi.hpp"

namespace weft::conduit::mpi {
namespace {

/// The folder of this library, or of the program that holds it.
std::string own_folder() {
  Dl_info where{};
  if (::dladdr(reinterpret_cast<const void*>(&choose_library), &where) == 0 || !where.dli_fname) return {};
  const std::string path = where.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// Open MPI's own plugins look for the library's symbols globally.
void* open_file(const std::string& path) { return ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL); }

}  // namespace

std::string choose_library(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  if (const char* loaded = boot::loaded_mpi()) return loaded;
  return std::getenv("OMPI_COMM_WORLD_SIZE") ? "openmpi" : "mpich";
}

Status open_port(const std::string& library, const weft_mpi_port*& port) {
  const std::string file = "libweft-conduit-mpi-" + library + ".so";
  const std::string folder = own_folder();
  void* handle = nullptr;
  std::string reason;
  if (library.find('/') != std::string::npos) {
    handle = open_file(library);
    if (!handle) reason = ::dlerror();
  } else {
    for (const std::string& path : {folder + file, folder + "../lib/" + file, file}) {
      if (handle || path.empty()) continue;
      handle = open_file(path);
      if (!handle && (reason.empty() || reason.find("No such file") != std::string::npos)) reason = ::dlerror();
    }
  }
  if (!handle) {
    base::log_error(
        "WEFT_CONDUIT=mpi: cannot open the plugin for '%s' (%s): WEFT_MPI may be openmpi, mpich or a "
        "plugin's path; Weft builds them where that MPI's headers are installed",
        library.c_str(), reason.c_str());
    return WEFT_ERR_UNSUPPORTED;
  }
  using Make = const weft_mpi_port* (*)();
  const auto make = reinterpret_cast<Make>(::dlsym(handle, WEFT_MPI_PORT_SYMBOL));
  port = make ? make() : nullptr;
  if (port && port->version == WEFT_MPI_PORT_VERSION) return {};
  base::log_error("WEFT_CONDUIT=mpi: '%s' is not a plugin of this version of Weft", library.c_str());
  return WEFT_ERR_UNSUPPORTED;
}

}  // namespace weft::conduit::mpi
