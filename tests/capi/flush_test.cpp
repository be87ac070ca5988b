// weft_flush() and weft_flush_all(): weft/rma.h.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "support/ranks.hpp"
#include "weft/weft.h"

namespace {

using weft_test::next_rank;
using weft_test::SharedBlock;

// One operation of each kind to a peer. What they leave there, and what they bring, is known.
class OneOfEach {
 public:
  static constexpr size_t words = 12;

  OneOfEach(weft_rank_t peer, size_t offset, uint64_t salt, weft_atomic_domain_t* domain)
      : peer_(peer), offset_(offset), salt_(salt), domain_(domain) {
    for (size_t i = 0; i < words; ++i) source_[i] = value(i);
  }

  uint64_t value(size_t word) const { return salt_ * 1000 + word + 1; }

  /// The peer's words are 0. `flags` as for the nbi functions.
  void begin(unsigned flags) {
    insist([&] { return weft_put_nb(peer_, at(0), &source_[0], 8, flags, handle()); });
    insist([&] { return weft_put_nbi(peer_, at(1), &source_[1], 8, flags | WEFT_STREAM); });
    insist([&] {
      return weft_put_signal_nb(peer_, at(2), &source_[2], 8, at(3), value(3), WEFT_SIGNAL_SET, flags, handle());
    });
    weft_put_signal(peer_, at(4), &source_[4], 8, at(5), value(5), WEFT_SIGNAL_SET);
    insist([&] { return weft_memset_nbi(peer_, at(6), 0x5a, 8, flags); });
    insist(
        [&] { return weft_atomic_nbi(domain_, &before_, peer_, at(7), WEFT_ATOMIC_ADD, &source_[7], nullptr, flags); });
    insist([&] {
      return weft_atomic_nb(domain_, nullptr, peer_, at(8), WEFT_ATOMIC_SET, &source_[8], nullptr, flags, handle());
    });
    weft_semaphore_post(peer_, at(9), value(9));
    const ptrdiff_t stride = 8;
    const size_t count = 2;
    insist([&] {
      return weft_put_strided_nb(peer_, at(10), &stride, &source_[10], &stride, 8, &count, 1, flags, handle());
    });
  }
  /// Gets of what was there at the start, into a place that holds something else.
  void fetch(size_t word, unsigned flags) {
    insist([&] { return weft_get_nbi(&got_[0], peer_, at(word), 8, flags); });
    insist([&] { return weft_get_nb(&got_[1], peer_, at(word), 8, flags, handle()); });
  }

  void expect_fetched(uint64_t word) const {
    EXPECT_EQ(got_[0], word);
    EXPECT_EQ(got_[1], word);
  }
  /// All is in place; looks with gets of its own.
  void expect_in_place() const {
    uint64_t there[words];
    weft_get(there, peer_, offset_, sizeof there);
    for (size_t i = 0; i < words; ++i) EXPECT_EQ(there[i], i == 6 ? 0x5a5a5a5a5a5a5a5a : value(i)) << "word " << i;
    EXPECT_EQ(before_, 0u);
  }
  /// Without making progress for them: they were complete.
  void retire() {
    for (weft_handle_t& handle : handles_) EXPECT_EQ(weft_handle_test(handle), 1);
    handles_.clear();
  }

 private:
  size_t at(size_t word) const { return offset_ + word * 8; }
  weft_handle_t* handle() { return &handles_.emplace_back(WEFT_HANDLE_DONE); }
  template <class Call>
  void insist(Call call) {
    const size_t handles = handles_.size();
    int status;
    while ((status = call()) == WEFT_RETRY) {
      handles_.resize(handles);
      weft_test::progress();
    }
    EXPECT_EQ(status, WEFT_OK);
  }

  weft_rank_t peer_;
  size_t offset_;
  uint64_t salt_;
  weft_atomic_domain_t* domain_;
  uint64_t source_[words];
  uint64_t before_ = ~uint64_t{0};
  uint64_t got_[2] = {7, 7};
  std::vector<weft_handle_t> handles_;
};

class Domain {
 public:
  Domain() { REQUIRE(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain_) == WEFT_OK); }
  ~Domain() { weft_atomic_domain_destroy(domain_); }
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;
  operator weft_atomic_domain_t*() const { return domain_; }

 private:
  weft_atomic_domain_t* domain_ = nullptr;
};

constexpr size_t row = OneOfEach::words * 8;

// Every rank sends one of each to every rank, this one included, to a row of its own.
void flush_everything(bool one_by_one, unsigned flags) {
  const weft_rank_t size = weft_size();
  SharedBlock block(row * size);
  const Domain domain;
  std::vector<OneOfEach> sets;
  sets.reserve(size);  // they stay where they are
  for (weft_rank_t peer = 0; peer < size; ++peer)
    sets.emplace_back(peer, block.offset() + weft_rank() * row, weft_rank() * 10 + peer, domain);
  for (OneOfEach& set : sets) set.begin(flags);
  if (!one_by_one) {
    EXPECT_EQ(weft_flush_all(), WEFT_OK);
  }
  for (weft_rank_t peer = size; peer-- > 0;) {
    if (one_by_one) {
      EXPECT_EQ(weft_flush(peer), WEFT_OK);
    }
    sets[peer].expect_in_place();
    sets[peer].retire();
  }
  EXPECT_EQ(weft_nbi_test(), 1);
}

RANK_TEST(Flush, AllThatWentToAPeerIsInPlace) { flush_everything(true, 0); }
RANK_TEST(Flush, FlushAllIsAboutAllPeers) { flush_everything(false, 0); }
RANK_TEST(Flush, WhatWasDeclinedAtFirstIsIncluded) { flush_everything(true, WEFT_IMMEDIATE); }

RANK_TEST(Flush, GetsHaveBroughtTheirData) {
  SharedBlock block(row);
  const Domain domain;
  block.words()[3] = 70 + weft_rank();
  weft_barrier();
  OneOfEach set(next_rank(), block.offset(), 0, domain);
  set.fetch(3, 0);
  weft_flush(next_rank());
  set.expect_fetched(70 + next_rank());
  set.retire();
}

RANK_TEST(Flush, WithNothingUnderWayItReturnsAtOnceAndAsOftenAsOneLikes) {
  for (weft_rank_t peer = 0; peer < weft_size(); ++peer) EXPECT_EQ(weft_flush(peer), WEFT_OK);
  EXPECT_EQ(weft_flush_all(), WEFT_OK);
  EXPECT_EQ(weft_flush_all(), WEFT_OK);
}

RANK_TEST(Flush, HandlesStayToBeWaitedForInEveryWay) {
  constexpr size_t count = 400;
  SharedBlock block(count * 8);
  std::vector<uint64_t> source(count);
  std::vector<weft_handle_t> handles(count);
  for (size_t i = 0; i < count; ++i) {
    source[i] = i + weft_rank();
    ASSERT_EQ(weft_put_nb(next_rank(), block.offset() + i * 8, &source[i], 8, 0, &handles[i]), WEFT_OK);
    if (i % 3 == 0) weft_handle_wait(handles[i]);  // leaves before the flush, from the middle
    if (i % 3 == 0) handles[i] = WEFT_HANDLE_DONE;
    if (i == count / 2) weft_flush(next_rank());
  }
  weft_flush(next_rank());
  EXPECT_EQ(weft_handle_test_all(handles.data(), count), 1);
  weft_barrier();
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(block.words()[i], i + weft_test::previous_rank());
}

// ---- Regions ----

RANK_TEST(Flush, AnOpenRegionStaysOpenAndIsFlushedEachTime) {
  SharedBlock block(2 * row);
  const Domain domain;
  OneOfEach first(next_rank(), block.offset(), 1, domain), second(next_rank(), block.offset() + row, 2, domain);
  ASSERT_EQ(weft_region_begin(), WEFT_OK);
  first.begin(0);
  weft_flush(next_rank());
  first.expect_in_place();
  second.begin(0);
  weft_flush(next_rank());
  second.expect_in_place();
  weft_handle_t region;
  ASSERT_EQ(weft_region_end(&region), WEFT_OK);
  EXPECT_EQ(weft_handle_test(region), 1);
  first.retire();
  second.retire();
}

RANK_TEST(Flush, EndedRegionsToSeveralPeersAreFlushedPeerByPeer) {
  const weft_rank_t size = weft_size();
  SharedBlock block(3 * row * size);
  const Domain domain;
  std::vector<OneOfEach> sets;
  sets.reserve(3 * size);
  weft_handle_t regions[3];
  for (size_t i = 0; i < 3; ++i) {
    weft_region_begin();
    for (weft_rank_t peer = 0; peer < size; ++peer) {
      sets.emplace_back(peer, block.offset() + (weft_rank() * 3 + i) * row, i * 100 + peer, domain);
      sets.back().begin(0);
    }
    weft_region_end(&regions[i]);
  }
  for (weft_rank_t peer = 0; peer < size; ++peer) {
    weft_flush(peer);
    for (size_t i = 0; i < 3; ++i) sets[i * size + peer].expect_in_place();
  }
  for (OneOfEach& set : sets) set.retire();
  for (weft_handle_t region : regions) EXPECT_EQ(weft_handle_test(region), 1);
}

// ---- A slow peer ----

// What ranks tell each other without Weft: by memory if they are threads, else by a signal.
std::atomic<bool> deaf_now{false}, may_hear{false};
void tell_deaf(int) { deaf_now = true; }
void tell_hear(int) { may_hear = true; }
void tell(std::atomic<bool>& what, uint64_t process, int signal) {
  if (weft_test::ranks_are_threads())
    what = true;
  else
    kill(static_cast<pid_t>(process), signal);
}

// Whether the target must make progress for what is sent to it.
bool by_messages() {
  const char* map = std::getenv("WEFT_MAP_PEERS");
  return map != nullptr && std::string_view(map) == "0";
}

// Rank 0 flushes rank 1 while the last rank hears nothing: what rank 0 sent there cannot complete. A flush that waited
// for it would never return.
void flush_beside_a_deaf_rank(bool in_region) {
  if (weft_size() < 3) GTEST_SKIP() << "needs 3 ranks";
  const weft_rank_t deaf = weft_size() - 1, fast = 1;
  SharedBlock block(3 * row);
  const Domain domain;
  const size_t process_at = block.offset() + 2 * row, signal_at = process_at + 8;
  const uint64_t& process = block.words()[2 * row / 8];  // of the other one
  deaf_now = may_hear = false;
  std::signal(SIGUSR1, tell_deaf);
  std::signal(SIGUSR2, tell_hear);
  if (weft_rank() == deaf) weft_put_value(0, process_at, static_cast<uint64_t>(getpid()), 8);
  if (weft_rank() == 0) weft_put_value(deaf, process_at, static_cast<uint64_t>(getpid()), 8);
  weft_barrier();
  if (weft_rank() == deaf) {
    weft_signal_wait(signal_at, WEFT_EQ, 1, nullptr);
    // Calls nothing of Weft until it is told.
    tell(deaf_now, process, SIGUSR1);
    while (!may_hear) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (weft_rank() == 0) {
    weft_put_signal(deaf, 0, nullptr, 0, signal_at, 1, WEFT_SIGNAL_SET);
    while (!deaf_now) weft_test::progress();
    // From now on until tell() nothing waits for what the deaf rank or those beside it do.
    OneOfEach slow(deaf, block.offset(), 3, domain), quick(fast, block.offset(), 4, domain);
    if (in_region) weft_region_begin();
    uint64_t probe = 11, got = 0;
    weft_handle_t pending;
    weft_put_nb(deaf, block.offset() + row, &probe, 8, 0, &pending);
    weft_put_nbi(deaf, block.offset() + row + 8, &probe, 8, 0);
    weft_get_nbi(&got, deaf, process_at, 8, 0);
    quick.begin(0);
    weft_put_nbi(deaf, block.offset() + row + 16, &probe, 8, 0);
    weft_flush(fast);
    quick.expect_in_place();
    quick.retire();
    const int complete = weft_handle_test(pending);
    if (by_messages()) {
      EXPECT_EQ(complete, 0);
    }
    tell(may_hear, process, SIGUSR2);
    slow.begin(0);
    weft_flush(deaf);
    slow.expect_in_place();
    slow.retire();
    EXPECT_EQ(got, static_cast<uint64_t>(getpid()));
    for (size_t word = 0; word < 3; ++word) EXPECT_EQ(weft_get_value(deaf, block.offset() + row + word * 8, 8), 11u);
    if (complete == 0) {
      EXPECT_EQ(weft_handle_test(pending), 1);
    }
    weft_handle_t region = WEFT_HANDLE_DONE;
    if (in_region) weft_region_end(&region);
    EXPECT_EQ(weft_handle_test(region), 1);
  }
  weft_barrier();
}

RANK_TEST(Flush, ADeafPeerDoesNotDelayTheFlushOfAnother) { flush_beside_a_deaf_rank(false); }
RANK_TEST(Flush, NorDoesItInsideARegion) { flush_beside_a_deaf_rank(true); }

}  // namespace
