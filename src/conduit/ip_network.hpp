// Networks of IPv4 and IPv6 as WEFT_NET_INTERFACE names them, for all conduits that use interfaces.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace weft::conduit {

/// Whether the leading bits of two addresses are the same; they have at least so many.
bool same_leading_bits(std::span<const std::byte> one, std::span<const std::byte> other, unsigned bits);

class IpNetwork {
 public:
  /// "10.0.0.0/24", "fd00::/64". What an address has behind those bits does not count. Nothing for other texts.
  static std::optional<IpNetwork> parse(const std::string& text);

  bool contains(const sockaddr* address) const;
  int family() const { return family_; }

 private:
  int family_ = 0;
  std::vector<std::byte> address_;
  unsigned bits_ = 0;
};

/// The network that a word of WEFT_NET_INTERFACE names; none if it names something else, which has no slash. Logs what
/// is wrong with it.
Status read_network(const std::string& word, std::optional<IpNetwork>& network);

}  // namespace weft::conduit
