// Traffic: frames as datagrams. What is decided about them is decided by DatagramPath; here are sockets and seals.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "conduit/ip/traffic.hpp"

namespace weft::conduit::ip {

// ---- Beginning, and what is to be done by and by ----

void Traffic::expect_datagrams(Peer& peer) {
  if (++datagram_peers_ <= datagram_peers_max) attend(peer);
}

void Traffic::attend(Peer& peer) {
  if (peer.attended) return;
  peer.attended = true;
  attended_.push_back(&peer);
}

void Traffic::look_after_datagrams(uint64_t now) {
  std::erase_if(attended_, [&](Peer* peer) {
    peer->attended = look_after_datagrams_of(*peer, now);
    return !peer->attended;
  });
}

void Traffic::no_datagrams(const Peer& peer, const char* why) const {
  base::log(base::LogLevel::info, "there are no datagrams to rank %u at %s (%s): all goes by TCP", peer.rank,
            links_.place_of(peer.rank).place_text().c_str(), why);
}

// Whether it has to be looked after again.
bool Traffic::look_after_datagrams_of(Peer& peer, uint64_t now) {
  if (!peer.channel) return false;
  if (peer.datagrams == nullptr) {
    std::optional<Channel::Seals> seals = peer.channel.seals();
    if (!seals) return true;
    Socket socket = send_datagrams_to(links_.interface(), links_.place_of(peer.rank));
    if (!socket) {
      no_datagrams(peer, std::strerror(errno));
      return false;
    }
    peer.datagrams.reset(new Datagrams{std::move(socket), std::move(*seals), {}, {}});
  }
  DatagramPath& path = peer.datagrams->path;
  switch (path.due(now)) {
    case DatagramPath::Due::nothing:
      break;
    case DatagramPath::Due::acknowledge:
      send_acknowledgement(peer);
      break;
    case DatagramPath::Due::hand_over:
      hand_over(peer);
      break;
    case DatagramPath::Due::give_up:
      no_datagrams(peer, "none is answered");
      break;
  }
  return !path.idle();
}

// ---- Sending ----

void Traffic::send_datagram(Peer& peer, const Front& front, const void* payload, size_t size) {
  std::array<std::byte, datagram_max> datagram;
  const std::span<std::byte> frames = std::span(datagram).subspan(sizeof(DatagramHeader), front.bytes() + size);
  std::memcpy(frames.data(), &front, front.bytes());
  if (size != 0) std::memcpy(frames.data() + front.bytes(), payload, size);
  const DatagramHeader header = peer.datagrams->path.send(frames);
  attend(peer);
  if (!transmit(peer, header, std::span(datagram).first(sizeof header + frames.size() + Seal::tag_size)))
    hand_over(peer);
}

void Traffic::send_acknowledgement(Peer& peer) {
  std::array<std::byte, sizeof(DatagramHeader) + Seal::tag_size> datagram;
  (void)transmit(peer, peer.datagrams->path.acknowledge(), datagram);
}

// The frames, if any, are in place. False if the kernel does not take it.
bool Traffic::transmit(Peer& peer, DatagramHeader header, std::span<std::byte> datagram) {
  header.source = rank_;
  header.stream = peer.stream_sent;
  std::memcpy(datagram.data(), &header, sizeof header);
  peer.datagrams->seals.sending.close(datagram, sizeof header, header.number);
  return ::send(peer.datagrams->socket.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
}

// The connection carries what may be lost, before anything else that goes there.
void Traffic::hand_over(Peer& peer) {
  if (peer.datagrams == nullptr || !peer.datagrams->path.unacknowledged()) return;
  while (peer.datagrams->path.unacknowledged()) {
    const DatagramPath::Again again = peer.datagrams->path.hand_over();
    const Front front(FrameKind::again, {again.sequence}, again.frames.size());
    peer.stream_sent += front.bytes() + again.frames.size();
    peer.out.copy(&front, front.bytes());
    peer.out.copy(again.frames.data(), again.frames.size());
  }
  list(peer);
}

// ---- Receiving ----

// One of a peer, past any that are not.
int Traffic::read_datagrams() {
  std::array<std::byte, datagram_max + 1> room;
  for (int i = 0; i < reads_at_once; ++i) {
    const ssize_t came = ::recv(receiving_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (came < 0) return 0;
    const std::span<std::byte> datagram = std::span(room).first(static_cast<size_t>(came));
    DatagramHeader header;
    if (Peer* peer = open_datagram(datagram, header); peer != nullptr)
      return take_datagram(*peer, header,
                           datagram.subspan(sizeof header, datagram.size() - sizeof header - Seal::tag_size));
  }
  return 0;
}

// Null if it is not one of a peer's.
Traffic::Peer* Traffic::open_datagram(std::span<std::byte> datagram, DatagramHeader& header) {
  if (datagram.size() < sizeof header + Seal::tag_size || datagram.size() > datagram_max) return nullptr;
  std::memcpy(&header, datagram.data(), sizeof header);
  if (header.magic != DatagramHeader{}.magic || header.source >= peers_.size()) return nullptr;
  Peer* peer = peers_[header.source].get();
  if (peer == nullptr || peer->datagrams == nullptr || !peer->channel) return nullptr;
  return peer->datagrams->seals.receiving.open(datagram, sizeof header, header.number) ? peer : nullptr;
}

int Traffic::take_datagram(Peer& peer, const DatagramHeader& header, Bytes frames) {
  reading_ = &peer;
  frames_ = 0;
  DatagramPath& path = peer.datagrams->path;
  bool sense = path.take_acknowledgement(header);
  if (sense) {
    switch (path.take(header, frames, peer.stream_taken)) {
      case DatagramPath::Fate::now:
        sense = carry_out_frames(frames) && carry_out_held();
        break;
      case DatagramPath::Fate::later:
        by_datagram_ = false;  // what comes before it is in the connection
        break;
      case DatagramPath::Fate::dropped:
        break;
    }
  }
  if (!sense) {
    break_off(peer, {nonsense()});
    return 1;
  }
  if (peer.owed_answers != 0 && peer.channel) send_owed(peer);
  if (path.owes_at_once())
    send_acknowledgement(peer);
  else if (!path.idle())
    attend(peer);
  return frames_;
}

// Of the datagram that is next.
bool Traffic::carry_out_frames(Bytes frames) {
  FrameReader reader;
  FrameReader* const outer = std::exchange(reader_, &reader);
  reading_->datagrams->path.carried_out();  // what is sent meanwhile acknowledges it
  const bool sense = reader.took(frames.size(), frames, *this) && !reader.within_frame();
  reader_ = outer;
  return sense;
}

bool Traffic::carry_out_held() {
  DatagramPath& path = reading_->datagrams->path;
  while (path.holds()) {
    const std::vector<std::byte> frames = path.next_held(reading_->stream_taken);
    if (frames.empty()) return true;
    if (!carry_out_frames(frames)) return false;
  }
  return true;
}

bool Traffic::take_again(const Front& frame) {
  const auto fate = reading_->datagrams->path.take_again(frame.words[0]);
  if (!fate) return false;
  if (*fate != DatagramPath::Fate::now) return true;
  return carry_out_frames(Bytes(reading_->datagrams->again).first(frame.header.size));
}

}  // namespace weft::conduit::ip
