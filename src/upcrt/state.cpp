#include "upcrt/state.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "upcrt/lock.hpp"
#include "upcrt/of_thread.hpp"
#include "upcrt/read_cache.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/sync_point.hpp"
#include "weft/detail/language.h"
#include "weft/rma.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/control.h"
#include "weft/upcrt/library.h"

// Compiled code sees these two as constants; here they are written, once per thread, before any of it runs.
extern "C" {
upcr_view_t weft_upcrt_process_view __asm__("upcr_process_view");
__thread upcr_view_t weft_upcrt_thread_view __asm__("upcr_thread_view") __attribute__((tls_model("initial-exec")));
__thread uint32_t upcr_strict_count = 0;
__thread upcr_caller_t upcr_caller = {};
__thread int upcr_forall_depth = 0;
}

namespace weft::upcrt {
namespace {

// The state of a process whose threads are not UPC threads: the program's own threads share it.
std::atomic<State*> process_state{nullptr};
__thread State* thread_state __attribute__((tls_model("initial-exec"))) = nullptr;
__thread const Calling* called __attribute__((tls_model("initial-exec"))) = nullptr;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

std::atomic<int> started_threads{0};
const char collective_key = 0;
const char sync_keys[2] = {};

State& self() {
  forget_reads();
  return self_of_access();
}

State& self_of_access() {
  if (__builtin_expect(thread_state != nullptr, 1)) return *thread_state;
  State* state = process_state.load(std::memory_order_acquire);
  if (state == nullptr && started_threads.load() > 0)
    fail({},
         "a thread that is no UPC thread (of OpenMP, or made by pthread_create) accessed shared memory or called a UPC "
         "function; with --pthreads only UPC threads may: compile without it, or let the UPC thread do that");
  if (state == nullptr)
    fail({},
         "a UPC function was called before the program's start or after its end; a program whose "
         "main is C calls upcr_start() first and upcr_finish() last (docs/UPC-RUNTIME.md)");
  kept_bytes.store(0);  // of the program's UPC thread: what this one writes would not be seen there
  thread_state = state;
  weft_upcrt_thread_view = state->view;
  weft_detail_name_rank("thread");
  return *state;
}

void set_self(State* state, bool of_process) {
  thread_state = state;
  weft_upcrt_thread_view = state ? state->view : upcr_view_t{};
  if (!of_process) return;
  weft_upcrt_process_view = state ? state->view : upcr_view_t{};
  process_state.store(state, std::memory_order_release);
}

Calling::Calling(const char* function, Place place, uint64_t behind)
    : function_(function), place_(place), behind_(behind), outer_(called) {
  called = this;
  forget_reads();
}
Calling::~Calling() { called = outer_; }

// Only what this thread left in its own memory, and what others' memory that is mapped here says: the job ends.
void word_wait(weft_detail_wait_t* wait) {
  State* state = thread_state;
  if (state == nullptr) return;
  show_held_locks(*state);
  if (called == nullptr) return;
  const bool placed = called->place().file != nullptr;
  const Place place = placed ? called->place() : Place{upcr_caller.file, upcr_caller.line};
  if (place.file == nullptr)
    std::snprintf(wait->call, sizeof wait->call, "%s", called->function());
  else
    std::snprintf(wait->call, sizeof wait->call, "%s (%s:%d)", called->function(), place.file, place.line);
  const std::string note = called->behind() == 0 ? held_text(*state) : holder_text(*state, called->behind());
  std::snprintf(wait->note, sizeof wait->note, "%s", note.c_str());
}

void note_handle(State& state, const char* function, weft_handle_t handle) {
  if (state.view.checked == 0 || handle == WEFT_HANDLE_DONE) return;
  // Full: most have been waited for.
  if (state.handles.size() == state.handles.capacity())
    std::erase_if(state.handles, [](const IssuedHandle& one) { return !weft_detail_handle_is_live(one.handle); });
  state.handles.push_back({handle, function, {upcr_caller.file, upcr_caller.line}});
}

void check_handles(State& state) {
  for (const auto& [handle, function, place] : state.handles)
    if (weft_detail_handle_is_live(handle))
      fail(place, "%s: the handle of this call was never waited for; upc_sync and its like wait", function);
}

bool word_misuse(char* line, size_t size, bool with_place) {
  std::string text = line;
  if (called != nullptr && text.starts_with("weft_")) text.replace(0, text.find_first_of(": "), called->function());
  if (text.starts_with("weft_finalize: ")) text.replace(0, std::strlen("weft_finalize"), "the end of the program");
  if (text.starts_with("rank ")) text.replace(0, 4, "thread");
  replace_all(text, " rank ", " thread ");
  replace_all(text, " ranks ", " threads ");
  replace_all(text, "WEFT_TEAM_WORLD", "UPC_TEAM_ALL");
  replace_all(text, "WEFT_TEAM_", "UPC_TEAM_");
  Place place{upcr_caller.file, upcr_caller.line};
  if (called != nullptr && called->place().file != nullptr) place = called->place();
  const bool placed = with_place && place.file != nullptr;
  if (placed) text = std::string(place.file) + ":" + std::to_string(place.line) + ": " + text;
  std::snprintf(line, size, "%s", text.c_str());
  return placed;
}

void vfail(int code, Place place, const char* format, std::va_list arguments) {
  if (place.file == nullptr) place = {upcr_caller.file, upcr_caller.line};
  char text[1024];
  int length = 0;
  if (place.file != nullptr) length = std::snprintf(text, sizeof text / 2, "%s:%d: ", place.file, place.line);
  std::vsnprintf(text + length, sizeof text - static_cast<size_t>(length), format, arguments);
  if (weft_size() != 0) weft_detail_fail(code, text);
  std::fprintf(stderr, "upc: %s\n", text);
  std::_Exit(1);
}

void tell(const State& state, const char* format, ...) {
  char text[1024];
  int length = std::snprintf(text, sizeof text / 2, "weft: thread %u: ", state.me);
  if (upcr_caller.file != nullptr)
    length += std::snprintf(text + length, sizeof text / 2, "%s:%d: ", upcr_caller.file, upcr_caller.line);
  length = std::min(length, static_cast<int>(sizeof text / 2));
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text + length, sizeof text - static_cast<size_t>(length), format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "%s\n", text);
}

void fail(Place place, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  vfail(fail_code, place, format, arguments);
  __builtin_unreachable();
}

void fail_with(int code, Place place, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  vfail(code, place, format, arguments);
  __builtin_unreachable();
}

void check_of_upc_thread(const State& state, const char* function, Place place) {
  if (state.view.checked == 0 || is_upc_thread()) return;
  fail(place,
       "%s was called by a thread that is no UPC thread (of OpenMP, or made by pthread_create); barriers, locks and "
       "collective functions are for the thread that runs main",
       function);
}

void check_collective(const State& state, const char* function) {
  check_of_upc_thread(state, function, {});
  if (__builtin_expect(state.notified, 0))
    fail({}, "%s was called between the upc_notify at %s:%d and its upc_wait; collective functions may not be",
         function, state.notify_place.file, state.notify_place.line);
}

void internal_barrier(State& state, const char* function, uint64_t bytes, uint64_t signature) {
  SyncPoint point{.kind = SyncKind::collective,
                  .function = function,
                  .bytes = bytes,
                  .place = {upcr_caller.file, upcr_caller.line}};
  if (state.view.checked != 0) {
    point.named = true;
    const uint64_t hash = (std::hash<std::string_view>{}(function) ^ bytes * 31 ^ signature) * 0x9e37'79b9'7f4a'7c15;
    point.value = static_cast<int>(hash >> 33);
  }
  synchronize(state, point);
}

// The root writes a bank of its own memory; after a barrier everybody reads it. The next call uses the other bank, and
// nobody comes to the call after that before all have read this one.
uint64_t broadcast_word(State& state, const char* function, uint64_t value, weft_rank_t root, uint64_t bytes) {
  const uint64_t bank = WEFT_UPCRT_CONTROL(state, broadcast) + (state.broadcasts++ & 1) * sizeof(uint64_t);
  if (state.me == root) (void)weft_put_value(root, bank, value, sizeof value);
  internal_barrier(state, function, bytes);
  return weft_get_value(root, bank, sizeof value);
}

}  // namespace weft::upcrt

extern "C" void upcr_fail(const char* file, int line, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  weft::upcrt::vfail(weft::upcrt::fail_code, {file, line}, format, arguments);
  __builtin_unreachable();
}
