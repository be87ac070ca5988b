#include "verdict.hpp"

#include <sys/wait.h>

#include <cstring>

namespace weftrun {

Verdict judge(int status, PmiServer::Phase phase, bool anyone_joined, const std::string& who,
              const std::string& program) {
  using Phase = PmiServer::Phase;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {Verdict::Kind::failure, 128 + signal,
            who + " was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + "); ending the job"};
  }
  const int code = WEXITSTATUS(status);
  if (phase == Phase::finalized) {
    if (code == 0) return {};
    return {Verdict::Kind::late, code, who + " exited with code " + std::to_string(code) + " after weft_finalize"};
  }
  if (code == 0 && !anyone_joined)
    return {Verdict::Kind::failure, 1,
            program +
                " is not a Weft program (it ended without calling weft_init); run it without weftrun, or have "
                "it call weft_init and weft_finalize"};
  return {Verdict::Kind::failure, code == 0 ? 1 : code,
          who + " exited with code " + std::to_string(code) + " before " +
              (phase == Phase::joined ? "weft_finalize" : "weft_init") + "; ending the job"};
}

}  // namespace weftrun
