// Relocalization collectives against their definitions, in all synchronisation modes.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "upc/upc_types.h"
#include "upc_threads.hpp"

namespace {

using namespace upc_test;
using Bytes = std::vector<unsigned char>;

uint64_t count() { return static_cast<uint64_t>(threads()); }

// What byte `i` of thread t's source holds in a round.
unsigned char source_byte(uint64_t t, uint64_t i, int round) {
  return static_cast<unsigned char>(t * 31 + i * 7 + static_cast<uint64_t>(round) * 13);
}

Bytes read_bytes(upcr_pts_t p, size_t n) {
  Bytes bytes(n);
  upc_memget(bytes.data(), p, n);
  return bytes;
}

using Collective = std::function<void(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags)>;
// The byte expected at `i` of thread t's destination.
using Expected = std::function<unsigned char(uint64_t t, uint64_t i, size_t nbytes, int round)>;

// Runs the collective for several sizes with every flag value, and compares each thread's part of the destination.
// `source` and `destination` say how many blocks of nbytes each thread has of them.
void check(const Collective& collective, const Expected& expected, uint64_t source, uint64_t destination,
           uint64_t destination_thread = UINT64_MAX) {
  constexpr size_t largest = 1000;
  const upcr_pts_t src = upc_all_alloc(count(), source * largest);
  const upcr_pts_t dst = upc_all_alloc(count(), destination * largest);
  const auto own = static_cast<uint64_t>(me());
  int round = 0;
  for (const size_t nbytes : {size_t{1}, size_t{8}, size_t{17}, largest}) {
    for (int flags = 0; flags < 64; flags = flags * 2 + 1 < 64 && nbytes != 8 ? flags * 2 + 1 : flags + 1) {
      ++round;
      Bytes mine(source * nbytes);
      for (uint64_t i = 0; i < mine.size(); ++i) mine[i] = source_byte(own, i, round);
      upc_memput(on(own, src), mine.data(), mine.size());
      upc_memset(on(own, dst), 0xee, destination * nbytes);
      // With NOSYNC the caller synchronises; the strongest bit of a half counts.
      const bool in_none = (flags & 7) == UPC_IN_NOSYNC;
      const bool out_none = (flags & 56) == UPC_OUT_NOSYNC;
      if (in_none) barrier();
      collective(dst, src, nbytes, flags);
      if (out_none) barrier();
      if (destination_thread == UINT64_MAX || destination_thread == own) {
        const Bytes got = read_bytes(on(own, dst), destination * nbytes);
        for (uint64_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == expected(own, i, nbytes, round));
      }
      // OUT_ALLSYNC: this thread sees all of the output.
      if ((flags & 56) == 0 || (flags & UPC_OUT_ALLSYNC) != 0) {
        const uint64_t t = (own + 1) % count();
        if (destination_thread == UINT64_MAX || destination_thread == t)
          REQUIRE(read_bytes(on(t, dst), 1)[0] == expected(t, 0, nbytes, round));
      }
      barrier();
    }
  }
  upc_all_free(src);
  upc_all_free(dst);
}

UPC_TEST(collective, broadcast) {
  for (const uint64_t root : {uint64_t{0}, count() - 1})
    check([=](upcr_pts_t d, upcr_pts_t s, size_t n, int f) { upc_all_broadcast(d, on(root, s), n, f); },
          [=](uint64_t, uint64_t i, size_t, int r) { return source_byte(root, i, r); }, 1, 1);
}

UPC_TEST(collective, scatter) {
  const uint64_t root = count() / 2;
  check([=](upcr_pts_t d, upcr_pts_t s, size_t n, int f) { upc_all_scatter(d, on(root, s), n, f); },
        [=](uint64_t t, uint64_t i, size_t n, int r) { return source_byte(root, t * n + i, r); }, count(), 1);
}

UPC_TEST(collective, gather) {
  const uint64_t root = count() / 2;
  check([=](upcr_pts_t d, upcr_pts_t s, size_t n, int f) { upc_all_gather(on(root, d), s, n, f); },
        [=](uint64_t, uint64_t i, size_t n, int r) { return source_byte(i / n, i % n, r); }, 1, count(), root);
}

UPC_TEST(collective, gather_all) {
  check([](upcr_pts_t d, upcr_pts_t s, size_t n, int f) { upc_all_gather_all(d, s, n, f); },
        [](uint64_t, uint64_t i, size_t n, int r) { return source_byte(i / n, i % n, r); }, 1, count());
}

UPC_TEST(collective, exchange) {
  check([](upcr_pts_t d, upcr_pts_t s, size_t n, int f) { upc_all_exchange(d, s, n, f); },
        [](uint64_t t, uint64_t i, size_t n, int r) { return source_byte(i / n, t * n + i % n, r); }, count(), count());
}

UPC_TEST(collective, permute) {
  const upcr_pts_t perm = upc_all_alloc(count(), sizeof(int));
  const auto target = [](uint64_t t) { return (count() - 1 - t + 1) % count(); };
  put(on(static_cast<uint64_t>(me()), perm), static_cast<int>(target(static_cast<uint64_t>(me()))));
  check([=](upcr_pts_t d, upcr_pts_t s, size_t n, int f) { upc_all_permute(d, s, perm, n, f); },
        [=](uint64_t t, uint64_t i, size_t, int r) {
          uint64_t from = 0;
          while (target(from) != t) ++from;
          return source_byte(from, i, r);
        },
        1, 1);
  upc_all_free(perm);
}

// IN_MYSYNC and IN_ALLSYNC: the data of a thread that comes late must be the data it wrote before the call.
UPC_TEST(collective, waits_for_late_threads) {
  const upcr_pts_t src = upc_all_alloc(count(), sizeof(long));
  const upcr_pts_t dst = upc_all_alloc(count(), sizeof(long) * count());
  const auto own = static_cast<uint64_t>(me());
  for (long round = 0; round < 30; ++round) {
    if (static_cast<uint64_t>(round) % count() == own)
      for (int i = 0; i < 20; ++i) bupc_poll();
    put(on(own, src), round * 100 + me());
    upc_all_gather_all(dst, src, sizeof(long), round % 2 == 0 ? UPC_IN_MYSYNC | UPC_OUT_MYSYNC : 0);
    for (uint64_t t = 0; t < count(); ++t)
      REQUIRE(get<long>(on(own, dst, t * 8)) == round * 100 + static_cast<long>(t));
  }
  upc_all_free(src);
  upc_all_free(dst);
}

// MYSYNC is no ALLSYNC: who waits for nobody's data returns before the others have called. Checked mode compares calls
// first.
UPC_TEST(collective, mysync_waits_for_data_alone) {
  if (!upcr_unchecked() || count() == 1) GTEST_SKIP() << "needs 2 threads without WEFT_CHECK";
  constexpr int mysync = UPC_IN_MYSYNC | UPC_OUT_MYSYNC;
  const upcr_pts_t src = upc_all_alloc(count(), sizeof(long)), dst = upc_all_alloc(count(), sizeof(long));
  const upcr_pts_t returned = upc_all_alloc(count(), sizeof(int));
  const auto own = static_cast<uint64_t>(me());
  put(on(own, src), long{me() + 1});
  put(on(own, returned), 0);
  barrier();
  // A broadcast: its root needs nothing of the others.
  if (own == 0) {
    upc_all_broadcast(dst, src, sizeof(long), mysync);
    for (uint64_t t = 1; t < count(); ++t) put_strict<int>(on(t, returned), 1);
  } else {
    while (get_strict<int>(on(own, returned)) < 1) bupc_poll();
    upc_all_broadcast(dst, src, sizeof(long), mysync);
  }
  REQUIRE(get<long>(on(own, dst)) == 1);
  // A reduction: the last thread gives its value and gets nothing.
  if (own + 1 == count()) {
    upc_all_reduceL(dst, src, UPC_ADD, count(), 1, nullptr, mysync);
    for (uint64_t t = 0; t + 1 < count(); ++t) put_strict<int>(on(t, returned), 2);
  } else {
    while (get_strict<int>(on(own, returned)) < 2) bupc_poll();
    upc_all_reduceL(dst, src, UPC_ADD, count(), 1, nullptr, mysync);
  }
  if (own == 0) {
    REQUIRE(get<long>(dst) == static_cast<long>(count() * (count() + 1) / 2));
  }
  barrier();
  upc_all_free(src);
  upc_all_free(dst);
  upc_all_free(returned);
}

}  // namespace
