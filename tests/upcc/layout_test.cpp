// Random records, laid out by gcc and by us: every size, alignment and offset must agree.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "support.hpp"

namespace upcc::test {
namespace {

const std::vector<std::string> kTypes = {"char",
                                         "signed char",
                                         "unsigned char",
                                         "short",
                                         "unsigned short",
                                         "int",
                                         "unsigned",
                                         "long",
                                         "unsigned long",
                                         "long long",
                                         "float",
                                         "double",
                                         "long double",
                                         "_Bool",
                                         "void *",
                                         "__int128",
                                         "_Float128",
                                         "_Complex float",
                                         "_Complex double",
                                         "V4",
                                         "A64",
                                         "E",
                                         "PE",
                                         "U1"};
struct BitType {
  const char* name;
  unsigned bits;
};
const std::vector<BitType> kBitTypes = {{"char", 8},  {"signed char", 8}, {"short", 16}, {"unsigned short", 16},
                                        {"int", 32},  {"unsigned", 32},   {"long", 64},  {"unsigned long long", 64},
                                        {"_Bool", 1}, {"__int128", 128},  {"E", 32},     {"PE", 8}};

class Records {
 public:
  explicit Records(unsigned seed) : random_(seed) {}

  // Source of `count` records; `checks` collects constant expressions over them.
  std::string make(int count, std::vector<std::string>& checks) {
    std::string out =
        "typedef float V4 __attribute__((vector_size(16)));\ntypedef int A64 __attribute__((aligned(64)));\n"
        "typedef long U1 __attribute__((aligned(1)));\ntypedef enum { xa = -1, xb = 9 } E;\n"
        "typedef enum { pa, pb } __attribute__((packed)) PE;\n";
    for (int i = 0; i < count; ++i) out += record(i, checks);
    return out;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  const std::string& type() { return kTypes[below(kTypes.size())]; }

  std::string attribute() {
    std::string out;
    if (chance(12)) out += "packed";
    if (chance(12)) out += std::string(out.empty() ? "" : ", ") + "aligned(" + std::to_string(1 << below(6)) + ")";
    return out.empty() ? out : " __attribute__((" + out + "))";
  }

  std::string field(int j, std::vector<std::string>& names) {
    const std::string n = std::to_string(j);
    const std::size_t kind = below(100);
    if (kind < 40) {
      const BitType& t = kBitTypes[below(kBitTypes.size())];
      const std::size_t width = below(t.bits + 1);
      const bool unnamed = width == 0 || chance(10);
      return std::string(t.name) + (unnamed ? " : " : " f" + n + " : ") + std::to_string(width) +
             (unnamed ? "" : attribute()) + "; ";
    }
    if (kind < 50 && !earlier_.empty()) {
      names.push_back("f" + n);
      return earlier_[below(earlier_.size())] + " f" + n + attribute() + "; ";
    }
    if (kind < 60) {
      names.push_back("g" + n);
      names.push_back("h" + n);
      return "struct { " + type() + " g" + n + "; " + type() + " h" + n + "; }; ";
    }
    names.push_back("f" + n);
    std::string t = type();
    if (kind < 72 && t != "A64") return t + " f" + n + "[" + std::to_string(below(5)) + "]" + attribute() + "; ";
    return t + " f" + n + attribute() + "; ";
  }

  std::string record(int i, std::vector<std::string>& checks) {
    const std::string name = std::string(chance(75) ? "struct" : "union") + " S" + std::to_string(i);
    std::vector<std::string> fields;
    std::string out;
    const bool pack = chance(45);
    if (pack) out += "#pragma pack(push, " + std::to_string(1 << below(4)) + ")\n";
    out += name + " { ";
    const int count = static_cast<int>(below(9));
    for (int j = 0; j < count; ++j) out += field(j, fields);
    out += "}" + attribute() + ";\n";
    if (pack) out += "#pragma pack(pop)\n";
    checks.push_back("sizeof(" + name + ")");
    checks.push_back("_Alignof(" + name + ")");
    for (const std::string& f : fields) checks.push_back("__builtin_offsetof(" + name + ", " + f + ")");
    earlier_.push_back(name);
    return out;
  }

  std::mt19937 random_;
  std::vector<std::string> earlier_;
};

// gcc's answers, from a program that prints them.
std::vector<std::string> ask_gcc(const std::string& source, const std::vector<std::string>& checks) {
  const std::string base = testing::TempDir() + "upcc_layout";
  std::string program = source + "int printf(const char *, ...);\nint main(void) {\n";
  for (const std::string& c : checks) program += "printf(\"%lu\\n\", (unsigned long)" + c + ");\n";
  std::FILE* f = std::fopen((base + ".c").c_str(), "w");
  if (f == nullptr) return {};
  std::fputs((program + "}\n").c_str(), f);
  std::fclose(f);
  std::vector<std::string> out;
  if (std::system(("gcc -w -o " + base + " " + base + ".c 2>/dev/null && " + base + " > " + base + ".out").c_str()) ==
      0) {
    out = split_words(read_file(base + ".out"));
  }
  for (const char* suffix : {"", ".c", ".out"}) std::remove((base + suffix).c_str());
  return out;
}

TEST(Layout, agrees_with_gcc_on_random_records) {
  if (std::system("gcc --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "gcc is not installed";
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::vector<std::string> checks;
    const std::string source = Records(seed).make(60, checks);
    const auto answers = ask_gcc(source, checks);
    ASSERT_EQ(answers.size(), checks.size()) << "seed " << seed;
    std::string program = source;
    for (std::size_t i = 0; i < checks.size(); ++i) {
      program +=
          "_Static_assert(" + checks[i] + " == " + answers[i] + ", \"" + checks[i] + " is " + answers[i] + "\");\n";
    }
    const CheckResult result = check(program, {"-C"});
    EXPECT_TRUE(result.ok) << "seed " << seed << "\n" << result.output.substr(0, 2000);
  }
}

}  // namespace
}  // namespace upcc::test
