// The list of conduits that CMakeLists.txt runs the suite on is the list that the library has.
#include <string>

#include "conformance/fixture.hpp"

TEST(Registry, TheSuiteRunsOnEveryRegisteredConduit) {
  std::string names;
  for (const auto& conduit : weft::conduit::registered()) {
    names += std::string(names.empty() ? "" : " ") + conduit.name;
    EXPECT_STRNE(conduit.description, "");
  }
  EXPECT_EQ(names, CONFORMANCE_CONDUITS);
}
