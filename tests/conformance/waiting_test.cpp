// The contract's waiting (doze, nudge) and its threads.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "conformance/fixture.hpp"
#include "os/clock.hpp"

namespace {

using namespace conformance;

constexpr uint16_t plain = 1;
constexpr uint64_t second = 1'000'000'000;

CONDUIT_TEST(Doze, EndsWhenTheTimeIsOver) {
  peer.barrier();
  const uint64_t start = weft::os::now_ns();
  peer.conduit().doze(5'000'000);
  EXPECT_LT(weft::os::now_ns() - start, second);
  peer.barrier();
}

// Ranks sleep in turn and are woken by a message, though they would sleep for long. A waker that just misses the
// sleeper costs the timeout, so most of the rounds, not all, must be short.
CONDUIT_TEST(Doze, AMessageWakesTheSleeper) {
  NEEDS(peer.size() >= 2);
  constexpr int rounds = 10;
  uint64_t arrived = 0;
  peer.on_message = [&](const AmDelivery&) { ++arrived; };
  peer.barrier();
  int slow = 0;
  for (int round = 0; round < rounds; ++round) {
    if (peer.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      peer.send(1, {.handler = plain});
    } else if (peer.rank() == 1) {
      const uint64_t start = weft::os::now_ns();
      while (arrived <= static_cast<uint64_t>(round)) {
        peer.conduit().poll();
        if (arrived <= static_cast<uint64_t>(round)) peer.conduit().doze(2 * second);
      }
      slow += weft::os::now_ns() - start > 2 * second;
    }
    peer.barrier();
  }
  EXPECT_LE(slow, 1);
}

CONDUIT_TEST(Doze, ANudgeWakesTheSleeper) {
  // All ranks must come to the same answer.
  NEEDS(peer.size() >= 2);
  NEEDS(peer.conduit().host_size() == peer.size());
  NEEDS(peer.conduit().mapped(1 - peer.rank() % 2) != nullptr);
  std::atomic_ref<uint64_t> word(*reinterpret_cast<uint64_t*>(peer.conduit().segment() + base_offset));
  word.store(0);
  peer.barrier();
  int slow = 0;
  for (uint64_t round = 1; round <= 10; ++round) {
    if (peer.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      std::byte* theirs = peer.conduit().mapped(1);
      std::atomic_ref(*reinterpret_cast<uint64_t*>(theirs + base_offset)).store(round);
      peer.conduit().nudge(1);
    } else if (peer.rank() == 1) {
      const uint64_t start = weft::os::now_ns();
      while (word.load() < round) peer.conduit().doze(2 * second);
      slow += weft::os::now_ns() - start > 2 * second;
    }
    peer.barrier();
  }
  EXPECT_LE(slow, 1);
}

std::string setting(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// Who is only put into or read from takes part in it by its polls, and would sleep in the midst of it if they all came
// back empty. The initiator says how many events were due by the contract, however slow the machine is.
CONDUIT_TEST(Poll, TellsOfOthersPutsAndGets) {
  NEEDS(peer.size() >= 2);
  NEEDS(peer.conduit().capabilities().put_get);
  NEEDS(peer.conduit().mapped(1 - peer.rank() % 2) == nullptr);
  NEEDS(setting("WEFT_PROGRESS") != "thread");   // the thread serves the operations
  NEEDS(peer.conduit_name() != "sim");           // the simulated network does
  NEEDS(setting("WEFT_OFI_PROVIDER") != "udp");  // whose messages and reads must not mix; it never sleeps for long
  constexpr uint64_t operations = 400, operations_per_event = 8, ns_per_event = 400'000;
  for (const bool get : {false, true}) {
    for (const size_t size : {size_t{8}, size_t{65536}, size_t{1} << 20}) {
      uint64_t expected = 0, events = 0;
      bool over = false;
      peer.on_message = [&](const AmDelivery& message) {
        expected = message.args[0];
        over = true;
      };
      peer.barrier();
      if (peer.rank() == 0) {
        const uint64_t count = size > 65536 ? operations / 20 : operations;
        std::vector<std::byte> data(size);
        uint64_t due = 0, since_due = 0, last_due = weft::os::now_ns();
        for (uint64_t i = 0; i < count; ++i) {
          if (++since_due >= operations_per_event && weft::os::now_ns() - last_due >= ns_per_event) {
            ++due;
            since_due = 0;
            last_due = weft::os::now_ns();
          }
          Completion completion;
          peer.complete(completion, [&] {
            return get ? peer.conduit().get(data.data(), 1, base_offset, size, &completion)
                       : peer.conduit().put(1, base_offset, data.data(), size, {}, &completion);
          });
        }
        peer.send(1, {.handler = plain, .arg_count = 1, .args = &due});
      } else if (peer.rank() == 1) {
        while (!over) events += static_cast<uint64_t>(peer.progress());
        EXPECT_GE(events, expected) << (get ? "gets of " : "puts of ") << size << " bytes";
      }
      peer.barrier();
    }
  }
}

// ---- Several threads of a rank ----

TEST(Threads, ManySendAndPollAtOnce) {
  on_every_peer_of_threads([](Peer& peer) {
    constexpr unsigned threads = 4;
    constexpr uint64_t rounds = 200;
    const uint64_t expected = uint64_t{threads} * rounds * peer.size();
    std::atomic<uint64_t> arrived{0}, replies{0}, wrong{0};
    // next[thread][source]: messages of one thread to one peer stay in order.
    std::vector<std::vector<uint64_t>> next(threads, std::vector<uint64_t>(peer.size(), 0));
    peer.on_message = [&](const AmDelivery& message) {
      if (message.message_class == AmClass::reply) {
        ++replies;
        return;
      }
      if (message.args[1] != next[message.args[0]][message.source]++) ++wrong;
      if (peer.conduit().am_send(message.source, AmClass::reply, {.handler = 3}) != Result::done) ++wrong;
      ++arrived;
    };
    peer.barrier();
    auto hammer = [&](uint64_t thread) {
      std::vector<unsigned char> data(1000, static_cast<unsigned char>(thread));
      for (uint64_t i = 0; i < rounds; ++i) {
        for (RankId target = 0; target < peer.size(); ++target) {
          const uint64_t args[] = {thread, i};
          if (i % 3 == 0) {
            AmRoom room;
            peer.insist([&] { return peer.conduit().am_prepare(target, AmClass::request, 500, room); });
            std::fill_n(static_cast<unsigned char*>(room.data), 500, static_cast<unsigned char>(thread));
            if (i % 2 == 0) {
              peer.conduit().am_cancel(target, AmClass::request);
            } else {
              peer.conduit().am_commit(target, AmClass::request,
                                       {.kind = AmKind::medium,
                                        .handler = plain,
                                        .arg_count = 2,
                                        .args = args,
                                        .payload = room.data,
                                        .size = 400});
              continue;
            }
          }
          peer.send(target, {.kind = i % 3 == 1 ? AmKind::medium : AmKind::short_,
                             .handler = plain,
                             .arg_count = 2,
                             .args = args,
                             .payload = i % 3 == 1 ? data.data() : nullptr,
                             .size = i % 3 == 1 ? data.size() : 0});
        }
      }
      peer.wait_until([&] { return arrived == expected && replies == expected; });
    };
    std::vector<std::thread> team;
    for (unsigned thread = 0; thread < threads; ++thread) team.emplace_back(hammer, thread);
    for (std::thread& thread : team) thread.join();
    EXPECT_EQ(wrong, 0u);
    peer.barrier();
  });
}

// A handler runs on one thread at a time, also when several poll.
TEST(Threads, DeliveriesNeverOverlap) {
  on_every_peer_of_threads([](Peer& peer) {
    uint64_t unguarded = 0;  // ThreadSanitizer would see two deliveries at once
    std::atomic<uint64_t> arrived{0};
    std::atomic<int> inside{0}, overlapped{0};
    peer.on_message = [&](const AmDelivery&) {
      if (inside.fetch_add(1) != 0) ++overlapped;
      ++unguarded;
      inside.fetch_sub(1);
      ++arrived;
    };
    peer.barrier();
    std::vector<std::thread> team;
    for (int thread = 0; thread < 3; ++thread)
      team.emplace_back([&] { peer.wait_until([&] { return arrived == 500; }); });
    for (int i = 0; i < 500; ++i) peer.send(peer.next(), {.handler = plain});
    for (std::thread& thread : team) thread.join();
    EXPECT_EQ(overlapped, 0);
    EXPECT_EQ(unguarded, 500u);
    peer.barrier();
  });
}

}  // namespace
