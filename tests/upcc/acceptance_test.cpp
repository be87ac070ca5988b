// Programs without errors: ordinary C (gcc accepts it, so do we) and legal UPC.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support.hpp"

namespace upcc::test {
namespace {

class Accepts : public testing::TestWithParam<std::string> {};

std::vector<std::string> programs() {
  auto out = files_in(UPCC_TEST_DIR "/c");
  const auto upc = files_in(UPCC_TEST_DIR "/upc");
  out.insert(out.end(), upc.begin(), upc.end());
  return out;
}

std::vector<std::string> options_of(const std::string& path) {
  const std::string text = read_file(path);
  const auto at = text.find("// options: ");
  std::vector<std::string> out;
  if (at != std::string::npos) out = split_words(text.substr(at + 12, text.find('\n', at) - at - 12));
  return out;
}

void expect_accepted(const std::string& path, std::vector<std::string> options, const std::vector<std::string>& flags) {
  const bool plain_c = path.ends_with(".c");
  std::vector<std::string> preprocessor = options;
  preprocessor.insert(preprocessor.end(), flags.begin(), flags.end());
  const std::string text = preprocess(path, preprocessor, !plain_c);
  ASSERT_FALSE(text.empty()) << path;
  if (plain_c) options.emplace_back("-C");
  const CheckResult result = check(text, options);
  EXPECT_TRUE(result.ok) << result.output;
  EXPECT_TRUE(result.errors.empty()) << result.output;
}

TEST_P(Accepts, without_errors) { expect_accepted(GetParam(), options_of(GetParam()), {}); }
TEST_P(Accepts, with_optimising_headers) {
  expect_accepted(GetParam(), options_of(GetParam()), {"-O2", "-D_FORTIFY_SOURCE=2"});
}
// Plain C stays legal when translated as UPC.
TEST_P(Accepts, as_upc) {
  const auto options = options_of(GetParam());
  const std::string text = preprocess(GetParam(), options, true);
  const CheckResult result = check(text, options);
  EXPECT_TRUE(result.ok) << result.output;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Program, Accepts, testing::ValuesIn(programs()), name_of);

TEST(Headers, vector_intrinsics_parse) {
  const std::string path = testing::TempDir() + "upcc_simd.c";
  std::FILE* f = std::fopen(path.c_str(), "w");
  ASSERT_NE(f, nullptr);
  std::fputs("#include <immintrin.h>\n__m128 f(__m128 a, __m128 b) { return _mm_add_ps(a, b); }\n", f);
  std::fclose(f);
  expect_accepted(path, {}, {"-O2", "-mavx2"});
  std::remove(path.c_str());
}

TEST(Headers, members_may_be_called_like_upc_keywords) {
  const CheckResult result = check(
      "# 1 \"/usr/include/third.h\" 1 3\nstruct third { int shared, strict, THREADS; };\nint upc_fence(int relaxed);\n"
      "# 2 \"a.upc\" 2\nint get(struct third *t) { return t->shared + t->strict + (*t).THREADS; }\n");
  EXPECT_TRUE(result.ok) << result.output;
}

}  // namespace
}  // namespace upcc::test
