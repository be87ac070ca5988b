#include "conduit/ip/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/parse.hpp"
#include "conduit/ip_network.hpp"

namespace weft::conduit::ip {

Address::Address(const sockaddr* address) {
  if (address->sa_family == AF_INET) std::memcpy(&kernels_, address, sizeof(sockaddr_in));
  if (address->sa_family == AF_INET6) std::memcpy(&kernels_, address, sizeof(sockaddr_in6));
}

bool Address::parse(const std::string& text, Address& address) {
  address = {};
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1)
    address.kernels_.v4 = v4;
  else if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1)
    address.kernels_.v6 = v6;
  return address.family() != AF_UNSPEC;
}

bool Address::parse_place(const std::string& text, Address& place) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  const auto port = base::parse_number<unsigned>(std::string_view(text).substr(colon + 1), 1, 65535);
  const bool bracketed = colon > 1 && text.front() == '[' && text[colon - 1] == ']';
  const std::string host = bracketed ? text.substr(1, colon - 2) : text.substr(0, colon);
  if (!port || !parse(host, place) || bracketed != (place.family() == AF_INET6)) return false;
  place.set_port(*port);
  return true;
}

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family() != AF_UNSPEC) ::inet_ntop(family(), bytes().data(), text.data(), text.size());
  return text.data();
}

std::string Address::place_text() const {
  const std::string host = family() == AF_INET6 ? "[" + text() + "]" : text();
  return host + ":" + std::to_string(port());
}

unsigned Address::port() const { return ntohs(family() == AF_INET6 ? kernels_.v6.sin6_port : kernels_.v4.sin_port); }

void Address::set_port(unsigned port) {
  const uint16_t number = htons(static_cast<uint16_t>(port));
  (family() == AF_INET6 ? kernels_.v6.sin6_port : kernels_.v4.sin_port) = number;
}

unsigned Address::leading_bits() const {
  unsigned count = 0;
  for (const std::byte each : bytes()) {
    const auto ones = static_cast<unsigned>(std::countl_one(std::to_integer<uint8_t>(each)));
    count += ones;
    if (ones != 8) break;
  }
  return count;
}

bool Address::of_one_link() const { return family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&kernels_.v6.sin6_addr); }

bool Address::made_up() const { return family() == AF_INET && ntohl(kernels_.v4.sin_addr.s_addr) >> 16 == 0xA9FE; }

bool Address::same_network(const Address& other, unsigned prefix) const {
  return family() == other.family() && prefix <= bits() && same_leading_bits(bytes(), other.bytes(), prefix);
}

socklen_t Address::size() const {
  if (family() == AF_UNSPEC) return sizeof kernels_;
  return family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

Places::Places(const std::vector<Address>& places) {
  const bool all_v4 = std::ranges::all_of(places, [](const Address& place) { return place.family() == AF_INET; });
  ports_.reserve(places.size());
  all_v4 ? v4_.reserve(places.size()) : v6_.reserve(places.size());
  for (const Address& place : places) {
    ports_.push_back(static_cast<in_port_t>(place.port()));
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(place.raw());
    if (all_v4) {
      v4_.push_back(v4->sin_addr);
    } else if (place.family() == AF_INET) {
      in6_addr mapped{};
      std::memset(&mapped.s6_addr[10], 0xff, 2);
      std::memcpy(&mapped.s6_addr[12], &v4->sin_addr, sizeof v4->sin_addr);
      v6_.push_back(mapped);
    } else {
      v6_.push_back(reinterpret_cast<const sockaddr_in6*>(place.raw())->sin6_addr);
    }
  }
}

Address Places::operator[](size_t index) const {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(ports_[index]);
  const auto* const raw = reinterpret_cast<const sockaddr*>(&v4);
  if (!v4_.empty()) {
    v4.sin_addr = v4_[index];
    return Address(raw);
  }
  if (IN6_IS_ADDR_V4MAPPED(&v6_[index])) {
    std::memcpy(&v4.sin_addr, &v6_[index].s6_addr[12], sizeof v4.sin_addr);
    return Address(raw);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(ports_[index]);
  v6.sin6_addr = v6_[index];
  return Address(reinterpret_cast<const sockaddr*>(&v6));
}

bool Places::have_host(const Address& address) const {
  for (size_t i = 0; i < size(); ++i)
    if ((*this)[i].same_host(address)) return true;
  return false;
}

std::span<const std::byte> Address::bytes() const {
  if (family() == AF_INET6) return std::as_bytes(std::span(&kernels_.v6.sin6_addr, 1));
  if (family() == AF_INET) return std::as_bytes(std::span(&kernels_.v4.sin_addr, 1));
  return {};
}

}  // namespace weft::conduit::ip
