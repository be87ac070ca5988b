// Locks (UPC 7.2.4).
#include <vector>

#include "upc_threads.hpp"
#include "weft/job.h"

namespace {

using namespace upc_test;

UPC_TEST(lock, only_one_thread_is_inside) {
  const upcr_pts_t lock = upc_all_lock_alloc();
  const upcr_pts_t counter = upc_all_alloc(1, 2 * sizeof(long));
  if (me() == 0) {
    put(counter, 0L);
    put(at(counter, 8), 0L);
  }
  barrier();
  constexpr long rounds = 300;
  for (long i = 0; i < rounds; ++i) {
    upc_lock(lock);
    // Two plain words that must stay equal: a second thread inside would break one of the sums.
    const long before = get<long>(counter);
    REQUIRE(get<long>(at(counter, 8)) == before);
    put(counter, before + 1);
    if (i % 16 == 0) weft_poll();
    put(at(counter, 8), before + 1);
    upc_unlock(lock);
  }
  barrier();
  EXPECT_EQ(get<long>(counter), rounds * threads());
  upc_all_lock_free(lock);
  upc_all_free(counter);
}

// Fairness: threads that wait get the lock in the order in which they asked, also if its holder asks again at once.
UPC_TEST(lock, is_served_first_come_first_served) {
  const upcr_pts_t lock = upc_all_lock_alloc();
  const upcr_pts_t log = upc_all_alloc(1, static_cast<size_t>(threads() + 2) * sizeof(int));
  const upcr_pts_t entries = at(log, sizeof(int));  // log[0] counts them
  const auto append = [&] {
    const int n = get<int>(log);
    put(at(entries, static_cast<uint64_t>(n) * sizeof(int)), me());
    put(log, n + 1);
  };
  // The last in the queue, as the lock itself says: the low 24 bits of its word are a thread.
  const auto last_in_queue = [&] {
    return static_cast<int>(get_strict<uint64_t>(upcr_make(lock.offset, upcr_thread(lock), 0)) & UPCR_THREAD_MASK);
  };
  if (me() == 0) {
    put(log, 0);
    upc_lock(lock);
  }
  barrier();
  if (me() == 0) {
    while (threads() > 1 && last_in_queue() != threads() - 1) {
    }
    upc_unlock(lock);
    upc_lock(lock);
    append();
    upc_unlock(lock);
  } else {
    while (last_in_queue() != me() - 1) {
    }
    upc_lock(lock);
    append();
    upc_unlock(lock);
  }
  barrier();
  EXPECT_EQ(get<int>(log), threads());
  for (int i = 0; i < threads(); ++i)
    EXPECT_EQ(get<int>(at(entries, static_cast<uint64_t>(i) * sizeof(int))), (i + 1) % threads());
  barrier();
  upc_all_lock_free(lock);
  upc_all_free(log);
}

UPC_TEST(lock, attempt_takes_a_free_lock_and_declines_a_held_one) {
  const upcr_pts_t lock = upc_all_lock_alloc();
  const upcr_pts_t wins = upc_all_alloc(1, sizeof(int));
  if (me() == 0) put(wins, 0);
  barrier();
  // All try at once while one holds it: nobody gets it.
  if (me() == 0) {
    EXPECT_EQ(upc_lock_attempt(lock), 1);
  }
  barrier();
  if (me() != 0) {
    EXPECT_EQ(upc_lock_attempt(lock), 0);
  }
  barrier();
  if (me() == 0) upc_unlock(lock);
  barrier();
  // All spin with attempts: everybody gets it once.
  while (upc_lock_attempt(lock) == 0) {
  }
  put(wins, get<int>(wins) + 1);
  upc_unlock(lock);
  barrier();
  EXPECT_EQ(get<int>(wins), threads());
  upc_all_lock_free(lock);
  upc_all_free(wins);
}

// Several locks at once, released in another order; more than one thread allocates.
UPC_TEST(lock, several_are_held_at_once) {
  constexpr int count = 20;
  const upcr_pts_t box = upc_all_alloc(static_cast<size_t>(threads()), count * sizeof(upcr_pts_t));
  for (uint64_t i = 0; i < count; ++i)
    put(on(static_cast<uint64_t>(me()), box, i * sizeof(upcr_pts_t)), upc_global_lock_alloc());
  barrier();
  const auto lock = [&](int thread, int i) {
    return get<upcr_pts_t>(on(static_cast<uint64_t>(thread), box, static_cast<uint64_t>(i) * sizeof(upcr_pts_t)));
  };
  for (int round = 0; round < 3; ++round) {
    // Everybody takes all locks of one thread, in one order so that nobody waits in a circle.
    for (int i = 0; i < count; ++i) upc_lock(lock(round % threads(), i));
    for (int i = 0; i < count; ++i) upc_unlock(lock(round % threads(), (i * 7) % count));
  }
  barrier();
  // Freed by another thread than the one that allocated; one of them while it is locked.
  const int other = (me() + 1) % threads();
  upc_lock(lock(other, 3));
  for (int i = 0; i < count; ++i) upc_lock_free(lock(other, i));
  upc_lock_free(upcr_null());
  barrier();
  upc_all_free(box);
}

UPC_TEST(lock, freed_ones_leave_room) {
  for (int i = 0; i < 200; ++i) {
    const upcr_pts_t lock = upc_all_lock_alloc();
    upc_lock(lock);
    upc_unlock(lock);
    upc_all_lock_free(lock);
  }
}

// What one holder wrote, the next one reads.
UPC_TEST(lock, orders_memory) {
  const upcr_pts_t lock = upc_all_lock_alloc();
  const upcr_pts_t data = upc_all_alloc(1, 64 * sizeof(long));
  if (me() == 0) upc_memset(data, 0, 64 * sizeof(long));
  barrier();
  for (int i = 0; i < 100; ++i) {
    upc_lock(lock);
    const long value = get<long>(data);
    for (uint64_t j = 0; j < 64; ++j) {
      REQUIRE(get<long>(at(data, j * 8)) == value);
      put(at(data, j * 8), value + 1);
    }
    upc_unlock(lock);
  }
  barrier();
  upc_all_lock_free(lock);
  upc_all_free(data);
}

}  // namespace
