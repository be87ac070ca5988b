// What the tree promises to lowering: conversions explicit, accesses classified, UPC marked.
#include <gtest/gtest.h>

#include "support.hpp"

namespace upcc::test {
namespace {

struct Tree {
  explicit Tree(const std::string& text) : compilation(text, "t.upc", {}, nullptr) {
    compilation.diagnostics.capture(&messages);
    EXPECT_TRUE(compilation.run()) << messages;
  }
  // The statements of the last function.
  [[nodiscard]] std::span<Stmt*> body() const {
    auto* f = decl_cast<FunctionDecl>(compilation.unit.groups.back()->decls[0]);
    return f->body->items;
  }
  [[nodiscard]] Expr* expr(std::size_t i) const {
    auto* s = stmt_cast<ExprStmt>(body()[i]);
    return s == nullptr ? nullptr : s->expr;
  }
  std::string messages;
  Compilation compilation;
};

TEST(Tree, reads_and_writes_of_shared_objects_are_classified) {
  const Tree t(
      "shared int d; strict shared int s; relaxed shared int r; int p;\n"
      "void f(void) { d = p; s = d; p = r; { \n#pragma upc strict\n d = 1; r = 2; } d++; }");
  const auto* first = expr_cast<AssignExpr>(t.expr(0));
  EXPECT_EQ(first->access, Access::relaxed);
  EXPECT_EQ(first->rhs->access, Access::none);
  const auto* second = expr_cast<AssignExpr>(t.expr(1));
  EXPECT_EQ(second->access, Access::strict);
  EXPECT_EQ(second->rhs->access, Access::relaxed);
  const auto* third = expr_cast<AssignExpr>(t.expr(2));
  EXPECT_EQ(third->access, Access::none);
  EXPECT_EQ(third->rhs->access, Access::relaxed);
  const auto* block = stmt_cast<CompoundStmt>(t.body()[3]);
  EXPECT_EQ(stmt_cast<ExprStmt>(block->items[0])->expr->access, Access::strict);
  EXPECT_EQ(stmt_cast<ExprStmt>(block->items[1])->expr->access, Access::relaxed);
  EXPECT_EQ(t.expr(4)->access, Access::relaxed);
}

TEST(Tree, pure_c_is_not_marked) {
  const Tree t(
      "shared int d; int p; struct s { shared int *q; int n; } v;\n"
      "void f(void) { p = p + 1; p = d; p = MYTHREAD; p = v.n; v.q = 0; { int a = 1; } { int a = THREADS; } }");
  const bool expected[] = {false, true, true, false, true, false, true};
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(t.body()[i]->uses_upc, expected[i]) << i;
}

TEST(Tree, token_ranges_cover_the_source) {
  const Tree t("int a, b;\nvoid f(void) { a = (b + 1) * 2; }");
  const auto* e = expr_cast<AssignExpr>(t.expr(0));
  const auto& tokens = t.compilation.unit.tokens.tokens;
  std::string text;
  for (std::uint32_t i = e->rhs->tokens.first; i < e->rhs->tokens.last; ++i) {
    text += std::string(t.compilation.source.text().substr(tokens[i].loc, tokens[i].length));
  }
  EXPECT_EQ(text, "(b+1)*2");
}

CastKind cast_of(const Tree& t, std::size_t i) {
  return expr_cast<CastExpr>(expr_cast<AssignExpr>(t.expr(i))->rhs)->cast_kind;
}

TEST(Tree, casts_of_pointers_to_shared_say_what_happens_to_the_phase) {
  // 6.4.3p3-4, trap 3: the key is the ultimate element size.
  const Tree t(
      "shared void *g; shared [4] int *a; shared [4] float *b; shared [4] double *c; shared [] int *d; shared int *e;\n"
      "shared [4] int (*h)[10]; struct s; shared [4] struct s *k; int *l; int i;\n"
      "void f(void) { g = a; a = g; d = g; e = g; b = (shared [4] float *)a; c = (shared [4] double *)a; d = (shared "
      "[] int *)a;\n"
      "h = (shared [4] int (*)[10])a; k = (shared [4] struct s *)a; l = (int *)a; a = 0; i = (long)a; }");
  EXPECT_EQ(cast_of(t, 0), CastKind::pts_to_pts_keep);
  EXPECT_EQ(cast_of(t, 1), CastKind::pts_to_pts_keep);
  EXPECT_EQ(cast_of(t, 2), CastKind::pts_to_pts_reset);
  EXPECT_EQ(cast_of(t, 3), CastKind::pts_to_pts_reset);
  EXPECT_EQ(cast_of(t, 4), CastKind::pts_to_pts_keep);
  EXPECT_EQ(cast_of(t, 5), CastKind::pts_to_pts_reset);
  EXPECT_EQ(cast_of(t, 6), CastKind::pts_to_pts_reset);
  EXPECT_EQ(cast_of(t, 7), CastKind::pts_to_pts_keep);
  EXPECT_EQ(cast_of(t, 8), CastKind::pts_to_pts_reset);
  EXPECT_EQ(cast_of(t, 9), CastKind::pts_to_local);
  EXPECT_EQ(cast_of(t, 10), CastKind::null_to_pts);
}

TEST(Tree, members_of_shared_records_are_indefinite) {
  // 6.4.4, trap 6
  const Tree t(
      "struct s { int first; shared [3] int *p; }; shared [2] struct s a[2 * THREADS];\nvoid f(void) { &a[1].first; "
      "a[0].p; &a[1]; }");
  EXPECT_EQ(type_string(t.expr(0)->type), "shared [] int *");
  EXPECT_EQ(type_string(t.expr(1)->type), "shared [3] int *");
  EXPECT_EQ(type_string(t.expr(2)->type), "shared [2] struct s *");
}

TEST(Tree, a_value_loses_the_shared_qualifier) {
  // trap 8
  const Tree t("shared int x;\nvoid f(void) { x; __auto_type y = x; }");
  EXPECT_EQ(type_string(t.expr(0)->type), "int");
  const auto* d = stmt_cast<DeclStmt>(t.body()[1]);
  EXPECT_EQ(type_string(d->group->decls[0]->type), "int");
}

TEST(Tree, compound_assignment_names_its_computation_type) {
  // trap 9
  const Tree t("shared char c; int *p;\nvoid f(void) { c += 1; c *= 2.5; p += 3; }");
  EXPECT_EQ(type_string(expr_cast<AssignExpr>(t.expr(0))->computation_type), "int");
  EXPECT_EQ(type_string(expr_cast<AssignExpr>(t.expr(1))->computation_type), "double");
  EXPECT_EQ(type_string(expr_cast<AssignExpr>(t.expr(2))->computation_type), "int *");
}

TEST(Tree, forall_knows_its_affinity) {
  const Tree t(
      "shared int a[THREADS];\nvoid f(int i) { upc_forall (; ; ; i) ; upc_forall (; ; ; &a[i]) ; upc_forall (; ; ; "
      "continue) ; upc_forall (; ; ;) upc_forall (; ; ; i) ; }");
  const AffinityKind expected[] = {AffinityKind::integer, AffinityKind::pointer_to_shared, AffinityKind::continue_,
                                   AffinityKind::none};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(stmt_cast<UpcForallStmt>(t.body()[i])->affinity_kind, expected[i]) << i;
}

TEST(Tree, initialisers_name_every_subobject) {
  const Tree t(
      "struct s { int a; struct { int b, c; }; int d[4]; };\nvoid f(void) { struct s x = {1, 2, .d[1] = 5, 6, .c = 7}; "
      "}");
  auto* d = stmt_cast<DeclStmt>(t.body()[0]);
  const auto* list = expr_cast<InitListExpr>(decl_cast<VarDecl>(d->group->decls[0])->init);
  ASSERT_EQ(list->entries.size(), 3u);
  EXPECT_EQ(list->entries[0].field->index, 0u);
  const auto* anonymous = expr_cast<InitListExpr>(list->entries[1].value);
  ASSERT_EQ(anonymous->entries.size(), 2u);
  EXPECT_EQ(anonymous->entries[1].field->name->text, "c");
  const auto* array = expr_cast<InitListExpr>(list->entries[2].value);
  ASSERT_EQ(array->entries.size(), 2u);
  EXPECT_EQ(array->entries[0].first_index, 1);
  EXPECT_EQ(array->entries[1].first_index, 2);
}

}  // namespace
}  // namespace upcc::test
