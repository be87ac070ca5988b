#include "sim/network/placement.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "network_support.hpp"

namespace weft::sim {
namespace {

using test::plain;
using Places = std::vector<uint32_t>;

// A file of this text, while it lives.
class TextFile {
 public:
  explicit TextFile(const std::string& text) : path_(::testing::TempDir() + "map-" + std::to_string(getpid())) {
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

class PlacementTest : public ::testing::Test {
 protected:
  const std::unique_ptr<Topology> topology =
      make_topology(plain({{"topology", {{"kind", "torus"}, {"dimensions", {4, 2}}}}}), 8);

  std::string complaint(const std::string& text, uint32_t ranks = 4) {
    const TextFile file(text);
    try {
      place_ranks(*topology, ranks, 2, file.path());
      return "";
    } catch (const PlatformError& error) {
      const std::string said = error.what();
      return said.starts_with(file.path()) ? said.substr(file.path().size()) : said;
    }
  }
};

TEST_F(PlacementTest, TxyzFillsANodeBeforeTheNext) {
  EXPECT_EQ(place_ranks(*topology, 5, 2, "txyz").place_of, (Places{0, 0, 1, 1, 2}));
}

TEST_F(PlacementTest, XyztGivesEachNodeARankFirst) {
  const Placement placement = place_ranks(*topology, 5, 2, "xyzt");
  EXPECT_EQ(placement.place_of, (Places{0, 1, 2, 0, 1}));
  EXPECT_EQ(placement.most_on_a_node, 2u);
  EXPECT_EQ(placement.ranks_on, (std::vector<uint32_t>{2, 2, 1}));
}

TEST_F(PlacementTest, AFileNamesEachRanksNode) {
  const TextFile file("# x y, and the core\n3 1 0\n\n0 0 1\n3 1 1\n 1 0\n");
  const Placement placement = place_ranks(*topology, 4, 2, file.path());
  EXPECT_EQ(placement.place_of, (Places{7, 0, 7, 1}));
  EXPECT_EQ(placement.host_of, (Places{0, 1, 0, 2}));  // in the order of their first ranks
  EXPECT_EQ(placement.place_of_host, (Places{7, 0, 1}));
}

TEST_F(PlacementTest, AFileMayPlaceMoreRanksThanTheJobHas) {
  const TextFile file("3 1\n2 1\n1 1\n");
  EXPECT_EQ(place_ranks(*topology, 2, 2, file.path()).place_of, (Places{7, 6}));
}

TEST_F(PlacementTest, BadFilesAreToldWithTheirLine) {
  EXPECT_EQ(complaint("0 0\n0 1\n"), " places 2 ranks, this job has 4");
  EXPECT_EQ(complaint("0 0\n4 0\n"), ":2: '4 0' is outside of a torus of 4 x 2");
  EXPECT_EQ(complaint("0 0\n\n1\n"),
            ":3: '1' is no place: 2 numbers for the node in a torus of 4 x 2, and one for the core if wanted");
  EXPECT_EQ(complaint("0,0\n").substr(0, 20), ":1: '0,0' is no plac");
  EXPECT_EQ(complaint("0 -1\n").substr(0, 21), ":1: '0 -1' is no plac");
  EXPECT_EQ(complaint("0 0 2\n"), ":1: there is no core 2; nodes have 2");
  EXPECT_EQ(complaint("0 0 1\n0 0 1\n"), ":2: rank 1 is on a core that another has");
  EXPECT_EQ(complaint("0 0\n0 0\n0 0\n"), ":3: rank 2 is one more than the 2 that a node takes");
  try {
    place_ranks(*topology, 4, 2, "zxyt");
    FAIL();
  } catch (const PlatformError& error) {
    EXPECT_STREQ(error.what(), "cannot read map zxyt: No such file or directory; maps are xyzt, txyz or a file");
  }
}

TEST(Placement, AJobMustFit) {
  const Platform platform = plain({{"node", {{"cores", 4}}}});
  Calendar calendar;
  NetworkOptions options;
  options.ranks = 33;
  EXPECT_THROW(ModelNetwork(calendar, platform, options), PlatformError);
  options.ranks = 4;
  options.ranks_per_node = 5;
  try {
    ModelNetwork(calendar, platform, options);
    FAIL();
  } catch (const PlatformError& error) {
    EXPECT_STREQ(error.what(), "platform plain (plain.json) has 4 cores per node, too few for 5 ranks");
  }
}

}  // namespace
}  // namespace weft::sim
