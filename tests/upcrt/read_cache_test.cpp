// Relaxed reads of memory that is not mapped, which a thread keeps: what it reads must be what one thread's accesses
// one after the other would give, and what others have written must be seen after everything that orders accesses.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "upc/upc_types.h"
#include "upc_threads.hpp"
#include "weft/barrier.h"
#include "weft/segment.h"
#include "weft/upcrt/gather.h"
#include "weft/upcrt/library.h"
#include "weft/upcrt/update.h"
#include "weft/upcrt/window.h"

namespace {

using namespace upc_test;

constexpr uint64_t kBytes = 1 << 17;  // of each thread
constexpr upc_team_t all_threads = 1;
constexpr int kAtomicGet = 0x00800;  // UPC_GET of <upc_atomic.h>

uint64_t peer() { return static_cast<uint64_t>((me() + 1) % threads()); }
bool is_mapped(uint64_t thread) { return weft_pointer(static_cast<weft_rank_t>(thread), 0) != nullptr; }

/// One thread's accesses of all memory, by every way there is, and what it must read.
struct Accesses {
  upcr_pts_t memory;
  std::mt19937_64 random;
  std::vector<std::vector<unsigned char>> model;
  uint64_t number = 0;  // of the access

  Accesses(upcr_pts_t where, uint64_t seed) : memory(where), random(random_numbers(seed)) {
    model.resize(static_cast<size_t>(threads()));
    for (size_t t = 0; t < model.size(); ++t) {
      model[t].resize(kBytes);
      for (auto& byte : model[t]) byte = static_cast<unsigned char>(random());
      upcr_memput(on(t, memory), model[t].data(), kBytes, UPCR_HERE);
    }
  }

  uint64_t below(uint64_t limit) { return random() % limit; }

  /// Places near each other, in the same few pages, or anywhere.
  upcr_pts_t place(uint64_t size, uint64_t alignment = 1) {
    static constexpr std::array<uint64_t, 4> ranges{256, 3000, 20000, kBytes};
    const uint64_t range = std::max(ranges[below(4)], size + 1);
    return on(below(static_cast<uint64_t>(threads())), memory, below(range - size) / alignment * alignment);
  }
  unsigned char* in_model(upcr_pts_t p) { return &model[upcr_thread(p)][p.offset - memory.offset]; }
  std::vector<unsigned char> bytes(uint64_t size) {
    std::vector<unsigned char> made(size);
    for (auto& byte : made) byte = static_cast<unsigned char>(random());
    return made;
  }

  void read() {
    static constexpr std::array<uint64_t, 10> sizes{1, 2, 4, 4, 8, 8, 8, 24, 100, 700};
    const uint64_t size = sizes[below(sizes.size())];
    upcr_pts_t p = place(size);
    for (uint64_t times = 1 + below(4); times > 0; --times) {
      std::vector<unsigned char> read(size);
      upcr_get_slow(read.data(), p, size, UPCR_HERE);
      REQUIRE(std::memcmp(read.data(), in_model(p), size) == 0);
      if (p.offset + 2 * size < memory.offset + kBytes) p.offset += size;
    }
  }
  void write() {
    const uint64_t size = below(8) == 0 ? 600 : 1 + below(16);
    const upcr_pts_t p = place(size);
    const auto data = bytes(size);
    upcr_put_slow(p, data.data(), size, UPCR_HERE);
    std::memcpy(in_model(p), data.data(), size);
  }
  void copy() {
    const uint64_t size = 1 + below(300);
    const upcr_pts_t to = place(size), from = place(size);
    std::vector<unsigned char> data(in_model(from), in_model(from) + size);
    if (upcr_thread(to) == upcr_thread(from) && to.offset < from.offset + size && from.offset < to.offset + size)
      return;
    if (below(2) == 0)
      upcr_copy_slow(to, from, size, UPCR_HERE);
    else
      upc_memcpy(to, from, size);
    std::memcpy(in_model(to), data.data(), size);
  }
  void put_at_once() {
    const uint64_t size = 1 + below(200);
    const upcr_pts_t p = place(size);
    const auto data = bytes(size);
    const uint64_t way = below(4);
    if (way == 0) upcr_memput(p, data.data(), size, UPCR_HERE);
    if (way == 1) upc_sync(upc_memput_nb(p, data.data(), size));
    if (way == 2) {
      upc_memput_nbi(p, data.data(), size);
      upc_synci();
    }
    if (way == 3) upcr_put_strict_slow(p, data.data(), size, UPCR_HERE);
    std::memcpy(in_model(p), data.data(), size);
  }
  // What lies beside is read while the put is under way: it must not be kept with what was there before the put.
  void put_and_read_beside() {
    const upcr_pts_t p = place(64, 64);
    const auto data = bytes(32);
    const bool implicit = below(2) == 0;
    upc_handle_t handle = 0;
    if (implicit)
      upc_memput_nbi(p, data.data(), 32);
    else
      handle = upc_memput_nb(p, data.data(), 32);
    std::array<unsigned char, 32> beside;
    upcr_get_slow(beside.data(), at(p, 32), 32, UPCR_HERE);
    REQUIRE(std::memcmp(beside.data(), in_model(at(p, 32)), 32) == 0);
    if (implicit)
      upc_synci();
    else
      upc_sync(handle);
    std::memcpy(in_model(p), data.data(), 32);
  }
  void set() {
    const uint64_t size = 1 + below(200);
    const upcr_pts_t p = place(size);
    const int byte = static_cast<int>(below(256));
    upcr_memset(p, byte, size, UPCR_HERE);
    std::memset(in_model(p), byte, size);
  }
  void window() {
    upcr_windows_t loop{};
    const upcr_pts_t p = place(64 * 8, 8);
    const upcr_pts_t beside = place(8, 8);
    upcr_window_t one =
        upcr_window_on(p, 1, 0, 8, UPCR_WINDOW_READ | UPCR_WINDOW_WRITTEN | UPCR_WINDOW_CERTAIN, UPCR_HERE);
    const long strip = upcr_windows_open(&loop, &one, 1, 64);
    for (long k = 0; k < strip; ++k) {
      const upcr_pts_t element = at(p, 8 * static_cast<uint64_t>(k));
      uint64_t value = 0, right = 0;
      std::memcpy(&value, upcr_window_at(&one, element), 8);
      std::memcpy(&right, in_model(element), 8);
      REQUIRE(value == right);
      value = random();
      std::memcpy(upcr_window_at(&one, element), &value, 8);
      std::memcpy(in_model(element), &value, 8);
      if (k % 8 != 0) continue;
      upcr_get_slow(&value, beside, 8, UPCR_HERE);
      REQUIRE(std::memcmp(&value, in_model(beside), 8) == 0);
    }
    upcr_windows_close(&loop);
  }
  void scatter() {
    upcr_gather_t to[] = {upcr_gather_on(8, UPCR_WINDOW_WRITTEN, UPCR_HERE)};
    upcr_gather_begin(to, 1, 20);
    for (int k = 0; k < 20; ++k) to[0].places[k] = place(8, 8);
    upcr_gather_fetch(to, 1, 20);
    for (int k = 0; k < 20; ++k) {
      const uint64_t value = random();
      std::memcpy(to[0].at[k], &value, 8);
      std::memcpy(in_model(to[0].places[k]), &value, 8);
    }
    upcr_gather_end(to, 1);
  }
  void update() {
    std::array<upcr_pts_t, 10> places;
    for (upcr_pts_t& p : places) {
      p = place(8, 8);
      const uint64_t operand = random();
      upcr_update(p, UPCR_UPDATE_XOR, UPCR_UPDATE_U64, &operand, UPCR_HERE);
      uint64_t value = 0;
      std::memcpy(&value, in_model(p), 8);
      value ^= operand;
      std::memcpy(in_model(p), &value, 8);
    }
    upcr_updates_finish();
  }

  void any() {
    ++number;
    const uint64_t kind = below(40);
    if (kind == 0) return copy();
    if (kind == 1) return put_at_once();
    if (kind == 2) return put_and_read_beside();
    if (kind == 3) return set();
    if (kind == 4) return window();
    if (kind == 5) return scatter();
    if (kind == 6) return update();
    if (kind < 14) return write();
    read();
  }
};

UPC_TEST(read_cache, shows_a_thread_what_it_wrote) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), kBytes);
  for (int turn = 0; turn < threads(); ++turn, barrier()) {
    if (turn != me()) continue;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      Accesses accesses(memory, 100 * seed + static_cast<uint64_t>(me()));
      SCOPED_TRACE(testing::Message() << "seed " << seed << " on thread " << me());
      for (int i = 0; i < 4000; ++i) accesses.any();
    }
  }
  upc_all_free(memory);
}

// Another thread's write, and that it has been made: told by Weft's own barrier, which orders nothing in UPC. `order`
// is what the reader does then. Gives how often the reader still had what was there before: always, unless so much time
// passes between that it reads anew.
int see_after(const char* what, const std::function<void()>& order) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), 4096);
  const upcr_pts_t mine = on(static_cast<uint64_t>(me()), memory, 8), far = on(peer(), memory, 8);
  put<long>(mine, 0);
  barrier();
  int kept = 0;
  for (long round = 1; round <= 20; ++round) {
    EXPECT_EQ(get<long>(far), round - 1) << what;
    (void)weft_barrier();
    put<long>(mine, round);
    (void)weft_barrier();
    if (get<long>(far) == round - 1) ++kept;
    order();
    EXPECT_EQ(get<long>(far), round) << what;
    (void)weft_barrier();
  }
  barrier();
  upc_all_free(memory);
  return kept;
}

UPC_TEST(read_cache, forgets_at_all_that_orders_accesses) {
  const upcr_pts_t other = upc_all_alloc(static_cast<size_t>(threads()), 4096);
  const upcr_pts_t lock = upc_all_lock_alloc();
  const upcr_pts_t domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD | kAtomicGet, 0);
  const upcr_pts_t own = on(static_cast<uint64_t>(me()), other), far = on(peer(), other);
  long value = 0;
  const long one = 1;
  int kept = 0;
  kept += see_after("upc_fence", [] { upcr_fence(); });
  kept += see_after("a strict read", [&] { value = get_strict<long>(far); });
  kept += see_after("a strict read of own memory", [&] { value = get_strict<long>(own); });
  kept += see_after("a strict write", [&] { put_strict<long>(far, 1L); });
  kept += see_after("upc_barrier", [] { barrier(); });
  kept += see_after("upc_notify and upc_wait", [] {
    upcr_notify(0, 0, UPCR_HERE);
    upcr_wait(0, 0, UPCR_HERE);
  });
  kept += see_after("upc_lock", [&] {
    upc_lock(lock);
    upc_unlock(lock);
  });
  kept += see_after("upc_unlock", [&] {
    upc_lock(lock);
    EXPECT_GE(get<long>(far), 0);  // kept again
    upc_unlock(lock);
  });
  kept += see_after("upc_lock_attempt", [&] {
    if (upc_lock_attempt(lock) != 0) upc_unlock(lock);
  });
  kept += see_after("upc_atomic_relaxed", [&] { upc_atomic_relaxed(domain, nullptr, UPC_ADD, far, &one, nullptr); });
  kept += see_after("upc_atomic_strict", [&] { upc_atomic_strict(domain, &value, kAtomicGet, own, nullptr, nullptr); });
  kept += see_after("upc_memget", [&] { upc_memget(&value, far, sizeof value); });
  kept += see_after("upc_memput", [&] { upc_memput(at(far, 64), &value, sizeof value); });
  kept += see_after("upc_memget_nb", [&] { upc_sync(upc_memget_nb(&value, far, sizeof value)); });
  kept += see_after("upc_synci", [&] { upc_synci(); });
  kept += see_after("upc_alloc", [&] { upc_free(upc_alloc(64)); });
  kept += see_after("upc_all_broadcast", [&] { upc_all_broadcast(at(other, 1024), at(other, 512), 8, 0); });
  kept += see_after("upc_team_barrier", [] { upc_team_barrier(all_threads); });
  kept += see_after("bupc_poll", [] { upcr_progress_slow(); });
  // Else this test shows nothing.
  if (!is_mapped(peer()) && upcr_windowing() != 0) {
    EXPECT_GT(kept, 0);
  }
  barrier();
  upc_all_atomicdomain_free(domain);
  upc_all_lock_free(lock);
  upc_all_free(other);
}

// A loop that looks at one relaxed variable, and at others, ends.
UPC_TEST(read_cache, lets_a_spinning_thread_see) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), 1 << 14);
  const upcr_pts_t mine = on(static_cast<uint64_t>(me()), memory, 8);
  put<long>(mine, 0);
  put<long>(on(static_cast<uint64_t>(me()), memory, 4096), 7);
  barrier();
  for (long round = 1; round <= 10; ++round) {
    if (me() % 2 == 0) {
      put<long>(mine, round);
      while (get<long>(on(peer(), memory, 8)) < round) continue;
    } else {
      while (get<long>(on(peer(), memory, 8)) < round) EXPECT_EQ(get<long>(on(peer(), memory, 4096)), 7);
      put<long>(mine, round);
    }
    barrier();
  }
  upc_all_free(memory);
}

// Who looks at a relaxed variable now and then, and calls nothing of UPC in between, sees it change long before it has
// read what it keeps as often as it may.
UPC_TEST(read_cache, reads_anew_after_a_while) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), 4096);
  const upcr_pts_t mine = on(static_cast<uint64_t>(me()), memory, 56), far = on(peer(), memory, 56);
  put<long>(mine, 0);
  barrier();
  std::array<char, 64> across;  // an object in two lines
  EXPECT_EQ(get<long>(far), 0);
  upcr_get_slow(across.data(), far, across.size(), UPCR_HERE);
  (void)weft_barrier();
  put<long>(mine, 1);
  put<long>(at(mine, 56), 2);
  (void)weft_barrier();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(get<long>(far), 1);
  upcr_get_slow(across.data(), far, across.size(), UPCR_HERE);
  long second = 0;
  std::memcpy(&second, &across[56], sizeof second);
  EXPECT_EQ(second, 2);
  barrier();
  upc_all_free(memory);
}

}  // namespace
