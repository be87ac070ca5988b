// What the runtime knows of a UPC thread, and how its memory is laid out. A UPC thread is a Weft rank; all of its state
// hangs from one object, so that threads may be processes or threads of one process.
//
// Every segment has the same layout, in this order:
//   the core's control area | static shared objects (unit.h) | Control | shadow (WEFT_CHECK) | heap
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "upcrt/arena.hpp"
#include "upcrt/stream_choice.hpp"
#include "weft/atomic.h"
#include "weft/job.h"
#include "weft/upcrt/pts.h"
#include "weft/upcrt/unit.h"
#include "weft/upcrt/view.h"

namespace weft::upcrt {

/// Where in a source file, for messages.
struct Place {
  const char* file = nullptr;
  int line = 0;
};

/// What a thread told before it waited for all others (sync_point.hpp).
struct alignas(64) Whereabouts {
  uint64_t number;  // of the point, counted by the thread
  uint64_t bytes;
  uint32_t kind;  // SyncKind
  uint32_t named;
  int32_t value;
  int32_t line;
  char function[32];
  char file[128];
};

/// The runtime's own shared memory, the same in every segment. Words are changed with remote atomics and signals.
struct Control {
  uint64_t heap_top;          // thread 0's: HeapTop, how far both ends of the heap have grown
  uint64_t freed;             // this thread's blocks that others freed: a stack linked through the blocks' headers
  uint64_t broadcast[2];      // internal broadcast of one word, two banks
  uint64_t barrier_value[2];  // what this thread gave its last notifies, two banks
  uint64_t value_locks[64];   // guard atomics on values too large for the processor's
  uint64_t permuted;          // the last upc_all_permute that sends to this thread (PermuteNote)
  uint64_t trouble;           // thread 0's: some thread tells of a point to which not all came
  Whereabouts whereabouts;    // this thread's
};

/// Offsets of the parts of every segment.
struct Layout {
  uint64_t static_end;  // static objects are [UPCR_STATIC_BASE, static_end)
  uint64_t control;     // a Control
  uint64_t shadow;      // one byte for 16 bytes of heap; 0 unless checked
  uint64_t heap;
  uint64_t heap_end;
};

/// A handle that a non-blocking function gave, and the call.
struct IssuedHandle {
  weft_handle_t handle;
  const char* function;
  Place place;
};

/// A lock held by this thread, and the queue node with which it waited.
struct HeldLock {
  upcr_pts_t lock;
  uint64_t node;  // offset in this thread's segment
  Place place;
};

namespace io {
struct Files;
}

struct State {
  upcr_view_t view{};
  weft_rank_t me = 0;
  weft_rank_t threads = 0;
  Layout layout{};
  weft_atomic_domain_t* core_domains[WEFT_F64 + 1] = {};  // all operations, by weft_type_t

  // Barriers.
  bool notified = false;
  uint64_t barriers = 0;
  Place notify_place;
  int notify_named = 0;
  int notify_value = 0;

  // Synchronization points of all threads.
  uint64_t sync_points = 0;
  const char* whereabouts_file = nullptr;  // whose ends Whereabouts holds
  const char* whereabouts_function = nullptr;
  const char* end_function = "returned from main";
  int exit_code = 0;

  StreamChoice puts;

  // Heap: what this thread has taken from the two ends and manages itself.
  Arena global_arena;
  Arena local_arena;
  uint64_t local_chunks = 0;
  std::deque<uint64_t> quarantine;  // WEFT_CHECK: freed blocks not reused yet
  uint64_t quarantined_bytes = 0;

  // Locks.
  std::vector<HeldLock> held;
  std::vector<uint64_t> free_nodes;

  std::vector<IssuedHandle> handles;  // WEFT_CHECK: those that may not have been waited for

  // Collectives that all threads call in the same order.
  uint64_t permutes = 0;
  uint64_t broadcasts = 0;
  uint64_t domains = 0;                        // of <upc_atomic.h>
  std::unordered_set<uint64_t> freed_domains;  // WEFT_CHECK: the names of those that are not there any more
  uint64_t locks_made = 0;
  uint64_t polls = 0;  // bupc_poll()

  std::shared_ptr<io::Files> files;  // of <upc_io.h>, made when first used
};

/// UPC threads of this process that are between start and end.
extern std::atomic<int> started_threads;

/// The calling thread's state. Ends the program if there is none: before start, after the end, or in a thread of the
/// program's own where UPC threads are threads, too.
State& self();
/// The same for relaxed accesses, which leave what the thread keeps of earlier reads (read_cache.hpp). self() forgets
/// it, so all other functions do.
State& self_of_access();

/// Makes this the calling thread's state (null: none).
void set_self(State* state, bool of_process);

/// Offset of a member of Control in every segment.
#define WEFT_UPCRT_CONTROL(state, member) ((state).layout.control + offsetof(::weft::upcrt::Control, member))

/// Exit code of a program that made a mistake: as of abort().
inline constexpr int fail_code = 134;

/// Ends the job with a line that names thread and place (if there is one).
[[noreturn, gnu::format(printf, 2, 3)]] void fail(Place place, const char* format, ...);

/// The same, with an exit code.
[[noreturn, gnu::format(printf, 3, 4)]] void fail_with(int code, Place place, const char* format, ...);

/// Says on standard error what a function of UPC returns an error for: the thread, the place of the call, the text.
[[gnu::format(printf, 2, 3)]] void tell(const State& state, const char* format, ...);

/// With WEFT_CHECK, ends the job if this is another thread of a process that is one UPC thread: the function is for the
/// thread that runs main.
void check_of_upc_thread(const State& state, const char* function, Place place);

/// Checks that a collective is not called between notify and wait, and by whom.
void check_collective(const State& state, const char* function);

/// A barrier of a collective function, which matches only those of collective functions; in checked mode only those of
/// the same function with the same signature. `bytes`: the size of the call, for messages.
void internal_barrier(State& state, const char* function, uint64_t bytes = 0, uint64_t signature = 0);

/// Thread `root`'s value, on every thread. Collective, as internal_barrier().
uint64_t broadcast_word(State& state, const char* function, uint64_t value, weft_rank_t root, uint64_t bytes = 0);

/// Ends the job if p is null or a few bytes from it; with WEFT_CHECK, unless it points to `size` bytes of live shared
/// memory.
void check_access(State& state, const char* what, upcr_pts_t p, size_t size, Place place);

/// The same for a library function's argument, which a message about null names.
void check_argument(State& state, const char* function, const char* argument, upcr_pts_t p, size_t size,
                    Place place = {});
/// The same for both arguments of a copy from shared to shared memory, which do not overlap (WEFT_CHECK).
void check_copy(State& state, const char* function, upcr_pts_t to, upcr_pts_t from, size_t size, Place place = {});

}  // namespace weft::upcrt
