#include "weft/barrier.h"

#include "capi/state.hpp"

using namespace weft::capi;

namespace {

void check_status(weft::Status status, const char* function) {
  if (__builtin_expect(status.code() == WEFT_ERR_INVALID, 0)) misuse("%s: notify and wait must alternate", function);
}

}  // namespace

extern "C" {

int weft_barrier(void) {
  weft::coll::Barrier& barrier = enter("weft_barrier").rank->barrier;
  check_status(barrier.notify(0, true), "weft_barrier");
  return barrier.wait(0, true).code();
}

int weft_barrier_notify(int32_t value, unsigned flags) {
  Thread& thread = enter("weft_barrier_notify");
  check_barrier_flags(thread, "weft_barrier_notify", flags);
  check_status(thread.rank->barrier.notify(value, (flags & WEFT_BARRIER_ANONYMOUS) != 0), "weft_barrier_notify");
  return WEFT_OK;
}

int weft_barrier_wait(int32_t value, unsigned flags) {
  Thread& thread = enter("weft_barrier_wait");
  check_barrier_flags(thread, "weft_barrier_wait", flags);
  const weft::Status status = thread.rank->barrier.wait(value, (flags & WEFT_BARRIER_ANONYMOUS) != 0);
  check_status(status, "weft_barrier_wait");
  return status.code();
}

int weft_barrier_try(int32_t value, unsigned flags) {
  Thread& thread = enter("weft_barrier_try");
  check_barrier_flags(thread, "weft_barrier_try", flags);
  bool arrived = false;
  const weft::Status status = thread.rank->barrier.try_wait(value, (flags & WEFT_BARRIER_ANONYMOUS) != 0, arrived);
  check_status(status, "weft_barrier_try");
  return status.ok() ? static_cast<int>(arrived) : static_cast<int>(status.code());
}

}  // extern "C"
