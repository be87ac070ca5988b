#include "capi/in_process.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/log.hpp"
#include "capi/state.hpp"

extern char** environ;

// The program's main, if the program has one that the library can see.
extern "C" [[gnu::weak]] int weft_detail_program_main(int argc, char** argv, char** environment) __asm__("main");

namespace weft::capi {
namespace {

void end_with_code(int status, void* code) {
  if (status != 0) return;
  std::fflush(nullptr);
  _exit(static_cast<int>(reinterpret_cast<intptr_t>(code)) & 0xff);
}

}  // namespace

Status check_main(uint32_t ranks, int* argc, char*** argv, const char* what, const char* option) {
  if (weft_detail_program_main == nullptr) {
    base::log_error(
        "ranks cannot be %s here: the program's main is not visible to the library; link the program "
        "with -rdynamic, or start it without %s",
        what, option);
    return WEFT_ERR_UNSUPPORTED;
  }
  if (ranks > 1 && (argc == nullptr || argv == nullptr)) {
    base::log_error(
        "ranks cannot be %s here: the program calls weft_init(NULL, NULL), but the other ranks need "
        "main's arguments; call weft_init(&argc, &argv)",
        what);
    return WEFT_ERR_UNSUPPORTED;
  }
  return {};
}

int run_rank(std::unique_ptr<boot::Boot> boot, const std::function<int()>& body) {
  Thread waiting;  // stands in until init makes the real one
  waiting.context.thread = &waiting;
  waiting.assigned = std::move(boot);
  set_current(&waiting);
  const int code = body();
  if (weft_size() != 0) {
    base::log_error("returned without weft_finalize (code %d); ending the job", code);
    auto& thread = *static_cast<Thread*>(weft_detail_current->thread);
    end_job(*thread.rank, (code & 0xff) == 0 ? 1 : code & 0xff, "returned without weft_finalize");
  }
  set_current(nullptr);
  return code;
}

int run_main(int count, char** values) {
  std::vector<std::string> texts(values, values + count);
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  return weft_detail_program_main(count, arguments.data(), environ);
}

void end_with_failure_of(const std::vector<int>& codes) {
  for (int code : codes) {
    if (code == 0) continue;
    on_exit(end_with_code, reinterpret_cast<void*>(static_cast<intptr_t>(code)));
    break;
  }
}

}  // namespace weft::capi
