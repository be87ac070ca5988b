// The parts that all benchmark programs share, without a job around them.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "common/compare.hpp"
#include "common/options.hpp"

namespace bench {
namespace {

// A job of one that counts its barriers.
class AloneJob final : public Job {
 public:
  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 1; }
  void barrier() override { ++barriers; }
  uint64_t agree(uint64_t value) override { return value; }
  int barriers = 0;
};

Parsed parse(std::vector<std::string> words) {
  std::vector<char*> argv = {const_cast<char*>("program")};
  for (std::string& word : words) argv.push_back(word.data());
  return parse_options(static_cast<int>(argv.size()), argv.data(), {"latency", "barrier"}, "program", "about",
                       "footer");
}

Loop sleep_ns(long ns, uint64_t* runs = nullptr) {
  return [=](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) {
      timespec time = {0, ns};
      nanosleep(&time, nullptr);
    }
    if (runs) ++*runs;
  };
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(TimeInTurn, GivesTheTimeOfOneIterationOfEachLoop) {
  AloneJob job;
  const std::vector<double> times = time_in_turn(job, {3, 5e6}, {sleep_ns(1'000'000), sleep_ns(4'000'000)});
  ASSERT_EQ(times.size(), 2u);
  EXPECT_GE(times[0], 1e6);
  EXPECT_GE(times[1], 4e6);
  EXPECT_LT(times[0], times[1]);
}

TEST(TimeInTurn, RunsEachLoopWarmAndThenTimedForEveryRepetition) {
  AloneJob job;
  uint64_t few = 0;
  uint64_t many = 0;
  time_in_turn(job, {2, 1e5}, {sleep_ns(1000, &few)});
  time_in_turn(job, {7, 1e5}, {sleep_ns(1000, &many)});
  EXPECT_GE(few, 2u * 2);
  EXPECT_GE(many, 7u * 2);
}

TEST(Sizes, GoUpToTheLargestAllowed) {
  EXPECT_EQ(sizes(1, 8, 2), (std::vector<size_t>{1, 2, 4, 8}));
  EXPECT_EQ(sizes(64, 1000, 4), (std::vector<size_t>{64, 256}));
  EXPECT_TRUE(sizes(64, 8, 4).empty());
}

TEST(Report, WritesTheDocumentedFieldsInTheirOrder) {
  Report report("latency", 2, "smp");
  report.add({"put", 8, 3.0, "ns", Limit{"memcpy", 2.0}});
  report.add({"get", 8, 5.0, "ns", std::nullopt});
  const auto json = nlohmann::ordered_json::parse(report.json());
  EXPECT_EQ(json.dump(),
            R"({"benchmark":"latency","ranks":2,"conduit":"smp","results":[)"
            R"({"name":"put","size_bytes":8,"value":3.0,"unit":"ns","limit":2.0,"ratio_to_limit":1.5},)"
            R"({"name":"get","size_bytes":8,"value":5.0,"unit":"ns","limit":null,"ratio_to_limit":null}]})");
}

TEST(Compare, ConvertsTimesToTheUnitOfValueAndLimit) {
  AloneJob job;
  Report report("test", 1, "none");
  const Bench bench = {job, &report, {3, 3e6}, 1};
  const Bare limit = {"bare", sleep_ns(2'000'000), 1000};
  bench.compare(Unit::ns, {{"bare", sleep_ns(2'000'000)}}, {{"half", 0, sleep_ns(2'000'000), 0, 2}});
  bench.compare(Unit::gigabytes_per_second, {limit}, {{"bandwidth", 1000, sleep_ns(2'000'000), 0, 1000}});
  bench.compare(Unit::millions_per_second, {limit}, {{"rate", 8, sleep_ns(2'000'000), 0, 1000}});
  const auto results = nlohmann::json::parse(report.json())["results"];
  ASSERT_EQ(results.size(), 3u);
  // A sleep may last longer than asked for, never shorter; so there are bounds on one side only.
  EXPECT_GE(results[0]["value"].get<double>(), 2e6 / 2);
  EXPECT_GE(results[0]["limit"].get<double>(), 2e6);
  EXPECT_LE(results[1]["value"].get<double>(), 1000 / 2e6);  // bytes per ns
  for (const auto& result : results)
    EXPECT_NEAR(result["ratio_to_limit"].get<double>(), result["value"].get<double>() / result["limit"].get<double>(),
                1e-6);
  EXPECT_LE(results[2]["value"].get<double>(), 1000 / 2e6 * 1e3);  // messages per us
  EXPECT_EQ(results[2]["unit"], "M/s");
}

TEST(Compare, ShowsNoLimitWhereThereIsNone) {
  AloneJob job;
  Report report("test", 1, "none");
  const Bench bench = {job, &report, {1, 1e4}, 1};
  bench.compare(Unit::ns, {{"memcpy", {}}, {"memcpy", sleep_ns(1000)}},
                {{"without", 0, sleep_ns(1000), 0}, {"with", 0, sleep_ns(1000), 1}});
  const auto results = nlohmann::json::parse(report.json())["results"];
  EXPECT_TRUE(results[0]["limit"].is_null());
  EXPECT_GT(results[1]["limit"].get<double>(), 0);
}

TEST(Options, AllMeansEveryBenchmark) {
  const Parsed parsed = parse({"all", "--repetitions", "5", "--max-size", "64"});
  ASSERT_TRUE(parsed.options);
  EXPECT_EQ(parsed.options->benchmarks, (std::vector<std::string>{"latency", "barrier"}));
  EXPECT_EQ(parsed.options->title, "all");
  EXPECT_EQ(parsed.options->effort.repetitions, 5);
  EXPECT_EQ(parsed.options->max_size, 64u);
}

TEST(Options, QuickShortensWhatIsAsked) {
  const Parsed parsed = parse({"barrier", "--quick", "--repetitions", "2", "--max-size", "128"});
  ASSERT_TRUE(parsed.options);
  EXPECT_EQ(parsed.options->effort.repetitions, 2);
  EXPECT_EQ(parsed.options->max_size, 128u);
  EXPECT_LT(parsed.options->effort.block_ns, Effort().block_ns);
}

TEST(Options, AMistakeIsOneLineThatNamesIt) {
  const std::map<std::string, std::vector<std::string>> mistakes = {
      {"benchmark is required", {}},
      {"--bogus", {"--bogus"}},
      {"nonsense", {"nonsense"}},
      {"--repetitions", {"latency", "--repetitions", "0"}},
      {"many", {"latency", "--repetitions", "many"}},
      {"--max-size", {"latency", "--max-size", "0"}},
      {"--unknown", {"latency", "--unknown"}},
      {"/nowhere/result.json", {"latency", "--json", "/nowhere/result.json"}}};
  for (const auto& [word, arguments] : mistakes) {
    const Parsed parsed = parse(arguments);
    EXPECT_FALSE(parsed.options) << word;
    EXPECT_EQ(parsed.exit_code, 2) << word;
    EXPECT_NE(parsed.message.find(word), std::string::npos) << parsed.message;
    EXPECT_EQ(parsed.message.find('\n'), parsed.message.size() - 1) << parsed.message;
  }
}

TEST(Options, HelpIsNoMistake) {
  const Parsed parsed = parse({"--help"});
  EXPECT_FALSE(parsed.options);
  EXPECT_EQ(parsed.exit_code, 0);
  EXPECT_NE(parsed.message.find("Usage: program"), std::string::npos);
}

}  // namespace
}  // namespace bench
