// Encryption of a connection between two ends in memory: what is written comes out, and nothing else does.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "conduit/ip/tls.hpp"

namespace {

using namespace weft::conduit::ip;
using Text = std::vector<std::byte>;

class Encryption : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(open_tls().ok()); }
};

Mac key_of(unsigned value) {
  Mac key;
  key.fill(std::byte(value));
  return key;
}

Text text_of(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Text text(size);
  for (std::byte& each : text) each = std::byte(random());
  return text;
}

// All that one end has to send.
Text take(Tls& from) {
  Text taken;
  for (Bytes output = from.output(); !output.empty(); output = from.output()) {
    taken.insert(taken.end(), output.begin(), output.end());
    from.sent(output.size());
  }
  return taken;
}

// Adds what comes of it to `plain`. False: the end has refused it.
bool give(Tls& to, Bytes encrypted, Text& plain, size_t at_most = 100'000) {
  while (!encrypted.empty()) {
    const std::span<std::byte> room = to.room();
    const size_t size = std::min({room.size(), encrypted.size(), at_most});
    std::copy_n(encrypted.begin(), size, room.begin());
    to.received(size);
    encrypted = encrypted.subspan(size);
    do {
      std::byte first[5], second[40'000];
      const iovec pieces[] = {{first, sizeof first}, {second, sizeof second}};
      const ssize_t came = to.read(pieces, 2);
      if (came < 0) return false;
      const size_t in_first = std::min(sizeof first, static_cast<size_t>(came));
      plain.insert(plain.end(), first, first + in_first);
      plain.insert(plain.end(), second, second + (static_cast<size_t>(came) - in_first));
    } while (to.holds_input());
  }
  return true;
}

// As many bytes as it takes.
size_t write(Tls& to, const Text& text) {
  const iovec piece = {const_cast<std::byte*>(text.data()), text.size()};
  const ssize_t taken = to.write(&piece, 1);
  EXPECT_GE(taken, 0);
  return static_cast<size_t>(taken);
}

struct Ends {
  explicit Ends(uint64_t records_per_key = Tls::records_of_key)
      : client(Tls::Side::client, key_of(1), records_per_key), server(Tls::Side::server, key_of(1), records_per_key) {}

  bool meet(size_t at_most = 100'000) {
    Text none;
    bool good = true;
    for (int turn = 0; turn < 4 && good; ++turn)
      good = give(server, take(client), none, at_most) && give(client, take(server), none, at_most);
    return good && none.empty() && client.ready() && server.ready();
  }

  Tls client, server;
};

bool contains(const Text& text, const Text& part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end()) != text.end();
}

TEST_F(Encryption, WhatIsWrittenComesOutAndCannotBeSeenOnTheWay) {
  Ends ends;
  ASSERT_TRUE(ends.meet());
  for (Tls* from : {&ends.client, &ends.server}) {
    Tls& to = from == &ends.client ? ends.server : ends.client;
    const Text text = text_of(1000, 1);
    ASSERT_EQ(write(*from, text), text.size());
    const Text on_the_way = take(*from);
    EXPECT_FALSE(contains(on_the_way, Text(text.begin(), text.begin() + 8)));
    Text plain;
    ASSERT_TRUE(give(to, on_the_way, plain));
    EXPECT_EQ(plain, text);
  }
}

TEST_F(Encryption, NothingIsTakenBeforeTheOtherEndHasAnswered) {
  Ends ends;
  EXPECT_FALSE(ends.client.ready());
  EXPECT_EQ(write(ends.client, text_of(10, 1)), 0u);
  EXPECT_EQ(write(ends.server, text_of(10, 1)), 0u);
  EXPECT_TRUE(ends.meet(1));
}

// Pieces of every size against records of 16 KiB, in streams of every cut, and a full buffer in between.
TEST_F(Encryption, StreamsOfPiecesArriveWhole) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  const auto size_up_to = [&](size_t most) { return random() % (random() % most + 1); };
  Ends ends(3);  // keys change all the time
  ASSERT_TRUE(ends.meet());
  Text sent, came;
  for (int round = 0; round < 300; ++round) {
    const Text text = text_of(size_up_to(100'000) + 1, static_cast<unsigned>(random()));
    std::vector<iovec> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t part = std::min(text.size() - at, size_up_to(40'000));
      pieces.push_back({const_cast<std::byte*>(text.data()) + at, part});
      at += part;
    }
    const ssize_t taken = ends.client.write(pieces.data(), pieces.size());
    ASSERT_GE(taken, 0);
    sent.insert(sent.end(), text.begin(), text.begin() + taken);
    if (random() % 3 != 0) {
      ASSERT_TRUE(give(ends.server, take(ends.client), came, size_up_to(70'000) + 1));
    }
  }
  ASSERT_TRUE(give(ends.server, take(ends.client), came));
  EXPECT_GT(sent.size(), 1'000'000u);
  EXPECT_EQ(came, sent);
}

TEST_F(Encryption, AChangedBitEndsTheConnection) {
  const Text text = text_of(300, 1);
  const size_t header = 5;  // a length that is too long only makes the reader wait: it ends with the next record
  for (size_t at = header; at < text.size(); at += 7) {
    Ends ends;
    ASSERT_TRUE(ends.meet());
    write(ends.client, text);
    Text on_the_way = take(ends.client), plain;
    on_the_way[at] ^= std::byte{0x10};
    EXPECT_FALSE(give(ends.server, on_the_way, plain)) << "byte " << at;
    EXPECT_TRUE(plain.empty());
  }
}

TEST_F(Encryption, ARecordCannotBeRepeatedLeftOutOrReflected) {
  const Text text = text_of(300, 1);
  for (int attack = 0; attack < 3; ++attack) {
    Ends ends;
    ASSERT_TRUE(ends.meet());
    Text plain;
    write(ends.client, text);
    const Text first = take(ends.client);
    write(ends.client, text);
    const Text second = take(ends.client);
    if (attack == 0) {
      EXPECT_TRUE(give(ends.server, first, plain));
      EXPECT_FALSE(give(ends.server, first, plain));
      EXPECT_EQ(plain, text);
    } else if (attack == 1) {
      EXPECT_FALSE(give(ends.server, second, plain));
    } else {
      EXPECT_FALSE(give(ends.client, first, plain));
    }
  }
}

TEST_F(Encryption, AnotherKeyIsRefused) {
  Tls client(Tls::Side::client, key_of(1)), server(Tls::Side::server, key_of(2));
  Text none;
  EXPECT_FALSE(give(server, take(client), none));
  EXPECT_FALSE(server.ready());
  EXPECT_FALSE(client.ready());
}

TEST_F(Encryption, GarbageIsRefused) {
  for (const Tls::Side side : {Tls::Side::client, Tls::Side::server}) {
    Tls end(side, key_of(1));
    Text none;
    EXPECT_FALSE(give(end, text_of(2000, 3), none));
    EXPECT_TRUE(none.empty());
    EXPECT_FALSE(end.ready());
  }
}

}  // namespace
