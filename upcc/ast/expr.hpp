// Expressions, fully typed. Invariants after sema, when no error was reported:
// - every node has its C type; where a value is needed, conversions are explicit as CastExpr nodes with
//   `implicit` set (lvalue_to_rvalue, array_to_pointer, promotions, ...), so operands have exactly the type the
//   operator computes in;
// - `uses_upc` says that the subtree cannot be repeated verbatim in C: it names a shared object, MYTHREAD or
//   THREADS, has a type that mentions `shared`, or contains such a subtree. Everything else may be re-emitted
//   from `tokens`;
// - a node whose evaluation reads or writes a shared object has `access` relaxed or strict, already resolved from
//   the type qualifiers and the pragmas (6.5.1.1, 6.7.1): the lvalue_to_rvalue cast for a read, the assignment,
//   compound assignment, ++ and -- for a write. All other nodes have Access::none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ast/decl.hpp"
#include "ast/type.hpp"
#include "basic/int128.hpp"

namespace upcc {

struct CompoundStmt;

enum class ExprKind : std::uint8_t {
  error,
  int_literal,    // integer and character constants
  float_literal,  // real or imaginary
  string_literal,
  decl_ref,  // variable, parameter, function, enum constant
  mythread,
  threads,  // only when dynamic or to keep the spelling; int, constant when static
  paren,
  unary,
  binary,
  assign,  // = and op=
  conditional,
  cast,  // explicit or implicit
  call,
  member,
  subscript,
  sizeof_,  // sizeof, _Alignof, upc_localsizeof, upc_blocksizeof, upc_elemsizeof
  compound_literal,
  init_list,
  statement,      // ({ ... })
  label_address,  // &&label
  generic,
  offsetof_,
  va_arg_,
  types_compatible,
  choose,  // __builtin_choose_expr
};

enum class ValueCategory : std::uint8_t { rvalue, lvalue, function };
enum class Access : std::uint8_t { none, relaxed, strict };

struct Expr {
  ExprKind kind;
  ValueCategory category = ValueCategory::rvalue;
  Access access = Access::none;
  bool uses_upc = false;
  bool is_bitfield = false;  // designates a bit-field
  bool is_register = false;  // designates (part of) a register object
  bool has_side_effects = false;
  std::uint32_t depth = 1;  // height of the tree, bounded by the parser
  Loc loc = kNoLoc;         // where messages about it point (an operator points at its operator token)
  TokenRange tokens;        // implicit nodes repeat the tokens of their operand
  QualType type;

  [[nodiscard]] bool is_lvalue() const { return category == ValueCategory::lvalue; }
  [[nodiscard]] bool is_shared_lvalue() const { return is_lvalue() && type.is_shared(); }
};

struct IntLiteral : Expr {
  static constexpr ExprKind kKind = ExprKind::int_literal;
  UInt128 value;
};

struct FloatLiteral : Expr {
  static constexpr ExprKind kKind = ExprKind::float_literal;
  long double value;
  bool imaginary;
};

struct StringLiteral : Expr {
  static constexpr ExprKind kKind = ExprKind::string_literal;
  std::string_view bytes;  // decoded, adjacent strings joined, without the terminating zero
  std::uint8_t width;      // bytes per character: 1, 2 or 4
};

struct DeclRef : Expr {
  static constexpr ExprKind kKind = ExprKind::decl_ref;
  Decl* decl;
};

struct MythreadExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::mythread;
};

struct ThreadsExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::threads;
};

struct ParenExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::paren;
  Expr* inner;
};

enum class UnaryOp : std::uint8_t {
  plus,
  minus,
  logical_not,
  bit_not,
  deref,
  address_of,
  pre_inc,
  pre_dec,
  post_inc,
  post_dec,
  real,
  imag,
  extension,
};

struct UnaryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::unary;
  UnaryOp op;
  Expr* operand;  // lvalue for ++, --, &; the pointer value for deref
};

enum class BinaryOp : std::uint8_t {
  mul,
  div,
  rem,
  add,
  sub,
  shl,
  shr,
  lt,
  gt,
  le,
  ge,
  eq,
  ne,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  comma,
};

/// As in the source: "+", "<<".
std::string_view spelling(BinaryOp op);

// For pointer arithmetic one operand is a pointer value and the other an integer (or both are pointers for sub
// and comparisons); pointer-to-shared operands keep their block size in the type.
struct BinaryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::binary;
  BinaryOp op;
  Expr* lhs;
  Expr* rhs;
};

// `lhs = rhs`, or `lhs op= rhs` when compound. The type is the unqualified type of lhs.
struct AssignExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::assign;
  bool compound;
  BinaryOp op;                // when compound
  QualType computation_type;  // when compound: the type `lhs op rhs` is computed in (after the usual conversions)
  Expr* lhs;                  // lvalue
  Expr* rhs;                  // simple: converted to type; compound: converted to its own operand type
};

struct ConditionalExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::conditional;
  Expr* condition;  // scalar value
  Expr* then;       // null for `a ?: b`: the value of the condition converted to `type`
  Expr* otherwise;
};

enum class CastKind : std::uint8_t {
  noop,  // same representation (qualification, same-size records)
  lvalue_to_rvalue,
  array_to_pointer,
  function_to_pointer,
  integral,  // integer to integer
  int_to_float,
  float_to_int,
  floating,
  to_bool,  // arithmetic or local pointer to _Bool
  int_to_pointer,
  pointer_to_int,
  pointer,  // local pointer to local pointer
  null_to_pointer,
  to_void,
  real_to_complex,
  complex_to_real,
  complex,
  vector,            // reinterpretation
  to_union,          // GNU cast to union
  pts_to_pts_keep,   // pointer-to-shared to pointer-to-shared, phase kept (6.4.3)
  pts_to_pts_reset,  // ... phase becomes 0
  pts_to_local,
  null_to_pts,
  pts_to_bool,
  pts_to_int,
  unknown,  // involves a type we do not model
};

struct CastExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::cast;
  CastKind cast_kind;
  bool implicit;
  Expr* operand;
};

struct CallExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::call;
  Expr* callee;           // a function pointer value
  FunctionDecl* direct;   // the function when called by its name
  std::span<Expr*> args;  // converted to the parameter types or default-promoted
};

struct MemberExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::member;
  Expr* base;  // record lvalue or rvalue; pointer value when arrow
  FieldDecl* field;
  bool arrow;
  bool implicit;  // a step through an anonymous member: no spelling of its own
};

struct SubscriptExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::subscript;
  Expr* base;    // pointer value (or vector)
  Expr* index;   // integer value, promoted
  bool swapped;  // written index[base]
};

enum class SizeofKind : std::uint8_t { size, align, upc_local, upc_block, upc_elem };

// Its value is constant unless the operand is a VLA (variable) or, in dynamic mode, a definitely blocked shared
// array (value.times_threads). The expression operand is not evaluated unless it is a VLA.
struct SizeofExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::sizeof_;
  SizeofKind op;
  Expr* operand;  // null when the operand is a type name
  QualType operand_type;
  bool variable;
  Size value;  // when not variable
};

struct CompoundLiteralExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::compound_literal;
  Expr* init;
  bool file_scope;  // static storage
};

// Initialiser in its meaning, not its spelling: braces normalised, designators resolved. Subobjects without an
// entry are zero. Later entries override earlier ones. For scalars in braces there is no list, just the value.
struct InitEntry {
  FieldDecl* field;          // of a record, else null
  std::int64_t first_index;  // of an array or vector: first_index..last_index (GNU ranges)
  std::int64_t last_index;
  Expr* value;
};
struct InitListExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::init_list;
  std::span<InitEntry> entries;
};

struct StatementExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::statement;
  CompoundStmt* body;
};

struct LabelAddressExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::label_address;
  LabelDecl* label;
};

struct GenericExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::generic;
  Expr* chosen;
};

struct OffsetofExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::offsetof_;
  QualType record;
  std::uint64_t constant_bytes;       // without the variable indices
  std::span<Expr*> variable_indices;  // [i] designators that are no constants
};

struct VaArgExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::va_arg_;
  Expr* list;
};

struct TypesCompatibleExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::types_compatible;
  QualType a;
  QualType b;
  bool value;
};

struct ChooseExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::choose;
  Expr* chosen;
};

struct ErrorExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::error;
};

template <typename T>
T* expr_cast(Expr* e) {
  return e != nullptr && e->kind == T::kKind ? static_cast<T*>(e) : nullptr;
}
template <typename T>
const T* expr_cast(const Expr* e) {
  return e != nullptr && e->kind == T::kKind ? static_cast<const T*>(e) : nullptr;
}

}  // namespace upcc
