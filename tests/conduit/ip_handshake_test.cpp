// The handshake of conduit ip between two ends in memory: who gets in, and what attackers can do with what they saw.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <vector>

#include "conduit/ip/handshake.hpp"

namespace {

using namespace weft::conduit;
using namespace weft::conduit::ip;
using Step = Handshake::Step;
using Message = std::vector<std::byte>;

class Handshakes : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(open_crypto().ok()); }
};

Credentials rank_of_job(RankId rank, std::string_view secret = "0123456789abcdef", Security security = Security::auth) {
  return {.key = key_of(bytes_of(secret)), .rank = rank, .size = 4, .security = security};
}

Nonce nonce_of(unsigned value) {
  Nonce nonce;
  nonce.fill(std::byte(value));
  return nonce;
}

Message take(Handshake& from) {
  const Bytes output = from.output();
  Message message(output.begin(), output.end());
  from.sent(message.size());
  return message;
}

// In pieces of `at_most` bytes, until the other end wants no more.
Step give(Handshake& to, const Message& message, size_t at_most = 1000) {
  size_t at = 0;
  while (at < message.size() && !to.room().empty() && to.step() == Step::more) {
    const size_t size = std::min({at_most, message.size() - at, to.room().size()});
    std::copy_n(message.begin() + static_cast<std::ptrdiff_t>(at), size, to.room().begin());
    to.received(size);
    at += size;
  }
  return to.step();
}

struct Pair {
  Credentials caller = rank_of_job(1), called = rank_of_job(2);
  Handshake initiator = Handshake::call(caller, 2, nonce_of(1));
  Handshake responder = Handshake::answer(called, nonce_of(2));
  std::vector<Message> said;  // hello, challenge, proof, verdict

  Message pass(Handshake& from, Handshake& to, size_t at_most = 1000) {
    said.push_back(take(from));
    give(to, said.back(), at_most);
    return said.back();
  }
  void run(Verdict verdict, size_t at_most = 1000) {
    pass(initiator, responder, at_most);
    pass(responder, initiator, at_most);
    pass(initiator, responder, at_most);
    ASSERT_EQ(responder.step(), Step::asks);
    responder.decide(verdict);
    pass(responder, initiator, at_most);
  }
};

TEST_F(Handshakes, TwoRanksOfAJobGetTogetherHoweverTheBytesCome) {
  for (const size_t at_most : {1, 7, 1000}) {
    for (const Verdict verdict : {Verdict::welcome, Verdict::connected, Verdict::crossing}) {
      Pair pair;
      pair.run(verdict, at_most);
      EXPECT_EQ(pair.initiator.step(), Step::over);
      EXPECT_EQ(pair.responder.step(), Step::over);
      EXPECT_EQ(pair.initiator.verdict(), verdict);
      EXPECT_EQ(pair.responder.peer(), 1u);
      EXPECT_TRUE(pair.initiator.room().empty()) << "what follows the verdict stays in the socket";
    }
  }
}

TEST_F(Handshakes, AnotherSecretConvincesNeitherEnd) {
  const Credentials stranger = rank_of_job(1, "0123456789abcdeF");
  const Credentials called = rank_of_job(2);
  Handshake initiator = Handshake::call(stranger, 2, nonce_of(1));
  Handshake responder = Handshake::answer(called, nonce_of(2));
  give(responder, take(initiator));
  EXPECT_EQ(give(initiator, take(responder)), Step::wrong);
  // A stranger who does not care.
  EXPECT_EQ(give(responder, Message(sizeof(Mac), std::byte{7})), Step::wrong);
}

TEST_F(Handshakes, AKeyIsOfItsSecretAndItsNonceAndAFingerprintOfTheKey) {
  const Mac key = key_of(bytes_of("secret"), bytes_of("nonce"));
  EXPECT_EQ(fingerprint_of(key), fingerprint_of(key_of(bytes_of("secret"), bytes_of("nonce"))));
  EXPECT_EQ(fingerprint_of(key).size(), fingerprint_size);
  for (const Mac& other : {key_of(bytes_of("secret"), bytes_of("other")), key_of(bytes_of("Secret"), bytes_of("nonce")),
                           key_of(bytes_of("secret"))}) {
    EXPECT_FALSE(equal(key, other));
    EXPECT_NE(fingerprint_of(key), fingerprint_of(other));
  }
}

TEST_F(Handshakes, ARecordedHandshakeOpensNothing) {
  Pair recorded;
  recorded.run(Verdict::welcome);
  const Credentials called = rank_of_job(2);
  Handshake responder = Handshake::answer(called, nonce_of(3));
  EXPECT_EQ(give(responder, recorded.said[0]), Step::more);
  EXPECT_EQ(give(responder, recorded.said[2]), Step::wrong);
  const Credentials caller = rank_of_job(1);
  Handshake initiator = Handshake::call(caller, 2, nonce_of(4));
  EXPECT_EQ(give(initiator, recorded.said[1]), Step::wrong);
}

// The attacker has no secret; it sends a rank's own messages back, on this connection or on another one that it opens.
TEST_F(Handshakes, ReflectionOpensNothing) {
  const Credentials rank = rank_of_job(2);
  Handshake responder = Handshake::answer(rank, nonce_of(2));
  Hello hello;
  hello.security = static_cast<uint16_t>(Security::auth);
  hello.initiator = 1;
  hello.responder = 2;
  Message text(sizeof hello);
  std::memcpy(text.data(), &hello, sizeof hello);
  give(responder, text);
  const Message challenge = take(responder);
  EXPECT_EQ(give(responder, Message(challenge.begin() + nonce_size, challenge.end())), Step::wrong);

  // The rank calls rank 1; the attacker in its place sends the hello to the rank itself.
  Handshake calling = Handshake::call(rank, 1, nonce_of(5));
  Handshake own = Handshake::answer(rank, nonce_of(6));
  EXPECT_EQ(give(own, take(calling)), Step::wrong);
}

TEST_F(Handshakes, AnotherModeVersionRankOrMagicIsRefused) {
  const Credentials called = rank_of_job(2);
  Hello good;
  good.security = static_cast<uint16_t>(Security::auth);
  good.initiator = 1;
  good.responder = 2;
  const auto first_step = [&](auto change) {
    Hello hello = good;
    change(hello);
    Handshake responder = Handshake::answer(called, nonce_of(2));
    Message text(sizeof hello);
    std::memcpy(text.data(), &hello, sizeof hello);
    return give(responder, text);
  };
  EXPECT_EQ(first_step([](Hello&) {}), Step::more);
  EXPECT_EQ(first_step([](Hello& hello) { hello.security = 0; }), Step::wrong) << "a downgrade";
  EXPECT_EQ(first_step([](Hello& hello) { ++hello.version; }), Step::wrong);
  EXPECT_EQ(first_step([](Hello& hello) { hello.magic[0] = 'W'; }), Step::wrong);
  EXPECT_EQ(first_step([](Hello& hello) { hello.initiator = 2; }), Step::wrong) << "itself";
  EXPECT_EQ(first_step([](Hello& hello) { hello.initiator = 4; }), Step::wrong) << "no rank of the job";
  EXPECT_EQ(first_step([](Hello& hello) { hello.responder = 3; }), Step::wrong);
  EXPECT_EQ(first_step([](Hello& hello) { hello.zero = 1; }), Step::wrong);
  EXPECT_EQ(first_step([](Hello& hello) { hello.reserved = 1; }), Step::wrong);
}

TEST_F(Handshakes, AChangedBitInAnyMessageEndsIt) {
  for (size_t which = 0; which < 4; ++which) {
    Pair whole;
    whole.run(Verdict::welcome);
    for (size_t bit = 0; bit < 8 * whole.said[which].size(); bit += 5) {
      Pair pair;
      std::vector<Message> sent;
      Handshake* ends[] = {&pair.initiator, &pair.responder};
      for (size_t i = 0; i < 4; ++i) {
        Message message = take(*ends[i % 2]);
        if (message.empty()) break;
        if (i == which) message[bit / 8] ^= std::byte(1u << bit % 8);
        give(*ends[1 - i % 2], message);
        if (i == 2 && pair.responder.step() == Step::asks) pair.responder.decide(Verdict::welcome);
      }
      const bool in = pair.initiator.step() == Step::over && pair.responder.step() == Step::over;
      const bool refused = pair.initiator.step() == Step::wrong || pair.responder.step() == Step::wrong;
      EXPECT_TRUE(refused && !in) << "message " << which << ", bit " << bit;
    }
  }
}

TEST_F(Handshakes, GarbageConvincesNobody) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  const Credentials rank = rank_of_job(2);
  for (int round = 0; round < 20000; ++round) {
    Handshake end = round % 2 == 0 ? Handshake::answer(rank, nonce_of(1)) : Handshake::call(rank, 1, nonce_of(1));
    Pair recorded;
    Message message(random() % 150);
    for (std::byte& byte : message) byte = std::byte(random());
    if (round % 4 == 0) {
      const Message hello = take(recorded.initiator);
      message.insert(message.begin(), hello.begin(), hello.end());
    }
    give(end, message, 1 + random() % 40);
    EXPECT_NE(end.step(), Step::asks);
    EXPECT_NE(end.step(), Step::over);
  }
}

}  // namespace
