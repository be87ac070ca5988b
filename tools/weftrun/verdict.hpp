// What the end of a rank's process means for the job.
#pragma once

#include <string>

#include "pmi_server.hpp"

namespace weftrun {

struct Verdict {
  enum class Kind {
    in_order,  // the rank has done its part
    late,      // it failed after it had left the job in order: the others may end by themselves
    failure    // it failed: the job cannot go on
  };
  Kind kind = Kind::in_order;
  int exit_code = 0;
  std::string line;  // what to tell the user, without the launcher's name and newline
};

/// `status` as waitpid gives it. `who` names the rank, `program` is PROG as the user wrote it, `phase` how far the
/// rank has come; `anyone_joined` tells whether any rank has called weft_init.
Verdict judge(int status, PmiServer::Phase phase, bool anyone_joined, const std::string& who,
              const std::string& program);

}  // namespace weftrun
