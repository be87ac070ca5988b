#include <gtest/gtest.h>

#include "sema/literals.hpp"
#include "support.hpp"

namespace upcc::test {
namespace {

struct Lexed {
  explicit Lexed(const std::string& text) : compilation(text, "t.upc", {}, nullptr) {
    compilation.diagnostics.capture(&messages);
    compilation.lex();
  }
  [[nodiscard]] std::string kinds() const {
    std::string out;
    for (const Token& t : compilation.unit.tokens.tokens) {
      if (t.is(TokenKind::end_of_file)) break;
      out += std::string(out.empty() ? "" : " ") +
             std::string(t.name != nullptr && !t.is_keyword() ? "id" : spelling(t.kind));
    }
    return out;
  }
  std::string messages;
  Compilation compilation;
};

TEST(Lexer, longest_match_of_punctuators) {
  EXPECT_EQ(Lexed("a+++b--->c<<=d...e%:f").kinds(), "id ++ + id -- -> id <<= id ... id # id");
  EXPECT_EQ(Lexed("<: :> <% %> %:%:").kinds(), "[ ] { } ##");
  EXPECT_EQ(Lexed("1.5e+3+.5 0x1p-3 a.b ..").kinds(), "number + number number id . id . .");
}

TEST(Lexer, keywords_and_their_gnu_spellings) {
  EXPECT_EQ(Lexed("__const __volatile__ __inline __signed__ __asm__ __typeof").kinds(),
            "const volatile inline signed __asm__ __typeof__");
  EXPECT_EQ(Lexed("shared strict upc_forall MYTHREAD Shared").kinds(), "shared strict upc_forall MYTHREAD id");
}

TEST(Lexer, upc_words_are_identifiers_in_c_system_headers) {
  EXPECT_EQ(Lexed("# 1 \"/usr/include/x.h\" 1 3\nshared\n# 2 \"a.upc\" 2\nshared").kinds(), "id shared");
  EXPECT_EQ(Lexed("# 1 \"/usr/include/upc.h\" 1 3\nshared").kinds(), "shared");
  EXPECT_EQ(Lexed("#pragma upc c_code\nshared\n#pragma upc upc_code\nshared").kinds(), "id shared");
}

TEST(Lexer, comments_and_line_splices_are_space) {
  EXPECT_EQ(Lexed("a/*x*/b//y\nc\\\nd").kinds(), "id id id id");
  EXPECT_NE(Lexed("/* open").messages.find("unterminated comment"), std::string::npos);
}

TEST(Lexer, pragmas_stand_beside_the_next_token) {
  const Lexed lexed("int a;\n#pragma omp x\nint b;\n");
  ASSERT_EQ(lexed.compilation.unit.tokens.pragmas.size(), 1u);
  EXPECT_EQ(lexed.compilation.unit.tokens.pragmas[0].before_token, 3u);
  EXPECT_EQ(lexed.compilation.unit.tokens.pragmas[0].text, "omp x");
}

TEST(Lexer, stray_characters_and_open_quotes_are_errors) {
  EXPECT_NE(Lexed("int @").messages.find("stray '@' in program"), std::string::npos);
  EXPECT_NE(Lexed("\xff").messages.find("stray '\\377' in program"), std::string::npos);
  EXPECT_NE(Lexed("\"abc\n").messages.find("missing terminating \" character"), std::string::npos);
}

struct NumberCase {
  const char* text;
  TypeKind type;
  unsigned long long value;
};

TEST(Literals, integer_constants_take_the_first_type_that_fits) {
  const NumberCase cases[] = {{"1", TypeKind::int_, 1},
                              {"0x7fffffff", TypeKind::int_, 0x7fffffff},
                              {"2147483648", TypeKind::long_, 2147483648u},
                              {"0x80000000", TypeKind::uint, 0x80000000u},
                              {"1u", TypeKind::uint, 1},
                              {"4294967296u", TypeKind::ulong, 4294967296u},
                              {"1l", TypeKind::long_, 1},
                              {"1LL", TypeKind::longlong, 1},
                              {"1uLL", TypeKind::ulonglong, 1},
                              {"017", TypeKind::int_, 15},
                              {"0b101", TypeKind::int_, 5},
                              {"0xffffffffffffffff", TypeKind::ulong, 0xffffffffffffffffu},
                              {"1llu", TypeKind::ulonglong, 1}};
  for (const NumberCase& c : cases) {
    const NumberValue v = parse_number(c.text);
    EXPECT_TRUE(v.error.empty()) << c.text << v.error;
    EXPECT_EQ(v.type, c.type) << c.text;
    EXPECT_EQ(static_cast<unsigned long long>(v.integer), c.value) << c.text;
  }
}

TEST(Literals, floating_constants) {
  EXPECT_EQ(parse_number("1.5").type, TypeKind::double_);
  EXPECT_EQ(parse_number("1.5f").type, TypeKind::float_);
  EXPECT_EQ(parse_number("1.5L").type, TypeKind::longdouble);
  EXPECT_EQ(parse_number("1.5f128").type, TypeKind::float128);
  EXPECT_TRUE(parse_number("1.5fi").imaginary);
  EXPECT_EQ(parse_number("0x1.8p1").real, 3.0L);
  EXPECT_EQ(parse_number("0.1").real, static_cast<long double>(0.1));
}

TEST(Literals, malformed_constants_say_why) {
  EXPECT_EQ(parse_number("08").error, "invalid digit \"8\" in octal constant");
  EXPECT_EQ(parse_number("1xyz").error, "invalid suffix \"xyz\" on integer constant");
  EXPECT_EQ(parse_number("1lul").error, "invalid suffix \"lul\" on integer constant");
  EXPECT_EQ(parse_number("1e").error, "exponent has no digits");
  EXPECT_EQ(parse_number("0x1.5").error, "hexadecimal floating constants require an exponent");
  EXPECT_EQ(parse_number("1.5q7").error, "invalid suffix \"q7\" on floating constant");
}

TEST(Literals, characters_and_strings) {
  EXPECT_EQ(parse_character("'a'").value, 97);
  EXPECT_EQ(parse_character("'\\377'").value, -1);
  EXPECT_EQ(parse_character("L'\\u20ac'").value, 0x20ac);
  EXPECT_EQ(parse_character("'ab'").value, 'a' * 256 + 'b');
  EXPECT_EQ(parse_character("''").error, "empty character constant");
  TextValue v;
  decode_string("\"a\\0b\\x41\"", '\0', v);
  EXPECT_EQ(v.bytes, std::string("a\0bA", 4));
  TextValue w;
  decode_string("u\"\\U0001F600\"", 'u', w);
  EXPECT_EQ(w.bytes.size(), 4u);
}

}  // namespace
}  // namespace upcc::test
