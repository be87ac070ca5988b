// One file per constraint. A file says which messages it expects, exactly, beside the lines that cause them:
//   // expect-error: text        // expect-warning@-1: text [-Wname]        // options: -T4
// Every error and warning must be expected, and every expectation met.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <tuple>

#include "support.hpp"

namespace upcc::test {
namespace {

using Line = std::tuple<int, std::string, std::string>;

class Constraint : public testing::TestWithParam<std::string> {};

std::vector<std::string> constraint_files() {
  auto out = files_in(UPCC_TEST_DIR "/constraint");
  for (const char* folder : {"/c-constraint", "/usage"}) {
    const auto more = files_in(UPCC_TEST_DIR + std::string(folder));
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

std::vector<Line> expectations(const std::string& text, std::vector<std::string>& options) {
  static const std::regex form("// expect-(error|warning)(@([+-][0-9]+))?: (.*?)(?=\\s*// expect-|\\s*$)");
  std::vector<Line> out;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (const auto at = line.find("// options: "); at != std::string::npos) options = split_words(line.substr(at + 12));
    for (std::sregex_iterator it(line.begin(), line.end(), form), end; it != end; ++it) {
      const int offset = (*it)[3].matched ? std::stoi((*it)[3]) : 0;
      out.emplace_back(number + offset, (*it)[1], (*it)[4]);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string show(const std::vector<Line>& lines) {
  std::string out;
  for (const auto& [line, severity, text] : lines)
    out += "  " + std::to_string(line) + ": " + severity + ": " + text + "\n";
  return out;
}

TEST_P(Constraint, gives_exactly_the_expected_messages) {
  const std::string text = read_file(GetParam());
  std::vector<std::string> options;
  const auto expected = expectations(text, options);
  if (GetParam().ends_with(".c")) options.emplace_back("-C");
  const CheckResult result = check(text, options);
  std::vector<Line> got;
  for (const Message& m : result.messages) {
    if (m.severity != "note") got.emplace_back(m.line, m.severity, m.text);
  }
  std::sort(got.begin(), got.end());
  EXPECT_EQ(show(expected), show(got));
  const bool expects_error =
      std::any_of(expected.begin(), expected.end(), [](const Line& l) { return std::get<1>(l) == "error"; });
  EXPECT_EQ(result.ok, !expects_error);
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Clause, Constraint, testing::ValuesIn(constraint_files()), name_of);

// gcc's format, byte for byte: position, severity, source line, caret.
TEST(Format, error_shows_the_line_and_a_caret) {
  const CheckResult result = check("int a;\nint f(void) {\n\treturn  b + a;\n}\n");
  EXPECT_EQ(result.output,
            "test.upc: In function 'f':\n"
            "test.upc:3:10: error: 'b' undeclared (first use in this function)\n"
            "    3 |  return  b + a;\n"
            "      |          ^\n"
            "test.upc:3:10: note: each undeclared identifier is reported only once for each function it appears in\n"
            "    3 |  return  b + a;\n"
            "      |          ^\n");
}

TEST(Format, the_word_at_the_caret_is_underlined) {
  const CheckResult result = check("int f(void) { return unknown; }\n");
  EXPECT_NE(result.output.find("    1 | int f(void) { return unknown; }\n"
                               "      |                      ^~~~~~~\n"),
            std::string::npos)
      << result.output;
}

// A blank line of marks is left out, and characters of several bytes count as one.
TEST(Format, carets_stand_below_characters_of_several_bytes) {
  const CheckResult result = check("int f(void) { return \"\u00e4\u00f6\" + unknown; }\n");
  EXPECT_NE(result.output.find("      |                             ^~~~~~~\n"), std::string::npos) << result.output;
}

TEST(Format, operands_are_underlined_and_changes_stand_below) {
  const CheckResult operands = check("int *p;\nint f(void) { return (p + 1) * p; }\n");
  EXPECT_NE(operands.output.find("    2 | int f(void) { return (p + 1) * p; }\n"
                                 "      |                      ~~~~~~~ ^ ~\n"),
            std::string::npos)
      << operands.output;
  const CheckResult missing = check("void f(void) {\n  int x = 3\n  x++;\n  upc_barrier return;\n}\n");
  EXPECT_NE(missing.output.find("    2 |   int x = 3\n"
                                "      |           ^\n"
                                "      |            ;\n"),
            std::string::npos)
      << missing.output;
  EXPECT_NE(missing.output.find("    4 |   upc_barrier return;\n"
                                "      |             ^\n"
                                "      |              ;\n"),
            std::string::npos)
      << missing.output;
  const CheckResult other = check("int counter;\nint f(void) { return countr; }\n");
  EXPECT_NE(other.output.find("      |                      ^~~~~~\n"
                              "      |                      counter\n"),
            std::string::npos)
      << other.output;
}

// A range that goes on in other lines is shown as far as the caret's line has it.
TEST(Format, ranges_end_with_the_line) {
  const CheckResult result =
      check("int *p;\nint f(void) {\n  return p +\n         (1) *  // comment\n         p;\n}\n");
  EXPECT_NE(result.output.find("    4 |          (1) *  // comment\n"
                               "      |          ~~~ ^\n"),
            std::string::npos)
      << result.output;
}

TEST(Format, a_missing_bracket_has_a_note_at_the_other_one) {
  const CheckResult result = check("int f(int a) { return f((a + 1; }\nint g(int a) { if (a { } return 0; }\n");
  EXPECT_NE(result.output.find("test.upc:1:25: note: to match this '('"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("test.upc:2:19: note: to match this '('"), std::string::npos) << result.output;
  const CheckResult brace = check("int f(int a) {\n  if (a) {\n    a++;\n  return a;\n}\n");
  EXPECT_NE(brace.output.find("test.upc:1:14: note: to match this '{'"), std::string::npos) << brace.output;
}

// What is to be left out is marked by '-'.
TEST(Format, arguments_show_what_to_write) {
  const CheckResult result = check("int f(int a, int *b) {\n  f(a a, b);\n  return f(&a, b);\n}\n");
  EXPECT_NE(result.output.find("test.upc:2:5: error: expected ',' or ')' before 'a'\n"
                               "    2 |   f(a a, b);\n"
                               "      |     ^\n"
                               "      |      ,\n"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("is of type 'int *'; leave out the '&' [-Wint-conversion]\n"
                               "    3 |   return f(&a, b);\n"
                               "      |            ^~\n"
                               "      |            -\n"),
            std::string::npos)
      << result.output;
}

// The declaration of the parameter is shown, without the headers that include it.
TEST(Format, notes_point_at_the_parameter) {
  const CheckResult result = check(
      "# 1 \"a.upc\"\n# 1 \"h.h\" 1\nvoid take(shared int *target);\n# 2 \"a.upc\" 2\nint x;\n"
      "void f(void) { take(&x); }\n");
  EXPECT_NE(result.output.find("a.upc:3:21: error: passing argument 1 of 'take' from 'int *' to 'shared int *': "),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("\nh.h:1:23: note: passing argument to parameter 'target' here\n"), std::string::npos)
      << result.output;
  EXPECT_EQ(result.output.find("In file included"), std::string::npos) << result.output;
}

TEST(Format, line_markers_give_the_users_file) {
  const CheckResult result =
      check("# 1 \"a.upc\"\n# 1 \"dir/h.h\" 1\n# 7 \"dir/h.h\"\nint x = y;\n# 2 \"a.upc\" 2\nint z = w;\n");
  EXPECT_NE(result.output.find("dir/h.h:7:9: error: 'y' undeclared here (not in a function)"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("In file included from a.upc:1:"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("a.upc:2:9: error: 'w' undeclared here"), std::string::npos) << result.output;
}

// As gcc and as clang mark a header of -include.
TEST(Format, headers_of_the_command_line_are_named_so) {
  const std::string header = "int x = y;\n";
  const CheckResult gcc = check("# 0 \"a.upc\"\n# 0 \"<command-line>\"\n# 1 \"p.h\" 1\n" + header +
                                "# 0 \"<command-line>\" 2\n# 1 \"a.upc\"\nint z;\n");
  EXPECT_EQ(gcc.output.find("In file included from <command-line>:\np.h:1:9: error:"), 0u) << gcc.output;
  const CheckResult clang = check("# 1 \"a.upc\"\n# 1 \"<built-in>\" 1\n# 1 \"p.h\" 1\n" + header +
                                  "# 2 \"<built-in>\" 2\n# 1 \"a.upc\" 2\nint z;\n");
  EXPECT_EQ(clang.output.find("In file included from <command-line>:\np.h:1:9: error:"), 0u) << clang.output;
}

TEST(Format, system_headers_give_no_warnings) { EXPECT_TRUE(check("# 1 \"h.h\" 1 3\nint *p = 5;\n").messages.empty()); }

TEST(Format, warnings_can_be_errors_and_can_be_silenced) {
  EXPECT_TRUE(check("int *p = 5;\n").ok);
  EXPECT_FALSE(check("int *p = 5;\n", {"-Werror"}).ok);
  EXPECT_TRUE(check("int *p = 5;\n", {"-w"}).messages.empty());
  EXPECT_TRUE(check("int *p = 5;\n", {"-Wno-int-conversion"}).messages.empty());
}

}  // namespace
}  // namespace upcc::test
