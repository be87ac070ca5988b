// Two ranks of conduit ip, in one thread, with a network between them that the test makes: it loses, repeats, delays,
// changes and returns datagrams, plays old ones again and adds its own. Connections it carries whole. A random test
// prints its seed; what happens depends on time, too.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "conduit/ip/traffic.hpp"

namespace {

using namespace weft::conduit;
using namespace weft::conduit::ip;
using Random = std::mt19937_64;
using Text = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

Interface loopback() {
  const std::vector<Interface> all = interfaces_here();
  return *std::ranges::find_if(all, &Interface::loopback);
}

// Shares of the datagrams to which it happens.
struct Faults {
  double lost = 0, twice = 0, late = 0, damaged = 0, old = 0, returned = 0, strange = 0;
};

// What stands in a rank's place for the other: it carries what comes there on to the rank.
class Cable {
 public:
  explicit Cable(const Address& rank) : rank_(rank), interface_(loopback()) {
    for (int i = 0; i < 10 && !receiving_; ++i) {
      EXPECT_TRUE(listen_on(interface_, {}, listening_, place_).ok());
      receiving_ = receive_datagrams_at(place_);
    }
    EXPECT_TRUE(receiving_);
    sending_ = send_datagrams_to(interface_, rank);
  }

  const Address& place() const { return place_; }
  size_t carried() const { return old_.size(); }

  void carry(const Faults& faults, Random& random, Cable& back) {
    carry_connections();
    std::array<std::byte, 2048> room;
    for (;;) {
      const ssize_t came = ::recv(receiving_.get(), room.data(), room.size(), MSG_DONTWAIT);
      if (came <= 0) break;
      old_.emplace_back(room.begin(), room.begin() + came);
      spoil(old_.back(), faults, random, back);
    }
    if (!late_.empty() && random() % 8 == 0) {
      send(late_.front());
      late_.pop_front();
    }
  }
  void send(const Text& datagram) {
    (void)::send(sending_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

 private:
  void spoil(Text datagram, const Faults& faults, Random& random, Cable& back) {
    const auto happens = [&](double share) { return std::uniform_real_distribution<>(0, 1)(random) < share; };
    if (happens(faults.old)) send(old_[random() % old_.size()]);
    if (happens(faults.returned)) back.send(datagram);
    if (happens(faults.strange)) {
      Text made(random() % 1400);
      for (std::byte& byte : made) byte = std::byte{static_cast<uint8_t>(random())};
      std::copy_n(datagram.begin(), std::min(made.size(), random() % datagram.size()), made.begin());
      send(made);
    }
    if (happens(faults.lost)) return;
    if (happens(faults.damaged))
      datagram[random() % datagram.size()] ^= std::byte{static_cast<uint8_t>(1u << random() % 8)};
    if (happens(faults.late)) return late_.push_back(datagram);
    send(datagram);
    if (happens(faults.twice)) send(datagram);
  }

  // Until the rank's connections are made this waits for the kernel alone, which is on the same machine.
  void carry_connections() {
    Address from;
    while (Socket socket = accept_one(listening_.get(), from))
      lines_.push_back({std::move(socket), begin_connect(interface_, rank_), {}, {}});
    for (Line& line : lines_) {
      carry(line.near, line.far, line.there);
      carry(line.far, line.near, line.back);
    }
  }
  static void carry(Socket& from, Socket& to, Text& waiting) {
    std::array<std::byte, 65536> room;
    if (waiting.empty()) {
      const ssize_t came = ::recv(from.get(), room.data(), room.size(), MSG_DONTWAIT);
      if (came > 0) waiting.assign(room.begin(), room.begin() + came);
    }
    const ssize_t sent = ::send(to.get(), waiting.data(), waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) waiting.erase(waiting.begin(), waiting.begin() + sent);
  }

  struct Line {
    Socket near, far;
    Text there, back;
  };

  Address rank_, place_;
  Interface interface_;
  Socket listening_, receiving_, sending_;
  std::vector<Line> lines_;
  std::vector<Text> old_;
  std::deque<Text> late_;
};

// A rank that talks with the other and checks what it hears: messages come in order; what was put before a message is
// there when it comes; gets and atomics bring what they must.
class Rank {
 public:
  static constexpr size_t cells = 64, block = 4096, segment_size = cells * sizeof(uint64_t) + 4 * block;

  Rank(RankId rank, Security security)
      : rank_(rank), traffic_(rank, 2, {.datagrams = true, .encrypt = security == Security::encrypt}) {
    credentials_ = {.key = key_of(bytes_of("secret")), .rank = rank, .size = 2, .security = security};
    EXPECT_TRUE(traffic_.open(loopback(), {}).ok());
    traffic_.set_segment(segment_.data(), segment_.size());
  }
  void start(const Address& other) {
    std::vector<Address> places(2);
    places[rank_] = traffic_.links().place();
    places[1 - rank_] = other;
    traffic_.links().start(credentials_, places);
  }
  Traffic& traffic() { return traffic_; }
  const std::vector<std::byte>& segment() const { return segment_; }

  // A number into a cell, then a message with it; sometimes with a payload, sometimes a block put or got meanwhile.
  void act(Random& random) {
    const RankId other = 1 - rank_;
    switch (random() % 4) {
      case 0: {
        const uint64_t next = number_ + 1;
        if (traffic_.put(other, cell_of(next) * sizeof next, &next, sizeof next, &completion_) != Result::posted)
          return;
        ++begun_, ++number_;
        numbers_waiting_ = true;
        break;
      }
      case 1: {
        if (!numbers_waiting_) return;
        const size_t size = random() % 3 == 0 ? random() % 3000 : 0;
        const Text payload(size, std::byte{static_cast<uint8_t>(number_)});
        const uint64_t args[] = {number_, ++messages_};
        const AmMessage message = {.kind = size == 0 ? AmKind::short_ : AmKind::medium,
                                   .arg_count = 2,
                                   .args = args,
                                   .payload = payload.data(),
                                   .size = size};
        if (traffic_.message(other, AmClass::request, message) != Result::done) --messages_;
        break;
      }
      case 2: {
        if (got_.has_value() && completion_.remote.load() != begun_) return;
        check_block();
        const size_t size = 1 + random() % (random() % 4 == 0 ? block : 64);
        sent_.assign(size, std::byte{static_cast<uint8_t>(random())});
        got_.emplace(size);
        begun_ += traffic_.put(other, blocks_at, sent_.data(), size, &completion_) == Result::posted;
        if (traffic_.get(got_->data(), other, blocks_at, size, &completion_) == Result::posted)
          ++begun_;
        else
          got_.reset();
        break;
      }
      default: {
        if (completion_.remote.load() != begun_) return;
        if (adds_ != 0) {
          EXPECT_EQ(before_, adds_ - 1);
        }
        const AtomicRequest add = {.type = AtomicType::u64, .op = AtomicOp::add, .operand = 1, .result = &before_};
        if (traffic_.atomic(other, counter_at, add, &completion_) == Result::posted) ++begun_, ++adds_;
      }
    }
  }
  void progress() {
    traffic_.progress();
    while (Arrival* arrival = traffic_.next_arrival()) {
      ASSERT_EQ(arrival->args[1], ++heard_) << "messages come in order, each once";
      uint64_t cell;
      std::memcpy(&cell, segment_.data() + cell_of(arrival->args[0]) * sizeof cell, sizeof cell);
      ASSERT_GE(cell, arrival->args[0]) << "what was put before a message is there";
      for (size_t i = 0; i < arrival->size; ++i)
        ASSERT_EQ(arrival->payload[i], std::byte{static_cast<uint8_t>(arrival->args[0])});
      traffic_.delivered(arrival);
    }
  }
  bool done() { return traffic_.all_done() && completion_.remote.load() == begun_; }
  void check(const Rank& other) {
    check_block();
    EXPECT_EQ(traffic_.failure().text, "");
    EXPECT_EQ(other.heard_, messages_);
    uint64_t added;
    std::memcpy(&added, other.segment_.data() + counter_at, sizeof added);
    EXPECT_EQ(added, adds_);
  }

 private:
  static constexpr size_t counter_at = 0, blocks_at = cells * sizeof(uint64_t);
  static size_t cell_of(uint64_t number) { return 1 + number % (cells - 1); }
  void check_block() {
    if (got_.has_value() && completion_.remote.load() == begun_) {
      EXPECT_EQ(*got_, sent_) << "a get brings what was put before";
    }
  }

  RankId rank_;
  Traffic traffic_;
  Credentials credentials_;
  std::vector<std::byte> segment_ = std::vector<std::byte>(segment_size);
  Completion completion_;
  uint64_t begun_ = 0, number_ = 0, messages_ = 0, heard_ = 0, adds_ = 0, before_ = 0;
  bool numbers_waiting_ = false;
  Text sent_;
  std::optional<Text> got_;
};

class IpBadNetwork : public testing::TestWithParam<Security> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(open_crypto().ok());
    if (GetParam() == Security::encrypt) {
      ASSERT_TRUE(open_tls().ok());
    }
  }

  // Ranks talk for so long, and until the network has had so many datagrams, over a network with these faults, and
  // finish over one without.
  void talk(uint64_t seed, const Faults& faults, std::chrono::milliseconds time, size_t datagrams) {
    SCOPED_TRACE("WEFT_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    Rank one(0, GetParam()), other(1, GetParam());
    Cable to_one(one.traffic().links().place()), to_other(other.traffic().links().place());
    one.start(to_other.place());
    other.start(to_one.place());
    ASSERT_FALSE(one.traffic().reaches(1));  // it calls now; the other answers
    const auto carry = [&](const Faults& now) {
      to_one.carry(now, random, to_other);
      to_other.carry(now, random, to_one);
    };
    const auto end = Clock::now() + time, latest = end + std::chrono::seconds(20);
    const auto carried = [&] { return to_one.carried() + to_other.carried(); };
    while ((Clock::now() < end || carried() < datagrams) && Clock::now() < latest && !HasFatalFailure()) {
      carry(faults);
      Rank& each = random() % 2 == 0 ? one : other;
      if (one.traffic().reaches(1) && other.traffic().reaches(0) && random() % 3 == 0) each.act(random);
      each.progress();
    }
    const auto limit = Clock::now() + std::chrono::seconds(20);
    bool done = false;
    while (!done && !HasFatalFailure()) {
      ASSERT_LT(Clock::now(), limit) << "something is never answered: " << one.traffic().failure().text
                                     << other.traffic().failure().text;
      carry({});
      one.progress();
      other.progress();
      const bool one_is = one.done(), other_is = other.done();
      done = one_is && other_is;
    }
    if (HasFatalFailure()) return;
    one.check(other);
    other.check(one);
    carried_ = carried();
  }
  static uint64_t first_seed() {
    const char* given = std::getenv("WEFT_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  }

  size_t carried_ = 0;
};

TEST_P(IpBadNetwork, CarriesSmallFramesAsDatagrams) {
  talk(1, {}, std::chrono::milliseconds(100), 200);
  EXPECT_GE(carried_, 200u);
}

TEST_P(IpBadNetwork, ThatHasAllFaultsAtOnceDoesNoHarm) {
  const uint64_t seed = first_seed();
  talk(seed, {.lost = 0.02, .twice = 0.1, .late = 0.05, .damaged = 0.02, .old = 0.1, .returned = 0.1, .strange = 0.1},
       std::chrono::milliseconds(400), 300);
  EXPECT_GE(carried_, 300u);
}

TEST_P(IpBadNetwork, ThatReordersAndRepeatsDoesNoHarm) {
  talk(first_seed(), {.twice = 0.5, .late = 0.5, .old = 0.5}, std::chrono::milliseconds(200), 200);
  EXPECT_GE(carried_, 200u);
}

TEST_P(IpBadNetwork, ThatCarriesNoDatagramsLeavesAllToTheConnection) {
  talk(first_seed(), {.lost = 1}, std::chrono::milliseconds(200), 2);
  EXPECT_LE(carried_, 2u * DatagramPath::tries_max);
}

TEST_P(IpBadNetwork, ThatReturnsAndInventsDatagramsDoesNoHarm) {
  talk(first_seed(), {.old = 1, .returned = 1, .strange = 1}, std::chrono::milliseconds(200), 200);
  EXPECT_GE(carried_, 200u);
}

INSTANTIATE_TEST_SUITE_P(, IpBadNetwork, testing::Values(Security::auth, Security::encrypt),
                         [](const auto& each) { return each.param == Security::auth ? "auth" : "encrypt"; });

}  // namespace
