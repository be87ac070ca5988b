// Keyed hashes (HMAC-SHA256, RFC 2104) by OpenSSL's libcrypto, which is opened when a job needs it.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
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

/// Bits from the system's random source.
Status random_bytes(std::span<std::byte> bytes);

}  // namespace weft::conduit::ip
