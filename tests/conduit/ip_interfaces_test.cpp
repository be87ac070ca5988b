// Which interfaces the ranks of a job agree on, and what they tell each other of them.
#include <gtest/gtest.h>

#include "conduit/ip/start.hpp"

namespace {

using namespace weft::conduit::ip;
using weft::boot::Hosts;

// "10.0.0.1/24"
Place at(const std::string& text) {
  Place place;
  const size_t slash = text.find('/');
  EXPECT_TRUE(parse_place(text.substr(0, slash) + ":4711", place.address)) << text;
  place.prefix = static_cast<unsigned>(std::stoul(text.substr(slash + 1)));
  return place;
}

Listing rank_at(std::initializer_list<const char*> places, bool named = false) {
  Listing listing;
  listing.weft = "1.2.3";
  listing.segment_size = 4096;
  listing.named = named;
  for (const char* each : places) listing.places.push_back(at(each));
  return listing;
}

using Chosen = std::vector<std::vector<size_t>>;

TEST(IpInterfaces, AListingIsReadAsItWasWritten) {
  const Listing told = rank_at({"10.0.0.1/24", "192.168.4.7/16"}, true);
  Listing heard;
  ASSERT_TRUE(Listing::decode(told.encode(), heard));
  EXPECT_EQ(heard.encode(), told.encode());
  EXPECT_EQ(heard.places.size(), 2u);
  EXPECT_TRUE(heard.named);
}

TEST(IpInterfaces, AListingThatMakesNoSenseIsRefused) {
  const std::string start = "1 1.2.3 4096 ";
  for (const char* rest :
       {"", "f", "x 10.0.0.1:4711/24", "f 10.0.0.1:4711", "f 10.0.0.1/24", "f 10.0.0.1:4711/33", "f 10.0.0:4711/24",
        "f a b c", "f 1.1.1.1:1/8 2.1.1.1:1/8 3.1.1.1:1/8 4.1.1.1:1/8 5.1.1.1:1/8"}) {
    Listing listing;
    EXPECT_FALSE(Listing::decode(start + rest, listing)) << rest;
  }
}

TEST(IpInterfaces, TheFirstOfAllRanksAreOneWhateverTheirNetworks) {
  EXPECT_EQ(agree_on_interfaces({rank_at({"10.0.0.1/24"}), rank_at({"172.16.9.2/16"})}, Hosts({0, 1})),
            (Chosen{{0, 0}}));
}

TEST(IpInterfaces, OthersJoinWhereAllRanksAreOnTheirNetwork) {
  const std::vector<Listing> ranks = {rank_at({"10.0.0.1/24", "10.0.1.1/24", "10.0.2.1/24"}),
                                      rank_at({"10.0.0.2/24", "10.0.2.2/24", "10.0.1.2/24"}),
                                      rank_at({"10.0.0.2/24", "10.0.2.2/24"})};
  EXPECT_EQ(agree_on_interfaces(ranks, Hosts({0, 1, 1})), (Chosen{{0, 0, 0}, {2, 1, 1}}));
}

TEST(IpInterfaces, AnotherMaskIsAnotherNetwork) {
  EXPECT_EQ(agree_on_interfaces({rank_at({"10.0.0.1/24", "10.0.1.1/24"}), rank_at({"10.0.0.2/24", "10.0.1.2/23"})},
                                Hosts({0, 1})),
            (Chosen{{0, 0}}));
}

TEST(IpInterfaces, BridgesInsideHostsDoNotCount) {
  const std::vector<Listing> ranks = {rank_at({"10.0.0.1/24", "172.17.0.1/16"}),
                                      rank_at({"10.0.0.2/24", "172.17.0.1/16"})};
  EXPECT_EQ(agree_on_interfaces(ranks, Hosts({0, 1})), (Chosen{{0, 0}}));
  EXPECT_EQ(agree_on_interfaces(ranks, Hosts({0, 0})), (Chosen{{0, 0}, {1, 1}}));
}

TEST(IpInterfaces, ThoseThatWereNamedJoinInTheirOrder) {
  EXPECT_EQ(agree_on_interfaces(
                {rank_at({"10.0.1.1/24", "10.0.0.1/24"}, true), rank_at({"10.0.0.2/24", "10.0.1.2/24"}, true)},
                Hosts({0, 1})),
            (Chosen{{0, 0}, {1, 1}}));
  EXPECT_TRUE(agree_on_interfaces({rank_at({"10.0.0.1/24", "10.0.1.1/24"}, true), rank_at({"10.0.0.2/24"}, true)},
                                  Hosts({0, 1}))
                  .empty());
}

TEST(IpInterfaces, OneThatWasNamedStandsAlone) {
  EXPECT_EQ(
      agree_on_interfaces({rank_at({"10.0.0.1/24"}, true), rank_at({"10.0.0.2/24", "10.0.1.2/24"})}, Hosts({0, 1})),
      (Chosen{{0, 0}}));
}

}  // namespace
