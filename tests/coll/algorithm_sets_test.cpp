// The sets of CMakeLists.txt, with which collective_test runs, name every algorithm that the library has.
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "coll/algorithm.hpp"

namespace {

TEST(AlgorithmSets, NameEveryAlgorithm) {
  std::set<std::string> named;
  std::istringstream entries(ALGORITHM_SETS);
  for (std::string entry; std::getline(entries, entry, ',');) named.insert(entry.substr(0, entry.find(':')));
  for (const weft::coll::Algorithm* algorithm : weft::coll::algorithms()) {
    const std::string name = std::string(weft::coll::name_of(algorithm->op)) + "=" + algorithm->name;
#ifndef WEFT_TEST_WITH_HOSTS
    // Between hosts only, which needs libfabric.
    if (name.ends_with("=hosts")) continue;
#endif
    EXPECT_TRUE(named.contains(name)) << name << ": add it to a set in tests/coll/CMakeLists.txt";
  }
}

}  // namespace
