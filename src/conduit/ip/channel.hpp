// A connection that the handshake has let in: its bytes go over the socket as they are, or encrypted.
#pragma once

#include <sys/uio.h>

#include <memory>
#include <optional>

#include "conduit/ip/sockets.hpp"
#include "conduit/ip/tls.hpp"

namespace weft::conduit::ip {

class Channel {
 public:
  Channel() = default;
  /// `initiator`: this end has called. `secret`: what keys for datagrams are made from, unless TLS exports it.
  explicit Channel(Socket socket, bool initiator = false, const Mac& secret = {}, std::unique_ptr<Tls> tls = nullptr)
      : socket_(std::move(socket)), tls_(std::move(tls)), secret_(secret), initiator_(initiator) {}

  explicit operator bool() const { return static_cast<bool>(socket_); }
  int descriptor() const { return socket_.get(); }
  void close() {
    socket_.close();
    tls_.reset();
  }

  /// How many bytes were taken, without waiting: those are free. -1 and errno: the connection is over.
  ssize_t send(const iovec* pieces, size_t count);
  /// Hands the socket what was taken and encrypted. 0, or the error that ended the connection.
  int flush();
  /// The seals of what this end and the other send as datagrams; none before TLS has met the other end.
  struct Seals {
    Seal sending, receiving;
  };
  std::optional<Seals> seals() const;

  /// How much of what was taken the other end's kernel has not acknowledged.
  size_t unacknowledged() const;
  /// Something that was taken has yet to go to the socket.
  bool holds_output() const { return tls_ != nullptr && !tls_->output().empty(); }
  /// Whether send() takes something as soon as the socket does: not before the other end has answered.
  bool takes() const { return tls_ == nullptr || holds_output() || tls_->ready(); }
  /// send() is known to take more at once.
  bool takes_more() const { return tls_ != nullptr && tls_->ready(); }

  /// Fills the pieces, one after the other, with what has come: from the socket, if it may look there. -1 and errno as
  /// recv(), EAGAIN if there is nothing; EBADMSG: not what the peer has sent. 0: the end.
  ssize_t receive(const iovec* pieces, size_t count, bool look);
  /// Something has come that receive() finds without a look at the socket, which therefore need not be readable.
  bool holds_input() const { return tls_ != nullptr && tls_->holds_input(); }

 private:
  bool flush_or_errno();
  ssize_t receive_encrypted(const iovec* pieces, size_t count, bool look);

  Socket socket_;
  std::unique_ptr<Tls> tls_;
  Mac secret_{};
  bool initiator_ = false;
};

}  // namespace weft::conduit::ip
