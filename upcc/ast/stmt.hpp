// Statements. Like expressions, each carries its tokens and whether anything inside it needs lowering.
#pragma once

#include <cstdint>
#include <span>

#include "ast/decl.hpp"
#include "ast/expr.hpp"

namespace upcc {

enum class StmtKind : std::uint8_t {
  null,
  expression,
  compound,
  declaration,
  if_,
  while_,
  do_,
  for_,
  upc_forall,
  switch_,
  case_,  // also ranges
  default_,
  label,
  goto_,
  computed_goto,
  break_,
  continue_,
  return_,
  asm_,
  upc_sync,
};

struct Stmt {
  StmtKind kind;
  bool uses_upc = false;
  Loc loc = kNoLoc;
  TokenRange tokens;
};

struct NullStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::null;
};

struct ExprStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::expression;
  Expr* expr;
};

struct CompoundStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::compound;
  std::span<Stmt*> items;
};

struct DeclStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::declaration;
  DeclGroup* group;
};

struct IfStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::if_;
  Expr* condition;
  Stmt* then;
  Stmt* otherwise;  // or null
};

struct WhileStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::while_;
  Expr* condition;
  Stmt* body;
};

struct DoStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::do_;
  Stmt* body;
  Expr* condition;
};

struct ForStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::for_;
  Stmt* init;       // ExprStmt, DeclStmt or null
  Expr* condition;  // or null
  Expr* step;       // or null
  Stmt* body;
};

enum class AffinityKind : std::uint8_t {
  none,               // clause left empty: every thread runs the body, never controls
  continue_,          // `continue`: the same
  integer,            // MYTHREAD == affinity mod THREADS
  pointer_to_shared,  // MYTHREAD == upc_threadof(affinity)
};

struct UpcForallStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::upc_forall;
  Stmt* init;
  Expr* condition;
  Expr* step;
  AffinityKind affinity_kind;
  Expr* affinity;  // a value of integer or pointer-to-shared type, for those two kinds
  Stmt* body;
};

struct SwitchStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::switch_;
  Expr* condition;  // promoted integer
  Stmt* body;
};

struct CaseStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::case_;
  Expr* low;
  Expr* high;        // or null
  Int128 low_value;  // converted to the type of the switch condition
  Int128 high_value;
  Stmt* body;
};

struct DefaultStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::default_;
  Stmt* body;
};

struct LabelStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::label;
  LabelDecl* label;
  Stmt* body;
};

struct GotoStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::goto_;
  LabelDecl* label;
};

struct ComputedGotoStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::computed_goto;
  Expr* target;
};

struct BreakStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::break_;
};

struct ContinueStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::continue_;
};

struct ReturnStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::return_;
  Expr* value;  // converted to the function's result type, or null
};

// GNU asm: the tokens hold the whole text; operands are listed for checking and lowering.
struct AsmOperand {
  Expr* expr;  // lvalue for outputs
  bool is_output;
};
struct AsmStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::asm_;
  std::span<AsmOperand> operands;
};

enum class SyncKind : std::uint8_t { notify, wait, barrier, fence };
struct UpcSyncStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::upc_sync;
  SyncKind sync;
  Expr* value;  // converted to int, or null
};

template <typename T>
T* stmt_cast(Stmt* s) {
  return s != nullptr && s->kind == T::kKind ? static_cast<T*>(s) : nullptr;
}
template <typename T>
const T* stmt_cast(const Stmt* s) {
  return s != nullptr && s->kind == T::kKind ? static_cast<const T*>(s) : nullptr;
}

}  // namespace upcc
