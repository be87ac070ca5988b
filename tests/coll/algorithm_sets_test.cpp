// The sets of algorithm_sets.cmake, with which collective_test runs, and the table of docs/COLLECTIVES.md name every
// algorithm that the library has.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "coll/algorithm.hpp"

namespace {

std::string name_of(const weft::coll::Algorithm& algorithm) {
  return std::string(weft::coll::name_of(algorithm.op)) + "=" + algorithm.name;
}

TEST(AlgorithmSets, NameEveryAlgorithm) {
  std::set<std::string> named;
  std::istringstream entries(ALGORITHM_SETS);
  for (std::string entry; std::getline(entries, entry, ',');) named.insert(entry.substr(0, entry.find(':')));
  for (const weft::coll::Algorithm* algorithm : weft::coll::algorithms()) {
    const std::string name = name_of(*algorithm);
#ifndef WEFT_TEST_WITH_HOSTS
    // Between hosts only, which needs libfabric.
    if (name.ends_with("=hosts")) continue;
#endif
    EXPECT_TRUE(named.contains(name)) << name << ": add it to a set in tests/coll/algorithm_sets.cmake";
  }
}

// Of the table: "operation=name", where a row without operations has those of the row before.
std::set<std::string> documented() {
  std::set<std::string> names;
  std::ifstream file(ALGORITHM_TABLE);
  std::string operations;
  bool there = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) there = line == "## Algorithms";
    if (!there || !line.starts_with("| ")) continue;
    const size_t end = line.find(" |", 1), last = line.find(" |", end + 2);
    if (end > 1) operations = line.substr(2, end - 2) + ",";
    std::istringstream cell(line.substr(end + 2, last - end - 2));
    for (std::string name; std::getline(cell, name, '`') && std::getline(cell, name, '`');) {
      std::istringstream each(operations);
      for (std::string operation; std::getline(each >> std::ws, operation, ',');)
        names.insert(operation + "=" + name.substr(0, name.find(':')));
    }
  }
  return names;
}

TEST(AlgorithmTable, NamesEveryAlgorithm) {
  std::set<std::string> missing, names = documented();
  for (const weft::coll::Algorithm* algorithm : weft::coll::algorithms())
    if (names.erase(name_of(*algorithm)) == 0) missing.insert(name_of(*algorithm));
  EXPECT_EQ(missing, std::set<std::string>()) << "add it to the table of docs/COLLECTIVES.md";
  EXPECT_EQ(names, std::set<std::string>()) << "docs/COLLECTIVES.md has what the library has not";
}

}  // namespace
