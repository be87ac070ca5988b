#include "common/tcp.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {
namespace {

constexpr size_t answer_bytes = 8;
constexpr size_t stream_unit = size_t{1} << 20;

[[noreturn]] void give_up(const char* call) {
  std::fprintf(stderr, "weft-bench: %s on the socket beside the benchmark: %s\n", call, std::strerror(errno));
  std::exit(1);
}

// Whether the address is in a network that is named "10.0.0.0/24"; false for other names.
bool in_network(const std::string& name, const in_addr& address) {
  const size_t slash = name.find('/');
  in_addr network{};
  if (slash == name.npos || ::inet_pton(AF_INET, name.substr(0, slash).c_str(), &network) != 1) return false;
  const int bits = std::atoi(name.c_str() + slash + 1);
  if (bits < 0 || bits > 32) return false;
  const uint32_t mask = bits == 0 ? 0 : ~uint32_t{0} << (32 - bits);
  return ((ntohl(network.s_addr) ^ ntohl(address.s_addr)) & mask) == 0;
}

bool find_address(const std::string& interface, bool loopback, in_addr& address) {
  if (::inet_pton(AF_INET, interface.c_str(), &address) == 1) return true;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_UP) == 0) continue;
    const in_addr its = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    const bool named = interface == one->ifa_name || in_network(interface, its);
    if (!(interface.empty() ? ((one->ifa_flags & IFF_LOOPBACK) != 0) == loopback : named)) continue;
    address = its;
    found = true;
  }
  ::freeifaddrs(all);
  return found;
}

void no_delay(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Tcp::~Tcp() {
  if (socket_ >= 0) ::close(socket_);
  if (listening_ >= 0) ::close(listening_);
}

bool Tcp::listen_on(const std::string& interface, bool loopback, Place& place) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  if (!find_address(interface, loopback, name.sin_addr)) return false;
  listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t size = sizeof name;
  auto* any = reinterpret_cast<sockaddr*>(&name);
  if (listening_ < 0 || ::bind(listening_, any, size) != 0 || ::listen(listening_, 1) != 0 ||
      ::getsockname(listening_, any, &size) != 0)
    give_up("listening");
  place = {name.sin_addr.s_addr, name.sin_port};
  return true;
}

bool Tcp::accept_one() {
  socket_ = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket_ < 0) give_up("accept");
  no_delay(socket_);
  return true;
}

bool Tcp::call(const Place& place) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = place.address;
  name.sin_port = static_cast<in_port_t>(place.port);
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) give_up("connect");
  no_delay(socket_);
  return true;
}

Tcp::Place Tcp::own_place() const {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&name), &size) != 0) give_up("its own address");
  return {name.sin_addr.s_addr, 0};
}

void Tcp::send_all(const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket_, data, size, MSG_NOSIGNAL);
    if (sent < 0) give_up("send");
    data += sent;
    size -= static_cast<size_t>(sent);
  }
}

void Tcp::receive_all(char* data, size_t size, bool polling) {
  while (size > 0) {
    const ssize_t got = ::recv(socket_, data, size, polling ? MSG_DONTWAIT : 0);
    if (got < 0 && errno == EAGAIN) continue;
    if (got <= 0) give_up("recv");
    data += got;
    size -= static_cast<size_t>(got);
  }
}

Loop Tcp::round_trip(uint32_t rank, size_t size) {
  buffer_.resize(std::max({buffer_.size(), size, answer_bytes}));
  return [=, this](uint64_t iterations) {
    for (uint64_t i = 0; rank < 2 && i < iterations; ++i) {
      if (rank == 0) send_all(buffer_.data(), size);
      if (rank == 1) receive_all(buffer_.data(), size, true);
      if (rank == 1) send_all(buffer_.data(), answer_bytes);
      if (rank == 0) receive_all(buffer_.data(), answer_bytes, true);
    }
  };
}

Loop Tcp::stream(uint32_t rank, size_t size) {
  buffer_.resize(std::max(buffer_.size(), stream_unit));
  return [=, this](uint64_t iterations) {
    for (uint64_t i = 0; rank < 2 && i < iterations; ++i) {
      for (size_t left = size; left > 0;) {
        const size_t now = std::min(left, stream_unit);
        if (rank == 0) send_all(buffer_.data(), now);
        if (rank == 1) receive_all(buffer_.data(), now, false);
        left -= now;
      }
      if (rank == 1) send_all(buffer_.data(), answer_bytes);
      if (rank == 0) receive_all(buffer_.data(), answer_bytes, false);
    }
  };
}

}  // namespace bench
