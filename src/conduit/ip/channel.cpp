#include "conduit/ip/channel.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>

namespace weft::conduit::ip {
namespace {

// How many bytes the socket has taken; -1 and errno: the connection is over.
ssize_t send_pieces(int socket, const iovec* pieces, size_t count) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces);
  message.msg_iovlen = count;
  for (;;) {
    const ssize_t sent = count == 1 ? ::send(socket, pieces->iov_base, pieces->iov_len, MSG_DONTWAIT | MSG_NOSIGNAL)
                                    : ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) return 0;
    if (errno != EINTR) return -1;
  }
}

}  // namespace

ssize_t Channel::send(const iovec* pieces, size_t count) {
  if (tls_ == nullptr) return send_pieces(socket_.get(), pieces, count);
  const ssize_t taken = tls_->write(pieces, count);
  if (taken < 0) errno = EBADMSG;
  return taken < 0 || flush_or_errno() ? taken : -1;
}

int Channel::flush() {
  while (holds_output()) {
    const Bytes bytes = tls_->output();
    const iovec piece = {const_cast<std::byte*>(bytes.data()), bytes.size()};
    const ssize_t sent = send_pieces(socket_.get(), &piece, 1);
    if (sent < 0) return errno;
    if (sent == 0) return 0;
    tls_->sent(static_cast<size_t>(sent));
  }
  return 0;
}

size_t Channel::unacknowledged() const {
  int queued = 0;
  if (::ioctl(socket_.get(), SIOCOUTQ, &queued) != 0) queued = 0;
  return static_cast<size_t>(queued) + (tls_ == nullptr ? 0 : tls_->output().size());
}

bool Channel::flush_or_errno() {
  const int error = flush();
  if (error != 0) errno = error;
  return error == 0;
}

std::optional<Channel::Seals> Channel::seals() const {
  const std::optional<Mac> secret = tls_ == nullptr ? secret_ : tls_->exported_key("EXPORTER-weft-datagrams");
  if (!secret) return {};
  const Seal::How how = tls_ == nullptr ? Seal::How::tag : Seal::How::encrypt;
  const auto key = [&](bool of_initiator) {
    return mac_of(*secret, bytes_of(of_initiator ? "initiator" : "responder"), {});
  };
  return Seals{Seal(how, key(initiator_)), Seal(how, key(!initiator_))};
}

ssize_t Channel::receive(const iovec* pieces, size_t count, bool look) {
  if (tls_ != nullptr) return receive_encrypted(pieces, count, look);
  return count == 1 ? ::recv(socket_.get(), pieces->iov_base, pieces->iov_len, MSG_DONTWAIT)
                    : ::readv(socket_.get(), pieces, static_cast<int>(count));
}

ssize_t Channel::receive_encrypted(const iovec* pieces, size_t count, bool look) {
  for (;;) {
    if (holds_input()) {
      const ssize_t came = tls_->read(pieces, count);
      if (came < 0) errno = EBADMSG;
      if (came != 0) return came;
      if (!flush_or_errno()) return -1;  // what TLS has to say
    }
    if (!look) {
      errno = EAGAIN;
      return -1;
    }
    const std::span<std::byte> room = tls_->room();
    const ssize_t came = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (came <= 0) return came;
    tls_->received(static_cast<size_t>(came));
  }
}

}  // namespace weft::conduit::ip
