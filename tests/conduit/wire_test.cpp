// Messages of conduit ofi as bytes, there and back, and what must not pass for one.
#include "conduit/ofi/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace weft::conduit;
using namespace weft::conduit::ofi;

constexpr uint64_t segment_size = 1 << 20;
const std::byte payload_of_none[1] = {};  // a payload of no bytes is not the same as none

TEST(Wire, EveryShapeOfMessageComesBackAsItWas) {
  std::mt19937_64 random(3);
  alignas(16) static std::byte bytes[message_max];
  for (int round = 0; round < 5000; ++round) {
    uint64_t args[am_max_args];
    for (uint64_t& arg : args) arg = random();
    std::vector<std::byte> payload(random() % 500);
    for (std::byte& byte : payload) byte = static_cast<std::byte>(random());
    WireMessage sent;
    sent.description = {static_cast<WireKind>(random() % 3), random() % 2 ? AmClass::reply : AmClass::request,
                        static_cast<uint8_t>(random() % (am_max_args + 1)), random() % 3 == 0};
    sent.handler = static_cast<uint16_t>(random());
    sent.args = args;
    if (sent.description.kind == WireKind::short_) sent.description.in_place = true;
    if (sent.description.kind != WireKind::short_) sent.size = payload.size();
    if (sent.leading_words() > 1) sent.offset = random() % (segment_size - 500);
    if (!sent.description.in_place) sent.payload = payload.empty() ? payload_of_none : payload.data();
    sent.encode_front(bytes, 77, 12, 200);
    if (sent.payload != nullptr && !payload.empty())
      std::memcpy(bytes + sent.front_bytes(), payload.data(), payload.size());
    ASSERT_EQ(sent.bytes() % wire_unit, 0u);

    Header header;
    std::memcpy(&header, bytes, sizeof header);
    EXPECT_EQ(header.token, 77u);
    EXPECT_EQ(header.source, 12u);
    EXPECT_EQ(header.credits, 200u);
    WireMessage came;
    ASSERT_TRUE(WireMessage::decode(bytes, sent.bytes(), header, segment_size, came));
    EXPECT_EQ(came.description.kind, sent.description.kind);
    EXPECT_EQ(came.description.message_class, sent.description.message_class);
    EXPECT_EQ(came.handler, sent.handler);
    ASSERT_EQ(came.description.arg_count, sent.description.arg_count);
    EXPECT_EQ(std::memcmp(came.args, args, came.description.arg_count * sizeof(uint64_t)), 0);
    EXPECT_EQ(came.size, sent.size);
    EXPECT_EQ(came.offset, sent.offset);
    ASSERT_EQ(came.payload != nullptr, sent.payload != nullptr);
    if (came.payload != nullptr) {
      EXPECT_TRUE(std::equal(payload.begin(), payload.end(), static_cast<const std::byte*>(came.payload)));
    }
  }
}

// A message of the conduit itself, in range.
WireMessage control(Control what, const std::vector<uint64_t>& args) {
  WireMessage message;
  message.description = {WireKind::control, AmClass::request, static_cast<uint8_t>(args.size()), true};
  message.handler = static_cast<uint16_t>(what);
  message.args = args.data();
  return message;
}

bool fits(const WireMessage& message) {
  alignas(16) static std::byte bytes[message_max];
  message.encode_front(bytes, 0, 0, 0);
  Header header;
  std::memcpy(&header, bytes, sizeof header);
  WireMessage came;
  return WireMessage::decode(bytes, message.bytes(), header, segment_size, came);
}

TEST(Wire, TheConduitsOwnMessagesHaveTheirArgumentsInRange) {
  constexpr uint64_t u64_add = static_cast<uint64_t>(AtomicType::u64) | static_cast<uint64_t>(AtomicOp::add) << 8;
  struct Case {
    Control what;
    std::vector<uint64_t> good;
    std::vector<std::pair<size_t, uint64_t>> bad;  // an argument, and a value that makes no sense
  };
  const Case cases[] = {
      {Control::credits, {}, {}},
      {Control::stay_awake, {}, {}},
      {Control::fill, {1, 0, segment_size, 0xff}, {{1, 1}, {2, UINT64_MAX}, {3, 0x100}}},
      {Control::atomic,
       {1, segment_size - 8, u64_add, 1, 0, 0},
       {{1, segment_size - 4}, {1, segment_size}, {1, 1}, {1, UINT64_MAX}, {2, 6}, {2, 0xff}, {2, UINT64_MAX}}},
      {Control::signal, {1, segment_size - 8, 7, 1, 0}, {{1, segment_size}, {1, 4}, {1, UINT64_MAX - 7}, {3, 2}}},
      {Control::acknowledge, {1}, {}},
      {Control::atomic_result, {1, 1, 1, 8}, {{3, 9}, {3, UINT64_MAX}}},
      {Control::signal_acknowledge, {1}, {}}};
  for (const Case& each : cases) {
    SCOPED_TRACE(static_cast<int>(each.what));
    EXPECT_TRUE(fits(control(each.what, each.good)));
    for (const auto& [which, value] : each.bad) {
      std::vector<uint64_t> args = each.good;
      args[which] = value;
      EXPECT_FALSE(fits(control(each.what, args))) << "argument " << which << " is " << value;
    }
    std::vector<uint64_t> fewer = each.good;
    if (fewer.empty()) continue;
    fewer.pop_back();
    EXPECT_FALSE(fits(control(each.what, fewer)));
  }
  EXPECT_FALSE(fits(control(Control::end, {})));
}

// Whatever the bytes: what is taken for a message lies within them and, if long, within the segment.
TEST(Wire, RandomBytesNeverReachBeyondTheirEnd) {
  std::mt19937_64 random(4);
  int taken = 0;
  for (int round = 0; round < 200000; ++round) {
    const size_t length = wire_unit + random() % 300;
    std::vector<uint64_t> words((length + 7) / 8);
    for (uint64_t& word : words) word = random() % 4 == 0 ? random() : random() % 400;
    const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
    Header header;
    std::memcpy(&header, bytes, sizeof header);
    header.description = static_cast<uint8_t>(random());
    WireMessage message;
    if (!WireMessage::decode(bytes, length, header, segment_size, message)) continue;
    ++taken;
    ASSERT_LE(reinterpret_cast<const std::byte*>(message.args + message.description.arg_count), bytes + length);
    if (message.payload != nullptr) {
      ASSERT_LE(message.payload + message.size, bytes + length);
    }
    if (message.leading_words() > 1) {
      ASSERT_LE(message.offset + message.size, segment_size);
    }
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
