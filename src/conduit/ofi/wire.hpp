// What a message looks like on the wire: header, words, payload; each part a multiple of 16 bytes, so that payloads
// that lie one after another in a receive buffer are aligned.
//
//   header   token of (sender, receiver); sender; handler; credits given back; class, kind and number of arguments
//   words    medium: size. long: size and offset. Then the arguments.
//   payload
//
// All ranks of a job have the same byte order and the same version of the library; start.cpp checks the latter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "conduit/conduit.hpp"
#include "conduit/cpu_atomic.hpp"

namespace weft::conduit::ofi {

/// Changes whenever ranks with the old and the new code would misunderstand each other.
inline constexpr unsigned wire_version = 4;

inline constexpr size_t wire_unit = 16;
inline constexpr uint32_t leading_words_max = 2;
constexpr size_t round_to_unit(size_t size) { return (size + wire_unit - 1) & ~(wire_unit - 1); }

struct Header {
  uint64_t token;
  uint32_t source;
  uint16_t handler;  // or the Control, in the runtime's own messages
  uint8_t credits;
  uint8_t description;
};
static_assert(sizeof(Header) == wire_unit);

/// The longest header and words.
inline constexpr size_t front_max =
    sizeof(Header) + round_to_unit((leading_words_max + am_max_args) * sizeof(uint64_t));
/// No payload is longer. A power of two, as parts of vectors often are.
inline constexpr size_t largest_payload = 16384;
inline constexpr size_t message_max = front_max + largest_payload;
/// Where libfabric layers messages over another of its providers, they are sent at once up to 16 KiB; the receiver of a
/// longer one is asked first.
inline constexpr size_t layered_payload_max = 16384 - front_max;

/// Messages of the conduit itself: operations that the target's processor carries out, their answers, credits, and a
/// word to a rank whose memory is being put into or read, that it stay awake (Transfers::keep_awake).
enum class Control : uint16_t {
  credits,
  fill,
  atomic,
  signal,
  acknowledge,
  atomic_result,
  signal_acknowledge,
  stay_awake,
  end
};

/// AmKind and one more.
enum class WireKind : uint8_t { short_, medium, long_, control };

/// A description byte: kind in bits 0-1, class in bit 2, number of arguments in bits 3-6, bit 7 for a long message
/// whose payload is in place already.
struct Description {
  WireKind kind;
  AmClass message_class;
  uint8_t arg_count;
  bool in_place;

  uint8_t encode() const {
    return static_cast<uint8_t>(static_cast<unsigned>(kind) | (message_class == AmClass::reply ? 4u : 0u) |
                                unsigned{arg_count} << 3 | (in_place ? 0x80u : 0u));
  }
  static Description decode(uint8_t bits) {
    return {static_cast<WireKind>(bits & 3), (bits & 4) != 0 ? AmClass::reply : AmClass::request,
            static_cast<uint8_t>(bits >> 3 & 0xf), (bits & 0x80) != 0};
  }
};

/// A message taken apart, and one to put together. `payload` is null if there is none or it does not travel.
struct WireMessage {
  Description description;
  uint16_t handler = 0;
  const uint64_t* args = nullptr;
  const std::byte* payload = nullptr;
  size_t size = 0;
  uint64_t offset = 0;

  uint32_t leading_words() const {
    switch (description.kind) {
      case WireKind::short_:
        return 0;
      case WireKind::medium:
        return 1;
      default:
        return 2;
    }
  }
  size_t front_bytes() const {
    return sizeof(Header) + round_to_unit((leading_words() + description.arg_count) * sizeof(uint64_t));
  }
  size_t payload_bytes() const { return payload == nullptr ? 0 : round_to_unit(size); }
  size_t bytes() const { return front_bytes() + payload_bytes(); }

  /// Writes header and words to `front`, front_bytes() long.
  void encode_front(std::byte* front, uint64_t token, RankId source, uint8_t credits) const {
    const Header header = {token, source, handler, credits, description.encode()};
    std::memcpy(front, &header, sizeof header);
    std::byte* words = front + sizeof header;
    const uint64_t leading[] = {size, offset};
    std::memcpy(words, leading, leading_words() * sizeof(uint64_t));
    if (description.arg_count != 0)
      std::memcpy(words + leading_words() * sizeof(uint64_t), args, description.arg_count * sizeof(uint64_t));
  }

  /// False if the bytes, whose header has been looked at, make no message. Pointers lead into `data`, which is aligned.
  static bool decode(const std::byte* data, size_t length, const Header& header, uint64_t segment_size,
                     WireMessage& message) {
    message.description = Description::decode(header.description);
    message.handler = header.handler;
    if (message.description.arg_count > am_max_args || message.front_bytes() > length) return false;
    const auto* words = reinterpret_cast<const uint64_t*>(data + sizeof(Header));
    const uint32_t leading = message.leading_words();
    if (leading > 0) message.size = words[0];
    if (leading > 1) message.offset = words[1];
    message.args = words + leading;
    const bool carries = leading > 0 && !message.description.in_place;
    if (carries && message.size > length - message.front_bytes()) return false;
    if (carries) message.payload = data + message.front_bytes();
    if (leading == 2 && !inside(message.offset, message.size, segment_size)) return false;
    return message.description.kind != WireKind::control || message.control_fits(segment_size);
  }

 private:
  static bool inside(uint64_t offset, uint64_t size, uint64_t segment_size) {
    return size <= segment_size && offset <= segment_size - size;
  }
  static bool word_inside(uint64_t offset, uint64_t size, uint64_t segment_size) {
    return inside(offset, size, segment_size) && offset % size == 0;
  }
  /// Whether the arguments of one of the conduit's own messages are there and in range, addresses aside.
  bool control_fits(uint64_t segment_size) const {
    switch (static_cast<Control>(handler)) {
      case Control::credits:
      case Control::stay_awake:
        return true;
      case Control::fill:
        return description.arg_count == 4 && inside(args[1], args[2], segment_size) && args[3] <= 0xff;
      case Control::atomic:
        return description.arg_count == 6 && (args[2] & 0xff) <= static_cast<uint64_t>(AtomicType::f64) &&
               args[2] >> 8 <= static_cast<uint64_t>(AtomicOp::bit_xor) &&
               word_inside(args[1], atomic_size(static_cast<AtomicType>(args[2] & 0xff)), segment_size);
      case Control::signal:
        return description.arg_count == 5 && word_inside(args[1], sizeof(uint64_t), segment_size) &&
               args[3] <= static_cast<uint64_t>(SignalOp::add);
      case Control::acknowledge:
      case Control::signal_acknowledge:
        return description.arg_count == 1;
      case Control::atomic_result:
        return description.arg_count == 4 && args[3] <= sizeof(uint64_t);
      case Control::end:
        break;
    }
    return false;
  }
};

}  // namespace weft::conduit::ofi
