// Bytes on their way into a socket. Small ones are copied, long ones stay where they are until the socket has taken
// them.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "conduit/conduit.hpp"

namespace weft::conduit::ip {

class Output {
 public:
  bool empty() const { return bytes_ == 0; }
  /// Bytes that the socket has not taken yet.
  size_t bytes() const { return bytes_; }

  void copy(const void* data, size_t size);
  /// `data` stays valid until it has been sent; then `local`, if not null, is counted.
  void refer(const void* data, size_t size, Completion* local);

  /// Sends what the socket takes: all of `pieces` behind what waits. What it does not take of `pieces` is copied, but
  /// the last is referred to if `keep`; `local` then is counted when it has been sent, otherwise it is left alone.
  /// 0, or the error that ended the connection.
  int send(int socket, const iovec* pieces, size_t count, bool keep, Completion* local);
  /// Sends what waits, as far as the socket takes it.
  int flush(int socket);

 private:
  // Of memory of others, or of chunk_.
  struct Piece {
    const std::byte* data;
    size_t size;
    Completion* local;
    std::unique_ptr<std::byte[]> owned;
    size_t capacity;
  };
  static constexpr size_t chunk_size = 8192;
  static constexpr size_t pieces_at_once = 64;

  void taken(size_t count);

  std::vector<Piece> pieces_;
  size_t first_ = 0, begun_ = 0;  // the first piece with bytes to send, and how many of its are sent
  size_t bytes_ = 0;
};

}  // namespace weft::conduit::ip
