#include "options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace weftrun {
namespace {

class CommandLine : public testing::Test {
 protected:
  std::optional<Options> parse(std::vector<std::string> words) {
    words.insert(words.begin(), "weftrun");
    words_ = std::move(words);
    arguments_.clear();
    for (std::string& word : words_) arguments_.push_back(word.data());
    arguments_.push_back(nullptr);
    testing::internal::CaptureStderr();
    auto options = parse_options(static_cast<int>(words_.size()), arguments_.data(), exit_code);
    message = testing::internal::GetCapturedStderr();
    return options;
  }
  int exit_code = -1;
  std::string message;

 private:
  std::vector<std::string> words_;
  std::vector<char*> arguments_;
};

TEST_F(CommandLine, LeavesTheProgramItsOwnOptions) {
  const auto options = parse({"-n", "4", "prog", "-n", "7", "--bind"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->ranks, 4u);
  EXPECT_FALSE(options->bind);
  EXPECT_STREQ(options->program[0], "prog");
  EXPECT_STREQ(options->program[2], "7");
  EXPECT_EQ(options->program[4], nullptr);
}

TEST_F(CommandLine, KnowsItsOptions) {
  const auto options = parse({"-n3", "--ranks-as=threads", "--bind", "--tag-output", "--", "-prog"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->ranks, 3u);
  EXPECT_TRUE(options->threads);
  EXPECT_TRUE(options->bind);
  EXPECT_TRUE(options->tag_output);
  EXPECT_STREQ(options->program[0], "-prog");
  EXPECT_FALSE(parse({"-n3", "--ranks-as", "processes", "p"})->threads);
}

TEST_F(CommandLine, SimulatedRanksAreInOneProcessAndHaveSettings) {
  ::unsetenv("GLIBC_TUNABLES");
  const auto options = parse({"-n", "9", "--sim", "bgp", "--sim-seed", "4", "--sim-compute=measured", "--sim-map",
                              "txyz", "--sim-data", "none", "--sim-per-host=2", "--sim-fault=drop=0.1,seed=2", "p"});
  ASSERT_TRUE(options) << message;
  EXPECT_TRUE(options->threads);
  EXPECT_EQ(options->platform, "bgp");
  EXPECT_EQ(
      options->environment,
      (std::vector<std::string>{"GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "WEFT_CONDUIT=sim", "WEFT_SIM_PLATFORM=bgp",
                                "WEFT_SIM_SEED=4", "WEFT_SIM_FAULT=drop=0.1,seed=2", "WEFT_SIM_COMPUTE=measured",
                                "WEFT_SIM_DATA=none", "WEFT_SIM_MAP=txyz", "WEFT_SIM_RANKS_PER_HOST=2"}));
}

TEST_F(CommandLine, AUsersSettingOfMallocStays) {
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.check=1", 1);
  const auto options = parse({"-n", "2", "--sim", "flat", "p"});
  ::unsetenv("GLIBC_TUNABLES");
  ASSERT_TRUE(options) << message;
  EXPECT_EQ(options->environment, (std::vector<std::string>{"WEFT_CONDUIT=sim", "WEFT_SIM_PLATFORM=flat"}));
}

TEST_F(CommandLine, SimulationGoesWithLittleElse) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"-n2", "--sim", "", "p"}, "--sim needs a platform"},
      {{"-n2", "--sim-seed", "3", "p"}, "--sim-seed goes with --sim PLATFORM"},
      {{"-n2", "--sim", "flat", "--ranks-as=threads", "p"}, "--ranks-as does not go with --sim"},
      {{"-n2", "--sim", "flat", "--ranks-as=processes", "p"}, "--ranks-as does not go with --sim"},
      {{"-n2", "--sim", "flat", "--hosts", "a,b", "p"}, "--sim simulates its hosts; leave --hosts out"},
      {{"-n2", "--sim", "flat", "--bind", "p"}, "leave it out with --sim"}};
  for (const auto& [words, expected] : wrong) {
    EXPECT_FALSE(parse(words));
    EXPECT_EQ(exit_code, exit_usage);
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}

TEST_F(CommandLine, VariablesForOtherHostsMayHaveAnyValue) {
  const auto options = parse({"-n", "2", "--env", "A_1", "--env", "_b=x y=z", "--env", "C=", "p"});
  ASSERT_TRUE(options) << message;
  EXPECT_EQ(options->environment, (std::vector<std::string>{"A_1", "_b=x y=z", "C="}));
}

TEST_F(CommandLine, TakesNpForN) {
  EXPECT_EQ(parse({"-np", "5", "p"})->ranks, 5u);
  const auto options = parse({"--sim", "flat", "-np", "6", "p", "-np", "7"});
  ASSERT_TRUE(options) << message;
  EXPECT_EQ(options->ranks, 6u);
  EXPECT_STREQ(options->program[1], "-np");
}

TEST_F(CommandLine, NamesWhatOptionsOfOthersAreCalledHere) {
  const std::vector<std::pair<std::string, std::string>> others = {{"-host", "here: --hosts H1,H2"},
                                                                   {"--host=a", "here: --hosts H1,H2"},
                                                                   {"-x", "here: --env NAME"},
                                                                   {"-hosts", "did you mean --hosts?"},
                                                                   {"-hostfile", "did you mean --hostfile?"},
                                                                   {"-help", "did you mean --help?"},
                                                                   {"--map-by", "here: the order"},
                                                                   {"-wdir", "here: cd DIRECTORY"}};
  for (const auto& [option, said] : others) {
    EXPECT_FALSE(parse({"-n", "2", option, "a", "p"})) << option;
    EXPECT_EQ(exit_code, exit_usage) << option;
    EXPECT_NE(message.find(said), std::string::npos) << option << ": " << message;
    EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
  }
}

TEST_F(CommandLine, AcceptsFromOneRankToTheMost) {
  EXPECT_EQ(parse({"-n", "1", "p"})->ranks, 1u);
  EXPECT_EQ(parse({"-n", "65536", "p"})->ranks, most_ranks);
}

TEST_F(CommandLine, RefusesWhatIsWrongWithOneLine) {
  const std::vector<std::vector<std::string>> wrong = {
      {"-n", "0", "p"},
      {"-n", "-1", "p"},
      {"-n", "x", "p"},
      {"-n", "", "p"},
      {"-n", "1.5", "p"},
      {"-n", "4x", "p"},
      {"-n", "65537", "p"},
      {"-n", "99999999999999999999", "p"},
      {"p"},
      {},
      {"-n"},
      {"-n", "2"},
      {"-n", "2", "--what", "p"},
      {"-x", "p"},
      {"-n", "2", "--ranks-as=fibres", "p"},
      {"-n", "2", "--ranks-as"},
      {"-n", "2", "--bind=1", "p"},
      {"-n", "2", "--env", "", "p"},
      {"-n", "2", "--env", "=x", "p"},
      {"-n", "2", "--env", "A B=c", "p"},
      {"-n", "2", "--env", "1A", "p"},
  };
  for (const auto& words : wrong) {
    EXPECT_FALSE(parse(words)) << testing::PrintToString(words);
    EXPECT_EQ(exit_code, exit_usage) << testing::PrintToString(words);
    EXPECT_EQ(message.find("weftrun: "), 0u) << message;
    EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
  }
}

}  // namespace
}  // namespace weftrun
