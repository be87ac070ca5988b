#include "os/thread.hpp"

#include <sys/resource.h>

#include <cstdlib>

#include "base/log.hpp"
#include "os/processor.hpp"

namespace weft::os {

void end_without_thread(const char* what, const std::string& why) {
  rlimit limit{};
  const bool limited = ::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  base::log_error(
      "cannot start a thread for %s on host %s: %s; this user may have %s processes and threads (ulimit -u, "
      "RLIMIT_NPROC), or fewer where a control group limits them (pids.max): raise the limit, or start fewer ranks "
      "here",
      what, host_name().c_str(), why.c_str(), limited ? std::to_string(limit.rlim_cur).c_str() : "any number of");
  std::_Exit(1);
}

}  // namespace weft::os
