#include "common/udp.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {
namespace {

constexpr size_t answer_bytes = 8;
constexpr uint64_t looks_max = uint64_t{1} << 25;  // some ten seconds of them

[[noreturn]] void give_up(const char* what, const char* why) {
  std::fprintf(stderr, "weft-bench: %s by the datagrams beside the benchmark: %s\n", what, why);
  std::exit(1);
}

sockaddr_in name_of(const Tcp::Place& place) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = place.address;
  name.sin_port = static_cast<in_port_t>(place.port);
  return name;
}

}  // namespace

Udp::~Udp() {
  if (socket_ >= 0) ::close(socket_);
}

void Udp::bind(Tcp::Place& own) {
  own.port = 0;
  sockaddr_in name = name_of(own);
  socklen_t size = sizeof name;
  auto* any = reinterpret_cast<sockaddr*>(&name);
  socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0 || ::bind(socket_, any, size) != 0 || ::getsockname(socket_, any, &size) != 0)
    give_up("binding", std::strerror(errno));
  own.port = name.sin_port;
}

void Udp::connect(const Tcp::Place& other) {
  const sockaddr_in name = name_of(other);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0)
    give_up("connecting", std::strerror(errno));
}

void Udp::send(const char* data, size_t size) {
  if (::send(socket_, data, size, MSG_NOSIGNAL) < 0) give_up("sending", std::strerror(errno));
}

void Udp::receive(char* data, size_t size) {
  for (uint64_t looks = 0; looks < looks_max; ++looks) {
    const ssize_t got = ::recv(socket_, data, size, MSG_DONTWAIT);
    if (got >= 0) return;
    if (errno != EAGAIN) give_up("receiving", std::strerror(errno));
  }
  give_up("receiving", "one was lost");
}

Loop Udp::round_trip(uint32_t rank, size_t size) {
  return [=, this](uint64_t iterations) {
    for (uint64_t i = 0; rank < 2 && i < iterations; ++i) {
      if (rank == 0) send(buffer_.data(), size);
      if (rank == 1) receive(buffer_.data(), size);
      if (rank == 1) send(buffer_.data(), answer_bytes);
      if (rank == 0) receive(buffer_.data(), answer_bytes);
    }
  };
}

}  // namespace bench
