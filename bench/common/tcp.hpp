// The network's limit: what a plain TCP socket between the same two processes does, driven as hard as the sockets API
// allows (no delay, no sleeping for small messages).
//
//  tcp round trip  `size` bytes there, 8 bytes back, both sides polling their socket
//  tcp stream      `size` bytes there, in one send() after the other, then 8 bytes back
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/timing.hpp"

namespace bench {

/// One end of a connection between ranks 0 and 1.
class Tcp {
 public:
  /// An IPv4 address and a port, as the kernel stores them.
  struct Place {
    uint32_t address = 0;
    uint32_t port = 0;
  };

  /// Rank 1's port on all its interfaces, and the addresses by which others may reach it.
  struct Places {
    uint32_t port = 0;
    uint32_t count = 0;
    std::array<uint32_t, 16> addresses{};
  };

  Tcp() = default;
  ~Tcp();
  Tcp(const Tcp&) = delete;
  Tcp& operator=(const Tcp&) = delete;

  /// Rank 1: listens, for calls to the first interface that WEFT_NET_INTERFACE names, or to all that are loopback or
  /// are not, as asked. Ends the process with a line if none has an address of IPv4.
  void listen_on_wanted(bool loopback, Places& places);
  /// Where rank 0 or 1 is, a port aside, if it is connected.
  Place own_place() const;
  bool accept_one();
  /// Rank 0: calls the first place that answers. Addresses that its own host has as well, as bridges inside hosts do,
  /// come last.
  void call(const Places& places);

  /// For ranks 0 and 1; other ranks do nothing.
  Loop round_trip(uint32_t rank, size_t size);
  Loop stream(uint32_t rank, size_t size);

 private:
  void send_all(const char* data, size_t size);
  void receive_all(char* data, size_t size, bool polling);

  int listening_ = -1;
  int socket_ = -1;
  std::vector<char> buffer_;
};

}  // namespace bench
