// WEFT_THREAD_MULTIPLE: threads that the program makes call Weft as they like.
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "support/ranks.hpp"
#include "weft/weft.h"

namespace {

using weft_test::next_rank;
using weft_test::SharedBlock;

constexpr unsigned team_size = 4;

/// Runs body(number) on a team of threads.
template <class Body>
void on_team(Body body) {
  std::vector<std::thread> team;
  for (unsigned number = 0; number < team_size; ++number) team.emplace_back([&, number] { body(number); });
  for (std::thread& thread : team) thread.join();
}

RANK_TEST(Threads, FindTheirRankByThemselves) {
  const weft_rank_t rank = weft_rank(), size = weft_size();
  EXPECT_EQ(weft_thread_mode_get(), WEFT_THREAD_MULTIPLE);
  SharedBlock block(team_size * 8);
  on_team([&](unsigned number) {
    EXPECT_EQ(weft_rank(), rank);
    EXPECT_EQ(weft_size(), size);
    weft_put_value(next_rank(), block.offset() + number * 8, 10 * rank + number, 8);
    EXPECT_EQ(weft_get_value(next_rank(), block.offset() + number * 8, 8), 10 * rank + number);
  });
}

// All threads of a rank wait for the same words; one word ends all waits.
RANK_TEST(Threads, AnyNumberOfThreadsWaitsForTheSameSignals) {
  constexpr uint64_t rounds = 50;
  SharedBlock block(128);
  for (uint64_t round = 1; round <= rounds; ++round) {
    const size_t which = round % 2;
    std::atomic<unsigned> found{0};
    on_team([&](unsigned number) {
      if (number == 0) weft_put_signal(next_rank(), 0, nullptr, 0, block.offset() + 64 * which, round, WEFT_SIGNAL_SET);
      const weft_signal_condition_t conditions[] = {{block.offset(), WEFT_EQ, round},
                                                    {block.offset() + 64, WEFT_EQ, round}};
      size_t index = 9;
      weft_signal_wait_any(conditions, 2, &index, nullptr);
      if (index == which) ++found;
    });
    EXPECT_EQ(found, team_size);
    weft_nbi_wait();
    weft_barrier();
  }
}

RANK_TEST(Threads, OneSidedOperationsOfAllThreadsArrive) {
  constexpr size_t part = 64 << 10;
  SharedBlock block(team_size * part);
  on_team([&](unsigned number) {
    auto random = weft_test::random_numbers(weft_rank() * 10 + number);
    const size_t start = block.offset() + number * part;
    std::vector<unsigned char> model(part, 0), data(part), got(part);
    for (int round = 0; round < 150; ++round) {
      const size_t at = random() % part, size = random() % std::min<size_t>(part - at, 6000) + 1;
      for (size_t i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(random());
      weft_handle_t handle = WEFT_HANDLE_DONE;
      switch (round % 6) {
        case 0:
          weft_put(next_rank(), start + at, data.data(), size);
          break;
        case 1:
          weft_put_nb(next_rank(), start + at, data.data(), size, 0, &handle);
          break;
        case 2:
          weft_put_nbi(next_rank(), start + at, data.data(), size, WEFT_STREAM);
          break;
        case 3:
          weft_region_begin();
          weft_put_nbi(next_rank(), start + at, data.data(), size, 0);
          weft_region_end(&handle);
          break;
        case 4: {
          std::memset(data.data(), round, size);
          weft_memset_nb(next_rank(), start + at, round, size, 0, &handle);
          break;
        }
        case 5: {
          const weft_remote_part_t remote[] = {{start + at, size / 2}, {start + at + size / 2, size - size / 2}};
          const weft_local_part_t local[] = {{data.data(), size}};
          weft_put_vector_nb(next_rank(), 2, remote, 1, local, 0, &handle);
          break;
        }
      }
      weft_handle_wait(handle);
      weft_nbi_wait();
      std::memcpy(model.data() + at, data.data(), size);
      if (round % 10 != 9) continue;
      weft_get(got.data(), next_rank(), start, part);
      EXPECT_EQ(got == model, true) << "thread " << number << ", round " << round;
    }
  });
}

RANK_TEST(Threads, AtomicsOfAllThreadsAddUp) {
  constexpr uint64_t rounds = 300;
  SharedBlock block(64);
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain), WEFT_OK);
  on_team([&](unsigned) {
    for (uint64_t i = 0; i < rounds; ++i)
      for (weft_rank_t peer = 0; peer < weft_size(); ++peer) weft_atomic_fetch_add64(domain, peer, block.offset(), 1);
  });
  weft_barrier();
  EXPECT_EQ(block.words()[0], rounds * team_size * weft_size());
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

// Any number of threads post, wait and try.
RANK_TEST(Threads, ManyProducersAndManyConsumersShareASemaphore) {
  constexpr uint64_t rounds = 150;
  SharedBlock block(64);
  std::atomic<uint64_t> taken{0};
  const uint64_t due = rounds * team_size * weft_size();
  on_team([&](unsigned number) {
    for (uint64_t i = 0; i < rounds; ++i) {
      for (weft_rank_t peer = 0; peer < weft_size(); ++peer) weft_semaphore_post(peer, block.offset(), 1);
      // Every thread takes its share, one way or the other.
      for (weft_rank_t share = 0; share < weft_size(); ++share) {
        if (number % 2 == 0 || weft_semaphore_try(block.offset(), 1) == 0) weft_semaphore_wait(block.offset(), 1);
        ++taken;
      }
    }
    weft_nbi_wait();
  });
  EXPECT_EQ(taken, due);
  weft_barrier();
  EXPECT_EQ(block.words()[0], 0u);
}

RANK_TEST(Threads, AHandleMayBeWaitedForByAnotherThread) {
  SharedBlock block(team_size * 8);
  std::vector<uint64_t> values(team_size);
  std::vector<weft_handle_t> handles(team_size);
  on_team([&](unsigned number) {
    values[number] = 70 + number;
    weft_put_nb(next_rank(), block.offset() + number * 8, &values[number], 8, 0, &handles[number]);
  });
  on_team([&](unsigned number) { weft_handle_wait(handles[(number + 1) % team_size]); });
  weft_barrier();
  for (unsigned number = 0; number < team_size; ++number) EXPECT_EQ(block.words()[number], 70 + number);
}

RANK_TEST(Threads, LocalAllocationsOfAllThreadsNeverOverlap) {
  on_team([&](unsigned number) {
    std::vector<size_t> mine;
    for (int i = 0; i < 200; ++i) {
      size_t offset = 0;
      REQUIRE(weft_alloc(100 + number, 0, &offset) == WEFT_OK);
      std::memset(weft_pointer(weft_rank(), offset), static_cast<int>(number), 100 + number);
      mine.push_back(offset);
    }
    for (size_t offset : mine) {
      const auto* bytes = static_cast<const unsigned char*>(weft_pointer(weft_rank(), offset));
      for (unsigned i = 0; i < 100 + number; ++i) EXPECT_EQ(bytes[i], number);
      weft_free(offset);
    }
  });
}

// ---- Active messages. Handlers run one at a time, so what they touch needs no lock. ----

weft_am_id_t request_id, reply_id;
uint64_t handled = 0;  // plain on purpose: ThreadSanitizer would see two handlers at once
std::atomic<uint64_t> arrived{0}, replies{0}, wrong{0};

void on_request(const weft_am_t* message) {
  ++handled;
  const auto* bytes = static_cast<const unsigned char*>(message->payload);
  for (size_t i = 0; i < message->size; ++i)
    if (bytes[i] != static_cast<unsigned char>(message->args[0])) ++wrong;
  weft_am_reply_short(message, reply_id, message->args, 1);
  ++arrived;
}
void on_reply(const weft_am_t*) { ++replies; }

RANK_TEST(Threads, MessagesOfAllThreadsAreHandledOnce) {
  constexpr uint64_t rounds = 200;
  const weft_am_entry_t entries[] = {{"request", on_request, &request_id, WEFT_AM_ANY},
                                     {"reply", on_reply, &reply_id, WEFT_AM_ANY}};
  ASSERT_EQ(weft_am_register(entries, 2), WEFT_OK);
  const uint64_t due = rounds * team_size * weft_size();
  on_team([&](unsigned number) {
    const std::vector<unsigned char> data(3000, static_cast<unsigned char>(number));
    const uint64_t args[] = {number};
    for (uint64_t i = 0; i < rounds; ++i) {
      for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
        if (i % 4 == 3) {
          weft_am_buffer_t buffer;
          weft_am_prepare_medium(peer, 2000, 0, &buffer);
          std::memcpy(buffer.data, data.data(), 1500);
          if (i % 8 == 7) {
            weft_am_cancel(&buffer);
          } else {
            weft_am_commit(&buffer, 1500, request_id, args, 1);
            continue;
          }
        }
        if (i % 2 == 0)
          weft_am_request_short(peer, request_id, args, 1, 0);
        else
          weft_am_request_medium(peer, request_id, data.data(), i % 3000, args, 1, 0);
      }
    }
    while (arrived < due || replies < due) weft_test::progress();
  });
  EXPECT_EQ(wrong, 0u);
  weft_barrier();
  EXPECT_EQ(handled, due);
  EXPECT_EQ(arrived, due);
}

}  // namespace
