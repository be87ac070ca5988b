// The contract's active messages.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "conformance/fixture.hpp"

namespace {

using namespace conformance;

constexpr uint16_t plain = 1, asks_for_reply = 2, reply = 3;

CONDUIT_TEST(Message, EveryKindCarriesItsArgumentsAndPayload) {
  const size_t most = peer.conduit().capabilities().max_medium;
  const size_t most_long = std::min<size_t>(peer.conduit().capabilities().max_long, 200000);
  uint64_t arrived = 0, wrong = 0;
  // args[0]: the expected size; the others count on from the sender's rank.
  peer.on_message = [&](const AmDelivery& message) {
    wrong += message.message_class != AmClass::request || message.source != peer.previous() || message.handler != plain;
    for (uint8_t i = 1; i < message.arg_count; ++i) wrong += message.args[i] != uint64_t{i} + message.source;
    const auto* bytes = static_cast<const unsigned char*>(message.payload);
    if (message.kind == AmKind::short_) wrong += message.size != 0;
    if (message.kind != AmKind::short_ && message.arg_count > 0) {
      wrong += message.size != message.args[0];
      for (size_t i = 0; i < message.size; ++i) wrong += bytes[i] != static_cast<unsigned char>(i + message.source);
    }
    if (message.kind == AmKind::medium) wrong += reinterpret_cast<uintptr_t>(bytes) % 16 != 0;
    if (message.kind == AmKind::long_)
      wrong += message.payload != static_cast<void*>(peer.conduit().segment() + base_offset + 5);
    ++arrived;
  };
  peer.barrier();
  uint64_t sent = 0;
  std::vector<unsigned char> data(std::max(most, most_long));
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i + peer.rank());
  for (AmKind kind : {AmKind::short_, AmKind::medium, AmKind::long_}) {
    for (size_t size : {size_t{0}, size_t{1}, size_t{64}, size_t{4096}, most, most_long}) {
      if ((kind == AmKind::short_ && size != 0) || (kind == AmKind::medium && size > most)) continue;
      for (uint8_t count = 0; count <= am_max_args; ++count) {
        uint64_t args[am_max_args];
        for (uint8_t i = 0; i < am_max_args; ++i) args[i] = uint64_t{i} + peer.rank();
        args[0] = size;
        peer.send(peer.next(), {.kind = kind,
                                .handler = plain,
                                .arg_count = count,
                                .args = args,
                                .payload = kind == AmKind::short_ ? nullptr : data.data(),
                                .size = size,
                                .offset = base_offset + 5});
        ++sent;
        // A long message's data may be overwritten by the next one's: one at a time, and the peer's too.
        if (kind == AmKind::long_) {
          peer.wait_until([&] { return arrived == sent; });
          peer.barrier();
        }
      }
    }
  }
  peer.wait_until([&] { return arrived == sent; });
  EXPECT_EQ(wrong, 0u);
  peer.barrier();
  EXPECT_EQ(arrived, sent);
}

CONDUIT_TEST(Message, HandlerNumbersArriveAsSent) {
  uint64_t sum = 0, arrived = 0;
  peer.on_message = [&](const AmDelivery& message) { sum += message.handler, ++arrived; };
  peer.barrier();
  uint64_t expected = 0;
  for (uint32_t handler : {0u, 1u, 199u, 255u, 256u, 1000u, 32767u, 65535u}) {
    peer.send(peer.next(), {.handler = static_cast<uint16_t>(handler)});
    expected += handler;
  }
  peer.wait_until([&] { return arrived == 8; });
  EXPECT_EQ(sum, expected);
  peer.barrier();
}

CONDUIT_TEST(Message, ALongMessageWithoutPayloadTellsOfDataInPlace) {
  bool told = false, right = false;
  peer.on_message = [&](const AmDelivery& message) {
    told = true;
    right = message.payload == static_cast<void*>(peer.conduit().segment() + base_offset) && message.size == 77;
  };
  peer.barrier();
  peer.send(peer.next(), {.kind = AmKind::long_, .handler = plain, .size = 77, .offset = base_offset});
  peer.wait_until([&] { return told; });
  EXPECT_TRUE(right);
  peer.barrier();
}

CONDUIT_TEST(Message, ThoseOfOneSenderArriveInOrderWhateverTheirKind) {
  std::vector<uint64_t> next(peer.size(), 0);
  uint64_t arrived = 0, wrong = 0;
  peer.on_message = [&](const AmDelivery& message) {
    wrong += message.args[0] != next[message.source]++;
    ++arrived;
  };
  peer.barrier();
  auto random = std::mt19937_64(peer.rank());
  const std::vector<unsigned char> data(peer.conduit().capabilities().max_medium);
  constexpr uint64_t rounds = 700;
  for (uint64_t i = 0; i < rounds; ++i) {
    const uint64_t args[8] = {i};
    for (RankId target = 0; target < peer.size(); ++target) {
      const auto count = static_cast<uint8_t>(1 + random() % 8);
      const bool medium = random() % 3 == 0;
      const size_t size = medium ? random() % (random() % 8 == 0 ? data.size() : 300) : 0;
      peer.send(target, {.kind = medium ? AmKind::medium : AmKind::short_,
                         .handler = plain,
                         .arg_count = count,
                         .args = args,
                         .payload = medium ? data.data() : nullptr,
                         .size = size});
    }
  }
  peer.wait_until([&] { return arrived == rounds * peer.size(); });
  EXPECT_EQ(wrong, 0u);
  peer.barrier();
  EXPECT_EQ(arrived, rounds * peer.size());
}

CONDUIT_TEST(Message, MemoryPutBeforeIsVisibleToTheHandler) {
  NEEDS(peer.conduit().capabilities().put_get);
  uint64_t arrived = 0, wrong = 0;
  peer.on_message = [&](const AmDelivery& message) {
    uint64_t seen = 0;
    std::memcpy(&seen, peer.conduit().segment() + base_offset + 8 * message.args[0], 8);
    wrong += seen != message.args[0] + 1;
    ++arrived;
  };
  peer.barrier();
  for (uint64_t i = 0; i < 300; ++i) {
    const uint64_t value = i + 1;
    Completion completion;
    peer.complete(completion,
                  [&] { return peer.conduit().put(peer.next(), base_offset + 8 * i, &value, 8, {}, &completion); });
    peer.send(peer.next(), {.handler = plain, .arg_count = 1, .args = &i});
  }
  peer.wait_until([&] { return arrived == 300; });
  EXPECT_EQ(wrong, 0u);
  peer.barrier();
}

// ---- Replies ----

// Everybody asks everybody at once, without ever polling by choice, and every handler answers with the largest payload:
// replies must never be declined, and nobody may wait for ever.
CONDUIT_TEST(Reply, IsNeverDeclinedHoweverManyRequestsWait) {
  const std::vector<unsigned char> large(peer.conduit().capabilities().max_medium, 0x3d);
  uint64_t replies = 0, declined = 0, wrong = 0;
  peer.on_message = [&](const AmDelivery& message) {
    if (message.message_class == AmClass::reply) {
      wrong += message.handler != reply || message.size != large.size() ||
               static_cast<const unsigned char*>(message.payload)[message.size - 1] != 0x3d;
      ++replies;
      return;
    }
    if (message.args[0] % 2 == 0) {
      declined += peer.conduit().am_send(message.source, AmClass::reply,
                                         {.kind = AmKind::medium,
                                          .handler = reply,
                                          .arg_count = 8,
                                          .args = std::vector<uint64_t>(8).data(),
                                          .payload = large.data(),
                                          .size = large.size()}) != Result::done;
    } else {
      AmRoom room;
      declined += peer.conduit().am_prepare(message.source, AmClass::reply, large.size(), room) != Result::done;
      std::memset(room.data, 0x3d, large.size());
      peer.conduit().am_commit(message.source, AmClass::reply,
                               {.kind = AmKind::medium, .handler = reply, .payload = room.data, .size = large.size()});
    }
  };
  peer.barrier();
  constexpr uint64_t rounds = 120;
  for (uint64_t i = 0; i < rounds; ++i)
    for (RankId target = 0; target < peer.size(); ++target)
      peer.send(target, {.handler = asks_for_reply, .arg_count = 1, .args = &i});
  peer.wait_until([&] { return replies == rounds * peer.size(); });
  EXPECT_EQ(declined, 0u);
  EXPECT_EQ(wrong, 0u);
  peer.barrier();
}

CONDUIT_TEST(Reply, LongRepliesPutTheirDataInPlace) {
  const size_t size = peer.conduit().capabilities().max_medium;
  uint64_t replies = 0, wrong = 0;
  peer.on_message = [&](const AmDelivery& message) {
    if (message.message_class == AmClass::request) {
      const std::vector<unsigned char> data(size, static_cast<unsigned char>(message.args[0]));
      wrong += peer.conduit().am_send(message.source, AmClass::reply,
                                      {.kind = AmKind::long_,
                                       .handler = reply,
                                       .arg_count = 1,
                                       .args = message.args,
                                       .payload = data.data(),
                                       .size = size,
                                       .offset = base_offset}) != Result::done;
      return;
    }
    const auto* bytes = static_cast<const unsigned char*>(message.payload);
    wrong += static_cast<size_t>(
                 std::count(bytes, bytes + message.size, static_cast<unsigned char>(message.args[0]))) != size;
    ++replies;
  };
  peer.barrier();
  for (uint64_t i = 0; i < 20; ++i) {
    peer.send(peer.next(), {.handler = asks_for_reply, .arg_count = 1, .args = &i});
    peer.wait_until([&] { return replies == i + 1; });
  }
  EXPECT_EQ(wrong, 0u);
  peer.barrier();
}

// ---- Prepare, commit, cancel ----

CONDUIT_TEST(Prepared, MessagesArriveAndCancelledOnesDoNot) {
  uint64_t arrived = 0, wrong = 0;
  peer.on_message = [&](const AmDelivery& message) {
    const auto* bytes = static_cast<const unsigned char*>(message.payload);
    wrong += message.size != message.args[1];
    for (size_t i = 0; i < message.size; ++i) wrong += bytes[i] != static_cast<unsigned char>(message.args[0]);
    ++arrived;
  };
  peer.barrier();
  const size_t most = peer.conduit().capabilities().max_medium;
  uint64_t sent = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    const size_t capacity = i % 5 == 0 ? most : (i * 331) % 3000;
    AmRoom room;
    peer.insist([&] { return peer.conduit().am_prepare(peer.next(), AmClass::request, capacity, room); });
    ASSERT_GE(room.capacity, capacity);
    std::memset(room.data, static_cast<int>(i & 0xff), capacity);
    if (i % 3 == 2) {
      peer.conduit().am_cancel(peer.next(), AmClass::request);
      continue;
    }
    const uint64_t args[] = {i & 0xff, capacity / (1 + i % 2)};
    const bool is_long = i % 7 == 1 && capacity < most && peer.conduit().mapped(peer.next()) == nullptr;
    peer.conduit().am_commit(peer.next(), AmClass::request,
                             {.kind = is_long ? AmKind::long_ : AmKind::medium,
                              .handler = plain,
                              .arg_count = 2,
                              .args = args,
                              .payload = room.data,
                              .size = args[1],
                              .offset = is_long ? base_offset + i / 7 * 3000 : 0});
    ++sent;
  }
  peer.wait_until([&] { return arrived == sent; });
  EXPECT_EQ(wrong, 0u);
  peer.barrier();
  EXPECT_EQ(arrived, sent);
}

// A full queue declines, and takes messages again when the receiver has polled.
CONDUIT_TEST(Message, AFullQueueDeclinesAndRecovers) {
  uint64_t arrived = 0;
  peer.on_message = [&](const AmDelivery&) { ++arrived; };
  peer.barrier();
  uint64_t sent = 0;
  // To itself: nobody polls but this thread.
  while (sent < 100000 && peer.conduit().am_send(peer.rank(), AmClass::request, {.handler = plain}) == Result::done)
    ++sent;
  EXPECT_LT(sent, 100000u) << "the queue is never full";
  peer.wait_until([&] { return arrived == sent; });
  peer.send(peer.rank(), {.handler = plain});
  peer.wait_until([&] { return arrived == sent + 1; });
  peer.barrier();
}

// More than a network may have posted receives for, and data right behind: the receiver takes it all in at once.
CONDUIT_TEST(Message, AllArriveAtARankThatLookedAway) {
  constexpr size_t size = 200000;
  const bool puts = peer.conduit().capabilities().put_get && size * peer.size() <= peer.conduit().segment_size() / 2;
  const auto place_of = [](RankId sender) { return base_offset + sender * size; };
  uint64_t arrived = 0, announced = 0, ended = 0, wrong = 0;
  peer.on_message = [&](const AmDelivery& message) {
    if (message.handler == plain) {
      ++arrived;
      const auto* bytes = static_cast<const unsigned char*>(message.payload);
      for (size_t i = 0; i < message.size; ++i) wrong += bytes[i] != static_cast<unsigned char>(message.args[0]);
    } else {
      ++ended;
      announced += message.args[0];
    }
  };
  for (int round = 0; round < 3; ++round) {
    peer.barrier();
    Completion completion;
    uint64_t sent = 0;
    std::vector<unsigned char> data(size, static_cast<unsigned char>(peer.rank() + round));
    Result put = Result::done;
    for (uint64_t i = 0; i < 200 && peer.rank() != 0; ++i) {
      std::vector<unsigned char> text(100 + i, static_cast<unsigned char>(i));
      sent += peer.conduit().am_send(0, AmClass::request,
                                     {.kind = AmKind::medium,
                                      .handler = plain,
                                      .arg_count = 1,
                                      .args = &i,
                                      .payload = text.data(),
                                      .size = text.size()}) == Result::done;
    }
    peer.barrier_without_polling();
    if (puts && peer.rank() != 0)
      put = peer.conduit().put(0, place_of(peer.rank()), data.data(), size, {}, &completion);
    peer.barrier_without_polling();
    if (peer.rank() != 0) {
      if (put == Result::posted) peer.wait_until([&] { return completion.remote.load() == 1; });
      if (put == Result::retry)
        peer.complete(completion,
                      [&] { return peer.conduit().put(0, place_of(peer.rank()), data.data(), size, {}, &completion); });
      peer.send(0, {.handler = asks_for_reply, .arg_count = 1, .args = &sent});
    } else {
      peer.wait_until([&] { return ended == (round + 1) * (peer.size() - 1) && arrived == announced; });
      for (RankId sender = 1; puts && sender < peer.size(); ++sender) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(peer.conduit().segment() + place_of(sender));
        for (size_t i = 0; i < size; ++i) wrong += bytes[i] != static_cast<unsigned char>(sender + round);
      }
    }
    EXPECT_EQ(wrong, 0u);
    peer.barrier();
  }
}

// Every rank fills the room that rank 0 has for it while rank 0 does not look; with a progress thread that takes the
// messages in, all buffers are used up and some senders find none. Then rank 0 looks, and all must go on.
CONDUIT_TEST(Message, AllGoOnWhenTheRoomOfAllWasFull) {
  constexpr size_t size = 600;
  uint64_t arrived = 0, announced = 0, ended = 0;
  peer.on_message = [&](const AmDelivery& message) {
    if (message.handler == plain) {
      ++arrived;
    } else {
      ++ended;
      announced += message.args[0];
    }
  };
  for (uint64_t round = 1; round <= 3; ++round) {
    peer.barrier();
    uint64_t sent = 0;
    const std::vector<unsigned char> data(size, static_cast<unsigned char>(round));
    const AmMessage message{.kind = AmKind::medium, .handler = plain, .payload = data.data(), .size = size};
    while (peer.rank() != 0 && sent < 10'000 && peer.conduit().am_send(0, AmClass::request, message) == Result::done)
      ++sent;
    peer.barrier_without_polling();
    if (peer.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for the progress thread
    peer.barrier_without_polling();
    if (peer.rank() != 0) peer.send(0, {.handler = asks_for_reply, .arg_count = 1, .args = &sent});
    if (peer.rank() == 0) peer.wait_until([&] { return ended == round * (peer.size() - 1) && arrived == announced; });
    peer.barrier();
  }
}

}  // namespace
