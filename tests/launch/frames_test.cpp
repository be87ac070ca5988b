#include "frames.hpp"

#include <gtest/gtest.h>

namespace weftrun {
namespace {

TEST(Frames, ArriveWholeHoweverTheyAreCut) {
  const std::string binary("\0\n\xff", 3);
  const std::string stream = encode(FrameType::out, 7, binary) + encode(FrameType::heartbeat, 0, "") +
                             encode(FrameType::pmi, 0xfffffffe, std::string(100000, 'x'));
  for (const size_t piece : {size_t{1}, size_t{5}, size_t{11}, size_t{4096}, stream.size()}) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (size_t begin = 0; begin < stream.size(); begin += piece) {
      reader.append(std::string_view(stream).substr(begin, piece));
      while (auto frame = reader.next()) frames.push_back(*frame);
    }
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[0].type, FrameType::out);
    EXPECT_EQ(frames[0].rank, 7u);
    EXPECT_EQ(frames[0].payload, binary);
    EXPECT_EQ(frames[1].type, FrameType::heartbeat);
    EXPECT_EQ(frames[2].rank, 0xfffffffeu);
    EXPECT_EQ(frames[2].payload, std::string(100000, 'x'));
    EXPECT_FALSE(reader.damaged());
    EXPECT_EQ(reader.waiting(), 0u);
  }
}

TEST(Frames, NonsenseIsNoticedAndNothingFollowsIt) {
  for (std::string bytes : {std::string(12, '\xff'), encode(static_cast<FrameType>(0), 0, ""),
                            encode(static_cast<FrameType>(200), 0, "")}) {
    FrameReader reader;
    reader.append(bytes + encode(FrameType::heartbeat, 0, ""));
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.damaged());
    EXPECT_FALSE(reader.next());
  }
}

TEST(Frames, LinesComeBeforeThem) {
  FrameReader reader;
  reader.append("welcome\nhel");
  EXPECT_EQ(reader.next_line(), "welcome");
  EXPECT_FALSE(reader.next_line());
  reader.append("lo\n" + encode(FrameType::done, 1, "a\n"));
  EXPECT_EQ(reader.next_line(), "hello");
  EXPECT_EQ(reader.next()->payload, "a\n");
}

TEST(Frames, ListsOfStringsComeBack) {
  for (const std::vector<std::string>& strings :
       {std::vector<std::string>{}, {""}, {"a", "", std::string("\0b", 2), std::string(70000, 'c')}})
    EXPECT_EQ(unpack(pack(strings)), strings);
  EXPECT_FALSE(unpack("abc"));
  EXPECT_FALSE(unpack(pack({"abc"}).substr(0, 6)));
}

TEST(Frames, SetupComesBack) {
  const weftrun::Setup setup{"/some folder", "./prog", {"prog", "", "-x y"}, {"A=b=c", "D="}, 3, 4, true, 10000};
  const auto read = weftrun::Setup::decode(setup.encode());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->encode(), setup.encode());
  EXPECT_EQ(read->arguments, setup.arguments);
  EXPECT_EQ(read->variables, setup.variables);
  EXPECT_EQ(read->first_rank, 4u);
  EXPECT_FALSE(weftrun::Setup::decode("nonsense"));
  EXPECT_FALSE(weftrun::Setup::decode(pack({"too", "few"})));
}

TEST(Greeting, OfTheSameVersionIsGoodAmongOtherText) {
  EXPECT_EQ(compare_greeting(greeting()), "");
  EXPECT_EQ(compare_greeting(greeting() + "\r"), "");
  EXPECT_EQ(compare_greeting("prompt$ " + greeting()), "");
  EXPECT_FALSE(compare_greeting("Welcome to Debian"));
  const auto other = compare_greeting("weftrun-agent 0.0.1 protocol 1");
  ASSERT_TRUE(other);
  EXPECT_NE(other->find("0.0.1 protocol 1"), std::string::npos);
}

TEST(Greeting, ThatSaysNothingIsOfAnotherVersion) {
  for (const char* line : {"weftrun-agent ", "weftrun-agent \r", "prompt$ weftrun-agent   "})
    EXPECT_NE(compare_greeting(line).value_or(""), "") << line;
}

}  // namespace
}  // namespace weftrun
