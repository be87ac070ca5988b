// What travels as a datagram, beside a connection: docs/IP-PROTOCOL.md, "Datagrams".
//
// A DatagramPath is one rank's view of the datagrams between it and a peer, without sockets, keys or clock: which
// sequences are on their way, which have come, and when frames have to go by the connection instead.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "conduit/conduit.hpp"
#include "conduit/ip/crypto.hpp"

namespace weft::conduit::ip {

struct DatagramHeader {
  std::array<char, 4> magic = {'w', 'f', 't', 'd'};
  RankId source = 0;
  uint64_t number = 0;
  uint64_t sequence = 0;
  uint64_t acknowledged = 0;
  uint64_t stream = 0;
};
static_assert(sizeof(DatagramHeader) == 40);

/// What every network of IPv6 carries in one piece, less its header and UDP's.
inline constexpr size_t datagram_max = 1280 - 40 - 8;
inline constexpr size_t datagram_frames_max = datagram_max - sizeof(DatagramHeader) - Seal::tag_size;

class DatagramPath {
 public:
  /// Datagrams with frames that are not acknowledged, and such that have come before their turn.
  static constexpr size_t window = 16;
  static constexpr uint64_t lost_after_ns = 3'000'000;
  static constexpr uint64_t first_pause_ns = 1'000'000, longest_pause_ns = 1'000'000'000;
  static constexpr uint64_t first_try_ns = 1'000'000;
  static constexpr int tries_max = 10;

  DatagramPath() : sent_(std::make_unique<Sent[]>(window)) {}

  // ---- Sending ----

  /// Whether so many bytes of frames may go as a datagram now.
  bool takes(size_t size) const {
    return open_ && !pausing_ && size <= datagram_frames_max && next_ - oldest_ < window;
  }
  /// The header of the datagram with these frames, which are kept until they are acknowledged or handed over.
  DatagramHeader send(Bytes frames);
  /// The header of one without frames.
  DatagramHeader acknowledge();
  bool unacknowledged() const { return oldest_ != next_; }
  /// Takes the oldest datagram that is not acknowledged out: the connection carries its frames from now on.
  struct Again {
    uint64_t sequence;
    Bytes frames;  ///< until the next call of send()
  };
  Again hand_over();

  // ---- Receiving ----

  /// Takes in what the header says of this rank's datagrams. False: it makes no sense.
  bool take_acknowledgement(const DatagramHeader& header);
  enum class Fate : uint8_t {
    now,     ///< carry its frames out, then say carried_out()
    later,   ///< it is held
    dropped  ///< it has been carried out before, has no frames, or there is no room
  };
  /// `stream`: bytes of frames of the connection that have been carried out.
  Fate take(const DatagramHeader& header, Bytes frames, uint64_t stream);
  /// The same of frames that came by the connection. Nothing: it makes no sense.
  std::optional<Fate> take_again(uint64_t sequence) const;
  void carried_out() { ++expected_; }
  bool holds() const { return !held_.empty(); }
  /// The frames that are next, if they are held and `stream` is far enough; carried_out() afterwards.
  std::vector<std::byte> next_held(uint64_t stream);
  /// Whether so many are to be acknowledged that it is to be done at once.
  bool owes_at_once() const { return expected_ - told_ >= window / 2; }

  // ---- Time ----

  enum class Due : uint8_t {
    nothing,
    acknowledge,  ///< send one without frames
    hand_over,    ///< all that is not acknowledged
    give_up       ///< told once: the peer answers no datagram
  };
  /// Called now and then; `idle()`: until the next datagram there is no need.
  Due due(uint64_t now);
  bool idle() const { return !owes() && (open_ ? !pausing_ && !unacknowledged() : tries_ > tries_max); }

 private:
  struct Sent {
    size_t size;
    std::array<std::byte, datagram_frames_max> frames;
  };
  struct Held {
    uint64_t sequence, stream;
    std::vector<std::byte> frames;
  };

  Bytes frames_of(uint64_t sequence) const {
    const Sent& sent = sent_[sequence % window];
    return Bytes(sent.frames).first(sent.size);
  }
  bool owes() const { return told_ != expected_ || answer_; }

  // Of sequences: from oldest_ to next_ they are on their way. Those before were acknowledged or handed over.
  std::unique_ptr<Sent[]> sent_;
  uint64_t number_ = 0, next_ = 1, oldest_ = 1;
  uint64_t expected_ = 1;  // all before are carried out
  uint64_t told_ = 1;      // what the last datagram has acknowledged
  std::vector<Held> held_;
  bool heard_ = false;   // something has come
  bool open_ = false;    // the peer has heard something
  bool answer_ = false;  // it asks whether this rank has
  bool pausing_ = false;
  uint64_t pause_until_ = 0, pause_ns_ = 0;   // the next pause: none after a single loss
  uint64_t watched_ = 0, watched_since_ = 0;  // the oldest at an earlier look
  uint64_t next_try_ = 0, try_ns_ = first_try_ns;
  int tries_ = 0;
};

}  // namespace weft::conduit::ip
