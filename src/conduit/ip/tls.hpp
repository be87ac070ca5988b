// Encryption of a connection: TLS 1.3 (RFC 8446) between two ends that share a key, by OpenSSL's libssl, which is
// opened when a job needs it. Without sockets: plain bytes in, encrypted bytes out, and the other way round.
#pragma once

#include <sys/uio.h>

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "base/status.hpp"
#include "conduit/ip/crypto.hpp"

namespace weft::conduit::ip {

/// Opens libssl. On failure logs what to install. Any thread, any number of times.
Status open_tls();

class Tls {
 public:
  enum class Side : uint8_t { client, server };

  /// A key encrypts so many records at most (RFC 8446, 5.5: 2^24.5), then the sender goes on to the next.
  static constexpr uint64_t records_of_key = uint64_t{1} << 23;

  /// After open_tls() was ok. The two ends have the same key, and no other connection has it. Keys for the data are
  /// made by Diffie-Hellman besides (X25519): who learns this key later cannot decrypt what was recorded.
  Tls(Side side, const Mac& key, uint64_t records_per_key = records_of_key);
  ~Tls();
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  /// How many of the plain bytes were encrypted, all of which are free then: as far as there is room, none before the
  /// other end has answered. -1: this connection can no longer be used.
  ssize_t write(const iovec* pieces, size_t count);
  /// Fills the pieces with plain bytes that have come, one after the other; how many. -1: what has come was not
  /// encrypted with this key, or was changed on its way.
  ssize_t read(const iovec* pieces, size_t count);
  /// Whether read() has something to look at without further encrypted bytes.
  bool holds_input() const;
  /// Whether write() may take something.
  bool ready() const;

  /// A key that the two ends have and nobody else, once they have met; nothing before.
  std::optional<Mac> exported_key(std::string_view label) const;

  /// Encrypted bytes to send, and that so many of them were.
  Bytes output() const;
  void sent(size_t count);
  /// Where encrypted bytes that come belong, and that so many came.
  std::span<std::byte> room();
  void received(size_t count);

 private:
  struct Parts;

  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::conduit::ip
