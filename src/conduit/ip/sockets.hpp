// The kernel's part: interfaces, and TCP sockets with the options that all of the conduit's have.
#pragma once

#include <netinet/in.h>

#include <string>
#include <vector>

#include "base/status.hpp"

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
  in_addr address{};
  unsigned prefix = 32;  ///< bits of the address that all of its network have
  bool loopback = false;
  bool running = true;      ///< a cable is there
  uint32_t speed_mbit = 0;  ///< of the link; 0 where the system does not know
};
std::string text_of(const in_addr& address);
/// "eth0 (10.0.0.1)"
std::string text_of(const Interface& interface);
std::string text_of(const sockaddr_in& place);
/// "10.0.0.1:4711"; false for anything else.
bool parse_place(const std::string& text, sockaddr_in& place);

/// The interfaces that are up and have an IPv4 address.
std::vector<Interface> interfaces_here();
/// So many at most are used.
inline constexpr size_t interfaces_max = 4;
/// WEFT_NET_INTERFACE: names or addresses with commas between. Empty: loopback, or between hosts the first other one
/// and behind it those that may share its traffic if all hosts have one on the same network: they run, lead to networks
/// of their own and are at least half as fast. Logs what is wrong, with what there is.
Status choose_interfaces(const std::string& wanted, bool one_host, bool loopback_joins_hosts,
                         std::vector<Interface>& chosen);
/// Whether an address is of the network that the other is of.
bool same_network(const in_addr& one, const in_addr& other, unsigned prefix);

/// Listens at a port that the kernel chooses.
Status listen_on(const Interface& interface, Socket& socket, sockaddr_in& place);
/// Begins to connect, from the interface. Without a socket and errno set on failure.
Socket begin_connect(const Interface& interface, const sockaddr_in& place);
/// The next connection, if one waits.
Socket accept_one(int listening, sockaddr_in& from);

}  // namespace weft::conduit::ip
