// What plain datagrams between the same two processes as Tcp's socket do.
//
//  udp round trip  `size` bytes there, 8 bytes back, both sides polling their socket
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/tcp.hpp"

namespace bench {

/// One end of a path between ranks 0 and 1.
class Udp {
 public:
  static constexpr size_t size_max = 1024;

  Udp() = default;
  ~Udp();
  Udp(const Udp&) = delete;
  Udp& operator=(const Udp&) = delete;

  /// Both ranks: binds a socket where `own` says, whose port it sets. Then connects it to the other's.
  void bind(Tcp::Place& own);
  void connect(const Tcp::Place& other);

  /// For ranks 0 and 1; other ranks do nothing. A datagram that is lost ends the benchmark.
  Loop round_trip(uint32_t rank, size_t size);

 private:
  void send(const char* data, size_t size);
  void receive(char* data, size_t size);

  int socket_ = -1;
  std::vector<char> buffer_ = std::vector<char>(size_max);
};

}  // namespace bench
