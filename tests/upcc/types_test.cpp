#include <gtest/gtest.h>

#include "sema/compat.hpp"
#include "support.hpp"

namespace upcc::test {
namespace {

// Type of the declaration called `name` in a program without errors.
struct Program {
  explicit Program(const std::string& text, std::int64_t threads = 0)
      : compilation(text, "t.upc", options(threads), nullptr) {
    compilation.diagnostics.capture(&messages);
    ok = compilation.run();
  }
  static FrontendOptions options(std::int64_t threads) {
    FrontendOptions out;
    out.static_threads = threads;
    return out;
  }
  QualType operator[](std::string_view name) {
    Decl* d = compilation.unit.names.intern(name)->ordinary;
    EXPECT_NE(d, nullptr) << name;
    return d->type;
  }
  TypeContext& types() { return compilation.sema->types(); }
  std::string messages;
  Compilation compilation;
  bool ok = false;
};

TEST(Types, are_written_as_gcc_writes_them) {
  Program p(
      "int (*a)[3]; char *(*b)(int, ...); shared [4] const int *c; shared [] double d[2][3]; int *const *e;"
      "unsigned long long f; struct s *g; int h(void); shared int i[5 * THREADS]; strict shared void *j; double "
      "_Complex k;");
  ASSERT_TRUE(p.ok) << p.messages;
  EXPECT_EQ(type_string(p["a"]), "int (*)[3]");
  EXPECT_EQ(type_string(p["b"]), "char * (*)(int, ...)");
  EXPECT_EQ(type_string(p["c"]), "shared [4] const int *");
  EXPECT_EQ(type_string(p["d"]), "shared [] double[2][3]");
  EXPECT_EQ(type_string(p["e"]), "int * const *");
  EXPECT_EQ(type_string(p["f"]), "long long unsigned int");
  EXPECT_EQ(type_string(p["g"]), "struct s *");
  EXPECT_EQ(type_string(p["h"]), "int(void)");
  EXPECT_EQ(type_string(p["i"]), "shared int[5*THREADS]");
  EXPECT_EQ(type_string(p["j"]), "strict shared void *");
  EXPECT_EQ(type_string(p["k"]), "_Complex double");
}

TEST(Types, block_size_is_part_of_compatibility) {
  Program p(
      "shared int *a; shared [1] int *b; shared [2] int *c; shared [] int *d; shared [0] int *e; shared int (*f)[3]; "
      "shared int (*g)[];");
  EXPECT_TRUE(compatible(p["a"], p["b"]));
  EXPECT_FALSE(compatible(p["a"], p["c"]));
  EXPECT_FALSE(compatible(p["a"], p["d"]));
  EXPECT_TRUE(compatible(p["d"], p["e"]));
  EXPECT_TRUE(compatible(p["f"], p["g"]));
}

TEST(Types, qualifiers_of_an_array_belong_to_its_ultimate_elements) {
  Program p("typedef int S[10]; shared [3] S T[3 * THREADS];");
  ASSERT_TRUE(p.ok) << p.messages;
  EXPECT_TRUE(p["T"].is_shared());
  EXPECT_EQ(p["T"].block_size(), 3u);
  EXPECT_EQ(type_string(p["T"]), "shared [3] int[3*THREADS][10]");
}

TEST(Types, sizes_keep_the_factor_threads) {
  Program dynamic("shared int a[10 * THREADS][2]; shared [] int b[7];");
  EXPECT_EQ(dynamic.types().size_of(dynamic["a"]), (Size{80, true}));
  EXPECT_EQ(dynamic.types().size_of(dynamic["b"]), (Size{28, false}));
  Program fixed("shared int a[10 * THREADS][2];", 4);
  EXPECT_EQ(fixed.types().size_of(fixed["a"]), (Size{320, false}));
}

TEST(Types, star_layout_is_resolved) {
  Program dynamic("shared [*] int a[10 * THREADS];");
  EXPECT_EQ(dynamic["a"].block_size(), 10u);
  Program fixed("shared [*] int a[10];", 4);
  EXPECT_EQ(fixed["a"].block_size(), 3u);
}

TEST(Types, redeclarations_make_composites) {
  Program p("extern int a[]; int a[3]; int f(); int f(int, char *); extern int g(int (*)[]); int g(int (*)[4]);");
  ASSERT_TRUE(p.ok) << p.messages;
  EXPECT_EQ(type_string(p["a"]), "int[3]");
  EXPECT_EQ(type_string(p["f"]), "int(int, char *)");
  EXPECT_EQ(type_string(p["g"]), "int(int (*)[4])");
}

}  // namespace
}  // namespace upcc::test
