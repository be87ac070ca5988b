// Tables of measured times: what is taken from a good one, and that others are refused by their content.
#include "coll/table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <string>

#include "coll/algorithm.hpp"
#include "weft/tune.h"

namespace {

using weft::coll::Measurement;
using weft::coll::Op;
using weft::coll::PlanCache;
using weft::coll::Shape;
using weft::coll::Table;

constexpr const char* machine = "smp mapped not-crowded";
const std::string head = "weft-tune 1\nmachine smp mapped not-crowded\n";

class File {
 public:
  explicit File(const std::string& text) : path_(testing::TempDir() + "weft-table-" + std::to_string(getpid())) {
    std::ofstream(path_) << text;
  }
  ~File() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Shape reduce_all_of(size_t size) {
  return {.op = Op::reduce_all, .members = 4, .size = size, .element = 8, .commutative = true, .direct = true};
}

// A table's last line.
std::string end(int measurements) { return "end " + std::to_string(measurements) + "\n"; }

std::string best_of(const std::string& text, size_t size) {
  const File file(text);
  Table table;
  table.load(file.path(), machine, true);
  const Measurement* best = table.best(reduce_all_of(size));
  return best != nullptr ? best->plan.algorithm->name : "";
}

TEST(Table, TheLeastTimeOfTheSizeWins) {
  const std::string text = head +
                           "# comment\n\nreduce_all 4 1024 flat 0 0 500\nreduce_all 4 1024 doubling 0 0 400.5\n"
                           "reduce_all 4 65536 shared 0 0 900\nreduce_all 3 1024 tree 2 0 1\n" +
                           end(4);
  EXPECT_EQ(best_of(text, 1024), "doubling");
  EXPECT_EQ(best_of(text, 1000), "doubling");
  EXPECT_EQ(best_of(text, 65536), "shared");
  EXPECT_EQ(best_of(text, 40000), "shared");
  EXPECT_EQ(best_of(text, 8), "");
}

TEST(Table, TheNearestSizeIsTold) {
  const File file(head + "reduce_all 4 1000 flat 0 0 500\n" + end(1));
  Table table;
  table.load(file.path(), machine, true);
  const Measurement* nearest = table.best(reduce_all_of(2000));
  ASSERT_NE(nearest, nullptr);
  EXPECT_EQ(nearest->size, 1000u);
  EXPECT_EQ(table.time(reduce_all_of(2000), nearest->plan), 0);
}

TEST(Table, AnotherVersionIsToldAsThat) {
  const File file("weft-tune 9\nmachine smp mapped not-crowded\n" + end(0));
  Table table;
  testing::internal::CaptureStderr();
  table.load(file.path(), machine, true);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("line 1: version 9 of weft-tune's tables"), std::string::npos) << said;
  const File foreign("weft-tune 1\r\nmachine smp mapped not-crowded\r\n" + end(0));  // from another system
  testing::internal::CaptureStderr();
  table.load(foreign.path(), machine, true);
  const std::string said_then = testing::internal::GetCapturedStderr();
  EXPECT_NE(said_then.find("line 1: the first line is not 'weft-tune 1'"), std::string::npos) << said_then;
}

TEST(Table, UnknownAlgorithmsOfOtherVersionsAreSkipped) {
  EXPECT_EQ(best_of(head + "reduce_all 4 1024 quantum 0 0 1\nreduce_all 4 1024 flat 0 0 500\n" + end(2), 1024), "flat");
}

TEST(Table, WhatDoesNotFitIsNotTaken) {
  // A ring needs an operation that commutes.
  const File file(head + "reduce_all 4 65536 ring 0 0 1\n" + end(1));
  Table table;
  table.load(file.path(), machine, true);
  Shape shape = reduce_all_of(65536);
  EXPECT_NE(table.best(shape), nullptr);
  shape.commutative = false;
  EXPECT_EQ(table.best(shape), nullptr);
}

TEST(Table, OtherFilesAreRefused) {
  const std::string good = "reduce_all 4 1024 flat 0 0 500\n";
  EXPECT_EQ(best_of(head + good + end(1), 1024), "flat");
  EXPECT_EQ(best_of(head + good, 1024), "");
  EXPECT_EQ(best_of(head, 1024), "");
  EXPECT_EQ(best_of(head + good + end(2), 1024), "");
  EXPECT_EQ(best_of(head + good + end(1) + "more\n", 1024), "");
  EXPECT_EQ(best_of("", 1024), "");
  EXPECT_EQ(best_of("weft-tune\nmachine smp mapped not-crowded\n" + good + end(1), 1024), "");
  EXPECT_EQ(best_of("weft-tune 2\nmachine smp mapped not-crowded\n" + good + end(1), 1024), "");
  EXPECT_EQ(best_of("weft-tune 1\nmachine ofi not-mapped crowded\n" + good + end(1), 1024), "");
  EXPECT_EQ(best_of(head + good + "reduce_all 4 1024 flat 0 0\n" + end(2), 1024), "");
  EXPECT_EQ(best_of(head + good + "reduce_all 4 1024 flat 0 0 -3\n" + end(2), 1024), "");
  EXPECT_EQ(best_of(head + good + "reduce_all -4 1024 flat 0 0 3\n" + end(2), 1024), "");
  EXPECT_EQ(best_of(head + good + "reduce_all 4 1K flat 0 0 3\n" + end(2), 1024), "");
  EXPECT_EQ(best_of(head + good + "reduce_all 4 1024 tree 0 0 3\n" + end(2), 1024), "");
  EXPECT_EQ(best_of(head + good + "reduce_all 4 1024 tree 1 0 3\n" + end(2), 1024), "");
  EXPECT_EQ(best_of(head + good + "reduce_all 4 1024 flat 0 4096 3\n" + end(2), 1024), "");
  EXPECT_EQ(best_of(head + good + "reduce_all 4 1024 flat 0 0 3 4\n" + end(2), 1024), "");
  Table table;
  for (const char* path : {"/no/such/file", "/", "/dev/zero"}) {
    table.load(path, machine, true);
    EXPECT_EQ(table.best(reduce_all_of(1024)), nullptr);
  }
}

// A good table with random bytes changed is either refused or still gives plans that fit.
TEST(Table, DamagedFilesNeverCrash) {
  const uint64_t seed = 11;
  std::mt19937_64 random(seed);
  const std::string text = head + "reduce_all 4 1024 tree 2 0 500\nbroadcast 4 65536 pipeline 2 4096 300\n" + end(2);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = text;
    for (int change = 0; change < 3; ++change)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 96 + 32);
    const File file(damaged);
    Table table;
    table.load(file.path(), machine, true);
    if (const Measurement* best = table.best(reduce_all_of(1024)); best != nullptr) {
      EXPECT_TRUE(best->plan.algorithm->fits(reduce_all_of(1024), best->plan)) << "seed " << seed << " case " << i;
    }
  }
}

TEST(Candidate, IsNamedAsWeftCollHasIt) {
  const weft_candidate_t flat = {"flat", 0, 0, 1, 0, 0, 0, 0}, tree = {"tree", 4, 0, 1, 0, 0, 0, 0};
  const weft_candidate_t pipeline = {"pipeline", 2, 65536, 1, 0, 0, 0, 0};
  char name[32] = "";
  EXPECT_EQ(weft_candidate_name(&flat, name, sizeof name), 4u);
  EXPECT_STREQ(name, "flat");
  weft_candidate_name(&tree, name, sizeof name);
  EXPECT_STREQ(name, "tree:4");
  EXPECT_EQ(weft_candidate_name(&pipeline, nullptr, 0), 16u);
  EXPECT_EQ(weft_candidate_name(&pipeline, name, 11), 16u);
  EXPECT_STREQ(name, "pipeline:2");
}

TEST(SizeClass, TheLargestOfAClassIsInIt) {
  for (size_t size = 0; size < 100'000; size += 1 + size / 7) {
    const uint32_t size_class = PlanCache::class_of(size);
    EXPECT_EQ(PlanCache::class_of(PlanCache::largest(size_class)), size_class);
    EXPECT_GE(PlanCache::largest(size_class), size);
    if (size_class > 0) {
      EXPECT_LT(PlanCache::largest(size_class - 1), std::max<size_t>(size, 1));
    }
  }
}

}  // namespace
