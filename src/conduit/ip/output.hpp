// Bytes on their way into a connection. Small ones are copied, long ones stay where they are until it has taken them.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "conduit/conduit.hpp"
#include "conduit/ip/channel.hpp"

namespace weft::conduit::ip {

class Output {
 public:
  bool empty() const { return bytes_ == 0; }
  /// Bytes that the connection has not taken yet.
  size_t bytes() const { return bytes_; }

  void copy(const void* data, size_t size);
  /// `data` stays valid until it has been sent; then `local`, if not null, is counted.
  void refer(const void* data, size_t size, Completion* local);

  /// Sends what the connection takes, if nothing waits before. What it does not take of `pieces` is copied, but the
  /// last is referred to if `keep`; `local` then is counted when it has been sent, otherwise it is left alone. Without
  /// a connection all of it waits. 0, or the error that ended the connection.
  int send(Channel* channel, const iovec* pieces, size_t count, bool keep, Completion* local);
  /// Sends what waits, as far as the connection takes it.
  int flush(Channel& channel);

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
