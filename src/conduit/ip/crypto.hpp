// Keyed hashes (HMAC-SHA256, RFC 2104), and seals of datagrams, by OpenSSL's libcrypto, which is opened when a job
// needs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/status.hpp"

namespace weft::conduit::ip {

using Bytes = std::span<const std::byte>;
using Mac = std::array<std::byte, 32>;

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

/// Opens libcrypto. On failure logs what to install. Any thread, any number of times.
Status open_crypto();

// After open_crypto() was ok.

/// The hash of two texts, one after the other, of together at most 256 bytes, under the key.
Mac mac_of(Bytes key, Bytes first, Bytes second);
/// In a time that does not depend on where they differ.
bool equal(const Mac& one, Bytes other);

/// What one end of a path does to its datagrams so that the other end, and nobody else, can tell that it made them.
class Seal {
 public:
  enum class How : uint8_t {
    tag,     ///< SipHash-2-4 (128 bits): what is sealed can be read
    encrypt  ///< AES-128-GCM: the text cannot
  };
  static constexpr size_t tag_size = 16;

  /// Whether the library can.
  static bool possible(How how);
  /// After possible(). The key is of one direction of one path.
  Seal(How how, const Mac& key);
  ~Seal();
  Seal(Seal&&) noexcept;
  Seal& operator=(Seal&&) noexcept;

  /// `sealed` is a head, which stays legible, a text, and room for a tag. A number must not be used twice.
  void close(std::span<std::byte> sealed, size_t head, uint64_t number);
  /// Makes the text legible. False: it was not sealed with this key and number, or was changed.
  bool open(std::span<std::byte> sealed, size_t head, uint64_t number);

 private:
  struct Parts;

  std::unique_ptr<Parts> parts_;
};

/// Bits from the system's random source.
Status random_bytes(std::span<std::byte> bytes);

}  // namespace weft::conduit::ip
