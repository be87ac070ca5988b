// Start and end of a UPC program (UPC 5.1.2).
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "upcrt/io_file.hpp"
#include "upcrt/lock.hpp"
#include "upcrt/null_access.hpp"
#include "upcrt/of_thread.hpp"
#include "upcrt/places.hpp"
#include "upcrt/program.hpp"
#include "upcrt/read_cache.hpp"
#include "upcrt/replicas.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/settings.hpp"
#include "upcrt/sync_point.hpp"
#include "weft/barrier.h"
#include "weft/detail/language.h"
#include "weft/rma.h"
#include "weft/segment.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/library.h"

namespace weft::upcrt {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t heap_unit = 64 << 10;
constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// The magic number and shift of upcr_divide_threads().
void set_divider(upcr_view_t& view, uint64_t threads) {
  int log = 0;
  while ((uint64_t{1} << log) < threads) ++log;
  __extension__ using Wide = unsigned __int128;
  const Wide power = Wide{1} << (63 + log);
  view.divide_magic = static_cast<uint64_t>((power + threads - 1) / threads);
  view.divide_shift = log;
}

// Where all segments are mapped, if inline code may use them: the core's word says base and log2 of the distance.
void set_mapping(upcr_view_t& view) {
  view.self = static_cast<char*>(weft_segment_base());
  const uint64_t map = weft_detail_map;
  if (map == 0) return;
  view.base = weft_detail_at(map, 0, 0);
  view.shift = map & 63;
}

// Checks name the place of each access, so loops are not seen through windows then, and no reads are kept.
void set_windowing(upcr_view_t& view) {
  const uint64_t kept = cache_size_wanted();
  if (view.checked == 0) largest_replica.store(kept);
  if (view.base != nullptr || view.checked != 0) return;
  for (int thread = 0; thread < view.threads && view.windowing == 0; ++thread)
    view.windowing = weft_pointer(static_cast<weft_rank_t>(thread), 0) == nullptr ? 1 : 0;
  if (view.windowing != 0) kept_bytes.store(kept);
}

void set_view(State& state) {
  state.view.mythread = static_cast<int>(state.me);
  state.view.threads = static_cast<int>(state.threads);
  state.view.checked = checks_wanted() ? 1 : 0;
  set_divider(state.view, state.threads);
  set_mapping(state.view);
  set_windowing(state.view);
}

[[noreturn]] void refuse_static_objects(const Program& program, uint64_t room) {
  const upcr_object_t* largest = program.largest_object();
  char name[300] = "";
  if (largest != nullptr)
    std::snprintf(name, sizeof name, " (the largest is '%s' with %" PRIu64 ")", largest->name, largest->bytes);
  fail(largest == nullptr ? Place{} : Place{largest->file, largest->line},
       "the static shared objects of this program take %" PRIu64 " bytes per thread%s, and UPC has %" PRIu64
       ", three quarters of the segment; raise WEFT_SEGMENT_SIZE",
       program.static_bytes, name, room);
}

// Takes the runtime's part of the segment, three quarters, and cuts it up. The rest is for other users of the core.
void lay_out(State& state, const Program& program) {
  Layout& layout = state.layout;
  layout.static_end = UPCR_STATIC_BASE + program.static_bytes;
  layout.control = round_up(layout.static_end, page);
  uint64_t at = round_up(layout.control + sizeof(Control), page);
  const uint64_t whole = weft_segment_size();
  const uint64_t end = whole - whole / 4;
  if (at + 4 * heap_unit > end) refuse_static_objects(program, end);
  if (state.view.checked != 0) {
    layout.shadow = at;
    at = round_up(at + (end - at) / (Arena::granule + 1) + 1, page);
  }
  layout.heap = at;
  uint64_t bytes = end - at;
  if (const uint64_t wanted = heap_size_wanted(); wanted != 0) bytes = std::min(bytes, round_up(wanted, heap_unit));
  layout.heap_end = at + bytes / heap_unit * heap_unit;
  size_t offset = 0;
  const int status = weft_alloc_symmetric(layout.heap_end - UPCR_STATIC_BASE, 0, &offset);
  if (status != WEFT_OK || offset != UPCR_STATIC_BASE)
    fail({}, "the UPC runtime could not take its part of the segment at offset %" PRIu64 " (%s, got %zu)",
         UPCR_STATIC_BASE, weft_status_string(status), offset);
}

void join(State& state, const Program& program, int* argc, char*** argv) {
  ask_for_segment(program.static_bytes);
  const int status = weft_init(argc, argv);
  if (status != WEFT_OK) std::_Exit(1);  // the reason has been logged
  weft_detail_name_rank("thread");
  weft_detail_word_misuse(word_misuse);
  weft_detail_word_wait(word_wait);
  state.me = weft_rank();
  state.threads = weft_size();
  if (started_threads.fetch_add(1) > 0 && !program.pthreads && program.sections != nullptr)
    fail({}, "this program was compiled without --pthreads, so its threads must be processes");
  // One thread says what is wrong; the others are still here when it does.
  if (state.me == 0) program.check(state.threads);
  (void)weft_barrier();
  set_view(state);
  watch_null_accesses(state.view.checked != 0);
  for (int i = WEFT_I32; i <= WEFT_F64; ++i) {
    const auto type = static_cast<weft_type_t>(i);
    const bool floating = type == WEFT_F32 || type == WEFT_F64;
    (void)weft_atomic_domain_create(type, floating ? WEFT_ATOMIC_OPS_FLOAT : WEFT_ATOMIC_OPS_ALL,
                                    &state.core_domains[type]);
  }
  lay_out(state, program);
}

// A program compiled with --pthreads may run its threads as processes too.
bool reads_process_view(const Program& program) { return !program.pthreads; }

// Matches nothing but itself.
void meet_at_end(State& state) {
  if (state.notified)
    fail({}, "main returned between the upc_notify at %s:%d and its upc_wait", state.notify_place.file,
         state.notify_place.line);
  check_none_held(state);
  check_handles(state);
  upcr_full_fence();
  upcr_place(nullptr, 0);  // that of the last call of a library function says nothing about this
  synchronize(state, {.kind = SyncKind::end, .function = state.end_function, .value = state.exit_code});
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upcr_start(int* argc, char*** argv) {
  upc_thread_begins();
  const Program program = Program::read();
  auto* state = new State;
  join(*state, program, argc, argv);
  set_self(state, reads_process_view(program));
  start_counting_places(*state);
  // All memory is there and zero, on all threads, since weft_init().
  program.run_initialisers();
  upcr_full_fence();
  internal_barrier(*state, "the start of the program");
}

void upcr_finish(void) {
  State& state = self();
  meet_at_end(state);
  tell_places(state);
  io::close_all(state);
  const bool of_process = reads_process_view(Program::read());
  for (weft_atomic_domain_t* domain : state.core_domains) (void)weft_atomic_domain_destroy(domain);
  set_self(nullptr, of_process);
  started_threads.fetch_sub(1);
  (void)weft_finalize();
  upc_thread_ends();
  delete &state;
}

void upc_global_exit(int status) {
  io::abandon_all(self());
  weft_exit(status & 0xff);
}

void upcr_initialise(upcr_pts_t array, const void* image, uint64_t count, uint64_t block, uint64_t element_size) {
  State& state = self();
  const auto* from = static_cast<const char*>(image);
  // Whole blocks of this thread's: block b is on thread (first + b) mod THREADS.
  const uint64_t run = block == 0 ? count : block;
  upcr_pts_t p = array;
  for (uint64_t i = 0; i < count;) {
    const uint64_t here = std::min(count - i, block == 0 ? count : run - upcr_phase(p));
    if (upcr_is_mine(p)) std::memcpy(state.view.self + p.offset, from + i * element_size, here * element_size);
    i += here;
    p = upcr_add(p, static_cast<int64_t>(here), block, element_size);
  }
}

}  // extern "C"
