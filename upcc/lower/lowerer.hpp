// The state of lowering one translation unit. One class, a file per concern:
//   lower.cpp            the unit: runs of plain C, prologue, initialiser function
//   lower_decl.cpp       declarations and records       lower_shared.cpp   static shared objects and initialisers
//   lower_function.cpp   definitions, main              lower_stmt.cpp     statements
//   lower_forall.cpp     loops                          lower_loop.cpp     loops that the optimiser planned
//   lower_expr.cpp       expressions                    lower_pointer.cpp  pointer-to-shared values
//   lower_access.cpp     loads and stores               lower_update.cpp   op=, ++ and --
//   lower_library.cpp    calls of the UPC library       lower_shadow.cpp   loops that check what was planned
//
// Every function that returns a string returns C text with marks. Text of an expression can be used as an operand of
// any operator when the user wrote it there; anything we write ourselves is a primary expression.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "emit/text.hpp"
#include "lower/abi.hpp"
#include "lower/lower.hpp"
#include "lower/type_printer.hpp"
#include "optimise/loop_plan.hpp"

namespace upcc {

// A pointer-to-shared value before it is spelled: root + index, in ultimate elements. Keeping the two apart lets
// a[i][j] and p + i - 1 cost one address computation instead of one per operator (UPC 6.4.2 makes that exact: steps add
// up).
struct SharedRef {
  std::string root;                 // a upcr_pts_t
  const VarDecl* object = nullptr;  // when root is the start of this static shared object
  std::string index;                // a long, empty for 0
};

// Sets a variable, for as long as this lives.
template <typename T>
class Temporarily {
 public:
  Temporarily(T& variable, T value) : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
  ~Temporarily() { variable_ = std::move(before_); }
  Temporarily(const Temporarily&) = delete;
  Temporarily& operator=(const Temporarily&) = delete;

 private:
  T& variable_;
  T before_;
};

class Lowerer {
 public:
  Lowerer(const TranslationUnit& unit, TypeContext& types, const ConstEvaluator& constants,
          const LowerOptions& options);
  Lowered run();

 private:
  using Child = std::pair<TokenRange, std::string>;

  // --- unit (lower.cpp) ---
  void scan_unit();
  void block_statics(const DeclGroup& function);
  void replace_tokens(TokenRange range, std::string text);
  void insert_thread_local(TokenRange declaration);
  [[nodiscard]] std::string words(std::string_view marked) const;
  void prologue();
  void initialiser_function();
  [[nodiscard]] bool is_plain(const DeclGroup& group) const;
  [[nodiscard]] bool defines_main(const DeclGroup& group) const;
  [[nodiscard]] bool declares_exit() const;
  void emit(std::string_view text) { out_ += text; }
  [[nodiscard]] std::string temp(std::string_view stem) {
    return abi::kPrefix + std::string(stem) + std::to_string(++temps_);
  }
  [[nodiscard]] const Token& token(std::uint32_t i) const { return unit_.tokens.tokens[i]; }
  [[nodiscard]] static std::string c_string(std::string_view text);
  [[nodiscard]] std::string here(Loc loc) const;  // "file", line
  [[nodiscard]] std::string pragmas_before(std::uint32_t token, text::Pragmas kind = text::Pragmas::all) const;
  enum class OpenMp : std::uint8_t { none, loop, nest };
  [[nodiscard]] OpenMp openmp_before(std::uint32_t token) const;
  [[nodiscard]] bool is_wide_unsigned(const Type* type) const;
  // The tokens of `range` with the children's ranges replaced by their texts.
  [[nodiscard]] std::string splice(TokenRange range, std::vector<Child> children) const;
  [[nodiscard]] bool has_upc_tokens(TokenRange range) const;

  // --- declarations (lower_decl.cpp) ---
  void external(const DeclGroup& group);
  [[nodiscard]] std::string declaration(const DeclGroup& group);
  [[nodiscard]] std::string hoist_literals(const DeclGroup& group);
  [[nodiscard]] std::string tag_in_literal(const CompoundLiteralExpr* literal);
  [[nodiscard]] bool is_writable_literal(const CompoundLiteralExpr* literal) const;
  [[nodiscard]] bool needs_new_declaration(const VarDecl* var);
  [[nodiscard]] bool keep_length(const VarDecl* var);
  [[nodiscard]] std::string declare_one(const DeclGroup& group, const Decl* decl);
  [[nodiscard]] std::string declare_variable(const VarDecl* var, const std::string* prefix);
  [[nodiscard]] std::string variable_by_tokens(const DeclGroup& group);
  [[nodiscard]] std::string tag_definition(const DeclGroup& group);
  [[nodiscard]] std::string record_definition(const RecordDecl* record, bool anonymous_member);
  [[nodiscard]] std::string enum_definition(const EnumDecl* decl);
  [[nodiscard]] std::string member(const RecordDecl* record, TokenRange range);
  [[nodiscard]] std::string attributes_in(TokenRange range, TokenRange except) const;
  [[nodiscard]] std::string storage_prefix(const DeclGroup& group, StorageClass storage, bool thread) const;
  [[nodiscard]] std::string alias_after(const DeclGroup& group);
  void name_tag(const TagDecl* tag);
  [[nodiscard]] std::string capture_extents(QualType type, Loc loc);
  [[nodiscard]] bool becomes_thread_local(const VarDecl* var) const;
  [[nodiscard]] bool holds_runtime_address(const VarDecl* var) const;
  [[nodiscard]] bool needs_edit(const DeclGroup& group) const;

  // --- initialisers and static shared objects (lower_shared.cpp) ---
  [[nodiscard]] std::string shared_object(const VarDecl* var);
  [[nodiscard]] std::string shared_symbol(const VarDecl* var) const;
  void record_shared(const VarDecl* var);
  void define_shared(const VarDecl* var, std::string& out);
  void initialise_shared(const VarDecl* var);
  void initialise_shared_leaves(const VarDecl* var, QualType type, const Expr* init, const std::string& index,
                                std::uint64_t byte, std::string& out);
  [[nodiscard]] bool needs_runtime(const Expr* init) const;  // not a constant for the C compiler
  [[nodiscard]] bool mentions_runtime_address(const Expr* e) const;
  [[nodiscard]] std::string initialiser(const Expr* init, QualType type, bool constant);
  void assign_leaves(const std::string& target, QualType type, const Expr* init, std::string& out);

  // --- functions (lower_function.cpp) ---
  void function(const DeclGroup& group);
  void main_function(const FunctionDecl* function);

  // --- statements (lower_stmt.cpp, lower_forall.cpp) ---
  [[nodiscard]] std::string stmt(const Stmt* s);
  [[nodiscard]] std::string lowered(const Stmt* s);
  [[nodiscard]] std::string unbounded(const Stmt* s);  // while and do
  [[nodiscard]] std::string waiting(const Stmt* s, const Expr* condition,
                                    const std::function<std::string(const std::string&)>& loop);
  [[nodiscard]] std::string block(const CompoundStmt* s);
  [[nodiscard]] std::string for_statement(const ForStmt* s);
  [[nodiscard]] std::string switch_like(const Stmt* s);
  [[nodiscard]] std::string asm_statement(const AsmStmt* s);
  [[nodiscard]] std::string sync(const UpcSyncStmt* s);
  [[nodiscard]] std::string if_statement(const IfStmt* s);
  [[nodiscard]] std::string return_statement(const ReturnStmt* s);
  [[nodiscard]] std::string generic_for(std::uint32_t first, const Stmt* init, const std::string& condition,
                                        const Expr* step, const std::string& body);
  [[nodiscard]] std::string forall(const UpcForallStmt* s);
  [[nodiscard]] std::string affinity_test(const UpcForallStmt* s, const std::string& loop);

  // --- planned loops (lower_loop.cpp) ---
  struct LoopText;
  [[nodiscard]] std::string planned_loop(const LoopPlan& plan, const Stmt* statement, const LoopClauses& clauses,
                                         const std::string& object, const std::function<std::string()>& generic);
  [[nodiscard]] std::string planned_version(LoopText& loop, const LoopClauses& clauses, const std::string& limit_value);
  [[nodiscard]] std::string first_seconds(const LoopText& loop);
  [[nodiscard]] std::string second_at(const LoopText& loop, std::size_t number, const std::string& iteration);
  [[nodiscard]] std::string seconds_at(const LoopText& loop, const std::string& iteration, const char* qualifier);
  [[nodiscard]] std::string limit_of(const LoopShape& shape);
  [[nodiscard]] static std::string iterations(const LoopShape& shape, const std::string& first,
                                              const std::string& limit, const std::string& step);
  [[nodiscard]] std::string shares(LoopText& loop, const LoopClauses& clauses);
  // Copies of arrays that a loop may read (lower_replica.cpp): before it, where they are in an iteration, and behind
  // it.
  [[nodiscard]] std::string begin_replicas(LoopText& loop);
  [[nodiscard]] std::string end_replicas(const LoopText& loop) const;
  [[nodiscard]] std::string replicated(const Expr* lvalue, QualType type, const std::string& elsewhere);
  [[nodiscard]] std::string reads_of_replicas(const Stmt* loop, const std::string& iterations) const;
  [[nodiscard]] std::string unless_replicated(const PlannedAccess& access, const std::string& window) const;
  [[nodiscard]] std::string all_replicated(const std::vector<PlannedAccess>& accesses) const;
  [[nodiscard]] std::string share(const LoopText& loop, const std::string& begin, const std::string& taken);
  [[nodiscard]] std::string window(const LoopText& loop, const PlannedAccess& access, std::int64_t per_index,
                                   const std::string& start);
  [[nodiscard]] std::string own_window(const LoopText& loop, const PlannedAccess& access, const std::string& start);
  [[nodiscard]] std::string nested_window(const LoopText& loop, const NestedAccess& nested, const std::string& start);
  [[nodiscard]] bool index_is_int(const LoopShape& shape) const;
  [[nodiscard]] std::string runs(const LoopText& loop, const std::string& begin, const std::string& taken,
                                 const std::function<std::string(const std::string&)>& body_of,
                                 bool is_the_users = true);
  [[nodiscard]] std::string first_address(const LoopText& loop, const PlannedAccess& access, const std::string& start,
                                          bool of_record);
  [[nodiscard]] std::string named_address(const Expr* lvalue);
  [[nodiscard]] std::string shadowed(const PlannedAccess& access, const std::string& place,
                                     const std::string& flag = {});
  [[nodiscard]] std::string dry_loop(const LoopText& loop, const LoopClauses& clauses,
                                     const std::function<std::string()>& generic);
  [[nodiscard]] std::string run_pointers(const LoopText& loop, const std::string& run, std::string& steps);
  [[nodiscard]] static std::string per_iteration(const LoopText& loop, std::int64_t per_index);
  [[nodiscard]] std::string bytes_per_iteration(const PlannedAccess& access, const LoopText& loop) const;
  [[nodiscard]] std::string begins_with_affinity(const LoopText& loop, const LoopClauses& clauses);
  [[nodiscard]] std::string affinity_thread(const LoopClauses& clauses);
  [[nodiscard]] std::string first_affinity_thread(const LoopText& loop, const LoopClauses& clauses);

  // --- expressions (lower_expr.cpp) ---
  [[nodiscard]] std::string expr(const Expr* e);
  [[nodiscard]] std::string discarded(const Expr* e);  // its value is not used
  [[nodiscard]] std::string condition(const Expr* e);  // as a truth value
  [[nodiscard]] std::string unary(const UnaryExpr* e);
  [[nodiscard]] std::string binary(const BinaryExpr* e);
  [[nodiscard]] std::string conditional(const ConditionalExpr* e);
  [[nodiscard]] std::string cast(const CastExpr* e);
  [[nodiscard]] std::string explicit_c_cast(const CastExpr* e);
  [[nodiscard]] std::string call(const CallExpr* e);
  [[nodiscard]] std::string library_call(const CallExpr* e);
  [[nodiscard]] std::string size(const SizeofExpr* e);
  [[nodiscard]] std::string compound_literal(const CompoundLiteralExpr* e);
  [[nodiscard]] std::string variable_size(QualType type);

  // --- pointers-to-shared (lower_pointer.cpp) ---
  [[nodiscard]] SharedRef pointer_ref(const Expr* e);  // of a pointer-to-shared value
  [[nodiscard]] SharedRef lvalue_ref(const Expr* e);   // of a shared lvalue
  [[nodiscard]] std::string spell(const SharedRef& ref, QualType pointee);
  [[nodiscard]] std::string shared_address(const Expr* lvalue);
  [[nodiscard]] std::string mapped_address(const Expr* lvalue);  // a plain address, where all memory is mapped
  [[nodiscard]] const Expr* row_in_block(const SubscriptExpr* s) const;
  [[nodiscard]] std::string row_element(const Expr* row, const std::string& index);
  [[nodiscard]] std::string elements(QualType type);  // number of ultimate elements, as C text; "1" for no array
  [[nodiscard]] std::string pointer_binary(const BinaryExpr* e);
  void add_index(SharedRef& ref, const Expr* index, bool subtract, QualType pointee);
  [[nodiscard]] std::uint64_t element_size(QualType pointee) const;
  [[nodiscard]] std::string offset_of(const VarDecl* object) const;
  [[nodiscard]] std::string layout_args(QualType pointee) const;  // "block, element size"
  [[nodiscard]] std::string as_long(const Expr* index);

  // --- accesses (lower_access.cpp, lower_update.cpp) ---
  [[nodiscard]] std::string load(const Expr* lvalue, QualType type, Access access);
  [[nodiscard]] std::string load_where_it_is(const Expr* lvalue, QualType type, Access access);
  [[nodiscard]] std::string load_anywhere(const Expr* lvalue, QualType type, Access access);
  [[nodiscard]] std::string store(const Expr* lvalue, QualType type, Access access, const std::string& value);
  [[nodiscard]] std::string get(const std::string& type, const std::string& pts, Access access, Loc loc) const;
  [[nodiscard]] std::string get_whole(const std::string& type, const std::string& pts, Access access, Loc loc) const;
  // `whole`: with the padding of a structure.
  [[nodiscard]] std::string put(const std::string& type, const std::string& pts, const std::string& value,
                                Access access, Loc loc, bool whole = false) const;
  [[nodiscard]] bool has_padding(QualType type) const;
  struct BitField {
    const MemberExpr* member;
    std::string record_type;
    std::string record_address;
    std::string path;  // from the record, through anonymous members
    std::uint64_t first_byte;
    std::uint64_t bytes;
  };
  [[nodiscard]] BitField bit_field(const Expr* lvalue);
  [[nodiscard]] std::string get_bits(const std::string& type, const BitField& field, const std::string& address,
                                     Access access, Loc loc) const;
  [[nodiscard]] std::string put_bits(const std::string& type, const BitField& field, const std::string& address,
                                     const std::string& value, Access access, Loc loc) const;
  [[nodiscard]] std::string assign(const AssignExpr* e, bool unused);
  [[nodiscard]] std::string with_atomic_updates(const Stmt* loop, const std::function<std::string()>& text);
  [[nodiscard]] std::string atomic_update(const CallExpr* call);  // empty for any other call
  [[nodiscard]] std::string update_later(const Expr* update, QualType computed, const std::string& operand,
                                         const std::string& sign);
  [[nodiscard]] std::string compound_assign(const AssignExpr* e);
  [[nodiscard]] std::string increment(const UnaryExpr* e, bool unused);
  [[nodiscard]] std::string shared_update(const Expr* lvalue, QualType type, Access access, const std::string& compute,
                                          bool want_old, Loc loc);
  [[nodiscard]] std::string pointer_step(QualType pointer, const std::string& value, int direction);
  // A shared lvalue as plain C where the optimiser allows, else empty: because of what it is, or because all is mapped.
  [[nodiscard]] bool may_be_misaligned(const Expr* lvalue) const;
  // An access by a type that is no more aligned than the object.
  [[nodiscard]] std::string with_access_type(const Expr* lvalue, QualType type,
                                             const std::function<std::string(const std::string&)>& access) const;
  [[nodiscard]] std::string known_place(const Expr* lvalue);
  // Whether a loop around has decided how a place is accessed.
  [[nodiscard]] bool is_settled(const Expr* place) const;
  [[nodiscard]] std::string plain_place(const Expr* lvalue);
  [[nodiscard]] bool performed_each_time() const;
  [[nodiscard]] std::string plain_access(QualType type) const;  // what a plain pointer to accesses points to

  [[nodiscard]] std::string type_name(QualType type) const { return printer_.prefix(type.unqualified()); }

  const TranslationUnit& unit_;
  TypeContext& types_;
  const ConstEvaluator& constants_;
  const LowerOptions& options_;
  TypePrinter printer_;
  std::string out_;
  TokenEdits edits_;
  unsigned temps_ = 0;
  bool clang_ = false;                                            // the back end is clang
  std::unordered_map<const Expr*, std::string> extents_;          // captured lengths of variable-length arrays
  std::unordered_map<const VarDecl*, std::string> shared_names_;  // block-scope static shared objects
  std::unordered_map<const Name*, const VarDecl*> shared_definitions_;
  std::unordered_set<const Name*> shared_defined_;
  std::unordered_set<const Name*> recorded_;  // those with a record for the runtime
  std::string records_;
  std::unordered_map<const Expr*, std::string> hoisted_;  // compound literals that have become these variables
  mutable std::unordered_map<const VarDecl*, bool> runtime_constants_;
  std::unordered_set<const Name*> library_variables_;  // declared by some system header or as plain C
  std::unordered_map<const Name*, int> tag_definitions_;
  std::string startup_;                                        // body of the initialiser function
  std::unordered_set<const Expr*> updated_places_;             // by op=, ++ and -- that may wait for a loop's end
  AtomicUpdates atomic_updates_;                               // those that wait for the end of a loop around
  std::unordered_map<const Expr*, std::string> plain_places_;  // shared lvalues that are plain C here
  // Casts to private pointers of (parts of) planned accesses: the access, and it as an lvalue in this thread's memory.
  std::unordered_map<const CastExpr*, std::pair<const Expr*, std::string>> local_places_;
  std::string dry_body_;  // not empty: what stands for the body of a loop that is only counted (-fupc-shadow)
  std::unordered_map<const Expr*, std::string> outer_windows_;  // of accesses in loops inside, as upcr_window_t*
  std::unordered_map<const Expr*, std::string> replicas_;       // of elements that are read, the copy of their array
  std::unordered_map<const Stmt*, std::vector<std::string>> replica_readers_;  // of loops, counts of what they read
  EffectContext effects_;
  LoopPlanner planner_;
  int controlled_ = 0;  // upc_foralls around this place that control for certain: those inside do not
  enum class Memory : std::uint8_t {
    unknown,
    mapped,      // all shared memory is, for certain
    not_mapped,  // some may not be, and loops may have windows
    windows,     // ... and do: code between opening and closing some
  };
  Memory memory_ = Memory::unknown;
  bool speculative_ = false;  // an address is computed that may lie outside its array
  bool may_wait_ = true;      // code here may run until another thread has written something
  bool optimise_loops_ = true;
};

}  // namespace upcc
