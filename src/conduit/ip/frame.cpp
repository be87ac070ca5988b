#include "conduit/ip/frame.hpp"

#include "conduit/ip/datagram.hpp"

namespace weft::conduit::ip {
namespace {

struct Shape {
  uint32_t words_min, words_max;
  uint64_t size_max;
};

// By FrameKind.
constexpr Shape shapes[] = {
    {0, 0, 0},                                            // nothing
    {1, 1, transfer_max},                                 // put: offset
    {2, 2, 0},                                            // get: offset, size
    {0, 0, transfer_max},                                 // data
    {3, 3, 0},                                            // fill: offset, size, byte
    {4, 4, 0},                                            // atomic: offset, type and operation, operand, compare
    {1, 1, 0},                                            // value
    {4, 4, transfer_max},                                 // signal: offset, signal's offset, value, operation
    {0, am_max_args, 0},                                  // short request
    {0, am_max_args, payload_max},                        // medium request
    {long_words, long_words + am_max_args, payload_max},  // long request: offset, size, arguments
    {0, am_max_args, 0},                                  // replies, likewise
    {0, am_max_args, payload_max},
    {long_words, long_words + am_max_args, payload_max},
    {1, 1, datagram_frames_max},  // again: sequence
};
static_assert(std::size(shapes) == static_cast<size_t>(FrameKind::end));

}  // namespace

bool well_formed(const FrameHeader& header) {
  if (header.kind >= FrameKind::end) return false;
  const Shape& shape = shapes[static_cast<size_t>(header.kind)];
  return header.words >= shape.words_min && header.words <= shape.words_max && header.size <= shape.size_max;
}

bool FrameReader::took(size_t count, std::span<const std::byte> staging, FrameSink& sink) {
  if (left_ != 0) {
    const size_t direct = std::min(count, left_);
    place_ += direct;
    left_ -= direct;
    count -= direct;
    if (left_ != 0) return true;
    have_ = 0;
    more_ = count != 0;
    if (!sink.end(front_)) return false;
  }
  if (!take(staging.first(count), sink)) return false;
  if (count == room_ && left_ == 0) after_long_ = false;
  return true;
}

bool FrameReader::take(std::span<const std::byte> bytes, FrameSink& sink) {
  while (!bytes.empty()) {
    const bool header_missing = have_ < sizeof(FrameHeader);
    const size_t part = std::min(bytes.size(), wanted() - have_);
    std::memcpy(reinterpret_cast<std::byte*>(&front_) + have_, bytes.data(), part);
    bytes = bytes.subspan(part);
    have_ += part;
    if (have_ < sizeof(FrameHeader)) return true;
    if (header_missing && !well_formed(front_.header)) return false;
    if (have_ < wanted()) continue;
    if (!front_complete(sink)) return false;
    if (left_ != 0) {
      const size_t here = std::min(bytes.size(), left_);
      if (here != 0) std::memcpy(place_, bytes.data(), here);
      place_ += here;
      left_ -= here;
      bytes = bytes.subspan(here);
      if (left_ != 0) return true;
    }
    have_ = 0;
    more_ = !bytes.empty();
    if (!sink.end(front_)) return false;
  }
  return true;
}

bool FrameReader::front_complete(FrameSink& sink) {
  place_ = nullptr;
  if (!sink.begin(front_, place_)) return false;
  left_ = front_.header.size;
  if (left_ > long_payload) after_long_ = true;
  return true;
}

}  // namespace weft::conduit::ip
