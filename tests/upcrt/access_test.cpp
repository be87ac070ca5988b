// Shared accesses, statics, initialisers, upc_forall and barriers, as compiled code spells them.
#include <string>
#include <vector>

#include "upc_threads.hpp"

namespace {

using namespace upc_test;

struct Pair {
  char name;
  double value;
};
struct Large {
  long words[9];
};

}  // namespace

extern "C" {
UPCR_SHARED(shared_counter, 4, 4)
UPCR_SHARED(shared_cyclic, 40 * sizeof(long), 8)
UPCR_SHARED_STATIC(shared_aligned, 100, 1024)
UPCR_SHARED_STATIC(shared_turn, 3 * sizeof(int), 4)

// A private object: thread-local where threads share a process.
static UPCR_THREAD_LOCAL upcr_pts_t private_pointer;

// shared int shared_counter = 17; shared long shared_cyclic[40 * THREADS] = {0, 10, 20, ..., 390};
// shared long *private_pointer = &shared_cyclic[3];
static void initialise(void) {
  const int seventeen = 17;
  upcr_initialise(UPCR_STATIC(shared_counter), &seventeen, 1, 1, sizeof(int));
  long image[40];
  for (int i = 0; i < 40; ++i) image[i] = 10L * i;
  upcr_initialise(UPCR_STATIC(shared_cyclic), image, 40, 1, sizeof(long));
  private_pointer = upcr_add(UPCR_STATIC(shared_cyclic), 3, 1, sizeof(long));
}
UPCR_INITIALISER(initialise);
}

namespace {

upcr_pts_t cyclic(uint64_t i) { return upcr_element(UPCR_STATIC_OFFSET(shared_cyclic), i, 1, sizeof(long)); }

// Trap 12. Runs first, before other tests write to the objects; other runs of the same process have started again.
UPC_TEST(statics, are_initialised_before_main) {
  EXPECT_EQ(get<int>(UPCR_STATIC(shared_counter)), 17);
  for (uint64_t i = 0; i < 40; ++i) EXPECT_EQ(get<long>(cyclic(i)), 10 * static_cast<long>(i));
  for (uint64_t i = 40; i < 40 * static_cast<uint64_t>(threads()); ++i) EXPECT_EQ(get<long>(cyclic(i)), 0);
  EXPECT_TRUE(upcr_equal(private_pointer, cyclic(3)));
}

UPC_TEST(statics, have_places_of_their_own) {
  EXPECT_EQ(UPCR_STATIC_OFFSET(shared_aligned) % 1024, 0u);
  EXPECT_EQ(upcr_threadof(UPCR_STATIC(shared_counter)), 0u);
  const uint64_t a = UPCR_STATIC_OFFSET(shared_cyclic);
  for (const uint64_t b : {UPCR_STATIC_OFFSET(shared_counter), UPCR_STATIC_OFFSET(shared_aligned)})
    EXPECT_TRUE(b >= a + 40 * sizeof(long) || b < a);
}

// *to = *from for structures, as upcc writes it out.
template <class T>
void copy(upcr_pts_t to, upcr_pts_t from) {
  if (upcr_direct())
    *reinterpret_cast<T*>(upcr_at(to)) = *reinterpret_cast<const T*>(upcr_at(from));
  else
    upcr_copy_slow(to, from, sizeof(T), UPCR_HERE);
}

template <class T>
void check_type(upcr_pts_t array, T first, T second) {
  const auto p = [&](int thread) { return on(static_cast<uint64_t>(thread), array); };
  const int next = (me() + 1) % threads();
  EXPECT_EQ(put<T>(p(next), first), first);
  barrier();
  EXPECT_EQ(get<T>(p(me())), first);
  barrier();
  EXPECT_EQ(put_strict<T>(p(next), second), second);
  barrier();
  EXPECT_EQ(get_strict<T>(p(me())), second);
  barrier();
}

UPC_TEST(access, every_size_relaxed_and_strict) {
  const upcr_pts_t array = upc_all_alloc(static_cast<size_t>(threads()), 128);
  check_type<char>(array, 'a', 'b');
  check_type<short>(array, -3, 300);
  check_type<int>(array, -5, 1 << 30);
  check_type<long>(array, -7, 1L << 60);
  check_type<float>(array, 1.5f, -2.5f);
  check_type<double>(array, 1e300, -1e-300);
  check_type<long double>(array, 1e300L, -2.0L);
  const Large large = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  if (me() == 0) put(on(static_cast<uint64_t>(threads() - 1), array), large);
  barrier();
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(get_strict<Large>(on(static_cast<uint64_t>(threads() - 1), array)).words[i], i + 1);
  upc_all_free(array);
}

UPC_TEST(access, members_and_copies_of_structs) {
  const upcr_pts_t array = upc_all_alloc(static_cast<size_t>(threads()), sizeof(Pair) * 2);
  const upcr_pts_t mine = on(static_cast<uint64_t>(me()), array);
  put(at(mine, offsetof(Pair, value)), 2.5 * me());
  put(at(mine, offsetof(Pair, name)), 'x');
  barrier();
  const auto next = static_cast<uint64_t>((me() + 1) % threads());
  copy<Pair>(at(mine, sizeof(Pair)), on(next, array));
  barrier();
  copy<Pair>(mine, mine);
  barrier();
  EXPECT_EQ(get<Pair>(at(mine, sizeof(Pair))).value, 2.5 * static_cast<double>(next));
  EXPECT_EQ(get<char>(at(mine, sizeof(Pair))), 'x');
  upc_all_free(array);
}

// Trap 15: a thread's own writes are seen by its own reads, also through private pointers.
UPC_TEST(access, own_writes_are_seen_through_private_pointers) {
  const upcr_pts_t mine = upc_alloc(sizeof(int));
  auto* local = static_cast<volatile int*>(upcr_local(mine));
  for (int i = 0; i < 1000; ++i) {
    put(mine, i);
    REQUIRE(*local == i);
    *local = -i;
    REQUIRE(get<int>(mine) == -i);
  }
  EXPECT_EQ(upcr_local(upcr_null()), nullptr);
  upc_free(mine);
}

// Trap 15: a loop that spins on a strict read ends, also when threads outnumber processors. The value travels round.
UPC_TEST(memory_model, spinning_on_a_strict_read_ends) {
  const upcr_pts_t turn = UPCR_STATIC(shared_turn);
  if (me() == 0) put_strict<int>(turn, 0);
  barrier();
  for (int round = 0; round < 50; ++round) {
    while (get_strict<int>(turn) != round * threads() + me()) {
    }
    put_strict<int>(turn, round * threads() + me() + 1);
  }
  barrier();
  EXPECT_EQ(get<int>(turn), 50 * threads());
}

// Appendix B: all strict operations have one order, so not both threads can miss the other's write (Dekker's pattern);
// and what was written before a strict write is seen after the strict read that sees it (message passing).
UPC_TEST(memory_model, strict_operations_have_one_order) {
  const upcr_pts_t x = UPCR_STATIC(shared_aligned);
  const upcr_pts_t y = at(x, 64);
  const upcr_pts_t missed = UPCR_STATIC(shared_turn);
  for (int round = 0; round < 300; ++round) {
    if (me() < 2) {
      put<int>(at(missed, 4 * static_cast<uint64_t>(me())), 0);
      put_strict<int>(me() == 0 ? x : y, 0);
    }
    barrier();
    if (me() < 2) {
      put_strict<int>(me() == 0 ? x : y, 1);
      const int other = get_strict<int>(me() == 0 ? y : x);
      put<int>(at(missed, 4 * static_cast<uint64_t>(me())), other == 0 ? 1 : 0);
    }
    barrier();
    if (threads() > 1) REQUIRE(get<int>(missed) + get<int>(at(missed, 4)) < 2);
    barrier();
  }
}

UPC_TEST(memory_model, data_before_a_strict_write_is_seen_after_it) {
  const upcr_pts_t data = UPCR_STATIC(shared_aligned);
  const upcr_pts_t flag = at(data, 64);
  const int reader = threads() - 1;
  if (me() == 0) put_strict<int>(flag, 0);
  barrier();
  for (int round = 1; round <= 300; ++round) {
    if (me() == 0) {
      for (uint64_t i = 0; i < 8; ++i) put<int>(at(data, i * 4), round);
      put_strict<int>(flag, round);
    }
    if (me() == reader) {
      while (get_strict<int>(flag) != round) {
      }
      for (uint64_t i = 0; i < 8; ++i) REQUIRE(get<int>(at(data, i * 4)) == round);
    }
    barrier();
  }
}

// ---- upc_forall ----

int iterations_of_inner_loop(int n) {
  int done = 0;
  UPCR_FORALL(loop);
  for (int i = 0; i < n; ++i)
    if (upcr_forall_integer(&loop, i)) ++done;
  return done;
}

// Leaves its loop early, which would upset a counter that is only decremented at the loop's end.
int early_return(int n) {
  UPCR_FORALL(loop);
  for (int i = 0; i < n; ++i)
    if (upcr_forall_integer(&loop, i)) return i;
  return -1;
}

// Trap 11.
UPC_TEST(forall, the_outermost_loop_with_affinity_controls) {
  const int n = 6 * threads();
  EXPECT_EQ(iterations_of_inner_loop(n), 6);
  {
    UPCR_FORALL(loop);
    int outer = 0;
    for (int i = 0; i < n; ++i) {
      if (!upcr_forall_pointer(&loop, cyclic(static_cast<uint64_t>(i)))) continue;
      ++outer;
      EXPECT_EQ(i % threads(), me());
      EXPECT_EQ(iterations_of_inner_loop(n), n);
    }
    EXPECT_EQ(outer, 6);
  }
  EXPECT_EQ(early_return(n), me());
  EXPECT_EQ(early_return(n), me());
  EXPECT_EQ(iterations_of_inner_loop(n), 6);
}

UPC_TEST(forall, bounds_visit_the_same_iterations_as_tests) {
  for (const int first : {-9, -1, 0, 1, 5, 100}) {
    std::vector<int64_t> tested, visited;
    UPCR_FORALL(loop);
    for (int i = first; i < first + 20; ++i)
      if (upcr_forall_integer(&loop, i)) tested.push_back(i);
    for (int64_t i = upcr_forall_first(&loop, first); i < first + 20; i += upcr_forall_stride(&loop))
      visited.push_back(i);
    EXPECT_EQ(tested, visited);
  }
  UPCR_FORALL(outer);
  UPCR_FORALL(inner);
  EXPECT_EQ(upcr_forall_first(&inner, 3), 3);
  EXPECT_EQ(upcr_forall_stride(&inner), 1);
  EXPECT_TRUE(upcr_forall_unsigned(&outer, UINT64_MAX) ==
              (UINT64_MAX % static_cast<uint64_t>(threads()) == static_cast<uint64_t>(me())));
}

// ---- Barriers ----

UPC_TEST(barriers, values_match_and_anonymous_ones_match_anything) {
  for (int i = 0; i < 20; ++i) {
    upcr_barrier(1, i, UPCR_HERE);
    upcr_barrier(0, 0, UPCR_HERE);
    // Some threads give a value, the others do not.
    const int named = (i + me()) % 2;
    upcr_barrier(named, named * 1234, UPCR_HERE);
    // The notify is anonymous, the wait names the value that others gave.
    const int notify_named = me() == 0 ? 1 : 0;
    upcr_notify(notify_named, notify_named * i, UPCR_HERE);
    upcr_wait(1, i, UPCR_HERE);
  }
}

UPC_TEST(barriers, memory_before_the_notify_is_seen_after_the_wait) {
  for (long round = 1; round <= 100; ++round) {
    put(cyclic(static_cast<uint64_t>((me() + 1) % threads())), round);
    upcr_notify(0, 0, UPCR_HERE);
    upcr_wait(0, 0, UPCR_HERE);
    REQUIRE(get<long>(cyclic(static_cast<uint64_t>(me()))) == round);
    barrier();
  }
}

}  // namespace
