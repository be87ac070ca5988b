// The frames of conduit ip, in whatever pieces they come, and what makes no sense.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "conduit/ip/frame.hpp"

namespace {

using namespace weft::conduit;
using namespace weft::conduit::ip;

// Takes all frames and writes down what came.
struct Recorder final : FrameSink {
  std::vector<std::byte> memory = std::vector<std::byte>(transfer_max);
  std::string text;
  size_t begun = 0, ended = 0;

  bool begin(const Front&, std::byte*& place) override {
    ++begun;
    place = memory.data();
    return true;
  }
  bool end(const Front& frame) override {
    ++ended;
    EXPECT_EQ(begun, ended);
    text += "kind " + std::to_string(static_cast<int>(frame.header.kind)) + " answers " +
            std::to_string(frame.header.answers) + " words";
    for (size_t i = 0; i < frame.header.words; ++i) text += " " + std::to_string(frame.words[i]);
    unsigned sum = 0;
    for (size_t i = 0; i < frame.header.size; ++i) sum = sum * 31 + static_cast<unsigned>(memory[i]);
    text += " size " + std::to_string(frame.header.size) + " sum " + std::to_string(sum) + "\n";
    return true;
  }
};

void append(std::vector<std::byte>& stream, const Front& front, size_t size, unsigned salt) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&front);
  stream.insert(stream.end(), bytes, bytes + front.bytes());
  for (size_t i = 0; i < size; ++i) stream.push_back(std::byte(i * 7 + salt));
}

// As a socket hands them over: at most `at_most` bytes at a time, into the places that the reader names.
bool pass(FrameReader& reader, FrameSink& sink, const std::vector<std::byte>& stream, std::mt19937& random,
          size_t at_most) {
  std::vector<std::byte> staging(4096);
  for (size_t at = 0; at < stream.size();) {
    std::array<iovec, 2> pieces{};
    const int count = reader.where(staging, pieces);
    const size_t wanted = std::min(stream.size() - at, 1 + random() % at_most);
    size_t taken = 0;
    for (int i = 0; i < count; ++i) {
      const size_t part = std::min(pieces[static_cast<size_t>(i)].iov_len, wanted - taken);
      if (part != 0) std::memcpy(pieces[static_cast<size_t>(i)].iov_base, stream.data() + at + taken, part);
      taken += part;
    }
    if (!reader.took(taken, staging, sink)) return false;
    at += taken;
  }
  return true;
}

TEST(Frames, AreTheSameHoweverTheirBytesCome) {
  std::vector<std::byte> stream;
  append(stream, Front(FrameKind::put, {64}, 0), 0, 1);
  append(stream, Front(FrameKind::put, {64}, 100000), 100000, 2);
  append(stream, Front(FrameKind::get, {64, 8}, 0), 0, 0);
  append(stream, Front(FrameKind::data, {}, 5000), 5000, 3);
  append(stream, Front(FrameKind::signal, {1, 2, 3, 0}, 77), 77, 4);
  append(stream, Front(FrameKind::request_medium, {1, 2, 3, 4, 5, 6, 7, 8}, payload_max), payload_max, 5);
  append(stream, Front(FrameKind::reply_long, {0, 9, 1}, 9), 9, 6);
  append(stream, Front(FrameKind::nothing, {}, 0), 0, 0);
  std::string expected;
  for (const size_t at_most : {size_t{1}, size_t{15}, size_t{100}, size_t{5000}, size_t{1} << 20}) {
    std::mt19937 random(1);
    FrameReader reader;
    Recorder recorder;
    EXPECT_TRUE(pass(reader, recorder, stream, random, at_most));
    EXPECT_EQ(recorder.ended, 8u);
    EXPECT_FALSE(reader.within_frame());
    if (expected.empty()) expected = recorder.text;
    EXPECT_EQ(recorder.text, expected) << "pieces of at most " << at_most;
  }
}

// How many bytes of a payload go to its place without a copy, if the stream comes as fast as it is read.
size_t read_directly(FrameReader& reader, FrameSink& sink, const std::vector<std::byte>& stream) {
  std::vector<std::byte> staging(65536);
  size_t direct = 0;
  for (size_t at = 0; at < stream.size();) {
    std::array<iovec, 2> pieces{};
    const int count = reader.where(staging, pieces);
    size_t taken = 0;
    for (int i = 0; i < count; ++i) {
      const size_t part = std::min(pieces[static_cast<size_t>(i)].iov_len, stream.size() - at - taken);
      std::memcpy(pieces[static_cast<size_t>(i)].iov_base, stream.data() + at + taken, part);
      if (pieces[static_cast<size_t>(i)].iov_base != staging.data()) direct += part;
      taken += part;
    }
    EXPECT_TRUE(reader.took(taken, staging, sink));
    at += taken;
  }
  return direct;
}

TEST(Frames, LongPayloadsAreNotCopiedButTheFirst) {
  FrameReader reader;
  Recorder recorder;
  std::vector<std::byte> put, answer, messages;
  append(put, Front(FrameKind::put, {64}, 60000), 60000, 1);
  append(answer, Front(FrameKind::nothing, {}, 0), 0, 0);
  for (int i = 0; i < 1000; ++i) append(messages, Front(FrameKind::request_short, {1}, 0), 0, 0);
  EXPECT_EQ(read_directly(reader, recorder, put), 0u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(read_directly(reader, recorder, put), 60000 - front_max);
    EXPECT_EQ(read_directly(reader, recorder, answer), 0u);
  }
  std::array<iovec, 2> pieces{};
  std::vector<std::byte> staging(65536);
  EXPECT_EQ(read_directly(reader, recorder, messages), 0u);
  ASSERT_EQ(reader.where(staging, pieces), 1);
  EXPECT_EQ(pieces[0].iov_len, staging.size()) << "short frames come one by one";
}

TEST(Frames, WhatFitsNoKindIsRefused) {
  const auto good = [](FrameKind kind, uint8_t words, uint64_t size) {
    FrameHeader header;
    header.kind = kind;
    header.words = words;
    header.size = size;
    return well_formed(header);
  };
  EXPECT_TRUE(good(FrameKind::put, 1, transfer_max));
  EXPECT_FALSE(good(FrameKind::put, 1, transfer_max + 1));
  EXPECT_FALSE(good(FrameKind::put, 1, ~uint64_t{0}));
  EXPECT_FALSE(good(FrameKind::put, 0, 8));
  EXPECT_FALSE(good(FrameKind::put, 255, 8));
  EXPECT_FALSE(good(FrameKind::get, 2, 1));
  EXPECT_FALSE(good(FrameKind::nothing, 0, 1));
  EXPECT_TRUE(good(FrameKind::request_long, long_words + am_max_args, payload_max));
  EXPECT_FALSE(good(FrameKind::request_long, long_words + am_max_args + 1, 0));
  EXPECT_FALSE(good(FrameKind::request_medium, 0, payload_max + 1));
  EXPECT_FALSE(good(FrameKind::request_short, 0, 1));
  EXPECT_FALSE(good(FrameKind::end, 0, 0));
  EXPECT_FALSE(good(static_cast<FrameKind>(255), 0, 0));
}

// Nothing is written outside the place that the sink gave, and the reader stops at the first frame that makes no sense:
// AddressSanitizer and the Recorder's own counts see to it.
TEST(Frames, GarbageStopsTheReader) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  size_t refused = 0;
  constexpr size_t rounds = 1000;  // ip_fuzz runs more
  for (size_t round = 0; round < rounds; ++round) {
    std::vector<std::byte> stream;
    for (int frames = static_cast<int>(random() % 4); frames > 0; --frames) {
      const size_t size = random() % 300;
      append(stream, Front(FrameKind::put, {random()}, size), size, static_cast<unsigned>(random()));
    }
    for (size_t i = 1 + random() % 200; i > 0; --i) stream.push_back(std::byte(random()));
    if (random() % 2 == 0) stream[random() % stream.size()] = std::byte(random());
    FrameReader reader;
    Recorder recorder;
    refused += !pass(reader, recorder, stream, random, 1 + random() % 100);
  }
  EXPECT_GT(refused, rounds / 2);
}

}  // namespace
