// The main of programs whose own main is UPC: a file of its own, so that one in a static library does not meet theirs
// where that is C.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "upcrt/state.hpp"
#include "weft/upcrt/functions.h"

extern "C" [[gnu::weak]] int upcr_user_main(int argc, char** argv, char** environment);

namespace weft::upcrt {
namespace {

// exit() in a UPC thread: with 0 the thread waits for the others like one that returns from main; else the job ends.
void on_exit_call(int code, void*) {
  if (weft_detail_context()->size == 0 || started_threads.load() == 0) return;
  std::fflush(nullptr);
  if (code != 0) upc_global_exit(code);
  self().end_function = "called exit(0)";
  upcr_finish();
  std::fflush(nullptr);
  std::_Exit(0);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

int main(int argc, char** argv) {
  upcr_start(&argc, &argv);
  if (upcr_user_main == nullptr) fail({}, "this program has no UPC main");
  on_exit(on_exit_call, nullptr);
  const int code = upcr_user_main(argc, argv, environ);
  std::fflush(nullptr);
  self().exit_code = code;
  upcr_finish();
  return code;
}
