// The main of programs whose own main is UPC: a file of its own, so that one in a static library does not meet theirs
// where that is C.
#include <unistd.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include "upcrt/state.hpp"
#include "weft/upcrt/functions.h"

extern "C" [[gnu::weak]] int upcr_user_main(int argc, char** argv, char** environment);

namespace weft::upcrt {
namespace {

// Where a UPC thread that shares its process with others goes on when it calls exit(0): behind its call of the UPC
// main.
thread_local std::jmp_buf* behind_user_main = nullptr;

[[noreturn]] void return_from_user_main() { std::longjmp(*behind_user_main, 1); }

bool shares_its_process() { return behind_user_main != nullptr && started_threads.load() > 1; }

// exit() in a UPC thread: with 0 the thread waits for the others like one that returns from main; else the job ends.
// Among threads of one process only calls in objects of other compilers come here (see upcr_exit); glibc lets such a
// thread jump out, and runs what is left to do when the process ends.
void on_exit_call(int code, void*) {
  if (weft_detail_context()->size == 0 || started_threads.load() == 0) return;
  std::fflush(nullptr);
  if (code != 0) upc_global_exit(code);
  if (shares_its_process()) return_from_user_main();
  self().end_function = "called exit(0)";
  upcr_finish();
  std::fflush(nullptr);
  std::_Exit(0);
}

int run_user_main(int argc, char** argv) {
  std::jmp_buf behind;
  behind_user_main = &behind;
  if (setjmp(behind) != 0) {
    self().end_function = "called exit(0)";
    return 0;
  }
  return upcr_user_main(argc, argv, environ);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" void upcr_exit(int code) {
  if (code == 0 && shares_its_process()) return_from_user_main();
  std::exit(code);
}

int main(int argc, char** argv) {
  // As on a terminal: the lines that a thread has printed are out when another one ends the job (UPC 7.2.1).
  (void)std::setvbuf(stdout, nullptr, _IOLBF, 0);
  upcr_start(&argc, &argv);
  if (upcr_user_main == nullptr) fail({}, "this program has no UPC main");
  on_exit(on_exit_call, nullptr);
  const int code = run_user_main(argc, argv);
  behind_user_main = nullptr;
  std::fflush(nullptr);
  self().exit_code = code;
  upcr_finish();
  return code;
}
