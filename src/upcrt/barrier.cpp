// upc_notify, upc_wait, upc_barrier (UPC 6.6.1).
#include "upcrt/runtime.hpp"
#include "upcrt/sync_point.hpp"
#include "weft/upcrt/access.h"
#include "weft/upcrt/control.h"

namespace weft::upcrt {
namespace {

// What a thread gave its notify, for those whose own notify was anonymous but whose wait is not: 31 bits of the
// barrier's number, a bit that says that there was a value, and the value.
uint64_t encode(uint64_t number, int value) { return number << 33 | uint64_t{1} << 32 | static_cast<uint32_t>(value); }

uint64_t word_of(const State& state) { return WEFT_UPCRT_CONTROL(state, barrier_value) + (state.barriers & 1) * 8; }

// Rule 2: a wait with an expression must match the consensus of the notifies. Called after the barrier.
void check_wait(State& state, int value, Place place) {
  if (state.notify_named != 0) {
    if (value == state.notify_value) return;
    fail(place, "barrier mismatch: upc_wait %d, but upc_notify %d at %s:%d", value, state.notify_value,
         state.notify_place.file, state.notify_place.line);
  }
  // This bank is not written again before all threads have notified the next barrier, this one included.
  for (weft_rank_t thread = 0; thread < state.threads; ++thread) {
    const uint64_t theirs = load_word(state, thread, word_of(state));
    if (theirs >> 32 != encode(state.barriers, 0) >> 32 || static_cast<int>(static_cast<uint32_t>(theirs)) == value)
      continue;
    fail(place, "barrier mismatch: upc_wait %d, but upc_notify %d on thread %u", value,
         static_cast<int>(static_cast<uint32_t>(theirs)), thread);
  }
}

// As the notify told it.
SyncPoint sync_point_of(const State& state, const char* function) {
  return {.kind = SyncKind::barrier,
          .function = function,
          .named = state.notify_named != 0,
          .value = state.notify_value,
          .place = state.notify_place};
}

void notify(const char* function, int named, int value, Place place) {
  State& state = self();
  check_of_upc_thread(state, function, place);
  if (state.notified)
    fail(place, "%s follows the upc_notify at %s:%d without an upc_wait between them", function,
         state.notify_place.file, state.notify_place.line);
  state.notified = true;
  state.notify_place = place;
  state.notify_named = named;
  state.notify_value = value;
  ++state.barriers;
  if (named != 0) store_word(state, state.me, word_of(state), encode(state.barriers, value));
  state.puts.others_look();
  upcr_full_fence();
  arrive(state, sync_point_of(state, function));
}

void wait(const char* function, int named, int value, Place place) {
  State& state = self();
  const Calling calling(function, place);
  check_of_upc_thread(state, function, place);
  if (!state.notified) fail(place, "upc_wait without an upc_notify before it");
  state.notified = false;
  await(state, sync_point_of(state, "upc_wait"));
  if (named != 0) check_wait(state, value, place);
  upcr_full_fence();
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upcr_notify(int named, int value, const char* file, int line) { notify("upc_notify", named, value, {file, line}); }

void upcr_wait(int named, int value, const char* file, int line) { wait("upc_wait", named, value, {file, line}); }

void upcr_barrier(int named, int value, const char* file, int line) {
  notify("upc_barrier", named, value, {file, line});
  wait("upc_barrier", named, value, {file, line});
}

}  // extern "C"
