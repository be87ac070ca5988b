// Recursive-descent parser. Each function carries the production it parses (C11 annex A, UPC clause numbers); all
// meaning lies in Sema's actions. A syntax error is reported once and thrown to the nearest declaration or statement,
// which resumes behind it.
#pragma once

#include <vector>

#include "ast/translation_unit.hpp"
#include "basic/diagnostics.hpp"
#include "sema/sema.hpp"

namespace upcc {

// Thrown after an error has been reported; never leaves the parser.
struct SyntaxError {};

class Parser {
 public:
  Parser(TranslationUnit& unit, Sema& sema, Diagnostics& diagnostics);

  // translation-unit
  void translation_unit();

 private:
  // --- tokens (parser.cpp) ---
  [[nodiscard]] const Token& tok() const { return tokens_[pos_]; }
  [[nodiscard]] const Token& peek(std::size_t n = 1) const {
    return tokens_[pos_ + n < tokens_.size() ? pos_ + n : tokens_.size() - 1];
  }
  [[nodiscard]] bool at(TokenKind kind) const { return tok().kind == kind; }
  void advance() {
    if (tok().is_upc_keyword()) ++upc_uses_;
    if (pos_ + 1 < tokens_.size()) ++pos_;
  }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  void expect(TokenKind kind);
  void expect_close(TokenKind kind, Loc open);
  [[noreturn]] void fail(std::string_view what);
  [[noreturn]] void fail_at(Loc loc, const std::string& message, const Marks& marks = {});
  void end_of_statement();
  void missing_semicolon(const std::string& message);
  [[nodiscard]] bool begins_expression() const;
  [[nodiscard]] std::string before() const;
  [[nodiscard]] std::string about_keyword() const;
  [[nodiscard]] std::uint32_t index() const { return static_cast<std::uint32_t>(pos_); }
  [[nodiscard]] TokenRange since(std::size_t start) const { return {static_cast<std::uint32_t>(start), index()}; }
  [[nodiscard]] Loc previous_end() const;
  void pragmas(Sema::PragmaPlace place);
  void skip_statement();
  void skip_external();
  void skip_balanced();

  // --- types and specifiers (parse_specifier.cpp) ---
  [[nodiscard]] bool is_type_start(const Token& token) const;
  [[nodiscard]] bool is_declaration_start();
  DeclSpec specifiers(bool allow_storage);
  bool type_specifier(DeclSpec& spec, struct SpecifierCounts& counts);
  void finish_specifiers(DeclSpec& spec, const struct SpecifierCounts& counts);
  void qualifier(QualifierList& list);
  void layout_qualifier(QualifierList& list);
  QualType typeof_specifier();
  std::uint64_t alignas_specifier();
  std::pair<Name*, Loc> tag_name(Attributes& attrs);
  QualType record_specifier(DeclSpec& spec);
  void member_declarations(RecordDecl* record, std::vector<FieldDecl*>& fields);
  void member_declaration(RecordDecl* record, std::vector<FieldDecl*>& fields);
  QualType enum_specifier(DeclSpec& spec);
  void report_unknown_type();
  QualType type_name();

  // --- attributes (parse_attribute.cpp) ---
  bool attributes(Attributes& out);
  void attribute(Attributes& out);
  void check_attribute_arguments();
  void asm_string();
  void asm_label();

  // --- declarators (parse_declarator.cpp) ---
  enum class NameRule : std::uint8_t { required, optional, forbidden };
  Declarator declarator(NameRule rule, DeclaratorContext context);
  void declarator_part(Declarator& out, NameRule rule, DeclaratorContext context);
  void direct_declarator(Declarator& out, NameRule rule, DeclaratorContext context);
  void declarator_suffixes(Declarator& out, DeclaratorContext context, bool innermost);
  DeclaratorChunk array_suffix(DeclaratorContext context);
  DeclaratorChunk function_suffix();
  ParamDecl* parameter();

  // --- declarations (parse_declaration.cpp) ---
  DeclGroup* external_declaration();
  DeclGroup* declaration(DeclaratorContext context);
  DeclGroup* static_assert_declaration();
  DeclGroup* file_asm();
  void init_declarators(DeclGroup* group, const DeclSpec& spec, Declarator& first, DeclaratorContext context);
  Decl* init_declarator(const DeclSpec& spec, Declarator& d, DeclaratorContext context, std::size_t start);
  void function_definition(DeclGroup* group, const DeclSpec& spec, Declarator& d);
  void kr_declarations(std::vector<ParamDecl*>& params);
  Sema::SyntaxInit* initializer();
  Sema::SyntaxInit* initializer_list();
  std::span<Sema::Designator> designation();
  DeclGroup* new_group(GroupKind kind, std::size_t start);
  bool is_function_definition(const Declarator& d) const;

  // --- statements (parse_statement.cpp) ---
  Stmt* statement();
  Stmt* statement_inner();
  Stmt* block_item();
  CompoundStmt* compound_statement(bool own_scope);
  Stmt* labeled_statement();
  Stmt* case_statement();
  Stmt* default_statement();
  Stmt* if_statement();
  Stmt* switch_statement();
  Stmt* while_statement();
  Stmt* do_statement();
  Stmt* for_statement();
  void for_header(UpcForallStmt* s, bool& is_forall);
  Stmt* for_init();
  void affinity(UpcForallStmt* s);
  void skip_for_header(std::size_t start);
  bool is_forall_by_another_name();
  Stmt* goto_statement();
  Stmt* return_statement();
  Stmt* asm_statement();
  Stmt* sync_statement(SyncKind kind);
  Stmt* expression_statement();
  Stmt* label_body();
  Stmt* loop_body(bool is_forall);

  // --- expressions (parse_expression.cpp) ---
  Expr* expression();
  Expr* assignment_expression();
  Expr* conditional_expression();
  Expr* constant_expression() { return conditional_expression(); }
  Expr* binary_expression(int min_precedence);
  Expr* cast_expression();
  Expr* unary_expression();
  Expr* postfix_expression();
  Expr* postfix_suffixes(Expr* e, std::size_t start);
  Expr* call_suffix(Expr* callee, std::size_t start);
  Expr* primary_expression();
  Expr* parenthesized();
  Expr* sizeof_expression(SizeofKind kind);
  Expr* generic_selection();
  Expr* builtin_expression();
  Expr* offsetof_expression();
  Expr* compound_literal(QualType type, std::size_t start);
  Expr* spanned(Expr* e, std::size_t start);
  Expr* spanned_with_types(Expr* e, std::size_t start, std::uint64_t uses);
  Name* member_name();

  template <typename T>
  T* make_stmt(Loc loc) {
    T* s = unit_.arena.make<T>();
    s->kind = T::kKind;
    s->loc = loc;
    return s;
  }

  // Bounds recursion: nested parentheses, blocks, declarators and initialisers.
  class Depth {
   public:
    explicit Depth(Parser& p) : p_(p) {
      if (++p_.depth_ > kMaxDepth) p_.too_deep();
    }
    ~Depth() { --p_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    static constexpr int kMaxDepth = 10000;
    Parser& p_;
  };
  class Scope {
   public:
    explicit Scope(Sema& s) : s_(s) { s_.push_scope(); }
    ~Scope() { s_.pop_scope(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Sema& s_;
  };
  [[noreturn]] void too_deep();

  TranslationUnit& unit_;
  Sema& sema_;
  Diagnostics& diagnostics_;
  const std::vector<Token>& tokens_;
  std::size_t pos_ = 0;
  std::size_t next_pragma_ = 0;
  std::uint64_t upc_uses_ = 0;  // grows whenever something that needs lowering has been parsed
  int depth_ = 0;
  bool stop_ = false;  // nothing sensible can follow: give up quietly
};

}  // namespace upcc
