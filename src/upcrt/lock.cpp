// Locks (UPC 7.2.4): the queue lock of Mellor-Crummey and Scott (1991) over remote atomics.
//
// A lock is one word: the queue node of the last thread that waits or holds, or 0. A thread that wants the lock swaps
// its node in; if there was another, it tells that one's thread and waits on its own node, in its own memory, with the
// core's wait, which spins, yields and sleeps. The holder passes the lock to the node that follows its own. So threads
// get the lock in the order in which they asked, and nobody polls another thread's memory.
#include "upcrt/lock.hpp"

#include <algorithm>
#include <cinttypes>
#include <ctime>

#include "upcrt/heap.hpp"
#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/segment.h"
#include "weft/signal.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/library.h"

namespace weft::upcrt {
namespace {

struct LockObject {
  uint64_t tail;
  uint64_t mark;  // lock_mark() of its place
};
constexpr uint64_t lock_mark(uint64_t offset) { return 0x5550'4320'6c6f'636b ^ offset; }

// In the waiting thread's segment. The first two are signal words of that thread; the others it writes itself, for
// holder_text().
struct alignas(64) QueueNode {
  uint64_t next;     // the node of the thread that comes after, or 0
  uint64_t granted;  // 1 when the lock has come to this node
  uint64_t behind;   // the node of the thread that came before, while this waits; else 0
  int32_t line;      // where the thread took the lock; 0: show_held_locks() has not told
  char file[36];
};
static_assert(sizeof(QueueNode) == 64);
constexpr uint64_t node_alignment = 64;

// A node as one word: its offset in units of 64 bytes, and its thread.
struct QueueNodeName {
  static uint64_t encode(weft_rank_t thread, uint64_t offset) { return offset / node_alignment << 24 | thread; }
  static weft_rank_t thread(uint64_t name) { return static_cast<weft_rank_t>(name & UPCR_THREAD_MASK); }
  static uint64_t offset(uint64_t name) { return (name >> 24) * node_alignment; }
};

// A node of a thread whose memory is mapped here, else null.
QueueNode* node_at(weft_rank_t thread, uint64_t offset) {
  return static_cast<QueueNode*>(weft_pointer(thread, offset));
}
QueueNode& own_node(State& state, uint64_t offset) { return *reinterpret_cast<QueueNode*>(state.view.self + offset); }

uint64_t take_node(State& state) {
  if (state.free_nodes.empty()) {
    constexpr size_t batch = 16;
    const uint64_t block = heap_allocate(state, "upc_lock", BlockKind::local, batch * sizeof(QueueNode));
    if (block == 0) fail({}, "upc_lock: no shared memory is left for the lock's queue");
    for (size_t i = 0; i < batch; ++i) {
      own_node(state, block + i * sizeof(QueueNode)) = {};
      state.free_nodes.push_back(block + i * sizeof(QueueNode));
    }
  }
  const uint64_t node = state.free_nodes.back();
  state.free_nodes.pop_back();
  store_word(state, state.me, node + offsetof(QueueNode, next), 0);
  store_word(state, state.me, node + offsetof(QueueNode, granted), 0);
  return node;
}

upcr_pts_t make_lock(State& state, const char* function) {
  const uint64_t offset = heap_allocate(state, function, BlockKind::local, sizeof(LockObject));
  if (offset == 0) return upcr_null();
  store_word(state, state.me, offset + offsetof(LockObject, mark), lock_mark(offset));
  store_word(state, state.me, offset + offsetof(LockObject, tail), 0);
  return upcr_make(offset, state.me, 0);
}

// The newest: a lock freed while held leaves an entry behind, and a new lock may have its address.
auto find_held(State& state, upcr_pts_t lock) {
  return std::find_if(state.held.rbegin(), state.held.rend(),
                      [lock](const HeldLock& held) { return upcr_equal(held.lock, lock) != 0; });
}

// WEFT_CHECK: a lock is there. The mark lies beside what other threads write, so reading it costs when many want the
// lock.
void check_is_lock(State& state, const char* function, upcr_pts_t lock, Place place) {
  check_access(state, function, lock, sizeof(LockObject), place);
  if (state.view.checked == 0) return;
  if (load_word(state, thread_of(lock), lock.offset + offsetof(LockObject, mark)) != lock_mark(lock.offset))
    fail(place,
         "%s: at thread %u, offset %#" PRIx64
         " is no lock; locks are made by upc_all_lock_alloc and "
         "upc_global_lock_alloc",
         function, thread_of(lock), lock.offset);
}

void check_not_null(const char* function, upcr_pts_t lock, Place place) {
  if (upcr_is_null(lock))
    fail(place, "%s: the lock is a null pointer; upc_all_lock_alloc and upc_global_lock_alloc make locks", function);
}

[[noreturn]] void fail_held(const char* function, Place held, Place place) {
  fail(place, "%s: this thread holds the lock already, since %s:%d", function, held.file ? held.file : "?", held.line);
}

void check_lock(State& state, const char* function, upcr_pts_t lock, Place place) {
  check_of_upc_thread(state, function, place);
  check_not_null(function, lock, place);
  check_is_lock(state, function, lock, place);
  const auto held = find_held(state, lock);
  if (state.view.checked != 0 && held != state.held.rend()) fail_held(function, held->place, place);
}

constexpr timespec moment{0, 1'000'000};
constexpr int moments = 20;

// Whether the queue before a node leads to another one. A node of this thread that holds stays where it is. A thread
// that has just come gets a moment to say who was before it.
bool leads_to(State& state, uint64_t before, uint64_t node) {
  for (int look = 0; look < moments; ++look) {
    uint64_t at = before;
    for (weft_rank_t steps = 0; at != node && at != 0 && steps <= state.threads; ++steps)
      at = load_word(state, QueueNodeName::thread(at), QueueNodeName::offset(at) + offsetof(QueueNode, behind));
    if (at == node) return true;
    nanosleep(&moment, nullptr);
  }
  return false;
}

void pass_on(State& state, upcr_pts_t lock, uint64_t node) {
  const uint64_t next_word = node + offsetof(QueueNode, next);
  uint64_t next = load_word(state, state.me, next_word);
  if (next == 0) {
    uint64_t mine = QueueNodeName::encode(state.me, node);
    if (exchange_word(state, thread_of(lock), lock.offset + offsetof(LockObject, tail), mine, 0)) return;
    // Somebody has swapped itself in and is about to say so.
    (void)weft_signal_wait(next_word, WEFT_NE, 0, &next);
  }
  (void)weft_put_signal(QueueNodeName::thread(next), 0, nullptr, 0,
                        QueueNodeName::offset(next) + offsetof(QueueNode, granted), 1, WEFT_SIGNAL_SET);
}

void free_lock(State& state, const char* function, upcr_pts_t lock, Place place, const char* once = "") {
  const auto held = find_held(state, lock);
  if (held != state.held.rend()) state.held.erase(std::next(held).base());
  heap_free(state, function, lock, place, once);
  // Another thread may have an entry. In checked mode nothing takes the memory soon.
  if (state.view.checked != 0) store_word(state, thread_of(lock), lock.offset + offsetof(LockObject, mark), 0);
}

// The place that the holder shows; empty if it does not, as one that computes.
std::string place_shown(const QueueNode& node) {
  for (int look = 0; look < moments && __atomic_load_n(&node.line, __ATOMIC_ACQUIRE) == 0; ++look)
    nanosleep(&moment, nullptr);
  const int line = __atomic_load_n(&node.line, __ATOMIC_ACQUIRE);
  return line == 0 ? "" : std::string(node.file) + ":" + std::to_string(line);
}

}  // namespace

void show_held_locks(State& state) {
  for (const HeldLock& held : state.held) {
    if (held.place.file == nullptr) continue;
    QueueNode& node = own_node(state, held.node);
    keep_end(node.file, held.place.file);
    // release: pairs with place_shown().
    __atomic_store_n(&node.line, held.place.line, __ATOMIC_RELEASE);
  }
}

void check_none_held(State& state) {
  if (state.view.checked == 0) return;
  for (const auto& [lock, node, place] : state.held) {
    if (load_word(state, thread_of(lock), lock.offset + offsetof(LockObject, mark)) != lock_mark(lock.offset)) continue;
    fail(place, "upc_lock: this thread %s and still holds the lock, which no other thread can get any more",
         state.end_function);
  }
}

std::string holder_text(State& state, uint64_t behind) {
  // Each node in the queue is of another thread, but for one that waits for itself.
  for (weft_rank_t looks = 0; looks <= state.threads; ++looks) {
    const weft_rank_t thread = QueueNodeName::thread(behind);
    const QueueNode* node = node_at(thread, QueueNodeName::offset(behind));
    if (node == nullptr) return "thread " + std::to_string(thread) + " asked for the lock before this one";
    behind = __atomic_load_n(&node->behind, __ATOMIC_RELAXED);
    if (behind != 0) continue;
    const std::string who = thread == state.me ? "this thread" : "thread " + std::to_string(thread);
    const std::string place = place_shown(*node);
    return place.empty() ? who + " holds the lock" : who + " has held the lock since " + place;
  }
  return "";
}

std::string held_text(const State& state) {
  if (state.held.empty() || state.held.back().place.file == nullptr) return "";
  bool all_mapped = true;
  for (weft_rank_t thread = 0; thread < state.threads; ++thread)
    all_mapped = all_mapped && weft_pointer(thread, 0) != nullptr;
  const Place place = state.held.back().place;
  return all_mapped ? ""
                    : std::string("this thread has held a lock since ") + place.file + ":" + std::to_string(place.line);
}

}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

upcr_pts_t upc_global_lock_alloc(void) { return make_lock(self(), "upc_global_lock_alloc"); }

// Locks of different calls live on different threads.
upcr_pts_t upc_all_lock_alloc(void) {
  State& state = self();
  check_collective(state, "upc_all_lock_alloc");
  const auto home = static_cast<weft_rank_t>(state.locks_made++ % state.threads);
  upcr_pts_t lock = upcr_null();
  if (state.me == home) lock = make_lock(state, "upc_all_lock_alloc");
  const uint64_t offset = broadcast_word(state, "upc_all_lock_alloc", lock.offset, home);
  return offset == 0 ? upcr_null() : upcr_make(offset, home, 0);
}

void upcr_lock_free_at(upcr_pts_t lock, const char* file, int line) {
  State& state = self();
  if (upcr_is_null(lock)) return;
  free_lock(state, "upc_lock_free", lock, {file, line},
            "; it was a lock: one thread calls upc_lock_free, or all call upc_all_lock_free");
}
void upc_lock_free(upcr_pts_t lock) { upcr_lock_free_at(lock, nullptr, 0); }

void upcr_all_lock_free_at(upcr_pts_t lock, const char* file, int line) {
  State& state = self();
  if (file != nullptr) upcr_place(file, line);
  check_collective(state, "upc_all_lock_free");
  if (upcr_is_null(lock) && state.view.checked == 0) return;
  internal_barrier(state, "upc_all_lock_free", 0, signature_of(lock));
  if (upcr_is_null(lock)) return;
  if (state.me == 0) free_lock(state, "upc_all_lock_free", lock, {file, line});
}
void upc_all_lock_free(upcr_pts_t lock) { upcr_all_lock_free_at(lock, nullptr, 0); }

void upcr_lock_at(upcr_pts_t lock, const char* file, int line) {
  State& state = self();
  check_lock(state, "upc_lock", lock, {file, line});
  // Those of other hosts that asked before, and are not served yet, come first.
  if (state.view.base == nullptr) (void)weft_poll();
  const uint64_t node = take_node(state);
  const uint64_t mine = QueueNodeName::encode(state.me, node);
  const uint64_t before = swap_word(state, thread_of(lock), lock.offset + offsetof(LockObject, tail), mine);
  if (before != 0) {
    // An entry of a lock that another thread has freed leads nowhere.
    const auto held = find_held(state, lock);
    if (held != state.held.rend() && leads_to(state, before, QueueNodeName::encode(state.me, held->node)))
      fail_held("upc_lock", held->place, {file, line});
    __atomic_store_n(&own_node(state, node).behind, before, __ATOMIC_RELAXED);
    (void)weft_put_signal(QueueNodeName::thread(before), 0, nullptr, 0,
                          QueueNodeName::offset(before) + offsetof(QueueNode, next), mine, WEFT_SIGNAL_SET);
    const Calling calling("upc_lock", {file, line}, before);
    (void)weft_signal_wait(node + offsetof(QueueNode, granted), WEFT_EQ, 1, nullptr);
    __atomic_store_n(&own_node(state, node).behind, 0, __ATOMIC_RELAXED);
  }
  state.held.push_back({lock, node, {file, line}});
  upcr_full_fence();
  see(lock);
}
void upc_lock(upcr_pts_t lock) { upcr_lock_at(lock, nullptr, 0); }

int upcr_lock_attempt_at(upcr_pts_t lock, const char* file, int line) {
  State& state = self();
  check_lock(state, "upc_lock_attempt", lock, {file, line});
  const uint64_t tail = lock.offset + offsetof(LockObject, tail);
  if (load_word(state, thread_of(lock), tail) != 0) {
    upcr_progress();  // a loop of attempts lets the holder run
    return 0;
  }
  const uint64_t node = take_node(state);
  uint64_t expected = 0;
  if (!exchange_word(state, thread_of(lock), tail, expected, QueueNodeName::encode(state.me, node))) {
    state.free_nodes.push_back(node);
    upcr_progress();
    return 0;
  }
  state.held.push_back({lock, node, {file, line}});
  upcr_full_fence();
  see(lock);
  return 1;
}
int upc_lock_attempt(upcr_pts_t lock) { return upcr_lock_attempt_at(lock, nullptr, 0); }

void upcr_unlock_at(upcr_pts_t lock, const char* file, int line) {
  State& state = self();
  check_of_upc_thread(state, "upc_unlock", {file, line});
  const auto held = find_held(state, lock);
  if (held == state.held.rend()) {
    check_not_null("upc_unlock", lock, {file, line});
    fail({file, line}, "upc_unlock: this thread does not hold the lock at thread %u, offset %#" PRIx64, thread_of(lock),
         lock.offset);
  }
  const uint64_t node = held->node;
  state.held.erase(std::next(held).base());
  state.puts.others_look();
  upcr_full_fence();
  let_see(lock);
  pass_on(state, lock, node);
  state.free_nodes.push_back(node);
}
void upc_unlock(upcr_pts_t lock) { upcr_unlock_at(lock, nullptr, 0); }

}  // extern "C"
