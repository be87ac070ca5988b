#include "conduit/ip_network.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "base/log.hpp"
#include "base/parse.hpp"

namespace weft::conduit {

bool same_leading_bits(std::span<const std::byte> one, std::span<const std::byte> other, unsigned bits) {
  const size_t whole = bits / 8, rest = bits % 8;
  if (!std::ranges::equal(one.first(whole), other.first(whole))) return false;
  return rest == 0 || std::to_integer<unsigned>(one[whole] ^ other[whole]) >> (8 - rest) == 0;
}

std::optional<IpNetwork> IpNetwork::parse(const std::string& text) {
  const size_t slash = std::min(text.find('/'), text.size());
  IpNetwork network;
  for (const auto& [family, size] : {std::pair(AF_INET, sizeof(in_addr)), std::pair(AF_INET6, sizeof(in6_addr))}) {
    network.family_ = family;
    network.address_.resize(size);
    if (::inet_pton(family, text.substr(0, slash).c_str(), network.address_.data()) != 1) continue;
    const auto most = static_cast<unsigned>(8 * size);
    const auto bits = base::parse_number<unsigned>(text.substr(std::min(slash + 1, text.size())), 0, most);
    if (!bits) return std::nullopt;
    network.bits_ = *bits;
    return network;
  }
  return std::nullopt;
}

bool IpNetwork::contains(const sockaddr* address) const {
  if (address->sa_family != family_) return false;
  const void* bytes = family_ == AF_INET
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
                          : &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return same_leading_bits(address_, {static_cast<const std::byte*>(bytes), address_.size()}, bits_);
}

Status read_network(const std::string& word, std::optional<IpNetwork>& network) {
  if (word.find('/') == std::string::npos) return {};
  network = IpNetwork::parse(word);
  if (network) return {};
  base::log_error(
      "setting WEFT_NET_INTERFACE: '%s' is no network, expected ADDRESS/BITS with 0 to 32 bits of IPv4 (10.0.0.0/24) "
      "or 0 "
      "to 128 of IPv6 (fd00::/64)",
      word.c_str());
  return WEFT_ERR_INVALID;
}

}  // namespace weft::conduit
