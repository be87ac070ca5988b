// The table of settings and how it is read.
#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace {

using weft::base::read_settings;
using weft::base::Settings;

// An environment without Weft's variables, put back in the end.
class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& description : weft::base::setting_descriptions()) unsetenv(description.variable);
  }
  void TearDown() override {
    SetUp();
    unsetenv("WEFT_SEGMNT_SIZE");
    unsetenv("WEFT_NOTHING_LIKE_IT_AT_ALL");
  }
  // What reading says on standard error, and whether it was good.
  static std::pair<bool, std::string> read() {
    Settings settings;
    testing::internal::CaptureStderr();
    const bool good = read_settings(settings).ok();
    return {good, testing::internal::GetCapturedStderr()};
  }
};

TEST_F(SettingsTest, DefaultsHoldWithoutVariables) {
  Settings settings;
  ASSERT_TRUE(read_settings(settings).ok());
  EXPECT_EQ(settings.conduit, "auto");
  EXPECT_EQ(settings.segment_size, 0u);
  EXPECT_TRUE(settings.map_peers);
  EXPECT_FALSE(settings.check);
  EXPECT_EQ(settings.spin_us, -1);
}

TEST_F(SettingsTest, VariablesAreRead) {
  setenv("WEFT_SEGMENT_SIZE", "2G", 1);
  setenv("WEFT_CHECK", "1", 1);
  setenv("WEFT_AM_SLOTS", "64", 1);
  setenv("WEFT_SPIN_US", "2.5", 1);
  setenv("WEFT_TRACE", "a file.json", 1);
  Settings settings;
  ASSERT_TRUE(read_settings(settings).ok());
  EXPECT_EQ(settings.segment_size, 2ull << 30);
  EXPECT_TRUE(settings.check);
  EXPECT_EQ(settings.am_slots, 64u);
  EXPECT_EQ(settings.spin_us, 2.5);
  EXPECT_EQ(settings.trace, "a file.json");
}

TEST_F(SettingsTest, AValueThatDoesNotParseIsAnErrorThatNamesVariableValueAndForm) {
  const char* bad[][3] = {{"WEFT_SEGMENT_SIZE", "lots", "bytes"},   {"WEFT_AM_SLOTS", "-3", "whole number"},
                          {"WEFT_AM_SLOTS", "4294967296", "whole"}, {"WEFT_CHECK", "maybe", "0 or 1"},
                          {"WEFT_SPIN_US", "nan", "number"},        {"WEFT_SPIN_US", "inf", "number"},
                          {"WEFT_YIELD_US", "", "number"}};
  for (auto& [variable, value, form] : bad) {
    setenv(variable, value, 1);
    const auto [good, said] = read();
    EXPECT_FALSE(good) << variable;
    EXPECT_NE(said.find(variable), std::string::npos) << said;
    EXPECT_NE(said.find(std::string("'") + value + "'"), std::string::npos) << said;
    EXPECT_NE(said.find(form), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    unsetenv(variable);
  }
}

TEST_F(SettingsTest, FlagsTakeWords) {
  for (const char* text : {"1", "yes", "true", "on", "On", "TRUE"}) {
    setenv("WEFT_CHECK", text, 1);
    Settings settings;
    EXPECT_TRUE(read_settings(settings).ok() && settings.check) << text;
  }
  for (const char* text : {"0", "no", "false", "off", "NO"}) {
    setenv("WEFT_HUGE_PAGES", text, 1);
    Settings settings;
    EXPECT_TRUE(read_settings(settings).ok() && !settings.huge_pages) << text;
  }
}

TEST_F(SettingsTest, ANegativeTimeIsAMistakeUnlessItIsTheDefault) {
  for (const char* variable : {"WEFT_SPIN_US", "WEFT_YIELD_US"}) {
    setenv(variable, "-5", 1);
    const auto [good, said] = read();
    EXPECT_FALSE(good);
    EXPECT_NE(said.find(std::string(variable) + " is -5, which is neither"), std::string::npos) << said;
    setenv(variable, "-1", 1);
    EXPECT_EQ(read(), std::pair(true, std::string()));
  }
}

TEST_F(SettingsTest, ARangeOfPortsThatIsNoneIsRefused) {
  setenv("WEFT_IP_PORT_RANGE", "50999-50000", 1);
  auto [good, said] = read();
  EXPECT_FALSE(good);
  EXPECT_NE(said.find("WEFT_IP_PORT_RANGE is '50999-50000', expected LOW-HIGH"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  setenv("WEFT_IP_PORT_RANGE", "50000-50999", 1);
  EXPECT_EQ(read(), std::pair(true, std::string()));
}

TEST_F(SettingsTest, AListOfInterfacesHasNoHoles) {
  for (const char* list : {",eth0", "eth0,,eth1", "eth0, ,eth1", "eth0,", ",", " "}) {
    setenv("WEFT_NET_INTERFACE", list, 1);
    auto [good, said] = read();
    EXPECT_FALSE(good) << list;
    EXPECT_NE(said.find("WEFT_NET_INTERFACE is '" + std::string(list) + "', expected "), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
  for (const char* list : {"", "eth0", " eth0 , fd00::/64 ", "eth0,eth0"}) {
    setenv("WEFT_NET_INTERFACE", list, 1);
    EXPECT_EQ(read(), std::pair(true, std::string())) << list;
  }
}

TEST_F(SettingsTest, OnlyWhoIsAskedToWarns) {
  setenv("WEFT_SEGMNT_SIZE", "1G", 1);
  testing::internal::CaptureStderr();
  Settings settings;
  EXPECT_TRUE(read_settings(settings, false).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(SettingsTest, AnUnknownVariableIsAWarningWithTheNearestName) {
  setenv("WEFT_SEGMNT_SIZE", "1G", 1);
  const auto [good, said] = read();
  EXPECT_TRUE(good);
  EXPECT_NE(said.find("WEFT_SEGMNT_SIZE, did you mean WEFT_SEGMENT_SIZE"), std::string::npos) << said;
}

TEST_F(SettingsTest, ALogLevelAppliesToTheWarningsOfReading) {
  setenv("WEFT_SEGMNT_SIZE", "1G", 1);
  setenv("WEFT_LOG", "error", 1);
  EXPECT_EQ(read(), std::pair(true, std::string()));
  setenv("WEFT_LOG", "warning", 1);
  EXPECT_NE(read().second, "");
}

TEST_F(SettingsTest, AnUnknownLogLevelIsAnErrorThatNamesTheLevels) {
  setenv("WEFT_LOG", "loud", 1);
  const auto [good, said] = read();
  EXPECT_FALSE(good);
  EXPECT_NE(said.find("WEFT_LOG is 'loud', expected error, warning, info or debug"), std::string::npos) << said;
}

TEST_F(SettingsTest, WordsOfTheNetworkAreCheckedOnOneHostToo) {
  for (const auto& [variable, expected] :
       {std::pair("WEFT_ORDER", "expected strict, default or relaxed"),
        std::pair("WEFT_PROGRESS", "expected poll or thread"), std::pair("WEFT_NET_WAIT", "expected auto, 0 or 1")}) {
    setenv(variable, "threads", 1);
    const auto [good, said] = read();
    unsetenv(variable);
    EXPECT_FALSE(good);
    EXPECT_NE(said.find(std::string(variable) + " is 'threads', " + expected), std::string::npos) << said;
  }
}

TEST_F(SettingsTest, AVariableThatLacksAWordGetsTheWholeName) {
  for (const auto& [part, whole] : {std::pair("WEFT_PROVIDER", "WEFT_OFI_PROVIDER"),
                                    std::pair("WEFT_SIZE", "WEFT_SEGMENT_SIZE")}) {  // the first of several
    setenv(part, "1", 1);
    const auto [good, said] = read();
    unsetenv(part);
    EXPECT_TRUE(good);
    EXPECT_NE(said.find(std::string(part) + ", did you mean " + whole), std::string::npos) << said;
  }
}

TEST_F(SettingsTest, AVariableThatIsNearNothingGetsNoSuggestion) {
  for (const char* variable : {"WEFT_NOTHING_LIKE_IT_AT_ALL", "WEFT_FOO"}) {
    setenv(variable, "1", 1);
    const auto [good, said] = read();
    unsetenv(variable);
    EXPECT_TRUE(good);
    EXPECT_NE(said.find(variable), std::string::npos) << said;
    EXPECT_EQ(said.find("did you mean"), std::string::npos) << said;
  }
}

TEST_F(SettingsTest, AnEmptyTextIsAsGoodAsNone) {
  for (const char* variable : {"WEFT_IP_DATAGRAMS", "WEFT_ORDER", "WEFT_LOG", "WEFT_TUNE_FILE"}) {
    setenv(variable, "", 1);
    const auto [good, said] = read();
    unsetenv(variable);
    EXPECT_TRUE(good) << said;
  }
}

TEST_F(SettingsTest, WhatTheLauncherSetsIsNoTypingError) {
  for (const char* variable :
       {"WEFT_RANKS_AS", "WEFT_THREADS_SIZE", "WEFT_BIND_CPUS", "WEFT_BIND_ALLOWED", "WEFT_JOB", "WEFT_RSH"}) {
    setenv(variable, "1", 1);
    EXPECT_EQ(read().second, "") << variable;
    unsetenv(variable);
  }
}

TEST_F(SettingsTest, ValuesThatMeanTheSameCompareAlike) {
  const auto compared = [&](const char* variable, const char* value) {
    setenv(variable, value, 1);
    weft::base::Settings settings;
    EXPECT_TRUE(weft::base::read_settings(settings).ok());
    unsetenv(variable);
    for (const auto& setting : weft::base::job_settings(settings))
      if (setting.variable == std::string_view(variable)) return setting.compared;
    return std::string("of one rank");
  };
  EXPECT_EQ(compared("WEFT_CHECK", "yes"), compared("WEFT_CHECK", "1"));
  EXPECT_EQ(compared("WEFT_SEGMENT_SIZE", "1G"), compared("WEFT_SEGMENT_SIZE", "1024MiB"));
  EXPECT_NE(compared("WEFT_SEGMENT_SIZE", "1G"), compared("WEFT_SEGMENT_SIZE", "1025M"));
  EXPECT_EQ(compared("WEFT_TUNE_FILE", "/dev/null"), compared("WEFT_TUNE_FILE", "/proc/self/../../dev/null"));
  EXPECT_NE(compared("WEFT_TUNE_FILE", "/dev/null"), compared("WEFT_TUNE_FILE", "/no/such/file"));
  EXPECT_EQ(compared("WEFT_OFI_PROVIDER", "TCP;ofi_rxm"), compared("WEFT_OFI_PROVIDER", "tcp;OFI_RXM"));
  EXPECT_EQ(compared("WEFT_SPIN_US", "7"), "of one rank");
}

TEST(SettingsTable, EveryLineIsCompleteAndNoNameComesTwice) {
  const std::set<std::string> types = {"size", "count", "real", "flag", "text", "file"};
  std::set<std::string> names;
  for (const auto& description : weft::base::setting_descriptions()) {
    EXPECT_TRUE(std::string_view(description.variable).starts_with("WEFT_")) << description.variable;
    EXPECT_TRUE(names.insert(description.variable).second) << description.variable;
    EXPECT_TRUE(types.contains(description.type)) << description.variable;
    EXPECT_TRUE(description.scope == std::string_view("job") || description.scope == std::string_view("rank"));
    EXPECT_STRNE(description.category, "") << description.variable;
    EXPECT_TRUE(std::string_view(description.help).ends_with(".")) << description.variable;
  }
}

}  // namespace
