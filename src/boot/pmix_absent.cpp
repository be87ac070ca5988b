// Stands in for pmix.cpp in a build on a machine without PMIx's headers.
#include "base/log.hpp"
#include "boot/process_managers.hpp"

namespace weft::boot {

Status connect_pmix(std::unique_ptr<Boot>&) {
  base::log_error(
      "the launcher speaks PMIx, but this Weft was built without it: build where libpmix-dev is installed, "
      "or start with weftrun or MPICH's mpiexec");
  return WEFT_ERR_UNSUPPORTED;
}

}  // namespace weft::boot
