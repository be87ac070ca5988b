// Addresses of IPv4 and IPv6 for the kernel and for people.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::conduit::ip {

/// An address of either family, with a port where it is the place of a socket.
class Address {
 public:
  /// None, as big as any: room for what a system call tells. size() is then what the call may write.
  Address() = default;
  /// Of AF_INET or AF_INET6; none from anything else.
  explicit Address(const sockaddr* address);

  /// "10.0.0.1", "fd00::1"; false for anything else.
  static bool parse(const std::string& text, Address& address);
  /// "10.0.0.1:4711", "[fd00::1]:4711"; false for anything else.
  static bool parse_place(const std::string& text, Address& place);
  /// As parse() and parse_place() read it.
  std::string text() const;
  std::string place_text() const;

  /// AF_INET or AF_INET6; AF_UNSPEC: none.
  int family() const { return kernels_.any.sa_family; }
  unsigned port() const;
  void set_port(unsigned port);
  /// Bits of an address of this family.
  unsigned bits() const { return static_cast<unsigned>(8 * bytes().size()); }
  /// The leading bits that are set: of a network mask.
  unsigned leading_bits() const;
  /// Whether it is of one link only (fe80::/10), so that another host cannot be told it.
  bool of_one_link() const;
  /// Whether the host has made it up where nobody gave it one (169.254.0.0/16), so that no router knows it.
  bool made_up() const;
  /// Ports aside.
  bool same_host(const Address& other) const { return same_network(other, bits()); }
  bool same_network(const Address& other, unsigned prefix) const;

  sockaddr* raw() { return &kernels_.any; }
  const sockaddr* raw() const { return &kernels_.any; }
  socklen_t size() const;

 private:
  std::span<const std::byte> bytes() const;

  union Kernels {
    sockaddr_in6 v6;
    sockaddr_in v4;
    sockaddr any;
  };
  Kernels kernels_{};
};

/// The places of all ranks' sockets, which every rank keeps: 6 bytes each where all are of IPv4, else 18.
class Places {
 public:
  static constexpr size_t bytes_of_v4 = sizeof(in_addr) + sizeof(in_port_t);

  Places() = default;
  explicit Places(const std::vector<Address>& places);
  size_t size() const { return ports_.size(); }
  Address operator[](size_t index) const;
  /// Whether one of them is on the host of this address.
  bool have_host(const Address& address) const;

 private:
  // One of the two has the addresses; those of IPv4 among others as ::ffff:a.b.c.d.
  std::vector<in_addr> v4_;
  std::vector<in6_addr> v6_;
  std::vector<in_port_t> ports_;
};

}  // namespace weft::conduit::ip
