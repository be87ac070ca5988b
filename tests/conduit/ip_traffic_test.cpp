// What becomes of a rank's traffic when a connection ends: the other end is the test's.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/log.hpp"
#include "conduit/ip/rails.hpp"
#include "os/clock.hpp"

namespace {

using namespace weft::conduit;
using namespace weft::conduit::ip;

class IpTraffic : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()), 0); }
  void TearDown() override { hang_up(); }

  Traffic& joined(bool spare) {
    traffic_.emplace(0, 2, Traffic::Options{});
    traffic_->set_spare(spare);
    traffic_->set_segment(segment_.data(), segment_.size());
    Address mine, peers;
    EXPECT_TRUE(Address::parse_place("10.0.0.1:4000", mine) && Address::parse_place("10.0.0.2:4711", peers));
    traffic_->links().start(credentials_, {mine, peers});
    traffic_->join(1, Channel(Socket(ends_[0])));
    return *traffic_;
  }
  void hang_up() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  void say(const void* data, size_t size) { ASSERT_EQ(::send(ends_[1], data, size, 0), static_cast<ssize_t>(size)); }

  const Credentials credentials_{};
  std::array<int, 2> ends_{-1, -1};
  std::array<std::byte, 4096> segment_{};
  std::optional<Traffic> traffic_;
};

TEST_F(IpTraffic, ThatLosesItsOnlyConnectionHasFailed) {
  Traffic& traffic = joined(false);
  hang_up();
  traffic.progress();
  EXPECT_EQ(
      traffic.failure().text.find("lost contact with rank 1: it has closed the connection; it was at 10.0.0.2:4711"),
      0u)
      << traffic.failure().text;
}

TEST_F(IpTraffic, ThatLosesASpareConnectionGoesOnIfNothingIsUnderWay) {
  Traffic& traffic = joined(true);
  Front get(FrameKind::get, {0, 64}, 0);
  say(&get, get.bytes());
  hang_up();  // before the answer
  weft::base::log_threshold(weft::base::LogLevel::info);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) traffic.progress();
  const std::string said = testing::internal::GetCapturedStderr();
  weft::base::log_threshold(weft::base::LogLevel::warning);
  EXPECT_NE(said.find("; it was at 10.0.0.2:4711 through "), std::string::npos) << said;
  EXPECT_EQ(traffic.failure().text, "");
  EXPECT_TRUE(traffic.all_done());
}

TEST_F(IpTraffic, ThatLosesASpareConnectionHasFailedIfSomethingIsUnderWay) {
  Traffic& traffic = joined(true);
  const uint64_t word = 7;
  Completion completion;
  ASSERT_EQ(traffic.put(1, 0, &word, sizeof word, &completion), Result::posted);
  EXPECT_EQ(traffic.under_way(1), sizeof word);
  hang_up();
  traffic.progress();
  EXPECT_EQ(traffic.failure().text.substr(0, 24), "lost contact with rank 1");
}

TEST_F(IpTraffic, ThatHearsNonsenseOnASpareConnectionHasFailed) {
  Traffic& traffic = joined(true);
  Front put(FrameKind::put, {sizeof segment_}, 8);
  say(&put, put.bytes());
  traffic.progress();
  EXPECT_NE(traffic.failure().text.find("makes no sense"), std::string::npos) << traffic.failure().text;
}

Interface loopback() {
  std::vector<Interface> interfaces;
  EXPECT_TRUE(choose_interfaces("", true, true, interfaces).ok());
  return interfaces.front();
}

// What a rank says when the other does not listen at its place.
std::string said_of_refusal(const Interface& interface) {
  Address place;
  Socket listening;
  EXPECT_TRUE(listen_on(loopback(), {}, listening, place).ok());
  listening.close();
  Traffic traffic(0, 2, Traffic::Options{});
  EXPECT_TRUE(traffic.open(interface, {}).ok());
  const Credentials credentials = {.key = key_of(bytes_of("secret")), .rank = 0, .size = 2};
  traffic.links().start(credentials, {traffic.links().place(), place});
  traffic.links().call(1);
  for (int i = 0; i < 1000 && traffic.failure().text.empty(); ++i) {
    traffic.look_around();
    traffic.progress();
    weft::os::sleep_ns(1'000'000);
  }
  EXPECT_TRUE(traffic.failure().peer_lost);
  return traffic.failure().text;
}

TEST(IpTrafficOfTwo, BlamesAFirewallForARefusalOnAnotherHostOnly) {
  ASSERT_TRUE(open_crypto().ok());
  EXPECT_TRUE(said_of_refusal(loopback()).ends_with(": Connection refused")) << said_of_refusal(loopback());
  Interface other = loopback();
  other.loopback = false;
  ASSERT_TRUE(Address::parse("127.0.0.2", other.address));
  EXPECT_TRUE(said_of_refusal(other).ends_with(
      ": Connection refused; it has ended, or a firewall refuses connections (docs/LAUNCHING.md, \"Firewalls\")"))
      << said_of_refusal(other);
}

TEST(IpTrafficOfStrangers, TakesAQuarterOfTheDescriptorsAtMost) {
  ASSERT_TRUE(open_crypto().ok());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{32, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  Traffic traffic(0, 2, Traffic::Options{});
  const bool open = traffic.open(loopback(), {}).ok();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(open);
  const Credentials credentials = {.key = key_of(bytes_of("secret")), .rank = 0, .size = 2};
  const Address place = traffic.links().place();
  traffic.links().start(credentials, {place, place});
  std::vector<Socket> strangers;
  for (int i = 0; i < 20; ++i) strangers.push_back(begin_connect(loopback(), place));
  for (int i = 0; i < 100; ++i) {
    traffic.look_around();
    traffic.progress();
    weft::os::sleep_ns(1'000'000);
  }
  char byte = 0;
  const auto kept = std::ranges::count_if(
      strangers, [&](const Socket& each) { return ::recv(each.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN; });
  EXPECT_EQ(kept, 8);
}

// Two ranks of a job that reach each other through loopback.
TEST(IpTrafficOfTwo, MeetsARankThatPollsSeldomAfterAFewPolls) {
  ASSERT_TRUE(open_crypto().ok());
  Traffic caller(0, 2, Traffic::Options{}), called(1, 2, Traffic::Options{});
  const Credentials first = {.key = key_of(bytes_of("secret")), .rank = 0, .size = 2};
  const Credentials second = {.key = key_of(bytes_of("secret")), .rank = 1, .size = 2};
  ASSERT_TRUE(caller.open(loopback(), {}).ok());
  ASSERT_TRUE(called.open(loopback(), {}).ok());
  const std::vector<Address> places = {caller.links().place(), called.links().place()};
  caller.links().start(first, places);
  called.links().start(second, places);
  called.progress();
  int polls = 0;
  for (; !caller.reaches(1) && polls < 100; ++polls) {
    for (int i = 0; i < 15; ++i) {
      weft::os::sleep_ns(1'000'000);
      caller.progress();
    }
    called.progress();
  }
  EXPECT_LE(polls, 8);
}

}  // namespace
