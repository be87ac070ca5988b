// At which ports the ranks of a host listen: WEFT_IP_PORT_RANGE.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <set>

#include "conduit/ip/sockets.hpp"

namespace {

using namespace weft::conduit::ip;

// An address of loopback where nobody else listens.
Interface own_interface() {
  Interface interface;
  interface.name = "lo";
  const auto id = static_cast<unsigned>(::getpid());
  EXPECT_TRUE(Address::parse(
      "127." + std::to_string(id >> 16 & 127) + "." + std::to_string(id >> 8 & 255) + "." + std::to_string(id & 255),
      interface.address));
  interface.loopback = true;
  return interface;
}

constexpr weft::base::PortRange three{45001, 45003};

TEST(IpPorts, TheRanksOfAHostTakePortsOfTheRange) {
  const Interface interface = own_interface();
  std::array<Socket, 3> sockets;
  std::set<unsigned> ports;
  for (Socket& socket : sockets) {  // all begin to look at the same port, as ranks of several jobs do
    Address place;
    ASSERT_TRUE(listen_on(interface, {three, 1, 3}, socket, place).ok());
    ports.insert(place.port());
  }
  EXPECT_EQ(ports, (std::set<unsigned>{45001, 45002, 45003}));
  Socket another;
  Address place;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(listen_on(interface, {three, 1, 3}, another, place).ok());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("no port of 45001-45003 is free (WEFT_IP_PORT_RANGE)"), std::string::npos) << said;
  EXPECT_NE(said.find("this job's ranks need 3 there"), std::string::npos) << said;
}

TEST(IpPorts, APortIsFreeWhenItsConnectionsHaveEnded) {
  const Interface interface = own_interface();
  const Ports one = {weft::base::PortRange{45001, 45001}, 0, 1};
  for (int job = 0; job < 2; ++job) {
    Socket listening, accepted;
    Address place, from;
    ASSERT_TRUE(listen_on(interface, one, listening, place).ok()) << "job " << job;
    const Socket called = begin_connect(interface, place);
    ASSERT_TRUE(called);
    for (int i = 0; i < 1000 && !accepted; ++i) {
      accepted = accept_one(listening.get(), from);
      if (!accepted) ::usleep(1000);
    }
    ASSERT_TRUE(accepted);
    accepted.close();  // first, so that the kernel keeps this end for a minute
  }
}

TEST(IpPorts, ARangeThatIsTooSmallForTheRanksOfAHostIsRefused) {
  const Interface interface = own_interface();
  Interface other = interface;
  ASSERT_TRUE(Address::parse("127.0.0.1", other.address));
  EXPECT_TRUE(enough_ports({}, {{interface}}).ok());
  EXPECT_TRUE(enough_ports({three, 0, 3}, {{interface, other}}).ok());
  for (const auto& [host_size, interfaces, needed] :
       {std::tuple(4u, std::vector{interface, other}, "whose ranks (4) need 4 ports"),
        std::tuple(2u, std::vector{interface, other, interface}, "whose ranks (2) need 4 ports")}) {
    testing::internal::CaptureStderr();
    EXPECT_FALSE(enough_ports({three, 0, host_size}, interfaces).ok());
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("WEFT_IP_PORT_RANGE: 45001-45003 is too small for host "), std::string::npos) << said;
    EXPECT_NE(said.find(needed), std::string::npos) << said;
  }
}

}  // namespace
