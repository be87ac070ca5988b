// Which MPI library a job uses, and the plugin that speaks to it.
#pragma once

#include <string>

#include "base/status.hpp"
#include "conduit/mpi/port.h"

namespace weft::conduit::mpi {

/// Chooses among "openmpi" and "mpich": what `wanted` (WEFT_MPI) says; else the library that the program has loaded
/// already; else the one whose launcher has started this process.
std::string choose_library(const std::string& wanted);

/// Opens the plugin for `library`, a name as above or the path of a plugin. Logs what is missing.
Status open_port(const std::string& library, const weft_mpi_port*& port);

}  // namespace weft::conduit::mpi
