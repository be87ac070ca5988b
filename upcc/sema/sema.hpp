// Semantic analysis. The parser calls one action per production; actions check constraints, report each problem
// once, and build the typed tree. They never return null: an erroneous expression has the unknown type, which
// silences every later check about it.
#pragma once

#include <string>
#include <vector>

#include "ast/translation_unit.hpp"
#include "basic/diagnostics.hpp"
#include "sema/consteval.hpp"
#include "sema/declarator.hpp"
#include "sema/types.hpp"

namespace upcc {

struct SemaOptions {
  bool upc = true;
};

// Which statement `break` and `continue` belong to.
struct JumpScope {
  bool is_switch = false;
  bool is_forall = false;
};

struct SwitchState {
  QualType type;
  bool has_default = false;
  Loc default_loc = kNoLoc;
  struct Range {
    Int128 low;
    Int128 high;
    Loc loc;
  };
  std::vector<Range> cases;
};

// An argument of a call, for messages.
struct ArgumentPlace {
  int number = 0;
  const FunctionDecl* function = nullptr;  // null: called through a pointer
  std::string_view instead = {};           // the function that takes such arguments, if it is known
  SourceRange name = {};                   // of the function in the call
};
std::string text_of(const ArgumentPlace& place);

/// "MYTHREAD" or "THREADS" if that is the expression; else empty.
std::string_view threads_keyword(const Expr* e);
/// Behind a message: that the function which stands there is not called. Empty if none does.
std::string advice_on_call(const Expr* e);

class Sema {
 public:
  Sema(TranslationUnit& unit, Diagnostics& diagnostics, SemaOptions options);

  TypeContext& types() { return types_; }
  ConstEvaluator& constants() { return constants_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  Arena& arena() { return unit_.arena; }

  // --- scopes (sema_scope.cpp) ---
  void push_scope();
  void pop_scope();
  [[nodiscard]] std::uint32_t scope_depth() const { return static_cast<std::uint32_t>(scopes_.size()); }
  [[nodiscard]] bool at_file_scope() const { return scopes_.empty(); }
  void bind(Name* name, Decl* decl);
  void bind_tag(Name* name, TagDecl* decl);
  [[nodiscard]] bool is_type_name(const Name* name) const {
    return name->ordinary != nullptr && name->ordinary->kind == DeclKind::typedef_;
  }

  // --- pragmas (sema_upc.cpp) ---
  enum class PragmaPlace : std::uint8_t { file_scope, block_start, elsewhere };
  void pragma(const PragmaLine& line, PragmaPlace place);
  [[nodiscard]] bool strict_mode() const { return strict_mode_; }
  void set_strict_mode(bool strict) { strict_mode_ = strict; }

  // --- specifiers and declarators (sema_declarator.cpp, sema_upc.cpp) ---
  // Behind the message about an expression that is not constant: what makes it one.
  [[nodiscard]] std::string advice_on_constants(const Expr* e) const;
  void add_qualifier(QualifierList& list, TokenKind keyword, Loc loc);
  void add_layout(QualifierList& list, Loc loc, Expr* size, bool star);
  // Joins qualifiers with a type, reporting conflicts with those the type already has through a typedef.
  QualType apply_qualifiers(QualType type, const QualifierList& list, Loc loc);
  QualType apply_type_attributes(QualType type, const Attributes& attributes, bool typedef_alignment);
  QualType declarator_type(const DeclSpec& spec, const Declarator& declarator, DeclaratorContext context);
  QualType type_name(const DeclSpec& spec, const Declarator& declarator);
  QualType atomic_type(QualType type, Loc loc);

  // --- declarations (sema_decl.cpp, sema_function.cpp) ---
  Decl* declare(const DeclSpec& spec, Declarator& declarator, DeclaratorContext context);
  void attach_initialiser(Decl* decl, Expr* init, Loc loc);
  void finish_declaration(Decl* decl);  // after the initialiser or its absence
  Decl* declare_auto_type(const DeclSpec& spec, Declarator& declarator, Expr* init);
  ParamDecl* declare_param(const DeclSpec& spec, Declarator& declarator);
  void check_empty_declaration(const DeclSpec& spec, bool in_record);
  FunctionDecl* start_function(const DeclSpec& spec, Declarator& declarator, std::vector<ParamDecl*>& kr_params);
  void finish_function(FunctionDecl* function, CompoundStmt* body);
  void static_assertion(Expr* condition, Expr* message, Loc loc);
  void finish_unit();
  [[nodiscard]] FunctionDecl* current_function() const { return function_; }
  [[nodiscard]] const SemaOptions& options() const { return options_; }

  // --- tags (sema_tag.cpp) ---
  TagDecl* reference_tag(TokenKind keyword, Name* name, Loc loc, bool declares);
  RecordDecl* start_record(bool is_union, Name* name, Loc loc);
  void add_field(RecordDecl* record, const DeclSpec& spec, Declarator& declarator, Expr* width, bool has_width,
                 std::vector<FieldDecl*>& fields);
  void add_anonymous_member(RecordDecl* record, const DeclSpec& spec, std::vector<FieldDecl*>& fields);
  void finish_record(RecordDecl* record, std::vector<FieldDecl*>& fields, const Attributes& attributes);
  EnumDecl* start_enum(Name* name, Loc loc);
  EnumConstantDecl* add_enumerator(EnumDecl* decl, Name* name, Loc loc, Expr* value, EnumConstantDecl* previous);
  void finish_enum(EnumDecl* decl, std::vector<EnumConstantDecl*>& constants, const Attributes& attributes);
  TypedefDecl* lookup_typedef(Name* name) const { return decl_cast<TypedefDecl>(name->ordinary); }
  std::uint64_t alignment_value(Expr* e, Loc loc);

  // --- expressions (sema_expr*.cpp) ---
  // While one lives, operands are made that are not evaluated: those of sizeof and typeof, or, with a condition, those
  // behind a constant that is true, or false, as `skips_if` says. They get no warnings about their values.
  class Unevaluated {
   public:
    explicit Unevaluated(Sema& sema) : Unevaluated(sema, nullptr, false) {}
    Unevaluated(Sema& sema, const Expr* condition, bool skips_if)
        : sema_(sema), outer_(sema.unevaluated_), condition_(condition), skips_if_(skips_if) {
      sema.unevaluated_ = this;
    }
    ~Unevaluated() { sema_.unevaluated_ = outer_; }
    Unevaluated(const Unevaluated&) = delete;
    Unevaluated& operator=(const Unevaluated&) = delete;

   private:
    friend class Sema;
    Sema& sema_;
    const Unevaluated* const outer_;
    const Expr* const condition_;
    const bool skips_if_;
  };
  Expr* error_expr(Loc loc);
  Expr* identifier(const Token& token, bool called);
  Expr* function_name(const Token& token);
  Expr* number(const Token& token);
  Expr* character(const Token& token);
  Expr* strings(std::span<const Token> tokens);
  Expr* mythread(Loc loc);
  Expr* threads(Loc loc);
  Expr* paren(Expr* inner, Loc loc);
  Expr* unary(UnaryOp op, Expr* operand, Loc loc);
  Expr* binary(BinaryOp op, Expr* lhs, Expr* rhs, Loc loc);
  Expr* assign(Expr* lhs, Expr* rhs, Loc loc);
  Expr* compound_assign(BinaryOp op, Expr* lhs, Expr* rhs, Loc loc);
  Expr* conditional(Expr* condition, Expr* then, Expr* otherwise, Loc loc);
  Expr* explicit_cast(QualType type, Expr* operand, Loc loc);
  Expr* call(Expr* callee, std::span<Expr*> args, Loc loc, Loc close);
  Expr* member(Expr* base, bool arrow, Name* name, Loc loc, Loc name_loc);
  Expr* subscript(Expr* base, Expr* index, Loc loc);
  Expr* size_of_expr(SizeofKind kind, Expr* operand, Loc loc);
  Expr* size_of_type(SizeofKind kind, QualType type, Loc loc);
  Expr* compound_literal(QualType type, Expr* init, Loc loc);
  Expr* statement_expression(CompoundStmt* body, Loc loc);
  Expr* label_address(Name* name, Loc loc);
  struct Association {
    QualType type;  // null type for default
    Expr* value;
    Loc loc;
  };
  Expr* generic(Expr* control, std::span<Association> associations, Loc loc);
  struct OffsetofStep {
    Name* field;  // or null
    Expr* index;
    Loc loc;
  };
  Expr* offset_of(QualType record, std::span<OffsetofStep> steps, Loc loc);
  Expr* va_argument(Expr* list, QualType type, Loc loc);
  Expr* types_compatible(QualType a, QualType b, Loc loc);
  Expr* choose(Expr* condition, Expr* a, Expr* b, Loc loc);

  // --- conversions (sema_convert.cpp) ---
  enum class AssignContext : std::uint8_t { assignment, initialization, argument, returning };
  Expr* value(Expr* e);                 // lvalue, array and function conversion
  Expr* decay_no_load(Expr* e);         // arrays and functions only
  Expr* promote(Expr* e);               // integer promotion
  Expr* default_promote(Expr* e);       // default argument promotion
  Expr* convert(Expr* e, QualType to);  // between arithmetic types, already checked
  Expr* convert_for_assignment(Expr* e, QualType to, AssignContext context, Loc loc, const ArgumentPlace& where = {});
  Expr* condition(Expr* e, Loc loc);  // a scalar controlling expression
  void usual_conversions(Expr*& a, Expr*& b);
  QualType usual_type(QualType a, QualType b);
  QualType promoted_type(QualType type, const Expr* e);

  // --- initialisers (sema_init.cpp) ---
  struct Designator {
    Name* field = nullptr;  // .field, else [low ... high]
    Expr* low = nullptr;
    Expr* high = nullptr;
    Loc loc = kNoLoc;
  };
  struct SyntaxInit {  // what the parser read
    Loc loc = kNoLoc;
    TokenRange tokens;
    Expr* expr = nullptr;  // or a braced list
    std::span<Designator> designators;
    std::span<SyntaxInit*> list;
    bool braced = false;
  };
  // Matches an initialiser with a type; completes arrays of unknown size.
  Expr* initialise(QualType& type, SyntaxInit* init, bool constant_required, bool static_storage);

  // --- statements (sema_stmt.cpp) ---
  LabelDecl* use_label(Name* name, Loc loc);
  LabelDecl* define_label(Name* name, Loc loc);
  void declare_local_label(Name* name, Loc loc);
  void note_goto(GotoStmt* stmt);
  void check_case(CaseStmt* stmt);
  void check_default(Loc loc);
  Expr* switch_condition(Expr* e, Loc loc);
  void push_switch(QualType type);
  void pop_switch();
  void push_loop(bool is_forall);
  void pop_loop();
  void check_break(BreakStmt* stmt);
  void check_continue(ContinueStmt* stmt);
  void check_return(ReturnStmt* stmt, Expr* value);
  void check_affinity(UpcForallStmt* stmt, Expr* affinity, Loc loc);
  Expr* barrier_value(Expr* e, Loc loc);
  void enter_forall_body() { forall_stack_.push_back(next_forall_++); }
  void leave_forall_body() { forall_stack_.pop_back(); }
  [[nodiscard]] bool inside_forall() const { return !forall_stack_.empty(); }
  Expr* asm_output(Expr* e, Loc loc);
  Expr* asm_input(Expr* e, bool may_be_memory);
  void warn_unused_value(const Expr* e);

  void error(Loc loc, std::string_view message, const Marks& marks = {}) { diagnostics_.error(loc, message, marks); }
  void note(Loc loc, std::string_view message, const Marks& marks = {}) { diagnostics_.note(loc, message, marks); }
  bool warn(Loc loc, std::string_view name, std::string_view message, WarnLevel level = WarnLevel::always,
            const Marks& marks = {}) {
    return diagnostics_.warning(loc, name, message, level, marks);
  }
  [[nodiscard]] SourceRange range_of(const Expr* e) const;
  [[nodiscard]] bool complete_or_report(QualType type, Loc loc, std::string_view what);

 private:
  friend class InitMatcher;

  template <typename T>
  T* make(Loc loc, QualType type) {
    T* e = unit_.arena.make<T>();
    e->kind = T::kKind;
    e->loc = loc;
    e->type = type;
    e->uses_upc = mentions_shared(type);
    return e;
  }
  // Takes over what a node inherits from its children.
  void adopt(Expr* parent, const Expr* child);
  Expr* implicit_cast(Expr* e, QualType to, CastKind kind);
  [[nodiscard]] CastKind arithmetic_cast_kind(QualType from, QualType to) const;
  [[nodiscard]] Access access_of(QualType type) const;

  // expressions
  Expr* undeclared(const Token& token, bool called);
  Expr* address_of(Expr* operand, Loc loc);
  Expr* dereference(Expr* operand, Loc loc);
  Expr* increment(UnaryOp op, Expr* operand, Loc loc);
  Expr* make_binary(BinaryOp op, Expr* a, Expr* b, QualType type, Loc loc);
  Expr* additive(BinaryOp op, Expr* a, Expr* b, Loc loc);
  Expr* pointer_offset(BinaryOp op, Expr* a, Expr* b, Loc loc);
  Expr* pointer_difference(Expr* a, Expr* b, Loc loc);
  Expr* comparison(BinaryOp op, Expr* a, Expr* b, Loc loc);
  Expr* pointer_comparison(BinaryOp op, Expr* a, Expr* b, Loc loc);
  Expr* vector_binary(BinaryOp op, Expr* a, Expr* b, Loc loc);
  Expr* invalid_operands(BinaryOp op, const Expr* a, const Expr* b, Loc loc);
  [[nodiscard]] bool evaluated() const;  // whether the operands made now may be evaluated
  Expr* pointer_conditional(ConditionalExpr* node, Expr* a, Expr* b, Loc loc);
  bool check_arithmetic_pointer(QualType pointer, Loc loc);
  bool mixes_shared_and_local(BinaryOp op, const Expr* a, const Expr* b, Loc loc);
  bool modifiable(const Expr* e, Loc loc, std::string_view what);
  Expr* builtin_call(FunctionDecl* builtin, CallExpr* call, std::span<Expr*> args, Loc loc);
  FunctionDecl* builtin_function(Name* name);
  FunctionDecl* implicit_function(const Token& token);
  void check_unprototyped(const FunctionDecl* function, const Expr* arg, std::size_t index);
  void check_free(const FunctionDecl* function, std::span<Expr* const> args);
  void check_copy(const FunctionDecl* function, std::span<Expr* const> args);
  void check_file_transfer(const FunctionDecl* function, std::span<Expr* const> args);
  void check_file_extent(const FunctionDecl* function, const Expr* buffer, const Expr* size, const Expr* count);
  void check_file_blocks(const FunctionDecl* function, std::span<Expr* const> args);
  Expr* upc_size(SizeofExpr* node);
  bool check_cast(QualType to, Expr* operand, Loc loc);
  CastKind pts_cast_kind(QualType from, QualType to) const;
  CastKind explicit_cast_kind(QualType from, QualType to, const Expr* operand) const;
  FieldDecl* find_field(const RecordDecl* record, const Name* name, std::vector<FieldDecl*>& path) const;
  Expr* assign_pointer(Expr* e, QualType to, AssignContext context, Loc loc, const ArgumentPlace& where);
  std::string advice_on_conversion(const Expr* e, QualType to, Marks& marks) const;
  std::string assign_message(AssignContext context, QualType to, QualType from, std::string_view problem,
                             const ArgumentPlace& where);
  Expr* checked_conversion(Expr* e, QualType to, AssignContext context, Loc loc, const ArgumentPlace& where);
  void report_opaque_object(const Decl* decl);

  // declarations
  // `may_become_shared`: a typedef, to whose elements a declaration may add 'shared'.
  QualType array_chunk(QualType element, const DeclaratorChunk& chunk, const Declarator& declarator,
                       DeclaratorContext context, bool outermost, bool may_become_shared);
  void check_sized_by_threads(QualType type, Loc loc);
  [[nodiscard]] static int count_threads(const Expr* size);
  QualType function_chunk(QualType result, const DeclaratorChunk& chunk, const Declarator& declarator);
  Size shared_dimension(const Expr* size, const Declarator& declarator, Loc loc, bool& ok);
  QualType resolve_star_layout(QualType type, Loc loc);
  void check_shared_object(const VarDecl* decl);
  [[nodiscard]] std::string sized_by_threads(const VarDecl* decl) const;
  Decl* declare_typedef(const DeclSpec& spec, Declarator& declarator, QualType type);
  FunctionDecl* declare_function(const DeclSpec& spec, Declarator& declarator, QualType type);
  VarDecl* declare_variable(const DeclSpec& spec, Declarator& declarator, QualType type, DeclaratorContext context);
  void set_variable_storage(VarDecl* decl, const DeclSpec& spec);
  void merge_variable(VarDecl* decl, VarDecl* old);
  void merge_function(FunctionDecl* decl, FunctionDecl* old);
  bool same_kind_or_report(Decl* decl, Decl* old);
  void note_previous(const Decl* old);
  void adjust_param_type(ParamDecl* param);
  void complete_bitfield(FieldDecl* field, Expr* width, bool has_width);
  void check_flexible(RecordDecl* record, std::vector<FieldDecl*>& fields);
  void check_duplicate_members(RecordDecl* record, std::vector<FieldDecl*>& fields);
  void resolve_gotos();
  void check_tentative(VarDecl* decl);

  struct Undo {
    Name* name;
    void* previous;
    bool is_tag;
  };
  struct ScopeState {
    std::size_t undo_mark;
    std::size_t label_mark;
    std::size_t vm_mark;
  };
  struct LabelUndo {
    Name* name;
    LabelDecl* previous;
  };
  // Where a label or goto stands: which variably modified declarations and upc_forall bodies enclose it.
  struct JumpPlace {
    std::vector<const Decl*> vm;
    std::vector<std::uint32_t> foralls;
  };
  struct PendingGoto {
    GotoStmt* stmt;
    JumpPlace place;
  };
  struct LabelPlace {
    LabelDecl* label;
    JumpPlace place;
  };

  TranslationUnit& unit_;
  Diagnostics& diagnostics_;
  SemaOptions options_;
  TypeContext types_;
  ConstEvaluator constants_;

  std::vector<ScopeState> scopes_;
  std::vector<Undo> undo_;
  std::vector<LabelUndo> label_undo_;
  std::vector<Name*> function_labels_;
  std::vector<LabelDecl*> labels_;
  std::vector<const Decl*> vm_decls_;  // live variably modified declarations, innermost last
  std::vector<std::uint32_t> forall_stack_;
  const Unevaluated* unevaluated_ = nullptr;  // the innermost
  std::uint32_t next_forall_ = 1;
  std::vector<PendingGoto> gotos_;
  std::vector<LabelPlace> label_places_;
  std::vector<JumpScope> jumps_;
  std::vector<SwitchState> switches_;
  std::vector<Name*> undeclared_;  // reported in this function
  std::vector<VarDecl*> tentative_;
  std::vector<FunctionDecl*> declared_functions_;
  std::vector<std::uint64_t> pack_stack_;
  std::uint64_t pack_ = 0;
  FunctionDecl* function_ = nullptr;
  int errors_before_function_ = 0;
  bool strict_mode_ = false;
  bool depth_reported_ = false;
};

// Quotes a word as messages show it.
std::string quoted(std::string_view word);
std::string quoted(QualType type);

// A name for messages: put together only when there is one to give. `before` goes before it; `instead` stands for no
// name.
struct MessageName {
  const Name* name;
  std::string_view before = {};
  std::string_view instead = {};
};
std::string text_of(const MessageName& name);
inline std::string operator+(std::string_view text, const MessageName& name) {
  return std::string(text) + text_of(name);
}
inline std::string operator+(const MessageName& name, std::string_view text) {
  return text_of(name) + std::string(text);
}

}  // namespace upcc
