#include "capi/in_process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdlib>
#include <string>

#include "base/log.hpp"
#include "capi/state.hpp"

extern char** environ;

// The program's main, if the program has one that the library can see.
extern "C" [[gnu::weak]] int weft_detail_program_main(int argc, char** argv, char** environment) __asm__("main");

namespace weft::capi {
namespace {

// With glibc exit() may be called here: what is left to do is done, and the last code counts.
void end_with_code(int status, void* code) {
  if (status == 0) std::exit(static_cast<int>(reinterpret_cast<intptr_t>(code)) & 0xff);
}

// Where a rank goes on that calls exit(): behind its call of main.
struct BehindMain {
  std::jmp_buf place;
  pid_t process;
  void (*refuse)(int code);
  int code = 0;
};
thread_local BehindMain* behind_main = nullptr;

bool may_leave_main() {
  const bool has_left_job = weft_detail_current == nullptr;
  return has_left_job && behind_main != nullptr && behind_main->process == getpid();
}

// exit() in one rank, while others of its process may have something to do. glibc allows exit() inside of a function
// that it calls at the exit, and such a rank may jump out of it: what is left to do then is done when the process ends.
void on_exit_call(int code, void*) {
  if (may_leave_main() && behind_main->refuse != nullptr) behind_main->refuse(code);
  leave_main(code);
}

// That of the rank that calls, which has said why.
[[noreturn]] void end_own_job(int code) {
  end_job(*static_cast<Thread*>(weft_detail_current->thread)->rank, code, "logged");
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

// What a key holds is handed on when its thread ends, and not when the process does.
void expect_pthread_exit() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    (void)pthread_key_create(&made, [](void*) {
      if (weft_size() == 0) return;
      base::log_error("called pthread_exit() before weft_finalize; return from main instead");
      end_own_job(1);
    });
    return made;
  }();
  (void)pthread_setspecific(key, &key);
}

int run_rank(std::unique_ptr<boot::Boot> boot, const std::function<int()>& body) {
  Thread waiting;  // stands in until init makes the real one
  waiting.context.thread = &waiting;
  waiting.assigned = std::move(boot);
  set_current(&waiting);
  expect_pthread_exit();
  const int code = body();
  if (weft_size() != 0) {
    base::log_error("returned without weft_finalize (code %d); ending the job", code);
    end_own_job((code & 0xff) == 0 ? 1 : code & 0xff);
  }
  set_current(nullptr);
  return code;
}

int run_main(int count, char** values, void (*refuse_exit)(int code)) {
  std::vector<std::string> texts(values, values + count);
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  BehindMain behind{.place = {}, .process = getpid(), .refuse = refuse_exit};
  behind_main = &behind;
  const int code = setjmp(behind.place) == 0 ? weft_detail_program_main(count, arguments.data(), environ) : behind.code;
  behind_main = nullptr;
  return code;
}

void leave_main(int code) {
  if (!may_leave_main()) return;
  behind_main->code = code;
  std::longjmp(behind_main->place, 1);
}

// Here, so that what the program registered before to be done at the exit is left for the end of the process.
void expect_exit() {
  if (behind_main != nullptr) on_exit(on_exit_call, nullptr);
}

void end_with_failure_of(const std::vector<int>& codes) {
  for (int code : codes) {
    if (code == 0) continue;
    on_exit(end_with_code, reinterpret_cast<void*>(static_cast<intptr_t>(code)));
    break;
  }
}

}  // namespace weft::capi
