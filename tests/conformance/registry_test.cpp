// The list of conduits that CMakeLists.txt runs the suite on is the list that the library has, and the setting's help
// names each.
#include <map>
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

TEST(Registry, TheHelpOfTheSettingNamesEveryConduit) {
#define SETTING(field, type, variable, initial, category, scope, help) {variable, help},
  const std::map<std::string, std::string> helps = {
#include "base/settings.def.hpp"
  };
#undef SETTING
  for (const auto& conduit : weft::conduit::registered())
    EXPECT_NE((" " + helps.at("WEFT_CONDUIT")).find(" " + std::string(conduit.name) + " ("), std::string::npos)
        << conduit.name << ": name it in src/base/settings.def.hpp and docs/SETTINGS.md, with a word in brackets";
}
