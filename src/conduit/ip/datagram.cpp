#include "conduit/ip/datagram.hpp"

#include <algorithm>
#include <cstring>

namespace weft::conduit::ip {

// ---- Sending ----

DatagramHeader DatagramPath::send(Bytes frames) {
  Sent& sent = sent_[next_ % window];
  sent.size = frames.size();
  std::ranges::copy(frames, sent.frames.begin());
  DatagramHeader header = acknowledge();
  ++next_;
  return header;
}

DatagramHeader DatagramPath::acknowledge() {
  DatagramHeader header;
  header.number = number_++;
  header.sequence = next_;
  header.acknowledged = heard_ ? expected_ : 0;
  told_ = expected_;
  answer_ = false;
  return header;
}

DatagramPath::Again DatagramPath::hand_over() {
  const uint64_t sequence = oldest_++;
  return {sequence, frames_of(sequence)};
}

// ---- Receiving ----

bool DatagramPath::take_acknowledgement(const DatagramHeader& header) {
  if (header.acknowledged > next_) return false;
  heard_ = true;
  if (header.acknowledged == 0)
    answer_ = true;
  else
    open_ = true;
  if (header.acknowledged <= oldest_) return true;
  oldest_ = header.acknowledged;
  pause_ns_ = 0;
  return true;
}

DatagramPath::Fate DatagramPath::take(const DatagramHeader& header, Bytes frames, uint64_t stream) {
  if (frames.empty()) return Fate::dropped;
  if (header.sequence < expected_) {
    answer_ = true;  // an acknowledgement may have been lost
    return Fate::dropped;
  }
  if (header.sequence == expected_ && header.stream <= stream) return Fate::now;
  const bool there = std::ranges::find(held_, header.sequence, &Held::sequence) != held_.end();
  if (there || header.sequence - expected_ >= window) return Fate::dropped;
  held_.push_back({header.sequence, header.stream, {frames.begin(), frames.end()}});
  return Fate::later;
}

// The connection brings all that may have been lost, the oldest first.
std::optional<DatagramPath::Fate> DatagramPath::take_again(uint64_t sequence) const {
  if (sequence == 0 || sequence > expected_) return {};
  return sequence == expected_ ? Fate::now : Fate::dropped;
}

std::vector<std::byte> DatagramPath::next_held(uint64_t stream) {
  std::erase_if(held_, [&](const Held& each) { return each.sequence < expected_; });
  const auto next = std::ranges::find(held_, expected_, &Held::sequence);
  if (next == held_.end() || next->stream > stream) return {};
  std::vector<std::byte> frames = std::move(next->frames);
  held_.erase(next);
  return frames;
}

// ---- Time ----

DatagramPath::Due DatagramPath::due(uint64_t now) {
  if (pausing_ && now >= pause_until_) pausing_ = false;
  if (unacknowledged() && watched_ == oldest_ && now - watched_since_ >= lost_after_ns) {
    pausing_ = pause_ns_ != 0;
    pause_until_ = now + pause_ns_;
    pause_ns_ = std::clamp(2 * pause_ns_, first_pause_ns, longest_pause_ns);
    return Due::hand_over;
  }
  if (unacknowledged() && watched_ != oldest_) {
    watched_ = oldest_;
    watched_since_ = now;
  }
  if (!open_ && tries_ <= tries_max && now >= next_try_) {
    if (++tries_ > tries_max) return Due::give_up;
    next_try_ = now + try_ns_;
    try_ns_ *= 2;
    return Due::acknowledge;
  }
  return owes() ? Due::acknowledge : Due::nothing;
}

}  // namespace weft::conduit::ip
