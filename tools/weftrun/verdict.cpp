#include "verdict.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "common.hpp"
#include "options.hpp"

namespace weftrun {
namespace {

bool is_crash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE || signal == SIGABRT;
}

const char* where(PmiServer::Phase phase) {
  switch (phase) {
    case PmiServer::Phase::before_init:
      return speaks_upc ? " before the UPC program's start" : " before weft_init";
    case PmiServer::Phase::init_failed:
    case PmiServer::Phase::wrong_settings:
      return speaks_upc ? " at the UPC program's start" : " in weft_init";
    case PmiServer::Phase::joined:
      return speaks_upc ? " before the end of main" : " before weft_finalize";
    case PmiServer::Phase::finalized:
      return speaks_upc ? "" : " after weft_finalize";  // what main returned
  }
  return "";
}

// What to set to learn more of a crash, of what is not set already.
std::string crash_hint() {
  const bool traced = flag_is_set("WEFT_BACKTRACE");
  const bool checked = flag_is_set("WEFT_CHECK");
  if (traced && checked) return "";
  const char* checks = speaks_upc ? "WEFT_CHECK=1 checks accesses" : "WEFT_CHECK=1 checks calls";
  return std::string("; ") + (traced ? "" : "WEFT_BACKTRACE=1 shows where") + (traced || checked ? "" : ", ") +
         (checked ? "" : checks);
}

constexpr const char* no_weft_program =
    " is not a Weft program (it ended without calling weft_init); start an MPI program with its mpirun, another "
    "without weftrun, or have it call weft_init and weft_finalize";
constexpr const char* no_upc_program =
    " is not a UPC program (it ended without starting the UPC runtime): compile it with upcc, or have its C main call "
    "upcr_start first and upcr_finish last; start an MPI program with its mpirun, another without upcrun";

}  // namespace

Verdict judge(int status, PmiServer::Phase phase, bool anyone_joined, const std::string& who,
              const std::string& program) {
  using Phase = PmiServer::Phase;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {Verdict::Kind::failure, 128 + signal,
            who + " was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")" +
                (is_crash(signal) ? crash_hint() : "") + "; ending the job"};
  }
  const int code = WEXITSTATUS(status);
  // It has said which.
  if (phase == Phase::wrong_settings) return {Verdict::Kind::failure, exit_usage, ""};
  if (phase == Phase::finalized) {
    if (code == 0) return {};
    return {Verdict::Kind::late, code, who + " exited with code " + std::to_string(code) + where(phase)};
  }
  if (code == 0 && !anyone_joined)
    return {Verdict::Kind::failure, 1, program + (speaks_upc ? no_upc_program : no_weft_program)};
  // The loader ends a program so when it does not find a library, having said which.
  const char* hint =
      code == 127 && phase == Phase::before_init ? " (a shared library may be missing: ldd shows which)" : "";
  return {Verdict::Kind::failure, code == 0 ? 1 : code,
          who + " exited with code " + std::to_string(code) + where(phase) + hint + "; ending the job"};
}

}  // namespace weftrun
