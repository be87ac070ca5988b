// Platform files: what they say is read, and what is wrong with them is said with line and key.
#include "sim/network/platform_file.hpp"

#include <gtest/gtest.h>

#include "network_support.hpp"

namespace weft::sim {
namespace {

// One entry per line, so that the numbers of lines are easy to see.
const std::string good = R"({
  "format": "weft-platform 1",
  "name": "mine",
  "title": "Ours",
  "topology": {
    "kind": "torus",
    "dimensions": [[4, 4], [8, 4]],
    "routing": "least-busy",
    "source": "its manual"
  },
  "mapping": "xyzt",
  "processor": {
    "send_overhead": {"value": "1.5 us", "source": "measured"},
    "receive_overhead": "700 ns"
  },
  "node": {
    "cores": 4,
    "memory_rate": "10 GB/s",
    "memory_latency": "100 ns"
  },
  "interface": {
    "latency": "500 ns",
    "message_gap": "0 ns",
    "injection_rate": "16 Gbit/s",
    "ejection_rate": "2 GB/s",
    "slots": 8
  },
  "link": {
    "rate": {"value": ["1 GB/s", "500 MB/s"], "source": "its manual"},
    "latency": "100 ns",
    "chunk": "16 KiB"
  }
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  try {
    parse_platform(text, "mine.json");
    return "";
  } catch (const PlatformError& error) {
    return error.what();
  }
}

TEST(PlatformFile, IsReadWithUnitsAndSources) {
  const Platform platform = parse_platform(good, "mine.json");
  EXPECT_EQ(platform.name, "mine");
  EXPECT_EQ(platform.mapping, "xyzt");
  EXPECT_TRUE(platform.topology.least_busy);
  EXPECT_EQ(platform.topology.dimensions.size(), 2u);
  EXPECT_DOUBLE_EQ(platform.send_overhead.value(), 1'500);
  EXPECT_EQ(platform.send_overhead.source, "measured");
  EXPECT_EQ(platform.receive_overhead.source, "");
  EXPECT_DOUBLE_EQ(platform.injection_rate.value(), 2e9);
  EXPECT_DOUBLE_EQ(platform.link_rate.value(1), 5e8);
  EXPECT_DOUBLE_EQ(platform.link_latency.value(1), 100);
  EXPECT_DOUBLE_EQ(platform.chunk.value(), 16'384);
  EXPECT_DOUBLE_EQ(platform.contention.value(), 1);  // it says nothing of it
}

TEST(PlatformFile, IsReadAgainAsItWasWritten) {
  const Platform platform = parse_platform(good, "mine.json");
  const std::string text = write_platform(platform);
  EXPECT_EQ(write_platform(parse_platform(text, "again.json")), text);
}

struct Mistake {
  std::string from, to, message;
};

TEST(PlatformFile, MistakesAreToldWithLineAndKey) {
  const Mistake mistakes[] = {
      {"\"send_overhead\"", "\"send_overhed\"",
       "mine.json:13: processor.send_overhed: there is no such key; did you mean send_overhead?"},
      {"\"interface\": {", "\"interfaces\": {",
       "mine.json:21: interfaces: there is no such key; did you mean interface?"},
      {"\"slots\": 8", "\"colour\": 8",
       "mine.json:26: interface.colour: there is no such key; known are latency, message_gap,"},
      {"{\"value\": \"1.5 us\"", "{\"valu\": \"1.5 us\"",
       "mine.json:13: processor.send_overhead.valu: there is no such key; did you mean value?"},
      {"{\"value\": \"1.5 us\",", "{", "mine.json:13: processor.send_overhead: it has no value"},
      {"\"memory_rate\": \"10 GB/s\",", "",
       "mine.json:16: node.memory_rate: it is missing: copies between ranks of a node"},
      {"\"10 GB/s\"", "\"10 ns\"",
       "mine.json:18: node.memory_rate: '10 ns' is not a rate with its unit, as 374 MB/s or 1 Gbit/s"},
      {"\"10 GB/s\"", "10", "mine.json:18: node.memory_rate: '10' is not a rate"},
      {"\"500 ns\"", "\"500 MB/s\"",
       "mine.json:22: interface.latency: '500 MB/s' is not a time with its unit, as 100 ns or 1.5 us"},
      {"\"500 ns\"", "\"-500 ns\"", "mine.json:22: interface.latency: '-500 ns' is not a time"},
      {"\"500 ns\"", "\"1e30 s\"",
       "mine.json:22: interface.latency: '1e30 s' is out of range; allowed is from 0 ns to 1000 s"},
      {"\"10 GB/s\"", "\"1e300 TB/s\"",
       "mine.json:18: node.memory_rate: '1e300 TB/s' is out of range; allowed is from 1 KB/s to 1000 TB/s"},
      {"\"slots\": 8", "\"slots\": 8, \"window\": \"1e9 GiB\"",
       "mine.json:26: interface.window: '1e9 GiB' is out of range; allowed is from 0 B to 1024 GiB"},
      {"\"16 KiB\"", "\"16 ns\"", "mine.json:31: link.chunk: '16 ns' is not a size with its unit, as 32 KiB"},
      {"\"16 KiB\"", "\"1 MiB\"",
       "mine.json:31: link.chunk: '1 MiB' is out of range; allowed is from 16 KiB to 64 KiB"},
      {"\"cores\": 4", "\"cores\": 0", "mine.json:17: node.cores: '0' is out of range; allowed is from 1 to 65536"},
      {"\"cores\": 4", "\"cores\": 2.5", "mine.json:17: node.cores: '2.5' is not a whole number, as 4"},
      {"\"cores\": 4", "\"cores\": [4, 4]", "mine.json:17: node.cores: it is one number, not a list"},
      {"\"cores\": 4", "\"cores\": 4, \"cores\": 8", "mine.json:17: node.cores is there twice, first in line 17"},
      {"[\"1 GB/s\", \"500 MB/s\"]", "[\"1 GB/s\", \"2 GB/s\", \"3 GB/s\"]",
       "mine.json:29: link.rate: the list has 3 numbers, but there are 2 kinds of links"},
      {"[\"1 GB/s\", \"500 MB/s\"]", "[]", "mine.json:29: link.rate: the list is empty"},
      {"\"its manual\"},", "17},", "mine.json:29: link.rate.source: it must be a text, in quotes"},
      {"\"torus\"", "\"toru\"", "mine.json:6: topology.kind: there is no 'toru'; did you mean torus?"},
      {"\"torus\"", "\"hypercube\"",
       "mine.json:6: topology.kind: there is no 'hypercube'; known are crossbar, torus, fat-tree, dragonfly"},
      {"\"torus\"", "\"fat-tree\"", "mine.json:7: topology.dimensions: there is no such key"},
      {"\"least-busy\"", "\"adaptive\"",
       "mine.json:8: topology.routing: there is no 'adaptive'; known are fixed, least-busy"},
      {"\"least-busy\",", "\"fixed\", \"congestion\": \"drop\",",
       "mine.json:8: topology.congestion: there is no 'drop'; did you mean drops?"},
      {"[[4, 4], [8, 4]]", "[]", "mine.json:7: topology.dimensions: it must be a list of sizes"},
      {"[[4, 4], [8, 4]]", "[4, 0]", "mine.json:7: topology.dimensions: 0 is no whole number from 1 to 4194304"},
      {"[[4, 4], [8, 4]]", "[[8, 4], [4, 4]]",
       "mine.json:7: topology.dimensions: partitions must ascend; [4,4] does not"},
      {"[[4, 4], [8, 4]]", "[[4, 4], [8, 4, 2]]",
       "mine.json:7: topology.dimensions: partitions must have as many dimensions each"},
      {"[[4, 4], [8, 4]]", "[65536, 65536]", "has more nodes than can be simulated"},
      {"\"xyzt\"", "\"xyz\"", "mine.json:11: mapping: 'xyz' is none; did you mean xyzt?"},
      {"weft-platform 1", "weft-platform 2",
       "mine.json:2: format: 'weft-platform 2' is another format than this version of Weft reads, weft-platform 1"},
      {"\"name\": \"mine\",", "", "mine.json:1: name: it is missing"},
      {"\"link\": {", "\"link\": 5, \"old\": {", "mine.json:28: old: there is no such key"},
      {"\"title\": \"Ours\"", "\"title\": 5", "mine.json:4: title: it must be a text, in quotes"},
      {"\"mapping\": \"xyzt\",", "\"mapping\": \"xyzt\"", "mine.json:12: this is no JSON: syntax error"},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string said = complaint(replaced(good, mistake.from, mistake.to));
    EXPECT_NE(said.find(mistake.message), said.npos)
        << mistake.to << "\n  said:     " << said << "\n  expected: " << mistake.message;
  }
}

TEST(PlatformFile, SectionsMustBeObjects) {
  const size_t begin = good.find("  \"link\": {"), end = good.rfind("  }\n");
  const std::string said = complaint(good.substr(0, begin) + "  \"link\": 5\n" + good.substr(end + 4));
  EXPECT_EQ(said, "mine.json:28: link: it must be an object: {\"key\": ...}");
  EXPECT_EQ(complaint("[]"), "mine.json:1: a platform is an object: {\"name\": ...}");
  EXPECT_NE(complaint("").find("mine.json:1: this is no JSON: "), std::string::npos);
}

TEST(PlatformFile, ShapesOfOtherKindsAreChecked) {
  const auto with = [](const char* topology) {
    test::Json json = test::plain_json();
    json["topology"] = test::Json::parse(topology);
    return complaint(json.dump());
  };
  EXPECT_NE(with(R"({"kind": "fat-tree", "down": [4, 4], "up": [1]})").find("topology.up: it must have as many levels"),
            std::string::npos);
  EXPECT_NE(with(R"({"kind": "fat-tree", "down": [4], "up": [65]})").find("topology.up: at most 64 parents"),
            std::string::npos);
  EXPECT_NE(with(R"({"kind": "fat-tree", "up": [1]})").find("topology.down: it is missing"), std::string::npos);
  EXPECT_NE(with(R"({"kind": "crossbar"})").find("topology.nodes: it is missing"), std::string::npos);
  EXPECT_NE(with(R"({"kind": "crossbar", "nodes": "many"})").find("topology.nodes: \"many\" is no whole number"),
            std::string::npos);
  const std::string apart =
      with(R"({"kind": "dragonfly", "groups": 10, "routers_per_group": 4, "nodes_per_router": 1, )"
           R"("global_links_per_router": 2})");
  EXPECT_NE(apart.find("topology.groups: 10 groups do not reach each other by 8 links of a group; at most 9"),
            std::string::npos)
      << apart;
}

TEST(Platforms, AllThatAreBuiltInAreWholeAndHaveSources) {
  const std::vector<std::string> names = known_platforms();
  for (const char* wanted :
       {"bgp", "xt4", "xt5", "gemini", "ranger", "elan3", "elan4", "myrinet", "ib4x", "dragonfly", "lab", "flat"})
    EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
  for (const std::string& name : names) {
    const Platform platform = find_platform(name);
    EXPECT_EQ(platform.topology.drops, platform.name == "lab") << "the only Ethernet";
    EXPECT_EQ(platform.name, name);
    EXPECT_FALSE(platform.topology.source.empty()) << name;
    for (const Field& field : fields())
      EXPECT_FALSE((platform.*field.number).source.empty()) << name << ": " << field.key;
    EXPECT_GT(make_topology(platform, 2)->nodes(), 1u) << name;
  }
}

TEST(Platforms, UnknownOnesAreToldWithTheKnown) {
  try {
    find_platform("elan5");
    FAIL();
  } catch (const PlatformError& error) {
    const std::string said = error.what();
    EXPECT_EQ(said.find("there is no platform 'elan5'; did you mean elan3? Known are bgp, dragonfly, elan3,"), 0u)
        << said;
  }
  try {
    find_platform("./nowhere.json");
    FAIL();
  } catch (const PlatformError& error) {
    EXPECT_STREQ(error.what(), "cannot read ./nowhere.json: No such file or directory");
  }
}

TEST(Quantity, IsReadAndWrittenWithItsUnit) {
  EXPECT_DOUBLE_EQ(*parse_quantity(Unit::rate, "374 MB/s"), 374e6);
  EXPECT_DOUBLE_EQ(*parse_quantity(Unit::rate, "1Gbit/s"), 125e6);
  EXPECT_DOUBLE_EQ(*parse_quantity(Unit::time, "1.5 us"), 1500);
  EXPECT_DOUBLE_EQ(*parse_quantity(Unit::size, "32 KiB"), 32768);
  for (const char* bad : {"", "MB/s", "374", "374 mb/s", "1e400 MB/s", "nan MB/s", "-1 MB/s", "1 MB/s each"})
    EXPECT_FALSE(parse_quantity(Unit::rate, bad)) << bad;
  EXPECT_EQ(quantity_text(Unit::rate, 374e6), "374 MB/s");
  EXPECT_EQ(quantity_text(Unit::time, 1500), "1.5 us");
  EXPECT_EQ(quantity_text(Unit::time, 0), "0 ns");
  EXPECT_EQ(quantity_text(Unit::size, 512), "512 B");
  EXPECT_EQ(quantity_text(Unit::count, 65536), "65536");
}

}  // namespace
}  // namespace weft::sim
