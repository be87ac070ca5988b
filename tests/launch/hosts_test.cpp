#include "hosts.hpp"

#include <gtest/gtest.h>

namespace weftrun {
namespace {

using Counts = std::vector<uint32_t>;

std::vector<Host> hosts_of(const std::string& text) {
  std::vector<Host> hosts;
  std::string error;
  EXPECT_TRUE(parse_hosts(text, hosts, error)) << error;
  return hosts;
}

Counts place(uint32_t ranks, const std::string& text) {
  std::vector<Host> hosts = hosts_of(text);
  Counts counts;
  std::string error;
  EXPECT_TRUE(place_ranks(ranks, hosts, counts, error)) << error;
  EXPECT_EQ(hosts.size(), counts.size());
  return counts;
}

TEST(Hosts, NamesAndSlotsAreRead) {
  const auto hosts = hosts_of("a,user@b.example.org:3,10.0.0.1");
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_EQ(hosts[1].name, "user@b.example.org");
  EXPECT_EQ(hosts[1].slots, 3u);
  EXPECT_EQ(hosts[2].name, "10.0.0.1");
  EXPECT_EQ(hosts[2].slots, 0u);
}

TEST(Hosts, NamesThatAreRepeatedAddUpTheirSlots) {
  const auto hosts = hosts_of("a,b:2,a,c,a:4,b");
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_EQ(hosts[0].name, "a");
  EXPECT_EQ(hosts[0].slots, 6u);
  EXPECT_EQ(hosts[1].slots, 3u);
  EXPECT_EQ(hosts[2].slots, 0u);
}

TEST(Hosts, WhatMakesNoSenseIsRefused) {
  for (const char* text :
       {"", ",a", "a,", "a b", "-a", "a:", "a:0", "a:-1", "a:x", "a:65537", "a:65536,a", "a;b", "$(x)"}) {
    std::vector<Host> hosts;
    std::string error;
    EXPECT_FALSE(parse_hosts(text, hosts, error)) << text;
    EXPECT_NE(error, "") << text;
  }
}

TEST(Hosts, WhatIsNoFileOfHostsIsRefused) {
  for (const auto& [path, why] : {std::pair{"/", "cannot be read: Is a directory"},
                                  std::pair{"/no/such/file", "cannot be read: No such file or directory"},
                                  std::pair{"/dev/null", "names no host"},
                                  std::pair{"/dev/zero", "is no list of hosts: it has more than 16 MiB"}}) {
    std::vector<Host> hosts;
    std::string error;
    EXPECT_FALSE(parse_hostfile(path, hosts, error)) << path;
    EXPECT_EQ(error, why) << path;
  }
}

TEST(Placement, WithoutSlotsIsEvenInBlocks) {
  EXPECT_EQ(place(8, "a,b,c,d"), (Counts{2, 2, 2, 2}));
  EXPECT_EQ(place(7, "a,b,c"), (Counts{3, 2, 2}));
  EXPECT_EQ(place(2, "a,b,c"), (Counts{1, 1}));
}

TEST(Placement, WithSlotsFillsEachHostFirst) {
  EXPECT_EQ(place(5, "a:4,b:4"), (Counts{4, 1}));
  EXPECT_EQ(place(4, "a:4,b:4"), (Counts{4}));
  EXPECT_EQ(place(6, "a:4,b,c"), (Counts{4, 1, 1}));
}

TEST(Placement, TakesANameForEachSlot) {
  EXPECT_EQ(place(4, "a,a,b,b"), (Counts{2, 2}));
  EXPECT_EQ(place(4, "a,b,a,b"), (Counts{2, 2}));
  EXPECT_EQ(place(3, "a,a,b"), (Counts{2, 1}));
}

TEST(Placement, RefusesMoreRanksThanSlots) {
  std::vector<Host> hosts = hosts_of("a:2,b");
  Counts counts;
  std::string error;
  EXPECT_FALSE(place_ranks(4, hosts, counts, error));
  EXPECT_NE(error.find("the 3 slots"), std::string::npos);
}

}  // namespace
}  // namespace weftrun
