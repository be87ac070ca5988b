#include "conduit/ip/sockets.hpp"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/log.hpp"
#include "conduit/ip_network.hpp"
#include "os/processor.hpp"

namespace weft::conduit::ip {
namespace {

// What the kernel may queue each way: more leaves the processor's cache. It counts twice what it is told.
constexpr int buffer_bytes = 512 << 10;
// How long data may go unacknowledged, and a silent peer unanswered, before the connection is given up.
constexpr int lost_after_s = 20, probe_after_s = 5, probe_every_s = 5;
constexpr uint32_t answer_ms = 1000;  // what was sent less long ago may yet be answered

void set(int socket, int level, int option, int value) {
  if (::setsockopt(socket, level, option, &value, sizeof value) != 0)
    base::log_warning("a socket option (%d, %d) cannot be set: %s", level, option, std::strerror(errno));
}

void set_buffers(int socket) {
  set(socket, SOL_SOCKET, SO_SNDBUF, buffer_bytes);
  set(socket, SOL_SOCKET, SO_RCVBUF, buffer_bytes);
}

// BBR sends by a clock, at the rate that it has measured. Among hosts of one room, and where ranks take turns on
// processors, that is less than the network carries: puts of 1 MiB get two thirds. Reno is permitted everywhere.
void set_congestion_control(int socket) {
  std::array<char, 16> name{};
  socklen_t size = name.size();
  if (::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &size) != 0) return;
  if (std::string_view(name.data()).substr(0, 3) != "bbr") return;
  for (const std::string_view other : {"cubic", "reno"})
    if (::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, other.data(), static_cast<socklen_t>(other.size())) == 0)
      return;
}

void set_options(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, lost_after_s * 1000);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, probe_after_s);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, probe_every_s);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, (lost_after_s - probe_after_s) / probe_every_s);
}

Socket new_socket(int family) { return Socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

uint32_t speed_of(const char* interface) {
  const Socket socket = new_socket(AF_INET);
  ethtool_cmd link{};
  link.cmd = ETHTOOL_GSET;
  ifreq request{};
  std::strncpy(request.ifr_name, interface, sizeof request.ifr_name - 1);
  request.ifr_data = reinterpret_cast<char*>(&link);
  if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) return 0;
  const uint32_t speed = ethtool_cmd_speed(&link);
  return speed == static_cast<uint32_t>(SPEED_UNKNOWN) ? 0 : speed;
}

// Whether it leads out of this host: it is a device, or made of others (DEVTYPE=bond, vlan, vxlan). A virtual machine's
// or container's end is neither.
bool leads_out(const std::filesystem::path& interface) {
  std::error_code ignored;
  if (std::filesystem::exists(interface / "device", ignored)) return true;
  std::ifstream file(interface / "uevent");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("DEVTYPE=")) return true;
  return false;
}

bool is_inside(const std::string& name) {
  const std::filesystem::path all = "/sys/class/net";
  std::error_code error;
  std::filesystem::directory_iterator member(all / name / "brif", error);
  if (error) return false;  // no bridge
  for (; member != std::filesystem::directory_iterator(); member.increment(error))
    if (leads_out(all / member->path().filename())) return false;
  return true;
}

std::string names_of(std::vector<Interface> interfaces, bool with_loopback) {
  if (!with_loopback) std::erase_if(interfaces, [](const Interface& each) { return each.loopback; });
  std::string text;
  for (const Interface& each : interfaces)
    text += (text.empty() ? "" : ", ") + text_of(each) + (each.running ? "" : " without a carrier");
  return text.empty() ? "none" : text;
}

}  // namespace

void Socket::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

std::string text_of(const Interface& interface) { return interface.name + " (" + interface.address.text() + ")"; }

std::string text_of(std::span<const Interface> interfaces) {
  std::string text;
  for (const Interface& each : interfaces) text += (text.empty() ? "" : ", ") + text_of(each);
  return text;
}

std::vector<Interface> interfaces_here() {
  std::vector<Interface> found;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return found;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    const Address address(each->ifa_addr);
    if (address.family() == AF_UNSPEC || address.of_one_link()) continue;
    found.push_back(
        {.name = each->ifa_name,
         .address = address,
         .prefix = each->ifa_netmask == nullptr ? address.bits() : Address(each->ifa_netmask).leading_bits(),
         .loopback = (each->ifa_flags & IFF_LOOPBACK) != 0,
         .inside = is_inside(each->ifa_name),
         .running = (each->ifa_flags & IFF_RUNNING) != 0,
         .speed_mbit = speed_of(each->ifa_name)});
  }
  // Not that of std::ranges, which clang 14 and 15 cannot compile with libstdc++.
  std::stable_partition(found.begin(), found.end(),
                        [](const Interface& each) { return each.address.family() == AF_INET; });
  ::freeifaddrs(all);
  return found;
}

namespace {

// Beside a faster one, the end of a transfer would wait for a slow one.
bool may_share(const Interface& first, const Interface& other) {
  if ((first.speed_mbit == 0) != (other.speed_mbit == 0)) return false;
  return 2 * uint64_t{other.speed_mbit} >= first.speed_mbit;
}

// Of its family.
bool is_first_address(const std::vector<Interface>& all, const Interface& of) {
  return &of == &*std::ranges::find_if(all, [&](const Interface& each) {
    return each.name == of.name && each.address.family() == of.address.family();
  });
}

// The first one that is there with a cable and an address that somebody has given, else the nearest to that.
const Interface* first_of(const std::vector<Interface>& all, bool loopback, int family) {
  const Interface* best = nullptr;
  const auto worth = [](const Interface& each) { return (each.running ? 2 : 0) + (each.address.made_up() ? 0 : 1); };
  for (const Interface& each : all)
    if (each.loopback == loopback && each.address.family() == family && (best == nullptr || worth(each) > worth(*best)))
      best = &each;
  return best;
}

void choose_by_itself(const std::vector<Interface>& all, bool loopback, int family, std::vector<Interface>& chosen) {
  const Interface* const first = first_of(all, loopback, family);
  if (first == nullptr) return;
  std::vector<Interface> found{*first};
  const auto add_if = [&](bool spare, auto&& wanted) {
    for (const Interface& each : all) {
      if (each.loopback || each.address.family() != family || !each.running || found.size() == interfaces_max) continue;
      if (!wanted(each)) continue;
      found.push_back(each);
      found.back().spare = spare;
    }
  };
  const auto on_new_network = [&](const Interface& each) {
    return std::ranges::none_of(
        found, [&](const Interface& one) { return one.address.same_network(each.address, one.prefix); });
  };
  const auto is_new = [&](const Interface& each) {
    return std::ranges::none_of(found, [&](const Interface& one) { return one.address.same_host(each.address); });
  };
  if (!loopback) {
    add_if(false, [&](const Interface& each) {
      return on_new_network(each) && is_first_address(all, each) && may_share(*first, each) && !each.address.made_up();
    });
    add_if(true, on_new_network);
    // Where other hosts have the one before as well. Of IPv6 interfaces have many.
    if (family == AF_INET) add_if(true, is_new);
  }
  chosen.insert(chosen.end(), found.begin(), found.end());
}

Status add_named(const std::vector<Interface>& all, const std::string& wanted, bool loopback_too, bool may_miss,
                 std::vector<Interface>& chosen) {
  Address address;
  const bool is_address = Address::parse(wanted, address);
  std::optional<IpNetwork> network;
  const Status status = read_network(wanted, network);
  if (!status.ok()) return status;
  const Interface* loopback = nullptr;
  for (const Interface& each : all) {
    const bool suits = network ? network->contains(each.address.raw())
                               : wanted == each.name || (is_address && address.same_host(each.address));
    if (!suits) continue;
    if (each.loopback && !loopback_too) {
      if (loopback == nullptr) loopback = &each;
      continue;
    }
    if (chosen.size() == interfaces_max) {
      base::log_error("setting WEFT_NET_INTERFACE: at most %zu interfaces can be named", interfaces_max);
      return WEFT_ERR_INVALID;
    }
    chosen.push_back(each);
    return {};
  }
  if (may_miss) return {};
  if (loopback != nullptr) {
    base::log_error("setting WEFT_NET_INTERFACE: %s is loopback, but the job spans hosts; name one of: %s",
                    text_of(*loopback).c_str(), names_of(all, false).c_str());
    return WEFT_ERR_INVALID;
  }
  base::log_error(
      "setting WEFT_NET_INTERFACE: there is no interface %s'%s' that is up with an address on host %s; there are: %s",
      network ? "of network " : "", wanted.c_str(), os::host_name().c_str(), names_of(all, true).c_str());
  return WEFT_ERR_INVALID;
}

}  // namespace

std::vector<std::string> networks_named(const std::string& wanted) {
  std::vector<std::string> words = base::parse_list(wanted);
  const auto is_network = [](const std::string& word) { return IpNetwork::parse(word).has_value(); };
  if (!std::ranges::all_of(words, is_network)) words.clear();
  return words;
}

bool names_interfaces(const std::string& wanted) { return !wanted.empty() && networks_named(wanted).empty(); }

Status choose_interfaces(const std::string& wanted, bool one_host, bool loopback_joins_hosts,
                         std::vector<Interface>& chosen) {
  const std::vector<Interface> all = interfaces_here();
  const bool loopback_too = one_host || loopback_joins_hosts;
  if (wanted.empty()) {
    std::vector<Interface> usable = all;
    std::erase_if(usable, [](const Interface& each) { return each.inside; });
    if (std::ranges::all_of(usable, &Interface::loopback)) usable = all;
    for (const int family : {AF_INET, AF_INET6}) choose_by_itself(usable, one_host, family, chosen);
    if (chosen.empty() && loopback_too)
      for (const int family : {AF_INET, AF_INET6}) choose_by_itself(usable, !one_host, family, chosen);
    if (!chosen.empty()) return {};
    base::log_error(
        "this host has no network interface with an address but loopback, and the job spans hosts: connect this "
        "host to a network, or name an interface (WEFT_NET_INTERFACE)");
    return WEFT_ERR_SYSTEM;
  }
  const std::vector<std::string> words = base::parse_list(wanted);
  const bool networks = !networks_named(wanted).empty();
  for (const std::string& word : words) {
    // Where this host has none of the networks, the last one is told.
    const bool may_miss = networks && (!chosen.empty() || &word != &words.back());
    const Status status = add_named(all, word, loopback_too, may_miss, chosen);
    if (!status.ok()) return status;
    const bool again = networks && std::ranges::count_if(chosen, [&](const Interface& each) {
                                     return each.address.same_host(chosen.back().address);
                                   }) > 1;
    if (again) chosen.pop_back();
  }
  return {};
}

namespace {

std::string text_of(const base::PortRange& range) {
  return std::to_string(range.low) + "-" + std::to_string(range.high);
}

// At this port, 0: at one that the kernel chooses. False with errno set. A port that was chosen may still belong to
// connections of an earlier job, which have ended (SO_REUSEADDR).
bool listen_at(const Interface& interface, unsigned port, Socket& socket, Address& place) {
  socket = new_socket(interface.address.family());
  place = interface.address;
  place.set_port(port);
  if (!socket) return false;
  if (port != 0) set(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  // What is accepted inherits both; the buffers decide on the window before.
  set_buffers(socket.get());
  set_congestion_control(socket.get());
  socklen_t size = place.size();
  return ::bind(socket.get(), place.raw(), size) == 0 && ::listen(socket.get(), SOMAXCONN) == 0 &&
         ::getsockname(socket.get(), place.raw(), &size) == 0;
}

}  // namespace

Status enough_ports(const Ports& ports, std::span<const Interface> interfaces) {
  if (!ports.range) return {};
  int64_t most = 1;
  for (const Interface& each : interfaces)
    most = std::max<int64_t>(most, std::ranges::count_if(interfaces, [&](const Interface& other) {
                               return other.address.same_host(each.address);
                             }));
  const uint64_t needed = static_cast<uint64_t>(most) * ports.host_size;
  if (needed <= ports.range->count()) return {};
  base::log_error("setting WEFT_IP_PORT_RANGE: %s is too small for host %s, whose ranks (%u) need %" PRIu64
                  " ports; open a wider range, or start fewer ranks there",
                  text_of(*ports.range).c_str(), os::host_name().c_str(), ports.host_size, needed);
  return WEFT_ERR_INVALID;
}

Status listen_on(const Interface& interface, const Ports& ports, Socket& socket, Address& place) {
  const base::PortRange range = ports.range.value_or(base::PortRange{});
  // Datagrams come to the same port; one where somebody else receives them is the last choice.
  for (unsigned i = 0; i < 2 * range.count(); ++i) {
    const unsigned port = range.low + (ports.host_rank + i) % range.count();
    const bool listens = listen_at(interface, port, socket, place);
    if (listens && (i >= range.count() || receive_datagrams_at(place))) return {};
    if (errno == EADDRINUSE && (ports.range || listens)) continue;
    const std::string at = port == 0 ? "" : ", port " + std::to_string(port) + " (WEFT_IP_PORT_RANGE)";
    base::log_error("cannot listen on %s%s: %s", text_of(interface).c_str(), at.c_str(), std::strerror(errno));
    return WEFT_ERR_SYSTEM;
  }
  base::log_error(
      "cannot listen on %s of host %s: no port of %s is free (WEFT_IP_PORT_RANGE), since others use some; this job's "
      "ranks need %u there: open a wider range",
      text_of(interface).c_str(), os::host_name().c_str(), text_of(range).c_str(), ports.host_size);
  return WEFT_ERR_SYSTEM;
}

namespace {

Socket new_datagram_socket(int family) {
  return Socket(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

}  // namespace

Socket receive_datagrams_at(const Address& place) {
  Socket socket = new_datagram_socket(place.family());
  if (socket) set_buffers(socket.get());
  if (socket && ::bind(socket.get(), place.raw(), place.size()) != 0) {
    const int error = errno;
    socket.close();
    errno = error;
  }
  return socket;
}

Socket send_datagrams_to(const Interface& interface, const Address& place) {
  Socket socket = new_datagram_socket(place.family());
  if (socket && (::bind(socket.get(), interface.address.raw(), interface.address.size()) != 0 ||
                 ::connect(socket.get(), place.raw(), place.size()) != 0))
    socket.close();
  return socket;
}

// To connect a socket for datagrams sends nothing.
bool has_route(const Interface& interface, const Address& place) {
  const Socket socket = new_datagram_socket(place.family());
  return socket && ::bind(socket.get(), interface.address.raw(), interface.address.size()) == 0 &&
         ::connect(socket.get(), place.raw(), place.size()) == 0;
}

Socket begin_connect(const Interface& interface, const Address& place) {
  Socket socket = new_socket(place.family());
  if (!socket) return socket;
  set_buffers(socket.get());
  set_congestion_control(socket.get());
  set_options(socket.get());
  set(socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
  const bool bound = ::bind(socket.get(), interface.address.raw(), interface.address.size()) == 0;
  if (bound && (::connect(socket.get(), place.raw(), place.size()) == 0 || errno == EINPROGRESS)) return socket;
  const int error = errno;
  socket.close();
  errno = error;
  return socket;
}

Socket accept_one(int listening, Address& from) {
  from = {};
  socklen_t size = from.size();
  Socket socket(::accept4(listening, from.raw(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) set_options(socket.get());
  return socket;
}

// TCP_USER_TIMEOUT also counts while the window is closed, though the other end answers the kernel's probes.
void allow_closed_window(int socket) { set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 0); }

// Probes of a closed window carry no data. One of them may be under way; the pauses between them double.
bool is_unanswered(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  const bool sent_again = info.tcpi_retransmits > 0 && info.tcpi_last_data_sent >= answer_ms &&
                          info.tcpi_last_data_sent < info.tcpi_last_ack_recv;
  return info.tcpi_last_ack_recv >= lost_after_s * 1000 && (sent_again || info.tcpi_probes > 1);
}

}  // namespace weft::conduit::ip
