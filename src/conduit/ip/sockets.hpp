// The kernel's part: interfaces, and TCP sockets with the options that all of the conduit's have.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/parse.hpp"
#include "base/status.hpp"
#include "conduit/ip/address.hpp"

namespace weft::conduit::ip {

/// A descriptor that is closed with this.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept {
    close();
    descriptor_ = other.release();
    return *this;
  }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int release() {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    return descriptor;
  }
  void close();

 private:
  int descriptor_ = -1;
};

struct Interface {
  std::string name;
  Address address;
  unsigned prefix = 32;  ///< bits of the address that all of its network have
  bool loopback = false;
  bool inside = false;      ///< a bridge between virtual machines or containers of this host, as Docker's
  bool running = true;      ///< a cable is there
  uint32_t speed_mbit = 0;  ///< of the link; 0 where the system does not know
  bool spare = false;       ///< shares nobody's traffic, but may carry all where the first cannot
};
/// "eth0 (10.0.0.1)"
std::string text_of(const Interface& interface);
/// The same of several, with commas between.
std::string text_of(std::span<const Interface> interfaces);

/// The interfaces that are up, once for each address: those of IPv4 first.
std::vector<Interface> interfaces_here();
/// So many at most are used, of one family of addresses.
inline constexpr size_t interfaces_max = 4;
/// WEFT_NET_INTERFACE: names, addresses or networks with commas between; the first that fits each. Of networks alone
/// this host need not have all, and an address counts once. Empty: loopback, or between hosts the first other one that
/// runs, if one does, and behind it those that may share its traffic if all hosts have one on the same network: they
/// run, lead to networks of their own and are at least half as fast. Behind these come other ones that run, and further
/// addresses, as spare. Bridges inside this host are passed over while there is anything else. Those of IPv4 come
/// before those of IPv6. Logs what is wrong, with what there is.
Status choose_interfaces(const std::string& wanted, bool one_host, bool loopback_joins_hosts,
                         std::vector<Interface>& chosen);
/// The networks of WEFT_NET_INTERFACE if it names networks alone, else none.
std::vector<std::string> networks_named(const std::string& wanted);
/// Whether it names interfaces, and not networks alone.
bool names_interfaces(const std::string& wanted);

/// Among which ports a rank chooses where it listens.
struct Ports {
  std::optional<base::PortRange> range;   ///< none: the kernel chooses
  uint32_t host_rank = 0, host_size = 1;  ///< the ranks of a host begin to look at ports of their own
};
/// Logs an error if the ranks of this host need more ports than there are, to listen on these interfaces. Each needs
/// one, and more only on an interface that is there several times.
Status enough_ports(const Ports& ports, std::span<const Interface> interfaces);

/// Listens at one of the ports.
Status listen_on(const Interface& interface, const Ports& ports, Socket& socket, Address& place);
/// For datagrams that come, at the address and port of a listening socket; none if somebody else has it.
Socket receive_datagrams_at(const Address& place);
/// For datagrams from the interface to the place.
Socket send_datagrams_to(const Interface& interface, const Address& place);
/// Whether the system knows a way from the interface to the place. If not, errno says why.
bool has_route(const Interface& interface, const Address& place);
/// Begins to connect, from the interface. Without a socket and errno set on failure.
Socket begin_connect(const Interface& interface, const Address& place);
/// The next connection, if one waits.
Socket accept_one(int listening, Address& from);
/// After the handshake: the kernel does not give the connection up because the peer computes and so reads nothing.
void allow_closed_window(int socket);
/// Whether the peer's host has answered nothing for 20 s, though data or the kernel's probes were sent again. One whose
/// ranks do not read answers.
bool is_unanswered(int socket);

}  // namespace weft::conduit::ip
