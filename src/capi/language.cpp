// What runtimes of languages use beyond the public interface.
#include "weft/detail/language.h"

#include <cstdio>

#include "capi/state.hpp"
#include "os/ending.hpp"
#include "os/shared_memory.hpp"
#include "weft/barrier.h"

using namespace weft::capi;

extern "C" {

void weft_detail_name_rank(const char* noun) {
  char identity[32];
  std::snprintf(identity, sizeof identity, "%.20s %u", noun, weft_rank());
  weft::base::log_identity(identity);
}

void weft_detail_word_misuse(bool (*words)(char* line, size_t size, bool with_place)) {
  weft::core::word_misuse(words);
}

void weft_detail_name_segment_size(const char* setting) { weft::os::segment_size_setting.store(setting); }

bool weft_detail_handle_is_live(weft_handle_t handle) {
  return enter("the language's runtime").rank->rma.handles().find(handle) != nullptr;
}

void weft_detail_fail(int code, const char* line) {
  Thread& thread = enter_anywhere("the language's runtime");
  weft::base::log_error("%s", line);
  if (thread.rank->core->settings().backtrace) weft::os::print_backtrace(__builtin_return_address(0));
  end_job(*thread.rank, code & 0xff, line);
}

void weft_detail_barrier_notify(unsigned kind, int32_t value, unsigned flags) {
  Thread& thread = enter("a barrier");
  if (kind < 1 || kind > WEFT_DETAIL_KINDS) misuse("there is no barrier of kind %u", kind);
  const weft::Status status =
      thread.rank->barrier.notify(value, (flags & WEFT_BARRIER_ANONYMOUS) != 0, weft::coll::occasion_of_kind(kind));
  if (!status.ok()) misuse("a barrier was entered between a notify and its wait");
}

int weft_detail_barrier_wait(int32_t value, unsigned flags) {
  Thread& thread = enter("a barrier");
  return thread.rank->barrier.wait(value, (flags & WEFT_BARRIER_ANONYMOUS) != 0).code();
}

}  // extern "C"
