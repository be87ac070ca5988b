// Bad input gives errors, never a crash or a hang.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "fuzz/fuzz_one.hpp"
#include "support.hpp"

namespace upcc::test {
namespace {

int run(const std::string& text, int stage = UPCC_FUZZ_LOWER) {
  return upcc_fuzz_one(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), stage);
}

std::string repeat(const std::string& s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += s;
  return out;
}

TEST(Robustness, empty_and_tiny_inputs) {
  EXPECT_EQ(run(""), 0);
  EXPECT_EQ(run("\n"), 0);
  for (int c = 0; c < 256; ++c) run(std::string(1, static_cast<char>(c)));
  for (int c = 0; c < 256; ++c) run(std::string("int x = ") + static_cast<char>(c));
}

TEST(Robustness, every_truncation_of_a_program) {
  const std::string program = read_file(UPCC_TEST_DIR "/fuzz-corpus/everything.upc");
  ASSERT_GT(program.size(), 1000u);
  for (std::size_t n = 0; n < program.size(); n += 3) run(program.substr(0, n));
}

TEST(Robustness, deep_nesting_is_an_error_not_a_stack_overflow) {
  constexpr int kDeep = 200000;
  EXPECT_GT(run("int x = " + repeat("(", kDeep)), 0);
  EXPECT_GT(run("int x = " + repeat("(", kDeep) + "1" + repeat(")", kDeep) + ";"), 0);
  EXPECT_GT(run("void f(void) {" + repeat("{", kDeep)), 0);
  EXPECT_GT(run("void f(void) {" + repeat("if (1) ", kDeep) + ";}"), 0);
  EXPECT_GT(run("int a = " + repeat("-", kDeep) + "1;"), 0);
  EXPECT_GT(run("int " + repeat("(", kDeep) + "x"), 0);
  EXPECT_GT(run("int a" + repeat("[", kDeep)), 0);
  EXPECT_GT(run("int a[] = " + repeat("{", kDeep)), 0);
  EXPECT_GT(run(repeat("struct {", kDeep)), 0);
  EXPECT_GT(run("int f" + repeat("(int (", kDeep)), 0);
  EXPECT_GT(run("int x = " + repeat("sizeof(", kDeep)), 0);
  EXPECT_GT(run("int x = " + repeat("1 ? ", kDeep)), 0);
  EXPECT_GT(run("void f(void) {" + repeat("({", kDeep)), 0);
}

TEST(Robustness, long_flat_programs_are_fine) {
  EXPECT_EQ(run("int x = 0" + repeat(" + 1", 50000) + ";"), 0);
  EXPECT_EQ(run("int f(int i) { " + repeat("if (i == 1) return 2; else ", 5000) + "return 3; }"), 0);
  EXPECT_EQ(run("char *s = " + repeat("\"abc\" ", 50000) + ";"), 0);
  EXPECT_EQ(run("int a[] = {" + repeat("1,", 200000) + "};"), 0);
  std::string cases;
  for (int i = 0; i < 20000; ++i) cases += "case " + std::to_string(i) + ": break;\n";
  EXPECT_EQ(run("void f(int i) { switch (i) {" + cases + "} }"), 0);
  EXPECT_GT(run("int x = 0" + repeat(" + 1", 200000) + ";"), 0);
}

TEST(Robustness, a_hundred_thousand_lines) {
  std::string program;
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    program += "shared int a" + n + "[THREADS];\nint f" + n + "(int i) {\n  a" + n + "[i] = i;\n  return a" + n +
               "[i] * 2;\n}\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run(program), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(300));
}

TEST(Robustness, invalid_utf8_is_an_error) {
  EXPECT_GT(run("int \xff\xfe = 1;"), 0);
  EXPECT_GT(run("int a\xc3( = 1;"), 0);
  EXPECT_EQ(run("int caf\xc3\xa9 = 1;"), 0);
  EXPECT_EQ(run("char *s = \"\xff\xfe\";"), 0);
}

TEST(Robustness, corpus_replays) {
  for (const char* folder : {"/fuzz-corpus", "/c"}) {
    for (const std::string& path : files_in(std::string(UPCC_TEST_DIR) + folder)) {
      SCOPED_TRACE(path);
      const std::string text = read_file(path);
      run(text, UPCC_FUZZ_LEX);
      run(text);
    }
  }
}

// Words that make random programs reach deeper than random bytes do.
const std::vector<std::string> kWords = {"int",
                                         "shared",
                                         "[",
                                         "]",
                                         "(",
                                         ")",
                                         "{",
                                         "}",
                                         ";",
                                         ",",
                                         "*",
                                         "&",
                                         "=",
                                         "struct",
                                         "union",
                                         "enum",
                                         "typedef",
                                         "x",
                                         "y",
                                         "S",
                                         "T",
                                         "1",
                                         "0",
                                         "-1",
                                         "1.5",
                                         "\"s\"",
                                         "'c'",
                                         "THREADS",
                                         "MYTHREAD",
                                         "upc_forall",
                                         "upc_barrier",
                                         "continue",
                                         "break",
                                         "goto",
                                         "case",
                                         "default",
                                         "switch",
                                         "for",
                                         "while",
                                         "do",
                                         "if",
                                         "else",
                                         "return",
                                         "sizeof",
                                         "upc_localsizeof",
                                         "_Generic",
                                         "_Static_assert",
                                         "_Alignas",
                                         "__attribute__((",
                                         "packed",
                                         "aligned",
                                         "vector_size",
                                         "))",
                                         "typeof",
                                         "__auto_type",
                                         "_Complex",
                                         "double",
                                         "void",
                                         "char",
                                         "const",
                                         "volatile",
                                         "restrict",
                                         "_Atomic",
                                         "static",
                                         "extern",
                                         "register",
                                         "inline",
                                         "...",
                                         ".",
                                         "->",
                                         "++",
                                         "--",
                                         "+",
                                         "-",
                                         "/",
                                         "%",
                                         "<<",
                                         ">>",
                                         "<",
                                         ">",
                                         "==",
                                         "!",
                                         "~",
                                         "?",
                                         ":",
                                         "&&",
                                         "||",
                                         "+=",
                                         "strict",
                                         "relaxed",
                                         "[*]",
                                         "[]",
                                         "asm",
                                         "__builtin_va_arg",
                                         "__builtin_offsetof",
                                         "__builtin_choose_expr",
                                         "__builtin_constant_p",
                                         "#pragma upc strict\n",
                                         "# 1 \"f.h\" 3\n",
                                         "\n",
                                         "__extension__",
                                         "__label__",
                                         "__real__",
                                         "f",
                                         "9999999999999999999999"};

std::string mutate(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % (n == 0 ? 1 : n); };
  const std::size_t changes = 1 + below(8);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text.erase(at, below(20));
        break;
      case 1:
        text[at] = static_cast<char>(random());
        break;
      case 2:
      case 3:
        text.insert(at, " " + kWords[below(kWords.size())] + " ");
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
      default: {
        const std::size_t word = text.find_first_of(" \n(;", at);
        if (word != std::string::npos) text.replace(at, word - at, kWords[below(kWords.size())]);
        break;
      }
    }
  }
  return text;
}

// Deterministic; UPCC_FUZZ_SEED and UPCC_FUZZ_SECONDS replay or prolong it.
TEST(Robustness, mutated_programs) {
  const char* seed_text = std::getenv("UPCC_FUZZ_SEED");
  const char* time_text = std::getenv("UPCC_FUZZ_SECONDS");
  unsigned seed = seed_text == nullptr ? 1u : static_cast<unsigned>(std::atoi(seed_text));
  const int seconds = time_text == nullptr ? 5 : std::atoi(time_text);
  std::vector<std::string> corpus;
  for (const char* folder : {"/fuzz-corpus", "/constraint", "/c-constraint", "/upc", "/c"}) {
    for (const std::string& path : files_in(std::string(UPCC_TEST_DIR) + folder)) corpus.push_back(read_file(path));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++seed, ++rounds) {
    std::mt19937 random(seed);
    std::string text;
    if (random() % 8 == 0) {
      for (int i = 0; i < 300; ++i) text += kWords[random() % kWords.size()] + " ";
    } else {
      text = mutate(corpus[random() % corpus.size()], random);
    }
    // Should this one crash, the last line of the log names it.
    if (seed_text != nullptr) std::fprintf(stderr, "seed %u\n", seed);
    run(text);
  }
  std::printf("%d programs, seeds up to %u (UPCC_FUZZ_SEED=n starts at n)\n", rounds, seed);
  RecordProperty("rounds", rounds);
}

}  // namespace
}  // namespace upcc::test
