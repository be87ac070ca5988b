// Signalling puts and semaphores: weft/signal.h.
#include "weft/signal.h"

#include <cstring>
#include <vector>

#include "support/ranks.hpp"
#include "weft/atomic.h"
#include "weft/barrier.h"
#include "weft/rma.h"

namespace {

using weft_test::next_rank;
using weft_test::previous_rank;
using weft_test::SharedBlock;

constexpr size_t data_at = 64;

// Each round, every rank sends a payload and a signal to the next and checks what came from the one before.
template <class Send>
void data_is_there_when_the_signal_is(size_t size, Send send) {
  SharedBlock block(data_at + size + 64);
  for (uint64_t round = 1; round <= (size > 10000 ? 5 : 30); ++round) {
    std::vector<unsigned char> data(size + 1, static_cast<unsigned char>(round + weft_rank()));
    weft_barrier();
    send(next_rank(), block.offset() + data_at, data.data(), size, block.offset(), round);
    uint64_t seen = 0;
    ASSERT_EQ(weft_signal_wait(block.offset(), WEFT_EQ, round, &seen), WEFT_OK);
    EXPECT_EQ(seen, round);
    const std::vector<unsigned char> expected(size + 1, static_cast<unsigned char>(round + previous_rank()));
    EXPECT_EQ(std::memcmp(block.mine() + data_at, expected.data(), size), 0)
        << "round " << round << ", " << size << " bytes";
    weft_nbi_wait();
  }
}

void data_is_there_in_every_form(size_t size) {
  data_is_there_when_the_signal_is(size, [](auto peer, size_t at, void* data, size_t n, size_t word, uint64_t value) {
    weft_put_signal(peer, at, data, n, word, value, WEFT_SIGNAL_SET);
  });
  data_is_there_when_the_signal_is(size, [](auto peer, size_t at, void* data, size_t n, size_t word, uint64_t) {
    weft_put_signal(peer, at, data, n, word, 1, WEFT_SIGNAL_ADD);
  });
  data_is_there_when_the_signal_is(size, [](auto peer, size_t at, void* data, size_t n, size_t word, uint64_t value) {
    weft_handle_t handle = WEFT_HANDLE_DONE;
    while (weft_put_signal_nb(peer, at, data, n, word, value, WEFT_SIGNAL_SET, WEFT_IMMEDIATE, &handle) == WEFT_RETRY)
      weft_test::progress();
    weft_handle_wait(handle);
  });
  data_is_there_when_the_signal_is(size, [](auto peer, size_t at, void* data, size_t n, size_t word, uint64_t) {
    weft_put_signal_nbi(peer, at, data, n, word, 1, WEFT_SIGNAL_ADD, 0);
    weft_nbi_wait();
  });
}

RANK_TEST(PutSignal, APutOfNoBytesStillSignals) { data_is_there_in_every_form(0); }
RANK_TEST(PutSignal, SmallDataIsThereWhenTheSignalIs) { data_is_there_in_every_form(8); }
RANK_TEST(PutSignal, DataOfAPageIsThereWhenTheSignalIs) { data_is_there_in_every_form(4096); }
RANK_TEST(PutSignal, DataOfManyMessagesIsThereWhenTheSignalIs) { data_is_there_in_every_form(100000); }

RANK_TEST(PutSignal, TheSourceMayBeReusedOnReturn) {
  constexpr size_t size = 3000, count = 50;
  SharedBlock block(64 + size * count);
  std::vector<unsigned char> data(size);
  for (size_t i = 0; i < count; ++i) {
    std::fill(data.begin(), data.end(), static_cast<unsigned char>(i + weft_rank()));
    weft_put_signal(next_rank(), block.offset() + 64 + i * size, data.data(), size, block.offset(), 1, WEFT_SIGNAL_ADD);
  }
  weft_signal_wait(block.offset(), WEFT_GE, count, nullptr);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(block.mine()[64 + i * size + size - 1], static_cast<unsigned char>(i + previous_rank()));
}

RANK_TEST(Signal, EveryComparisonIsUnsigned) {
  SharedBlock block(64);
  auto holds = [&](uint64_t word, weft_compare_t compare, uint64_t value) {
    block.words()[0] = word;
    uint64_t seen = 12345;
    const int result = weft_signal_test(block.offset(), compare, value, &seen);
    EXPECT_EQ(seen, result == 1 ? word : 12345u);
    return result == 1;
  };
  const uint64_t huge = ~uint64_t{0};
  for (uint64_t word : {uint64_t{0}, uint64_t{1}, uint64_t{5}, huge}) {
    for (uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{5}, huge}) {
      EXPECT_EQ(holds(word, WEFT_EQ, value), word == value);
      EXPECT_EQ(holds(word, WEFT_NE, value), word != value);
      EXPECT_EQ(holds(word, WEFT_LT, value), word < value);
      EXPECT_EQ(holds(word, WEFT_LE, value), word <= value);
      EXPECT_EQ(holds(word, WEFT_GT, value), word > value);
      EXPECT_EQ(holds(word, WEFT_GE, value), word >= value);
    }
  }
}

RANK_TEST(Signal, PutsAndAtomicsWakeAWaiterToo) {
  SharedBlock block(64);
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain), WEFT_OK);
  for (uint64_t round = 1; round <= 5; ++round) {
#if defined(__SANITIZE_THREAD__)
    // An inline put is a plain store; that a waiter may look at the word meanwhile is between Weft and the processor.
    weft_put_signal(next_rank(), 0, nullptr, 0, block.offset(), 2 * round - 1, WEFT_SIGNAL_SET);
#else
    weft_put_value(next_rank(), block.offset(), 2 * round - 1, 8);
#endif
    weft_signal_wait(block.offset(), WEFT_EQ, 2 * round - 1, nullptr);
    weft_barrier();
    const uint64_t one = 1;
    weft_atomic(domain, nullptr, next_rank(), block.offset(), WEFT_ATOMIC_ADD, &one, nullptr);
    weft_signal_wait(block.offset(), WEFT_EQ, 2 * round, nullptr);
    weft_barrier();
  }
  weft_atomic_domain_destroy(domain);
}

// Each rank has a word per sender. Everybody signals everybody in an order of its own, and a rank takes what comes.
RANK_TEST(SignalAny, EverySignalIsSeenOnceWithItsData) {
  constexpr uint64_t rounds = 40;
  const weft_rank_t ranks = weft_size();
  SharedBlock block(128 * ranks);
  auto random = weft_test::random_numbers(weft_rank());
  std::vector<weft_signal_condition_t> conditions;
  for (weft_rank_t peer = 0; peer < ranks; ++peer) conditions.push_back({block.offset() + 128 * peer, WEFT_GE, 1});
  std::vector<uint64_t> taken(ranks, 0);
  for (uint64_t round = 1; round <= rounds; ++round) {
    for (weft_rank_t i = 0, first = static_cast<weft_rank_t>(random() % ranks); i < ranks; ++i) {
      const uint64_t data = 1000 * round + weft_rank();
      weft_put_signal((first + i) % ranks, block.offset() + 128 * weft_rank() + 64, &data, sizeof data,
                      block.offset() + 128 * weft_rank(), round, WEFT_SIGNAL_SET);
    }
    for (weft_rank_t i = 0; i < ranks; ++i) {
      size_t index = ranks;
      uint64_t seen = 0;
      ASSERT_EQ(weft_signal_wait_any(conditions.data(), conditions.size(), &index, &seen), WEFT_OK);
      ASSERT_LT(index, ranks);
      EXPECT_EQ(seen, round);
      EXPECT_EQ(block.words()[16 * index + 8], 1000 * round + index);
      EXPECT_EQ(++taken[index], round);
      conditions[index].value = round + 1;
    }
    weft_nbi_wait();
    weft_barrier();  // the next round overwrites the data
  }
}

RANK_TEST(SignalAny, TheFirstInTheListThatHoldsIsTold) {
  SharedBlock block(64);
  block.words()[1] = 5;
  block.words()[2] = 7;
  const size_t at = block.offset();
  const weft_signal_condition_t conditions[] = {
      {at, WEFT_NE, 0}, {at + 8, WEFT_LT, 5}, {at + 16, WEFT_EQ, 7}, {at + 8, WEFT_GE, 5}};
  size_t index = 99;
  uint64_t seen = 99;
  EXPECT_EQ(weft_signal_test_any(conditions, 4, &index, &seen), 1);
  EXPECT_EQ(index, 2u);
  EXPECT_EQ(seen, 7u);
  EXPECT_EQ(weft_signal_wait_any(conditions, 4, nullptr, nullptr), WEFT_OK);
  index = seen = 99;
  EXPECT_EQ(weft_signal_test_any(conditions, 2, &index, &seen), 0);
  EXPECT_EQ(weft_signal_test_any(nullptr, 0, &index, &seen), 0);
  EXPECT_EQ(index, 99u);
  EXPECT_EQ(seen, 99u);
}

RANK_TEST(Semaphore, TakesExactlyWhatWasPosted) {
  SharedBlock block(64);
  EXPECT_EQ(weft_semaphore_try(block.offset(), 1), 0);
  weft_barrier();
  weft_semaphore_post(next_rank(), block.offset(), 3);
  ASSERT_EQ(weft_semaphore_wait(block.offset(), 2), WEFT_OK);
  EXPECT_EQ(weft_semaphore_try(block.offset(), 2), 0);
  EXPECT_EQ(weft_semaphore_try(block.offset(), 1), 1);
  EXPECT_EQ(block.words()[0], 0u);
}

RANK_TEST(Semaphore, ManyProducersOneConsumer) {
  constexpr uint64_t rounds = 200;
  SharedBlock block(64);
  for (uint64_t i = 0; i < rounds; ++i)
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) weft_semaphore_post(peer, block.offset(), 1 + i % 3);
  uint64_t due = 0;
  for (uint64_t i = 0; i < rounds; ++i) due += weft_size() * (1 + i % 3);
  for (; due >= 7; due -= 7) weft_semaphore_wait(block.offset(), 7);
  weft_semaphore_wait(block.offset(), due);
  weft_nbi_wait();
  weft_barrier();
  EXPECT_EQ(block.words()[0], 0u);
}

// Each rank announces its item of a round. Rank 0 takes them all at once, reads them, and makes room for the next ones.
RANK_TEST(Semaphore, WhoTakesSeveralFindsWhatWasAnnouncedWithEach) {
  SharedBlock block(128 + weft_size() * sizeof(uint64_t));
  const size_t announced = block.offset(), room = block.offset() + 64, items = block.offset() + 128;
  for (uint64_t round = 1; round <= 100; ++round) {
    const uint64_t item = round * 1000 + weft_rank();
    weft_put_signal(0, items + weft_rank() * sizeof item, &item, sizeof item, announced, 1, WEFT_SIGNAL_ADD);
    if (weft_rank() == 0) {
      ASSERT_EQ(weft_semaphore_wait(announced, weft_size()), WEFT_OK);
      EXPECT_EQ(block.words()[0], 0u);
      for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
        EXPECT_EQ(block.words()[16 + peer], round * 1000 + peer);
        weft_semaphore_post(peer, room, 1);
      }
    }
    ASSERT_EQ(weft_semaphore_wait(room, 1), WEFT_OK);
  }
  weft_nbi_wait();
}

RANK_TEST(Semaphore, APostFollowsEarlierBlockingPuts) {
  SharedBlock block(128);
  for (uint64_t i = 1; i <= 200; ++i) {
    weft_put_value(next_rank(), block.offset() + 64, i * 11, 8);
    weft_semaphore_post(next_rank(), block.offset(), 1);
    weft_semaphore_wait(block.offset(), 1);
    EXPECT_EQ(block.words()[8], i * 11);
    weft_barrier();
  }
}

// Two ranks hand a token back and forth; the last one of an odd number has nobody to do so with.
RANK_TEST(Semaphore, PingPongNeitherLosesNorInventsATurn) {
  if (weft_size() == 1) GTEST_SKIP() << "needs 2 ranks";
  SharedBlock block(64);
  const weft_rank_t partner = weft_rank() ^ 1;
  if (partner >= weft_size()) return;
  for (int i = 0; i < 500; ++i) {
    if (weft_rank() % 2 == 0) weft_semaphore_post(partner, block.offset(), 1);
    weft_semaphore_wait(block.offset(), 1);
    if (weft_rank() % 2 == 1) weft_semaphore_post(partner, block.offset(), 1);
  }
  weft_nbi_wait();
  EXPECT_EQ(weft_semaphore_try(block.offset(), 1), 0);
}

}  // namespace
