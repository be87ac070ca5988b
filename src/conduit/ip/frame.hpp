// What travels on a connection after its handshake, and how it is taken apart: docs/IP-PROTOCOL.md, "Frames".
//
// A FrameReader takes the bytes of one connection in pieces as they come. It checks what can be checked without knowing
// the receiver, asks the FrameSink where the bytes of a frame belong, and has long ones read straight to there.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "conduit/conduit.hpp"

namespace weft::conduit::ip {

enum class FrameKind : uint8_t {
  nothing,
  put,
  get,
  data,
  fill,
  atomic,
  value,
  signal,
  request_short,
  request_medium,
  request_long,
  reply_short,
  reply_medium,
  reply_long,
  again,
  end
};

struct FrameHeader {
  FrameKind kind = FrameKind::nothing;
  uint8_t words = 0;
  uint16_t handler = 0;
  uint16_t answers = 0;
  uint16_t credits = 0;
  uint64_t size = 0;
};
static_assert(sizeof(FrameHeader) == 16);

/// A long message's offset and size come before its arguments.
inline constexpr uint32_t long_words = 2;
inline constexpr uint32_t frame_words_max = 12;
inline constexpr size_t front_max = sizeof(FrameHeader) + frame_words_max * sizeof(uint64_t);
/// Of one operation; a larger one is several.
inline constexpr size_t transfer_max = size_t{1} << 20;
/// Of an active message. A power of two, as parts of vectors often are.
inline constexpr size_t payload_max = 16384;

inline bool is_message(FrameKind kind) { return kind >= FrameKind::request_short && kind <= FrameKind::reply_long; }
inline bool is_request(FrameKind kind) { return is_message(kind) && kind < FrameKind::reply_short; }
inline FrameKind message_kind(AmClass message_class, AmKind kind) {
  const auto first = message_class == AmClass::request ? FrameKind::request_short : FrameKind::reply_short;
  return static_cast<FrameKind>(static_cast<unsigned>(first) + static_cast<unsigned>(kind));
}
inline AmKind am_kind(FrameKind kind) {
  const auto first = is_request(kind) ? FrameKind::request_short : FrameKind::reply_short;
  return static_cast<AmKind>(static_cast<unsigned>(kind) - static_cast<unsigned>(first));
}

/// Header and words, ready to be sent.
struct Front {
  FrameHeader header;
  std::array<uint64_t, frame_words_max> words;

  Front() = default;
  Front(FrameKind kind, std::initializer_list<uint64_t> leading, uint64_t size) {
    header.kind = kind;
    header.size = size;
    for (const uint64_t word : leading) words[header.words++] = word;
  }
  size_t bytes() const { return sizeof header + header.words * sizeof(uint64_t); }
};

/// A request costs one credit per so many bytes or part of them, of request_credits that a rank has with each peer.
inline constexpr size_t bytes_per_credit = 2048;
inline constexpr uint32_t request_credits = 512;
inline uint32_t credits_of(const Front& front, size_t payload) {
  return static_cast<uint32_t>((front.bytes() + payload + bytes_per_credit - 1) / bytes_per_credit);
}

class FrameSink {
 public:
  /// Header and words of a frame have come and fit its kind. `place` is set to where its header.size bytes go if there
  /// are any. False: the frame makes no sense.
  virtual bool begin(const Front& frame, std::byte*& place) = 0;
  /// Its bytes are in place, too. False as above.
  virtual bool end(const Front& frame) = 0;

 protected:
  ~FrameSink() = default;
};

/// Whether number of words and size fit the kind.
bool well_formed(const FrameHeader& header);

class FrameReader {
 public:
  /// Where the next bytes of the connection go: what is left of a payload to its place, all else to `staging`. Returns
  /// how many of the two are used. After a payload of more than `long_payload` bytes there is little room in `staging`,
  /// until that was not enough: what comes is likely the front of another one, whose bytes should not be copied.
  int where(std::span<std::byte> staging, std::array<iovec, 2>& pieces) {
    int count = 0;
    if (left_ != 0) pieces[static_cast<size_t>(count++)] = {place_, left_};
    room_ = after_long_ ? std::min(staging.size(), front_max) : staging.size();
    pieces[static_cast<size_t>(count++)] = {staging.data(), room_};
    return count;
  }
  static constexpr size_t long_payload = size_t{16} << 10;
  /// So many bytes came there. False: they make no sense, and nothing may be read any more.
  bool took(size_t count, std::span<const std::byte> staging, FrameSink& sink);
  /// Whether a frame has begun that is not all there.
  bool within_frame() const { return have_ != 0 || left_ != 0; }
  /// In FrameSink::end(): whether bytes behind the frame have come, too.
  bool more() const { return more_; }

 private:
  bool take(std::span<const std::byte> bytes, FrameSink& sink);
  bool front_complete(FrameSink& sink);
  size_t wanted() const { return have_ < sizeof(FrameHeader) ? sizeof(FrameHeader) : front_.bytes(); }

  Front front_;
  size_t have_ = 0;  // bytes of front_
  std::byte* place_ = nullptr;
  size_t left_ = 0;  // bytes of the payload that have yet to come
  bool more_ = false;
  bool after_long_ = false;
  size_t room_ = 0;  // of staging, as where() said
};

}  // namespace weft::conduit::ip
