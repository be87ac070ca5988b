#include <algorithm>

#include "sema/sema.hpp"
#include "sema/warnings.hpp"

// Statements (C11 6.8): labels and jumps, switch, loops, return.

namespace upcc {

LabelDecl* Sema::use_label(Name* name, Loc loc) {
  if (name->label != nullptr) {
    name->label->used = true;
    return name->label;
  }
  auto* label = unit_.arena.make<LabelDecl>();
  label->kind = DeclKind::label;
  label->name = name;
  label->loc = loc;
  label->used = true;
  name->label = label;
  function_labels_.push_back(name);
  labels_.push_back(label);
  return label;
}

LabelDecl* Sema::define_label(Name* name, Loc loc) {
  LabelDecl* label = name->label;
  if (label == nullptr) {
    label = use_label(name, loc);
    label->used = false;
  }
  if (label->defined) {
    error(loc, "duplicate label " + quoted(name->text));
    note(label->loc, "previous definition of " + quoted(name->text));
    return label;
  }
  label->defined = true;
  label->loc = loc;
  label_places_.push_back({label, {vm_decls_, forall_stack_}});
  return label;
}

// GNU __label__
void Sema::declare_local_label(Name* name, Loc loc) {
  auto* label = unit_.arena.make<LabelDecl>();
  label->kind = DeclKind::label;
  label->name = name;
  label->loc = loc;
  label->local = true;
  label_undo_.push_back({name, name->label});
  name->label = label;
  labels_.push_back(label);
}

void Sema::note_goto(GotoStmt* stmt) { gotos_.push_back({stmt, {vm_decls_, forall_stack_}}); }

namespace {

template <typename T>
bool is_prefix(const std::vector<T>& outer, const std::vector<T>& inner) {
  return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

}  // namespace

// 6.8.6.1: every label used is defined; no jump into the scope of a variably modified declaration.
// UPC 6.6.2p9: jumps into or out of upc_forall are undefined, so they get a warning.
void Sema::resolve_gotos() {
  for (const LabelDecl* label : labels_) {
    if (label->defined) {
      if (!label->used)
        warn(label->loc, "unused-label", "label " + quoted(label->name->text) + " defined but not used",
             WarnLevel::all);
      continue;
    }
    if (label->used)
      error(label->loc, "label " + quoted(label->name->text) + " used but not defined");
    else if (label->local)
      error(label->loc, "label " + quoted(label->name->text) + " declared but not defined");
  }
  for (PendingGoto& pending : gotos_) {
    const auto target = std::find_if(label_places_.begin(), label_places_.end(),
                                     [&](const LabelPlace& p) { return p.label == pending.stmt->label; });
    if (target == label_places_.end()) continue;
    if (!is_prefix(target->place.vm, pending.place.vm)) {
      error(pending.stmt->loc, "jump into scope of identifier with variably modified type");
      note(target->label->loc, "label " + quoted(target->label->name->text) + " defined here");
    }
    if (!is_prefix(target->place.foralls, pending.place.foralls)) {
      warn(pending.stmt->loc, warning::kForallJump, "'goto' jumps into the body of a upc_forall statement");
    }
    if (!is_prefix(pending.place.foralls, target->place.foralls)) {
      warn(pending.stmt->loc, warning::kForallJump, "'goto' leaves the body of a upc_forall statement");
    }
  }
  labels_.clear();
  gotos_.clear();
  label_places_.clear();
}

Expr* Sema::switch_condition(Expr* e, Loc loc) {
  e = promote(value(e));
  if (e->type->is_unknown()) return e;
  if (!e->type->is_integer()) {
    error(loc, "switch quantity not an integer");
    return error_expr(e->loc);
  }
  return e;
}

void Sema::push_switch(QualType type) {
  SwitchState state;
  state.type = type;
  switches_.push_back(std::move(state));
  jumps_.push_back({true, false});
}

void Sema::pop_switch() {
  auto& cases = switches_.back().cases;
  std::stable_sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  for (std::size_t i = 1; i < cases.size(); ++i) {
    if (cases[i].low > cases[i - 1].high) continue;
    const bool later = cases[i].loc > cases[i - 1].loc;
    error(later ? cases[i].loc : cases[i - 1].loc, "duplicate case value");
    note(later ? cases[i - 1].loc : cases[i].loc, "previously used here");
    if (cases[i].high < cases[i - 1].high) cases[i].high = cases[i - 1].high;
  }
  switches_.pop_back();
  jumps_.pop_back();
}

void Sema::check_case(CaseStmt* stmt) {
  if (switches_.empty()) {
    error(stmt->loc, "case label not within a switch statement");
    return;
  }
  SwitchState& state = switches_.back();
  bool ok = true;
  const auto constant = [&](Expr* e, Int128& out) {
    Expr* v = value(e);
    if (v->type->is_unknown()) return false;
    if (!v->type->is_integer() || !constants_.integer(v, out)) {
      error(e->loc, "case label does not reduce to an integer constant" + advice_on_constants(v));
      return false;
    }
    if (!state.type->is_unknown()) out = constants_.wrap(out, state.type.type);
    return true;
  };
  ok = constant(stmt->low, stmt->low_value);
  stmt->high_value = stmt->low_value;
  if (stmt->high != nullptr) ok = constant(stmt->high, stmt->high_value) && ok;
  if (!ok) return;
  if (stmt->high_value < stmt->low_value) {
    warn(stmt->loc, "", "empty range specified");
    return;
  }
  state.cases.push_back({stmt->low_value, stmt->high_value, stmt->loc});
}

void Sema::check_default(Loc loc) {
  if (switches_.empty()) {
    error(loc, "'default' label not within a switch statement");
    return;
  }
  SwitchState& state = switches_.back();
  if (state.has_default) {
    error(loc, "multiple default labels in one switch");
    note(state.default_loc, "this is the first default label");
  }
  state.has_default = true;
  state.default_loc = loc;
}

void Sema::push_loop(bool is_forall) { jumps_.push_back({false, is_forall}); }
void Sema::pop_loop() { jumps_.pop_back(); }

void Sema::check_break(BreakStmt* stmt) {
  if (jumps_.empty()) {
    error(stmt->loc, "break statement not within loop or switch");
    return;
  }
  if (jumps_.back().is_forall)
    warn(stmt->loc, warning::kForallJump, "'break' leaves the body of a upc_forall statement");
}

void Sema::check_continue(ContinueStmt* stmt) {
  if (std::all_of(jumps_.begin(), jumps_.end(), [](const JumpScope& scope) { return scope.is_switch; }))
    error(stmt->loc, "continue statement not within a loop");
}

// 6.8.6.4
void Sema::check_return(ReturnStmt* stmt, Expr* e) {
  if (inside_forall()) warn(stmt->loc, warning::kForallJump, "'return' leaves the body of a upc_forall statement");
  if (function_ == nullptr) return;
  if (function_->noreturn) warn(stmt->loc, "", "function declared 'noreturn' has a 'return' statement");
  const QualType result = function_->function_type()->result;
  if (e == nullptr) {
    if (!result->is_void() && !result->is_unknown()) {
      warn(stmt->loc, "return-type", "'return' with no value, in function returning non-void");
    }
    return;
  }
  if (result->is_void()) {
    if (e->type->is_void()) {
      warn(stmt->loc, "pedantic", "ISO C forbids 'return' with expression, in function returning void",
           WarnLevel::pedantic);
    } else if (!e->type->is_unknown()) {
      warn(e->loc, "return-type", "'return' with a value, in function returning void");
      e = value(e);
    }
    stmt->value = e;
    return;
  }
  stmt->value = convert_for_assignment(e, result.unqualified(), AssignContext::returning, e->loc);
}

// Outputs are lvalues; shared objects live elsewhere and cannot be operands.
Expr* Sema::asm_output(Expr* e, Loc loc) {
  if (e->type->is_unknown()) return e;
  if (e->type.is_shared()) {
    error(loc, "a shared object cannot be an asm operand");
  } else if (!e->is_lvalue()) {
    // A cast as output is an old GNU extension that gcc still accepts.
    if (expr_cast<CastExpr>(e) == nullptr) error(loc, "lvalue required in 'asm' statement");
  } else if (e->type.is_const()) {
    error(loc, "read-only object used as 'asm' output");
  }
  return e;
}

Expr* Sema::asm_input(Expr* e, bool may_be_memory) {
  if (e->type.is_shared() && may_be_memory) {
    error(e->loc, "a shared object cannot be an asm operand");
    return e;
  }
  if (may_be_memory && e->is_lvalue()) return e;
  if (e->type->is_void()) {
    error(e->loc, "void value not ignored as it ought to be");
    return e;
  }
  return value(e);
}

void Sema::warn_unused_value(const Expr* e) {
  if (e->has_side_effects || e->type->is_void() || e->type->is_unknown()) return;
  const Expr* at = e;
  while (const auto* p = expr_cast<ParenExpr>(at)) at = p->inner;
  if (const auto* c = expr_cast<CastExpr>(at); c != nullptr && !c->implicit) return;
  warn(e->loc, "unused-value", "statement with no effect" + advice_on_call(e), WarnLevel::all);
}

}  // namespace upcc
