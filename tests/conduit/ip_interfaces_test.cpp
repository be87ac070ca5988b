// Which interfaces the ranks of a job agree on, and what they tell each other of them.
#include <gtest/gtest.h>

#include "boot/boot.hpp"
#include "conduit/ip/agreement.hpp"
#include "conduit/ip_network.hpp"

namespace {

using namespace weft::conduit::ip;
using weft::conduit::RankId;

// "10.0.0.1/24", with "@10" behind it if its speed is known (100 Mbit/s each), and with "s" if it is a spare one
Place at(const std::string& text) {
  Place place;
  const size_t slash = text.find('/');
  EXPECT_TRUE(Address::parse(text.substr(0, slash), place.address)) << text;
  place.address.set_port(4711);
  place.prefix = static_cast<unsigned>(std::stoul(text.substr(slash + 1)));
  if (const size_t speed = text.find('@'); speed != std::string::npos)
    place.speed = static_cast<uint32_t>(std::stoul(text.substr(speed + 1)));
  place.spare = text.back() == 's';
  return place;
}

Listing rank_at(std::initializer_list<const char*> places, bool named = false) {
  Listing listing;
  listing.weft = "1.2.3";
  listing.host = "h1";
  listing.network = "n1";
  listing.segment_size = 4096;
  listing.named = named;
  for (const char* each : places) listing.places.push_back(at(each));
  return listing;
}

using Chosen = std::vector<std::vector<size_t>>;

// The ranks, each in the network of this number, which is no other machine's.
std::vector<Listing> on(std::vector<Listing> ranks, const std::vector<unsigned>& machines) {
  for (size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].network = std::to_string(machines[rank]);
  return ranks;
}

Chosen agreed(const std::vector<Listing>& ranks) {
  std::string why;
  const Chosen chosen = agree_on_interfaces(ranks, shared_addresses(ranks), why);
  EXPECT_EQ(chosen.empty(), !why.empty()) << why;
  return chosen;
}

TEST(IpInterfaces, AListingIsReadAsItWasWritten) {
  Listing told = rank_at({"10.0.0.1/24@1000", "192.168.4.7/16", "fd00:1::27/64s"}, true);
  told.fingerprint = "0123456789abcdef";
  Listing heard;
  ASSERT_TRUE(Listing::decode(told.encode(), heard));
  EXPECT_EQ(heard.encode(), told.encode());
  EXPECT_EQ(heard.places.size(), 3u);
  EXPECT_EQ(heard.places[0].speed, 1000u);
  EXPECT_TRUE(heard.named);
  EXPECT_EQ(heard.fingerprint, told.fingerprint);
  EXPECT_TRUE(heard.places[2].spare);
}

TEST(IpInterfaces, TheLongestListingIsShortEnoughToBeTold) {
  Listing longest = rank_at({}, true);
  longest.weft = "10.10.10";
  longest.host = std::string(64, 'h');
  longest.network = std::string(36, 'b') + "/4294967295";
  longest.segment_size = INT64_MAX >> 10;
  longest.fingerprint = std::string(16, 'f');
  for (const char* each : {"255.255.255.255/32@8000s", "1111:2222:3333:4444:5555:6666:7777:8888/128@8000s"})
    longest.places.insert(longest.places.end(), interfaces_max, at(each));
  for (Place& each : longest.places) each.address.set_port(65535);
  longest.places[0].spare = longest.places[interfaces_max].spare = false;  // as each family's first
  EXPECT_LE(longest.encode().size(), weft::boot::value_max);
}

TEST(IpInterfaces, AListingThatMakesNoSenseIsRefused) {
  const std::string start = "1 1.2.3 h1 n1 4096 ";
  for (const char* rest :
       {"", "f", "x 10.0.0.1:4711/24@0", "f 10.0.0.1:4711@0", "f 10.0.0.1/24@0", "f 10.0.0.1:4711/33@0",
        "f 10.0.0:4711/24@0", "f 10.0.0.1:4711/24", "f 10.0.0.1:4711/24@x", "f a b c",
        "f0123456789abcdef0 1.1.1.1:1/8@0",
        "f 1.1.1.1:1/8@0 2.1.1.1:1/8@0 3.1.1.1:1/8@0 4.1.1.1:1/8@0 5.1.1.1:1/8@0 6.1.1.1:1/8@0 7.1.1.1:1/8@0 "
        "8.1.1.1:1/8@0 9.1.1.1:1/8@0"}) {
    Listing listing;
    EXPECT_FALSE(Listing::decode(start + rest, listing)) << rest;
  }
}

TEST(IpInterfaces, AnAddressThatAnotherHostHasAsWellIsPassedOver) {
  const std::vector<Listing> ranks = {rank_at({"172.17.0.1/16", "10.0.0.1/24"}),
                                      rank_at({"172.17.0.1/16", "10.0.0.2/24"})};
  EXPECT_EQ(agreed(on(ranks, {0, 1})), (Chosen{{1, 1}}));
  EXPECT_EQ(agreed(on(ranks, {0, 0})), (Chosen{{0, 0}, {1, 1}}));
  const Listing elsewhere = rank_at({"10.0.0.3/24", "172.17.0.1/16"});
  EXPECT_EQ(agreed(on({ranks[0], ranks[1], elsewhere}, {0, 1, 2})), (Chosen{{1, 1, 0}}));
  const Listing only = rank_at({"172.17.0.1/16"});
  EXPECT_EQ(agreed(on({only, only}, {0, 1})), (Chosen{{0, 0}}));
}

// "2 (place 0) and 0": the first rank that would call itself, and who has the address as well.
std::string clash_of(const std::vector<Listing>& ranks) {
  const auto clash = clash_in(agreed(ranks), ranks, shared_addresses(ranks));
  if (!clash) return "none";
  return std::to_string(clash->rank) + " (place " + std::to_string(clash->place) + ") and " +
         std::to_string(clash->other);
}

TEST(IpInterfaces, RanksThatHaveAnAddressOfAnotherMachineAloneWouldCallThemselves) {
  const Listing bridge = rank_at({"172.17.0.1/16"}, true), both = rank_at({"172.17.0.1/16", "10.0.0.1/24"});
  EXPECT_EQ(clash_of(on({bridge, bridge, bridge}, {0, 0, 1})), "0 (place 0) and 2");
  EXPECT_EQ(clash_of(on({bridge, bridge}, {0, 0})), "none") << "hosts that a test makes up on one machine";
  EXPECT_EQ(clash_of(on({both, rank_at({"172.17.0.1/16", "10.0.0.2/24"})}, {0, 1})), "none");
  EXPECT_EQ(clash_of(on({both, rank_at({"10.0.0.2/24"}), bridge}, {0, 1, 2})), "2 (place 0) and 0")
      << "the others have one that leads to them";
  EXPECT_EQ(
      clash_of(on({rank_at({"10.0.0.1/24", "172.17.0.1/16"}, true), rank_at({"10.0.0.2/24", "172.17.0.1/16"}, true)},
                  {0, 1})),
      "0 (place 1) and 1");
}

TEST(IpInterfaces, ASpareOneStandsInForTheFirstButSharesNothing) {
  const Listing one = rank_at({"172.17.0.1/16", "10.0.0.1/24s", "10.0.1.1/24s"});
  const Listing other = rank_at({"172.17.0.1/16", "10.0.0.2/24s", "10.0.1.2/24s"});
  EXPECT_EQ(agreed(on({one, other}, {0, 1})), (Chosen{{1, 1}}));
  EXPECT_EQ(agreed(on({rank_at({"10.0.0.1/24", "10.0.1.1/24s"}), rank_at({"10.0.0.2/24", "10.0.1.2/24s"})}, {0, 1})),
            (Chosen{{0, 0}}));
}

TEST(IpInterfaces, TheFirstOfAllRanksAreOneWhateverTheirNetworks) {
  EXPECT_EQ(agreed(on({rank_at({"10.0.0.1/24"}), rank_at({"172.16.9.2/16"})}, {0, 1})), (Chosen{{0, 0}}));
  const std::vector<Listing> partly = {rank_at({"10.0.0.1/24", "10.0.1.1/24"}), rank_at({"10.0.0.2/24"}),
                                       rank_at({"10.0.1.3/24"})};
  EXPECT_EQ(agreed(on(partly, {0, 1, 2})), (Chosen{{0, 0, 0}}));
  EXPECT_FALSE(on_one_network(partly, {0, 0, 0}));
  EXPECT_TRUE(on_one_network({partly[0], partly[2]}, {1, 0}));
}

TEST(IpInterfaces, TheFirstAreOnANetworkOfAllRanksIfThereIsOne) {
  const Listing both = rank_at({"10.0.0.1/24", "10.0.1.1/24"});
  EXPECT_EQ(agreed(on({both, rank_at({"10.0.1.2/24"})}, {0, 1})), (Chosen{{1, 0}}));
  EXPECT_EQ(agreed(on({rank_at({"10.0.1.2/24"}), both}, {0, 1})), (Chosen{{0, 1}}));
  EXPECT_EQ(agreed(on({both, rank_at({"10.0.1.2/24", "10.0.0.2/24"})}, {0, 1})), (Chosen{{0, 1}, {1, 0}}));
  EXPECT_EQ(agreed(on({rank_at({"10.0.0.1/24", "10.0.9.1/24s"}), rank_at({"10.0.1.2/24", "10.0.9.2/24s"})}, {0, 1})),
            (Chosen{{1, 1}}));
  EXPECT_EQ(agreed(on({rank_at({"10.0.0.1/24", "172.17.0.1/16"}), rank_at({"10.0.1.2/24", "172.17.0.1/16"})}, {0, 1})),
            (Chosen{{0, 0}}))
      << "both hosts have the address, so it leads to none of them";
  EXPECT_EQ(agreed(on({rank_at({"10.0.0.1/24", "fd00::1/64"}), rank_at({"fd01::2/64", "fd00::2/64"})}, {0, 1})),
            (Chosen{{1, 1}}));
}

TEST(IpInterfaces, ThoseThatWereNamedAreUsedByNetworksWhateverTheirOrder) {
  const Listing here = rank_at({"10.0.0.1/24", "10.0.1.1/24"}, true);
  const Listing there = rank_at({"10.0.1.2/24", "10.0.0.2/24"}, true);
  EXPECT_EQ(agreed(on({here, there}, {0, 1})), (Chosen{{0, 1}, {1, 0}}));
  EXPECT_EQ(agreed(on({there, here, here}, {0, 1, 2})), (Chosen{{0, 1, 1}, {1, 0, 0}}));
  const Listing far = rank_at({"10.0.7.2/24", "10.0.0.2/24"}, true);
  EXPECT_EQ(agreed(on({here, far}, {0, 1})), (Chosen{{0, 0}, {1, 1}})) << "routes may join the first ones";
  const Listing twice = rank_at({"10.0.0.2/24", "10.0.0.2/24"}, true);
  EXPECT_EQ(agreed(on({rank_at({"10.0.0.1/24", "10.0.0.1/24"}, true), twice}, {0, 1})), (Chosen{{0, 0}, {1, 1}}));
}

std::string faster(const std::vector<Listing>& ranks) {
  return faster_networks(agreed(ranks), ranks, shared_addresses(ranks));
}

TEST(IpInterfaces, CablesThatAreFasterThanTheNetworkOfAllAreFound) {
  const Listing a = rank_at({"10.0.0.1/24@10", "10.0.1.1/24@100", "10.0.2.1/24@100"});
  const Listing b = rank_at({"10.0.0.2/24@10", "10.0.1.2/24@100", "10.0.3.2/24@100"});
  const Listing c = rank_at({"10.0.0.3/24@10", "10.0.2.3/24@100", "10.0.3.3/24@100"});
  EXPECT_EQ(faster(on({a, a, b, c}, {0, 0, 1, 2})), "10.0.1.1/24,10.0.2.1/24,10.0.3.2/24");
  EXPECT_EQ(faster(on({a, b}, {0, 1})), "") << "it is used";
  EXPECT_EQ(faster(on({a, b, rank_at({"10.0.0.3/24@10", "10.0.2.3/24@100"})}, {0, 1, 2})), "")
      << "two hosts have no cable between them";
  EXPECT_EQ(faster(on({a, b, rank_at({"10.0.0.3/24@10", "10.0.2.3/24@100", "10.0.3.3/24@10"})}, {0, 1, 2})),
            "10.0.1.1/24,10.0.2.1/24,10.0.3.2/24")
      << "each cable's speed is taken from one end";
  const Listing even = rank_at({"10.0.0.2/24@10", "10.0.1.2/24@10", "10.0.3.2/24@10"});
  EXPECT_EQ(faster(on({even, a, c}, {0, 1, 2})), "") << "no faster from there";
  const Listing unknown = rank_at({"10.0.0.1/24", "10.0.1.1/24@100", "10.0.2.1/24@100"});
  EXPECT_EQ(faster(on({unknown, b, c}, {0, 1, 2})), "");
}

// "1-0 0-1": where a rank meets the others, its own place first.
std::string met(const std::vector<Listing>& ranks, RankId me) {
  std::string text;
  const std::vector<Pair> pairs = pairs_of(ranks, shared_addresses(ranks), agreed(ranks).front(), me);
  for (RankId rank = 0; rank < ranks.size(); ++rank)
    if (rank != me)
      text += (text.empty() ? "" : " ") + std::to_string(pairs[rank].mine) + "-" + std::to_string(pairs[rank].its);
  return text;
}

TEST(IpInterfaces, ThoseOfTwoRanksAreOnANetworkOfTheirsWhereNoneHasAll) {
  const std::vector<Listing> ring =
      on({rank_at({"10.0.1.1/24", "10.0.2.1/24"}), rank_at({"10.0.2.2/24", "10.0.3.2/24"}),
          rank_at({"10.0.1.3/24", "10.0.3.3/24s"})},
         {0, 1, 2});
  EXPECT_EQ(met(ring, 0), "1-0 0-0");
  EXPECT_EQ(met(ring, 1), "0-1 1-1");
  EXPECT_EQ(met(ring, 2), "0-0 1-1");
}

TEST(IpInterfaces, RanksWithoutANetworkOfTheirsMeetAtTheirFirst) {
  const std::vector<Listing> line =
      on({rank_at({"10.0.2.1/24", "10.0.1.1/24"}), rank_at({"10.0.1.2/24"}), rank_at({"172.17.0.1/16", "10.0.2.3/24"}),
          rank_at({"172.17.0.1/16", "10.0.3.4/24"})},
         {0, 1, 2, 3});
  EXPECT_EQ(met(line, 0), "1-0 0-1 0-1");
  EXPECT_EQ(met(line, 1), "0-1 0-1 0-1");
  EXPECT_EQ(met(line, 3), "1-0 1-0 1-1");
}

TEST(IpInterfaces, RanksThatNameTheirsInAnotherOrderMeetAllTheSame) {
  const std::vector<Listing> ranks = {rank_at({"10.0.1.1/24", "10.0.2.1/24"}, true),
                                      rank_at({"10.0.3.2/24", "10.0.1.2/24"}, true)};
  EXPECT_EQ(met(on(ranks, {0, 1}), 0), "0-1");
}

TEST(IpInterfaces, OthersJoinWhereAllRanksAreOnTheirNetwork) {
  const std::vector<Listing> ranks = {rank_at({"10.0.0.1/24", "10.0.1.1/24", "10.0.2.1/24"}),
                                      rank_at({"10.0.0.2/24", "10.0.2.2/24", "10.0.1.2/24"}),
                                      rank_at({"10.0.0.2/24", "10.0.2.2/24"})};
  EXPECT_EQ(agreed(on(ranks, {0, 1, 1})), (Chosen{{0, 0, 0}, {2, 1, 1}}));
}

TEST(IpInterfaces, AnotherMaskIsAnotherNetwork) {
  EXPECT_EQ(agreed(on({rank_at({"10.0.0.1/24", "10.0.1.1/24"}), rank_at({"10.0.0.2/24", "10.0.1.2/23"})}, {0, 1})),
            (Chosen{{0, 0}}));
}

TEST(IpInterfaces, BridgesInsideHostsDoNotCount) {
  const std::vector<Listing> ranks = {rank_at({"10.0.0.1/24", "172.17.0.1/16"}),
                                      rank_at({"10.0.0.2/24", "172.17.0.1/16"})};
  EXPECT_EQ(agreed(on(ranks, {0, 1})), (Chosen{{0, 0}}));
  EXPECT_EQ(agreed(on(ranks, {0, 0})), (Chosen{{0, 0}, {1, 1}}));
}

TEST(IpInterfaces, AllRanksNameAsMany) {
  EXPECT_TRUE(
      agreed(on({rank_at({"10.0.0.1/24", "10.0.1.1/24"}, true), rank_at({"10.0.0.2/24"}, true)}, {0, 1})).empty());
}

TEST(IpInterfaces, OneThatWasNamedStandsAlone) {
  EXPECT_EQ(agreed(on({rank_at({"10.0.0.1/24"}, true), rank_at({"10.0.0.2/24", "10.0.1.2/24"})}, {0, 1})),
            (Chosen{{0, 0}}));
}

TEST(IpInterfaces, IPv6ServesWhereARankHasNoIPv4) {
  const std::vector<Listing> ranks = {rank_at({"10.0.0.1/24", "10.0.1.1/24", "fd00::1/64", "fd01::1/64"}),
                                      rank_at({"fd00::2/64", "fd01::2/64"})};
  EXPECT_EQ(agreed(on(ranks, {0, 1})), (Chosen{{2, 0}, {3, 1}}));
  const std::vector<Listing> both = {ranks[0], rank_at({"10.0.0.2/24", "fd00::2/64"})};
  EXPECT_EQ(agreed(on(both, {0, 1})), (Chosen{{0, 0}}));
}

TEST(IpInterfaces, IPv6ServesWhereItAloneHasANetworkOfAllRanks) {
  EXPECT_EQ(agreed(on({rank_at({"172.17.0.1/16", "fd00::1/64"}), rank_at({"172.17.0.1/16", "fd00::2/64"})}, {0, 1})),
            (Chosen{{1, 1}}));
  EXPECT_EQ(agreed(on({rank_at({"10.0.1.1/24", "fd00::1/64"}), rank_at({"10.0.2.2/24", "fd00::2/64"})}, {0, 1})),
            (Chosen{{1, 1}}));
  EXPECT_EQ(agreed(on({rank_at({"10.0.1.1/24", "fd00::1/64"}), rank_at({"10.0.2.2/24", "fd01::2/64"})}, {0, 1})),
            (Chosen{{0, 0}}))
      << "no family has a network of both";
}

TEST(IpInterfaces, TheFamilyThatRank0HasFirstIsPreferred) {
  const Listing one = rank_at({"fd00::1/64", "10.0.0.1/24"}), other = rank_at({"10.0.0.2/24", "fd00::2/64"});
  EXPECT_EQ(agreed(on({one, other}, {0, 1})), (Chosen{{0, 1}}));
  EXPECT_EQ(agreed(on({other, one}, {0, 1})), (Chosen{{0, 1}}));
  EXPECT_EQ(agreed(on({one, rank_at({"10.0.0.2/24", "fd01::2/64"})}, {0, 1})), (Chosen{{1, 0}}))
      << "only IPv4 has a network of both";
}

TEST(IpInterfaces, FamiliesThatDoNotMeetAreRefused) {
  EXPECT_TRUE(agreed(on({rank_at({"10.0.0.1/24"}), rank_at({"fd00::2/64"})}, {0, 1})).empty());
  EXPECT_TRUE(
      agreed(on({rank_at({"10.0.0.1/24", "10.0.1.1/24"}, true), rank_at({"10.0.0.2/24", "fd00::2/64"}, true)}, {0, 1}))
          .empty());
}

TEST(IpAddress, IsReadAsItIsWritten) {
  for (const char* text : {"10.0.0.1", "fd00::1", "::1", "255.255.255.255"}) {
    Address address;
    ASSERT_TRUE(Address::parse(text, address)) << text;
    EXPECT_EQ(address.text(), text);
    address.set_port(65535);
    Address place;
    ASSERT_TRUE(Address::parse_place(address.place_text(), place)) << address.place_text();
    EXPECT_EQ(place.text(), text);
    EXPECT_EQ(place.port(), 65535u);
  }
  for (const char* text : {"", ":", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:123456",
                           "fd00::1", "[fd00::1]", "[fd00::1]:", "[]:1", "[:1", "]:1", "[10.0.0.1]:1", "10.0.0.1:1a"}) {
    Address place;
    EXPECT_FALSE(Address::parse_place(text, place)) << text;
  }
}

TEST(IpAddress, PlacesOfOneOrBothFamiliesAreKept) {
  const std::vector<std::vector<const char*>> lists = {{"10.0.0.1:1", "255.255.255.254:65535", "10.0.0.1:4711"},
                                                       {"[fd00::1]:1", "[::1]:65535"},
                                                       {"[fd00::1]:7", "10.0.0.1:8", "[fe80::1:2]:9"},
                                                       {}};
  for (const auto& list : lists) {
    std::vector<Address> given(list.size());
    for (size_t i = 0; i < list.size(); ++i) ASSERT_TRUE(Address::parse_place(list[i], given[i])) << list[i];
    const Places kept(given);
    ASSERT_EQ(kept.size(), list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(kept[i].place_text(), list[i]);
      EXPECT_TRUE(kept.have_host(given[i]));
    }
    Address other;
    ASSERT_TRUE(Address::parse("10.0.0.2", other));
    EXPECT_FALSE(kept.have_host(other));
  }
}

TEST(IpInterfaces, AreNamedByANetworkThatTheyHaveAnAddressIn) {
  for (const char* network : {"127.0.0.0/8", "127.0.0.1/32", "127.3.4.5/8"}) {
    std::vector<Interface> chosen;
    ASSERT_TRUE(choose_interfaces(network, true, false, chosen).ok()) << network;
    ASSERT_EQ(chosen.size(), 1u);
    EXPECT_EQ(chosen[0].address.text(), "127.0.0.1");
  }
  for (const auto& [wanted, said] :
       {std::pair("203.0.113.0/24",
                  "there is no interface of network '203.0.113.0/24' that is up with an address on host "),
        std::pair("127.0.0.0/33", "'127.0.0.0/33' is no network, expected ADDRESS/BITS with 0 to 32 bits of IPv4"),
        std::pair("127.0.0.1/32,lo/8", "'lo/8' is no network")}) {
    std::vector<Interface> chosen;
    testing::internal::CaptureStderr();
    EXPECT_FALSE(choose_interfaces(wanted, true, false, chosen).ok());
    const std::string line = testing::internal::GetCapturedStderr();
    EXPECT_NE(line.find(std::string("setting WEFT_NET_INTERFACE: ") + said), std::string::npos) << line;
  }
  std::vector<Interface> chosen;
  ASSERT_TRUE(choose_interfaces(" 127.0.0.0/8 , 127.0.0.1/32", true, false, chosen).ok());
  EXPECT_EQ(chosen.size(), 1u) << "an address that is in two networks counts once";
  chosen.clear();
  ASSERT_TRUE(choose_interfaces("lo, lo", true, false, chosen).ok());
  EXPECT_EQ(chosen.size(), 2u) << "an interface that is named twice has two connections";
  chosen.clear();
  testing::internal::CaptureStderr();
  ASSERT_TRUE(choose_interfaces("203.0.113.0/24,127.0.0.0/8,198.51.100.0/24", true, false, chosen).ok());
  EXPECT_EQ(chosen.size(), 1u);
  chosen.clear();
  EXPECT_FALSE(choose_interfaces("203.0.113.0/24,198.51.100.0/24", true, false, chosen).ok()) << "this host has none";
  EXPECT_FALSE(choose_interfaces("lo,203.0.113.0/24", true, false, chosen).ok()) << "not only networks are named";
  EXPECT_NE(testing::internal::GetCapturedStderr().find("of network '198.51.100.0/24'"), std::string::npos);
  chosen.clear();
  testing::internal::CaptureStderr();
  EXPECT_FALSE(choose_interfaces("127.0.0.0/8", false, false, chosen).ok());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("is loopback, but the job spans hosts"), std::string::npos);
}

TEST(IpNetworks, AreReadAndHaveAddresses) {
  using weft::conduit::IpNetwork;
  for (const auto& [network, inside, outside] :
       {std::tuple("10.0.0.0/24", "10.0.0.255", "10.0.1.0"), std::tuple("10.0.0.77/24", "10.0.0.1", "10.0.1.77"),
        std::tuple("10.0.2.0/23", "10.0.3.9", "10.0.4.1"), std::tuple("0.0.0.0/0", "255.1.2.3", "::1"),
        std::tuple("10.0.0.1/32", "10.0.0.1", "10.0.0.2"), std::tuple("fd00::/64", "fd00::1:2", "fd00:0:0:1::1"),
        std::tuple("::/0", "fd00::1", "10.0.0.1"), std::tuple("::1/128", "::1", "::2")}) {
    const auto read = IpNetwork::parse(network);
    ASSERT_TRUE(read) << network;
    Address in, out;
    ASSERT_TRUE(Address::parse(inside, in) && Address::parse(outside, out));
    EXPECT_TRUE(read->contains(in.raw())) << network << " " << inside;
    EXPECT_FALSE(read->contains(out.raw())) << network << " " << outside;
  }
  for (const char* text :
       {"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/24", "10.0.0.0/ 8",
        "10.0.0.0/255.0.0.0", "fd00::/129", "fd00::", "eth0/24", "/24", " 10.0.0.0/8"})
    EXPECT_FALSE(IpNetwork::parse(text)) << text;
}

TEST(IpAddress, NetworksAreTheLeadingBits) {
  const auto of = [](const char* text) {
    Address address;
    EXPECT_TRUE(Address::parse(text, address));
    return address;
  };
  EXPECT_TRUE(of("10.0.1.1").same_network(of("10.0.1.255"), 24));
  EXPECT_FALSE(of("10.0.1.1").same_network(of("10.0.2.1"), 24));
  EXPECT_TRUE(of("10.0.2.1").same_network(of("10.0.3.1"), 23));
  EXPECT_TRUE(of("10.0.2.1").same_network(of("99.0.3.1"), 0));
  EXPECT_TRUE(of("fd00:0:0:1::1").same_network(of("fd00:0:0:1::2"), 64));
  EXPECT_FALSE(of("fd00:0:0:1::1").same_network(of("fd00:0:0:2::1"), 64));
  EXPECT_FALSE(of("::1").same_network(of("0.0.0.1"), 0));
  EXPECT_TRUE(of("::1").same_host(of("::1")));
  EXPECT_EQ(of("255.255.254.0").leading_bits(), 23u);
  EXPECT_EQ(of("ffff:ffff::").leading_bits(), 32u);
  EXPECT_TRUE(of("fe80::1").of_one_link());
  EXPECT_FALSE(of("fd00::1").of_one_link());
}

}  // namespace
