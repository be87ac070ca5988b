#include "verdict.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace weftrun {
namespace {

bool is_crash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE || signal == SIGABRT;
}

const char* where(PmiServer::Phase phase) {
  switch (phase) {
    case PmiServer::Phase::before_init:
      return " before weft_init";
    case PmiServer::Phase::init_failed:
      return " in weft_init";
    case PmiServer::Phase::joined:
      return " before weft_finalize";
    case PmiServer::Phase::finalized:
      return " after weft_finalize";
  }
  return "";
}

}  // namespace

Verdict judge(int status, PmiServer::Phase phase, bool anyone_joined, const std::string& who,
              const std::string& program) {
  using Phase = PmiServer::Phase;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {Verdict::Kind::failure, 128 + signal,
            who + " was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")" +
                (is_crash(signal) ? "; WEFT_BACKTRACE=1 shows where, WEFT_CHECK=1 checks calls" : "") +
                "; ending the job"};
  }
  const int code = WEXITSTATUS(status);
  if (phase == Phase::finalized) {
    if (code == 0) return {};
    return {Verdict::Kind::late, code, who + " exited with code " + std::to_string(code) + where(phase)};
  }
  if (code == 0 && !anyone_joined)
    return {Verdict::Kind::failure, 1,
            program +
                " is not a Weft program (it ended without calling weft_init); start an MPI program with its mpirun, "
                "another "
                "without weftrun, or have it call weft_init and weft_finalize"};
  // The loader ends a program so when it does not find a library, having said which.
  const char* hint =
      code == 127 && phase == Phase::before_init ? " (a shared library may be missing: ldd shows which)" : "";
  return {Verdict::Kind::failure, code == 0 ? 1 : code,
          who + " exited with code " + std::to_string(code) + where(phase) + hint + "; ending the job"};
}

}  // namespace weftrun
