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
#include <set>
#include <string>

namespace bench {
namespace {

constexpr size_t answer_bytes = 8;
constexpr size_t stream_unit = size_t{1} << 20;

[[noreturn]] void give_up(const char* call) {
  std::fprintf(stderr, "weft-bench: %s on the socket beside the benchmark: %s\n", call, std::strerror(errno));
  std::exit(1);
}

// The first word of WEFT_NET_INTERFACE; empty: it is not set.
std::string interface_wanted() {
  const char* setting = std::getenv("WEFT_NET_INTERFACE");
  std::string word = setting ? setting : "";
  word.resize(std::min(word.find(','), word.size()));
  std::erase(word, ' ');
  return word;
}

[[noreturn]] void give_up_without_address(const std::string& interface) {
  std::fprintf(stderr, "weft-bench: the TCP socket beside the benchmark needs an address of IPv4, and %s\n",
               interface.empty()
                   ? "this host has none but loopback"
                   : ("'" + interface + "' (WEFT_NET_INTERFACE) has none here; name one that has").c_str());
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

// Those of the host's interfaces that are up which are wanted.
template <class Wanted>
std::vector<uint32_t> addresses_here(Wanted wanted) {
  std::vector<uint32_t> found;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_UP) == 0) continue;
    const in_addr its = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    if (wanted(*one, its)) found.push_back(its.s_addr);
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

void Tcp::listen_on_wanted(bool loopback, Places& places) {
  const std::string interface = interface_wanted();
  in_addr named{};
  const bool is_address = ::inet_pton(AF_INET, interface.c_str(), &named) == 1;
  std::set<std::string> met;
  std::vector<uint32_t> further;  // Weft, too, prefers the first address of an interface
  std::vector<uint32_t> found = addresses_here([&](const ifaddrs& one, const in_addr& its) {
    const bool suits = interface.empty() ? ((one.ifa_flags & IFF_LOOPBACK) != 0) == loopback
                       : is_address      ? its.s_addr == named.s_addr
                                         : interface == one.ifa_name || in_network(interface, its);
    if (!suits || met.insert(one.ifa_name).second) return suits;
    further.push_back(its.s_addr);
    return false;
  });
  found.insert(found.end(), further.begin(), further.end());
  if (found.empty()) give_up_without_address(interface);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t size = sizeof name;
  auto* any = reinterpret_cast<sockaddr*>(&name);
  if (listening_ < 0 || ::bind(listening_, any, size) != 0 || ::listen(listening_, 1) != 0 ||
      ::getsockname(listening_, any, &size) != 0)
    give_up("listening");
  places.port = name.sin_port;
  places.count = static_cast<uint32_t>(std::min(found.size(), places.addresses.size()));
  std::copy_n(found.begin(), places.count, places.addresses.begin());
}

bool Tcp::accept_one() {
  socket_ = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket_ < 0) give_up("accept");
  no_delay(socket_);
  return true;
}

void Tcp::call(const Places& places) {
  const std::vector<uint32_t> own = addresses_here([](const ifaddrs&, const in_addr&) { return true; });
  std::vector<uint32_t> addresses(places.addresses.begin(), places.addresses.begin() + places.count);
  std::ranges::stable_partition(addresses, [&](uint32_t each) { return std::ranges::find(own, each) == own.end(); });
  const timeval patience{2, 0}, endless{0, 0};  // where nothing answers the kernel would try for minutes
  for (const uint32_t address : addresses) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = address;
    name.sin_port = static_cast<in_port_t>(places.port);
    if (socket_ >= 0) ::close(socket_);
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) continue;
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &endless, sizeof endless);
    return no_delay(socket_);
  }
  give_up("connect");
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
