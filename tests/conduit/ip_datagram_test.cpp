// Datagrams: their seals; what a DatagramPath makes of a network that loses, repeats and reorders; and two ranks whose
// sockets have such a network between them. Random tests print their seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "conduit/ip/datagram.hpp"

namespace {

using namespace weft::conduit;
using namespace weft::conduit::ip;
using Random = std::mt19937_64;
using Text = std::vector<std::byte>;

constexpr uint64_t millisecond = 1'000'000;

// ---- Seals ----

class IpSeal : public testing::TestWithParam<Seal::How> {
 protected:
  static constexpr size_t head = 16, text = 40, all = head + text + Seal::tag_size;

  void SetUp() override {
    ASSERT_TRUE(open_crypto().ok());
    ASSERT_TRUE(Seal::possible(GetParam()));
  }
  static Text made() {
    Text bytes(all);
    for (size_t i = 0; i < head + text; ++i) bytes[i] = std::byte{static_cast<uint8_t>(i)};
    return bytes;
  }
  static Mac key(std::string_view words) { return mac_of(bytes_of(words), {}, {}); }
};

TEST_P(IpSeal, OpensWhatTheOtherEndHasClosed) {
  Seal one(GetParam(), key("key")), other(GetParam(), key("key"));
  for (const uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40}) {
    Text bytes = made();
    const Text before = bytes;
    one.close(bytes, head, number);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + head, before.begin()));
    const bool legible = std::equal(bytes.begin() + head, bytes.begin() + head + text, before.begin() + head);
    EXPECT_EQ(legible, GetParam() == Seal::How::tag);
    ASSERT_TRUE(other.open(bytes, head, number));
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + head + text, before.begin()));
  }
}

TEST_P(IpSeal, RefusesEveryChangedBit) {
  Seal one(GetParam(), key("key")), other(GetParam(), key("key"));
  Text closed = made();
  one.close(closed, head, 7);
  for (size_t bit = 0; bit < 8 * all; ++bit) {
    Text changed = closed;
    changed[bit / 8] ^= std::byte{static_cast<uint8_t>(1u << bit % 8)};
    EXPECT_FALSE(other.open(changed, head, 7)) << "bit " << bit;
  }
  for (size_t size = 0; size < all; ++size) {
    Text part(closed.begin(), closed.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(other.open(part, head, 7)) << size << " bytes";
  }
  EXPECT_TRUE(other.open(closed, head, 7));
}

// The first of the test vectors of SipHash's authors for 128 bits: nothing, with the key 00 01 ... 0f.
TEST(IpSealTag, IsSipHash) {
  Mac key{};
  for (size_t i = 0; i < 16; ++i) key[i] = std::byte{static_cast<uint8_t>(i)};
  Text tag(Seal::tag_size);
  Seal(Seal::How::tag, key).close(tag, 0, 0);
  constexpr std::array<uint8_t, 16> expected = {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6,
                                                0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93};
  EXPECT_TRUE(std::equal(tag.begin(), tag.end(), expected.begin(), expected.end(),
                         [](std::byte one, uint8_t other) { return static_cast<uint8_t>(one) == other; }));
}

TEST_P(IpSeal, RefusesWhatWasClosedWithAnotherKey) {
  Seal one(GetParam(), key("initiator")), other(GetParam(), key("responder"));
  Text bytes = made();
  one.close(bytes, head, 1);
  EXPECT_FALSE(other.open(bytes, head, 1));
}

TEST_P(IpSeal, SealsWhatHasNoText) {
  Seal one(GetParam(), key("key")), other(GetParam(), key("key"));
  Text bytes(head + Seal::tag_size);
  one.close(bytes, head, 1);
  EXPECT_TRUE(other.open(bytes, head, 1));
}

INSTANTIATE_TEST_SUITE_P(, IpSeal, testing::Values(Seal::How::tag, Seal::How::encrypt),
                         [](const auto& each) { return each.param == Seal::How::tag ? "tag" : "encrypt"; });

// ---- A path ----

Bytes bytes_of_number(const uint64_t& number) { return std::as_bytes(std::span(&number, 1)); }

// Both know of each other.
void meet(DatagramPath& one, DatagramPath& other) {
  ASSERT_TRUE(other.take_acknowledgement(one.acknowledge()));
  ASSERT_TRUE(one.take_acknowledgement(other.acknowledge()));
  ASSERT_TRUE(other.take_acknowledgement(one.acknowledge()));
}

TEST(IpDatagramPath, TakesNothingBeforeTheOtherEndHasAnswered) {
  DatagramPath one, other;
  EXPECT_FALSE(one.takes(8));
  ASSERT_TRUE(other.take_acknowledgement(one.acknowledge()));
  EXPECT_FALSE(other.takes(8));  // it has heard, but may not be heard
  ASSERT_TRUE(one.take_acknowledgement(other.acknowledge()));
  EXPECT_TRUE(one.takes(8));
  EXPECT_TRUE(one.takes(datagram_frames_max));
  EXPECT_FALSE(one.takes(datagram_frames_max + 1));
}

TEST(IpDatagramPath, GivesUpAnEndThatDoesNotAnswerAndTakesItUpWhenItDoes) {
  DatagramPath one, other;
  int sent = 0, given_up = 0;
  for (uint64_t now = 0; now < 5'000 * millisecond; now += millisecond / 4) {
    switch (one.due(now)) {
      case DatagramPath::Due::acknowledge:
        ++sent;
        (void)one.acknowledge();
        break;
      case DatagramPath::Due::give_up:
        ++given_up;
        break;
      default:
        break;
    }
  }
  EXPECT_EQ(sent, DatagramPath::tries_max);
  EXPECT_EQ(given_up, 1);
  EXPECT_TRUE(one.idle());
  EXPECT_FALSE(one.takes(8));
  meet(other, one);
  EXPECT_TRUE(one.takes(8));
}

TEST(IpDatagramPath, HasNoMoreUnderWayThanTheWindow) {
  DatagramPath one, other;
  meet(one, other);
  const uint64_t number = 1;
  for (size_t i = 0; i < DatagramPath::window; ++i) {
    ASSERT_TRUE(one.takes(8));
    const DatagramHeader header = one.send(bytes_of_number(number));
    ASSERT_EQ(other.take(header, bytes_of_number(number), 0), DatagramPath::Fate::now);
    other.carried_out();
  }
  EXPECT_FALSE(one.takes(8));
  EXPECT_TRUE(other.owes_at_once());
  ASSERT_TRUE(one.take_acknowledgement(other.acknowledge()));
  EXPECT_FALSE(other.owes_at_once());
  EXPECT_TRUE(one.takes(8));
  EXPECT_FALSE(one.unacknowledged());
}

TEST(IpDatagramPath, CarriesNothingOutTwice) {
  DatagramPath one, other;
  meet(one, other);
  const uint64_t number = 1;
  const DatagramHeader header = one.send(bytes_of_number(number));
  ASSERT_EQ(other.take(header, bytes_of_number(number), 0), DatagramPath::Fate::now);
  other.carried_out();
  EXPECT_EQ(other.take(header, bytes_of_number(number), 0), DatagramPath::Fate::dropped);
  EXPECT_EQ(other.take_again(header.sequence), DatagramPath::Fate::dropped);
  EXPECT_EQ(other.due(0), DatagramPath::Due::acknowledge);  // the acknowledgement was lost, it seems
}

TEST(IpDatagramPath, HoldsWhatComesBeforeItsTurn) {
  DatagramPath one, other;
  meet(one, other);
  const uint64_t numbers[] = {1, 2, 3};
  DatagramHeader headers[3];
  for (size_t i = 0; i < 3; ++i) headers[i] = one.send(bytes_of_number(numbers[i]));
  headers[0].stream = 100;
  EXPECT_EQ(other.take(headers[2], bytes_of_number(numbers[2]), 0), DatagramPath::Fate::later);
  EXPECT_EQ(other.take(headers[2], bytes_of_number(numbers[2]), 0), DatagramPath::Fate::dropped);
  EXPECT_EQ(other.take(headers[0], bytes_of_number(numbers[0]), 99), DatagramPath::Fate::later);
  EXPECT_TRUE(other.next_held(99).empty());
  EXPECT_EQ(other.next_held(100).size(), sizeof(uint64_t));
  other.carried_out();
  EXPECT_TRUE(other.next_held(100).empty());
  EXPECT_EQ(other.take_again(headers[1].sequence), DatagramPath::Fate::now);
  other.carried_out();
  EXPECT_EQ(other.next_held(100).size(), sizeof(uint64_t));
  other.carried_out();
  EXPECT_FALSE(other.holds());
}

TEST(IpDatagramPath, RefusesWhatMakesNoSense) {
  DatagramPath one, other;
  meet(one, other);
  DatagramHeader header = one.acknowledge();
  header.acknowledged = 2;
  EXPECT_FALSE(other.take_acknowledgement(header));  // of what was never sent
  EXPECT_FALSE(other.take_again(0).has_value());
  EXPECT_FALSE(other.take_again(2).has_value());  // the connection brings the oldest first
  const uint64_t number = 1;
  header = one.send(bytes_of_number(number));
  for (const uint64_t sequence : {uint64_t{1} + DatagramPath::window, UINT64_MAX}) {
    header.sequence = sequence;
    EXPECT_EQ(other.take(header, bytes_of_number(number), 0), DatagramPath::Fate::dropped);
  }
  EXPECT_FALSE(other.holds());
}

TEST(IpDatagramPath, LeavesTheConnectionToCarryWhatIsNotAcknowledgedInTimeAndPauses) {
  DatagramPath one, other;
  meet(one, other);
  const uint64_t number = 1;
  uint64_t now = 1000 * millisecond;
  for (uint64_t pause = 0; pause < 4 * DatagramPath::longest_pause_ns;
       pause = pause == 0 ? DatagramPath::first_pause_ns : 2 * pause) {
    (void)one.send(bytes_of_number(number));
    EXPECT_EQ(one.due(now), DatagramPath::Due::nothing);
    now += DatagramPath::lost_after_ns;
    ASSERT_EQ(one.due(now), DatagramPath::Due::hand_over);
    while (one.unacknowledged()) (void)one.hand_over();
    const uint64_t expected = std::min(pause, DatagramPath::longest_pause_ns);
    if (expected != 0) (void)one.due(now + expected - 1);
    EXPECT_EQ(one.takes(8), expected == 0);
    now += expected;
    (void)one.due(now);
    EXPECT_TRUE(one.takes(8));
    EXPECT_TRUE(one.idle());
  }
}

// One end of a pair, which sends numbers that the other must get in order, each once.
struct End {
  DatagramPath path;
  std::deque<std::pair<uint64_t, uint64_t>> stream;  // what it has put into the connection: sequence or 0, number
  uint64_t stream_sent = 0, stream_taken = 0, sent = 0, got = 0, datagrams = 0;
};
struct InFlight {
  DatagramHeader header;
  uint64_t number;
  bool frames;
};

class Simulation {
 public:
  explicit Simulation(uint64_t seed) : random_(seed), loss_(static_cast<double>(seed % 5) * 0.1) {}

  void run() {
    for (int step = 0; step < 4000; ++step) {
      now_ += random_() % millisecond;
      const size_t end = random_() % 2;
      switch (random_() % 4) {
        case 0:
          send(end);
          break;
        case 1:
          deliver_datagram(end);
          break;
        case 2:
          deliver_stream(end);
          break;
        default:
          look(end);
      }
      if (testing::Test::HasFatalFailure()) return;
    }
    for (int i = 0; i < 2; ++i)
      for (size_t end = 0; end < 2; ++end) {
        hand_over(end);
        while (!ends_[end].stream.empty()) deliver_stream(1 - end);
      }
    for (size_t end = 0; end < 2; ++end) {
      EXPECT_EQ(ends_[end].got, ends_[1 - end].sent);
      EXPECT_GT(ends_[end].datagrams, 0u);
    }
  }

 private:
  void hand_over(size_t from) {
    End& end = ends_[from];
    while (end.path.unacknowledged()) {
      const DatagramPath::Again again = end.path.hand_over();
      uint64_t number;
      std::memcpy(&number, again.frames.data(), sizeof number);
      end.stream.push_back({again.sequence, number});
      ++end.stream_sent;
    }
  }
  void send(size_t from) {
    End& end = ends_[from];
    const uint64_t number = ++end.sent;
    if (random_() % 4 != 0 && end.path.takes(sizeof number)) {
      DatagramHeader header = end.path.send(bytes_of_number(number));
      header.stream = end.stream_sent;
      ++end.datagrams;
      lose_or_put(from, {header, number, true});
      return;
    }
    hand_over(from);
    end.stream.push_back({0, number});
    ++end.stream_sent;
  }
  void lose_or_put(size_t from, const InFlight& datagram) {
    if (std::uniform_real_distribution<>(0, 1)(random_) >= loss_) flying_[from].push_back(datagram);
  }
  // Any of those on their way, and sometimes it stays there, so that it comes again, much later perhaps.
  void deliver_datagram(size_t to) {
    auto& flying = flying_[1 - to];
    if (flying.empty()) return;
    const size_t which = random_() % std::min<size_t>(flying.size(), 3);
    const InFlight datagram = flying[which];
    if (random_() % 4 != 0) flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(which));
    End& end = ends_[to];
    ASSERT_TRUE(end.path.take_acknowledgement(datagram.header));
    const Bytes frames = datagram.frames ? bytes_of_number(datagram.number) : Bytes();
    if (end.path.take(datagram.header, frames, end.stream_taken) == DatagramPath::Fate::now)
      carry_out(to, datagram.number);
    carry_out_held(to);
    if (end.path.owes_at_once()) answer(to);
  }
  void deliver_stream(size_t to) {
    End& from = ends_[1 - to];
    if (from.stream.empty()) return;
    const auto [sequence, number] = from.stream.front();
    from.stream.pop_front();
    End& end = ends_[to];
    if (sequence == 0) {
      ASSERT_EQ(number, ++end.got) << "by the connection";
    } else {
      const auto fate = end.path.take_again(sequence);
      ASSERT_TRUE(fate.has_value());
      if (*fate == DatagramPath::Fate::now) carry_out(to, number);
    }
    ++end.stream_taken;
    carry_out_held(to);
  }
  void carry_out(size_t to, uint64_t number) {
    ends_[to].path.carried_out();
    ASSERT_EQ(number, ++ends_[to].got) << "by a datagram";
  }
  void carry_out_held(size_t to) {
    End& end = ends_[to];
    for (;;) {
      const Text frames = end.path.next_held(end.stream_taken);
      if (frames.empty()) return;
      uint64_t number;
      std::memcpy(&number, frames.data(), sizeof number);
      carry_out(to, number);
    }
  }
  void answer(size_t from) { lose_or_put(from, {ends_[from].path.acknowledge(), 0, false}); }
  void look(size_t which) {
    switch (ends_[which].path.due(now_)) {
      case DatagramPath::Due::acknowledge:
        return answer(which);
      case DatagramPath::Due::hand_over:
        return hand_over(which);
      default:
        return;
    }
  }

  Random random_;
  double loss_;
  uint64_t now_ = millisecond;
  End ends_[2];
  std::deque<InFlight> flying_[2];
};

TEST(IpDatagramPath, KeepsOrderWithTheConnectionOverANetworkThatLosesRepeatsAndReorders) {
  const char* given = std::getenv("WEFT_TEST_SEED");
  const uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  for (uint64_t seed = first; seed < first + (given != nullptr ? 1 : 100); ++seed) {
    SCOPED_TRACE("WEFT_TEST_SEED=" + std::to_string(seed));
    Simulation(seed).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
