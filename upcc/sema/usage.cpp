#include "sema/usage.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ast/walk.hpp"
#include "sema/sema.hpp"
#include "sema/warnings.hpp"

namespace upcc {

namespace {

const Expr* strip(const Expr* e) {
  for (;;) {
    if (const auto* p = expr_cast<ParenExpr>(e)) {
      e = p->inner;
    } else if (const auto* c = expr_cast<CastExpr>(e);
               c != nullptr && (c->implicit || (c->type->is_integer() && c->operand->type->is_integer()))) {
      e = c->operand;
    } else {
      return e;
    }
  }
}

const VarDecl* variable_in(const Expr* e) {
  const auto* ref = expr_cast<DeclRef>(strip(e));
  return ref == nullptr ? nullptr : decl_cast<VarDecl>(ref->decl);
}

// What ++, --, = and op= change; null for other expressions.
const Expr* changed_by(const Expr* e) {
  if (const auto* a = expr_cast<AssignExpr>(e)) return a->lhs;
  const auto* u = expr_cast<UnaryExpr>(e);
  return u != nullptr && u->op >= UnaryOp::pre_inc && u->op <= UnaryOp::post_dec ? u->operand : nullptr;
}

bool any_expression(const Expr* e, auto&& wanted) {
  bool found = false;
  Visitor visitor;
  visitor.expr = [&](const Expr* at) { return !(found = found || wanted(at)); };
  walk(e, visitor);
  return found;
}

bool mentions(const Expr* e, const Decl* decl) {
  return names(e, [&](const Decl* named) { return named == decl; });
}

// A library function that all threads call together. Those of teams are not known to be for all threads.
bool is_collective(const FunctionDecl* f) {
  if (f == nullptr || !f->wants_place) return false;
  const std::string_view name = f->name->text;
  return name.starts_with("upc_all_") || name.starts_with("upcr_allv_");
}

// A function of which nothing is known: it may be one of the program's, which may wait for other threads.
bool is_unknown_call(const Expr* e) {
  const auto* call = expr_cast<CallExpr>(e);
  if (call == nullptr) return false;
  return call->direct == nullptr || !(call->direct->in_system_header || call->direct->is_builtin);
}

// A statement or call at which threads wait for all others.
struct Meeting {
  Loc loc;
  std::string name;
};

std::string_view word(SyncKind kind) {
  if (kind == SyncKind::notify) return "upc_notify";
  return kind == SyncKind::wait ? "upc_wait" : "upc_barrier";
}

void find_meetings(const auto* root, std::vector<Meeting>& out) {
  Visitor visitor;
  visitor.stmt = [&](const Stmt* s) {
    const auto* sync = stmt_cast<UpcSyncStmt>(s);
    if (sync != nullptr && sync->sync != SyncKind::fence) out.push_back({sync->loc, quoted(word(sync->sync))});
    return true;
  };
  visitor.expr = [&](const Expr* e) {
    const auto* call = expr_cast<CallExpr>(e);
    if (call != nullptr && is_collective(call->direct))
      out.push_back({call->callee->loc, "the collective " + quoted(call->direct->name->text)});
    return true;
  };
  walk(root, visitor);
}

// What a part of a function does, as far as threads that meet are concerned.
struct Content {
  bool meets = false;
  bool calls = false;  // functions that may meet
  bool jumps = false;
};

Content content_of(const auto* root) {
  Content out;
  std::vector<Meeting> meetings;
  find_meetings(root, meetings);
  out.meets = !meetings.empty();
  Visitor visitor;
  visitor.stmt = [&](const Stmt* s) {
    out.jumps = out.jumps || (s->kind >= StmtKind::goto_ && s->kind <= StmtKind::return_);
    return true;
  };
  visitor.expr = [&](const Expr* e) {
    const auto* call = expr_cast<CallExpr>(e);
    out.calls = out.calls || is_unknown_call(e);
    out.jumps = out.jumps || (call != nullptr && call->direct != nullptr && call->direct->noreturn);
    return true;
  };
  walk(root, visitor);
  return out;
}

class UsageChecker {
 public:
  UsageChecker(const FunctionDecl* function, const TranslationUnit& unit, ConstEvaluator& constants,
               Diagnostics& diagnostics)
      : function_(function), unit_(unit), constants_(constants), diagnostics_(diagnostics) {
    collect();
  }

  void run() {
    visit(function_->body);
    report_divided();
  }

 private:
  // A barrier that only one side of a condition reaches.
  struct Divided {
    Meeting meeting;
    const Expr* condition;
  };

  void collect();
  void visit(const Stmt* s);
  void visit_under(const Expr* condition, const Stmt* s);
  void visit_if(const IfStmt* s);
  void visit_forall(const UpcForallStmt* s);
  void visit_compound(const CompoundStmt* s);
  void check_expressions(const Expr* e);

  [[nodiscard]] bool is_mythread(const Expr* e) const;
  [[nodiscard]] bool depends_on_thread(const Expr* e) const;
  [[nodiscard]] bool part_of_threads(const Expr* e) const;
  [[nodiscard]] bool divides(const Expr* condition) const;
  [[nodiscard]] bool divides_by_comparison(const BinaryExpr* e) const;
  [[nodiscard]] bool is_invariant(const Expr* e) const;
  [[nodiscard]] bool is_constant(const Expr* e, Int128 wanted) const;
  [[nodiscard]] const VarDecl* fixed_object(const Expr* lvalue) const;
  [[nodiscard]] bool one_iteration(const Expr* condition) const;
  [[nodiscard]] bool shares_iterations(const UpcForallStmt* s) const;
  [[nodiscard]] bool leaves_alone(const Stmt* branch) const;
  [[nodiscard]] bool is_main() const { return function_->name->text == "main"; }

  void check_loop(const Expr* condition, const Expr* step, const Stmt* body);
  void check_update(const Expr* e);
  void report_divided();
  [[nodiscard]] SourceRange range_of(const Expr* e) const {
    const Token& last = unit_.tokens.tokens[e->tokens.last - 1];
    return {unit_.tokens.tokens[e->tokens.first].loc, last.loc + last.length};
  }
  void warn(Loc loc, std::string_view name, const std::string& message, const Marks& marks = {}) {
    last_warned_ = diagnostics_.warning(loc, name, message, WarnLevel::always, marks);
  }
  void note(Loc loc, std::string_view message, const Marks& marks = {}) {
    if (last_warned_) diagnostics_.note(loc, message, marks);
  }

  const FunctionDecl* function_;
  const TranslationUnit& unit_;
  ConstEvaluator& constants_;
  Diagnostics& diagnostics_;
  bool last_warned_ = false;
  bool has_labels_ = false;
  bool may_lock_ = false;
  std::unordered_set<const Decl*> changed_;      // variables whose value or address is taken to change them
  std::unordered_set<const Decl*> is_mythread_;  // variables that hold MYTHREAD
  std::vector<const Expr*> conditions_;          // of the statements around the one that is visited
  int thread_conditions_ = 0;                    // of them, those that depend on MYTHREAD
  const UpcForallStmt* forall_ = nullptr;        // the controlling one around it
  bool in_loop_ = false;
  std::vector<Divided> divided_;
};

bool takes_lock(const CallExpr* call) {
  if (call->direct == nullptr) return false;
  const std::string_view name = call->direct->name->text;
  for (const std::string_view part : {"lock", "Lock", "LOCK", "mutex", "acquire", "critical", "sem_", "enter"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return std::any_of(call->args.begin(), call->args.end(), [](const Expr* arg) {
    const auto* p = arg->type->as<PointerType>();
    return p != nullptr && is_opaque(p->pointee);
  });
}

void UsageChecker::collect() {
  std::vector<const VarDecl*> copies;
  Visitor visitor;
  visitor.group = [&](const DeclGroup* group) {
    for (const Decl* decl : group->decls) {
      const auto* variable = decl_cast<VarDecl>(decl);
      const bool local = variable != nullptr && variable->duration == StorageDuration::automatic;
      if (local && variable->init != nullptr && strip(variable->init)->kind == ExprKind::mythread)
        copies.push_back(variable);
    }
  };
  visitor.stmt = [&](const Stmt* s) {
    has_labels_ =
        has_labels_ || s->kind == StmtKind::label || s->kind == StmtKind::goto_ || s->kind == StmtKind::computed_goto;
    return true;
  };
  visitor.expr = [&](const Expr* e) {
    const auto* address = expr_cast<UnaryExpr>(e);
    const bool is_address = address != nullptr && address->op == UnaryOp::address_of;
    const Expr* target = is_address ? address->operand : changed_by(e);
    if (const VarDecl* variable = target == nullptr ? nullptr : variable_in(target)) changed_.insert(variable);
    const auto* call = expr_cast<CallExpr>(e);
    may_lock_ = may_lock_ || (call != nullptr && takes_lock(call));
    return true;
  };
  walk(function_->body, visitor);
  for (const VarDecl* variable : copies) {
    if (!changed_.contains(variable)) is_mythread_.insert(variable);
  }
}

bool UsageChecker::is_mythread(const Expr* e) const {
  e = strip(e);
  return e->kind == ExprKind::mythread || is_mythread_.contains(variable_in(e));
}

bool UsageChecker::depends_on_thread(const Expr* e) const {
  return any_expression(e, [&](const Expr* at) { return is_mythread(at); });
}

bool UsageChecker::is_constant(const Expr* e, Int128 wanted) const {
  Int128 value = 0;
  return constants_.integer(e, value) && value == wanted;
}

// Less than THREADS and more than 0 with two threads or more: THREADS - 1, THREADS / 2.
bool UsageChecker::part_of_threads(const Expr* e) const {
  const auto* b = expr_cast<BinaryExpr>(strip(e));
  if (b == nullptr || strip(b->lhs)->kind != ExprKind::threads) return false;
  return (b->op == BinaryOp::sub && is_constant(b->rhs, 1)) || (b->op == BinaryOp::div && is_constant(b->rhs, 2));
}

// Whether a value is the same whenever the function asks for it. In a loop, `MYTHREAD == i` may be true once for each.
bool UsageChecker::is_invariant(const Expr* e) const {
  return !any_expression(
      e, [&](const Expr* at) { return at->has_side_effects || (in_loop_ && changed_.contains(variable_in(at))); });
}

bool UsageChecker::divides_by_comparison(const BinaryExpr* e) const {
  if (e->op < BinaryOp::lt || e->op > BinaryOp::ne) return false;
  const bool first = depends_on_thread(e->lhs);
  const Expr* mine = first ? e->lhs : e->rhs;
  const Expr* other = first ? e->rhs : e->lhs;
  if (depends_on_thread(other) || !is_invariant(other)) return false;
  if (e->op == BinaryOp::eq || e->op == BinaryOp::ne) {
    if (is_mythread(mine)) return true;
    // MYTHREAD % 2 == 0
    const auto* part = expr_cast<BinaryExpr>(strip(mine));
    Int128 divisor = 0;
    return part != nullptr && part->op == BinaryOp::rem && is_mythread(part->lhs) &&
           constants_.integer(part->rhs, divisor) && divisor > 1;
  }
  if (!is_mythread(mine)) return false;
  // Other bounds may be above all threads or below.
  if (part_of_threads(other)) return true;
  const bool less = e->op == BinaryOp::lt || e->op == BinaryOp::le;
  const bool or_equal = e->op == BinaryOp::le || e->op == BinaryOp::ge;
  const bool splits_below = (less == first) == or_equal;  // at n | n + 1, else at n - 1 | n
  return is_constant(other, splits_below ? 0 : 1);
}

// Whether a condition holds for some threads and not for others, as far as one can tell.
bool UsageChecker::divides(const Expr* condition) const {
  const Expr* e = strip(condition);
  if (is_mythread(e)) return true;
  if (const auto* u = expr_cast<UnaryExpr>(e)) return u->op == UnaryOp::logical_not && divides(u->operand);
  const auto* b = expr_cast<BinaryExpr>(e);
  if (b == nullptr) return false;
  if (b->op == BinaryOp::logical_and) return divides(b->lhs) || divides(b->rhs);
  if (b->op == BinaryOp::logical_or) return divides(b->lhs) && divides(b->rhs);
  if (b->op == BinaryOp::rem) {
    Int128 divisor = 0;
    return is_mythread(b->lhs) && constants_.integer(b->rhs, divisor) && divisor > 1;
  }
  return divides_by_comparison(b);
}

void UsageChecker::visit(const Stmt* s) {
  if (s == nullptr) return;
  const auto loop = [&](const Expr* condition, const Stmt* body) {
    const bool outer = std::exchange(in_loop_, true);
    condition != nullptr ? visit_under(condition, body) : visit(body);
    in_loop_ = outer;
  };
  switch (s->kind) {
    case StmtKind::compound:
      return visit_compound(static_cast<const CompoundStmt*>(s));
    case StmtKind::if_:
      return visit_if(static_cast<const IfStmt*>(s));
    case StmtKind::while_: {
      const auto* w = static_cast<const WhileStmt*>(s);
      check_expressions(w->condition);
      check_loop(w->condition, nullptr, w->body);
      return loop(w->condition, w->body);
    }
    case StmtKind::do_: {
      const auto* d = static_cast<const DoStmt*>(s);
      check_expressions(d->condition);
      check_loop(d->condition, nullptr, d->body);
      return loop(nullptr, d->body);
    }
    case StmtKind::for_: {
      const auto* f = static_cast<const ForStmt*>(s);
      visit(f->init);
      check_expressions(f->condition);
      check_expressions(f->step);
      if (f->condition != nullptr) check_loop(f->condition, f->step, f->body);
      return loop(nullptr, f->body);
    }
    case StmtKind::upc_forall:
      return visit_forall(static_cast<const UpcForallStmt*>(s));
    case StmtKind::switch_: {
      const auto* w = static_cast<const SwitchStmt*>(s);
      check_expressions(w->condition);
      return visit_under(w->condition, w->body);
    }
    case StmtKind::case_:
      return visit(static_cast<const CaseStmt*>(s)->body);
    case StmtKind::default_:
      return visit(static_cast<const DefaultStmt*>(s)->body);
    case StmtKind::label:
      return visit(static_cast<const LabelStmt*>(s)->body);
    case StmtKind::expression:
      return check_expressions(static_cast<const ExprStmt*>(s)->expr);
    default:
      return;
  }
}

void UsageChecker::visit_under(const Expr* condition, const Stmt* s) {
  const bool of_thread = depends_on_thread(condition);
  conditions_.push_back(condition);
  thread_conditions_ += of_thread ? 1 : 0;
  visit(s);
  thread_conditions_ -= of_thread ? 1 : 0;
  conditions_.pop_back();
}

void UsageChecker::check_expressions(const Expr* e) {
  if (forall_ == nullptr) return;
  Visitor visitor;
  visitor.expr = [&](const Expr* at) {
    check_update(at);
    return true;
  };
  walk(e, visitor);
}

// Whether a branch is left by `return` and does nothing before that which other threads could wait for.
bool UsageChecker::leaves_alone(const Stmt* branch) const {
  const Stmt* last = branch;
  while (const auto* block = stmt_cast<CompoundStmt>(last)) last = block->items.empty() ? nullptr : block->items.back();
  const auto* leave = stmt_cast<ReturnStmt>(last);
  if (leave == nullptr) return false;
  const Content content = content_of(branch);
  if (content.meets || content.calls) return false;
  // The job ends with a thread whose main returns another value.
  return !is_main() || (leave->value != nullptr && is_constant(leave->value, 0));
}

void UsageChecker::visit_compound(const CompoundStmt* s) {
  const IfStmt* left = nullptr;  // some threads have returned there
  for (const Stmt* item : s->items) {
    visit(item);
    if (left == nullptr) {
      const auto* choice = stmt_cast<IfStmt>(item);
      const bool simple =
          choice != nullptr && choice->otherwise == nullptr && conditions_.empty() && forall_ == nullptr;
      // `&&` with something else is how one thread reports an error; main does not by returning 0.
      const auto* joined = simple ? expr_cast<BinaryExpr>(strip(choice->condition)) : nullptr;
      const bool pure = joined == nullptr || joined->op != BinaryOp::logical_and || is_main();
      if (simple && pure && !in_loop_ && !has_labels_ && divides(choice->condition) && leaves_alone(choice->then))
        left = choice;
      continue;
    }
    const bool always = item->kind == StmtKind::upc_sync || item->kind == StmtKind::expression;
    std::vector<Meeting> meetings;
    if (always) find_meetings(item, meetings);
    if (meetings.empty()) continue;
    warn(meetings[0].loc, warning::kBarrier, "not all threads reach " + meetings[0].name);
    note(left->condition->loc, "those for which this is true have returned; let all reach it, or return behind it",
         {{range_of(left->condition)}, {}});
    left = nullptr;
    return;
  }
}

void UsageChecker::visit_if(const IfStmt* s) {
  check_expressions(s->condition);
  if (thread_conditions_ == 0 && forall_ == nullptr && !has_labels_ && divides(s->condition)) {
    for (const auto& [branch, other] : {std::pair(s->then, s->otherwise), std::pair(s->otherwise, s->then)}) {
      if (branch == nullptr) continue;
      std::vector<Meeting> meetings;
      find_meetings(branch, meetings);
      const Content rest = other == nullptr ? Content{} : content_of(other);
      if (meetings.empty() || content_of(branch).jumps || rest.meets || rest.calls || rest.jumps) continue;
      divided_.push_back({meetings[0], s->condition});
    }
  }
  visit_under(s->condition, s->then);
  visit_under(s->condition, s->otherwise);
}

// Two statements of which each leaves out what the other has make up a whole: `if (a) upc_barrier; if (!a)
// upc_barrier;`.
void UsageChecker::report_divided() {
  const auto text = [&](const Expr* e) {
    const SourceRange range = range_of(e);
    return std::string_view(unit_.source.begin() + range.begin, range.end - range.begin);
  };
  for (const Divided& d : divided_) {
    if (text(d.condition) != text(divided_[0].condition)) return;
  }
  for (const Divided& d : divided_) {
    warn(d.meeting.loc, warning::kBarrier, "not all threads reach " + d.meeting.name);
    note(d.condition->loc,
         "this condition is not the same on all threads; move " + d.meeting.name +
             " behind the statement, or to all branches",
         {{range_of(d.condition)}, {}});
  }
}

bool UsageChecker::shares_iterations(const UpcForallStmt* s) const {
  return s->affinity != nullptr &&
         (s->affinity_kind == AffinityKind::integer || s->affinity_kind == AffinityKind::pointer_to_shared);
}

void UsageChecker::visit_forall(const UpcForallStmt* s) {
  visit(s->init);
  check_expressions(s->condition);
  check_expressions(s->step);
  const bool controls = forall_ == nullptr && shares_iterations(s);
  // With this affinity every thread runs every iteration.
  if (controls && !is_mythread(s->affinity)) {
    std::vector<Meeting> meetings;
    find_meetings(s->body, meetings);
    for (const Meeting& meeting : meetings) {
      warn(meeting.loc, warning::kForallBarrier,
           meeting.name + " in the body of upc_forall: no iteration has all threads");
      note(s->loc, "the loop shares out its iterations here", {{range_of(s->affinity)}, {}});
    }
  }
  const UpcForallStmt* outer = forall_;
  if (controls) forall_ = s;
  const bool outer_loop = std::exchange(in_loop_, true);
  visit(s->body);
  in_loop_ = outer_loop;
  forall_ = outer;
}

const VarDecl* UsageChecker::fixed_object(const Expr* lvalue) const {
  while (const auto* p = expr_cast<ParenExpr>(lvalue)) lvalue = p->inner;
  if (const auto* ref = expr_cast<DeclRef>(lvalue)) {
    const auto* variable = decl_cast<VarDecl>(ref->decl);
    return variable != nullptr && variable->is_shared() ? variable : nullptr;
  }
  if (const auto* m = expr_cast<MemberExpr>(lvalue)) return m->arrow ? nullptr : fixed_object(m->base);
  const auto* s = expr_cast<SubscriptExpr>(lvalue);
  const auto* array = s == nullptr ? nullptr : expr_cast<CastExpr>(s->base);
  Int128 index = 0;
  if (array == nullptr || array->cast_kind != CastKind::array_to_pointer || !constants_.integer(s->index, index))
    return nullptr;
  return fixed_object(array->operand);
}

// Whether a condition holds in one iteration of the loop only, as `i == 0`.
bool UsageChecker::one_iteration(const Expr* condition) const {
  return any_expression(condition, [&](const Expr* e) {
    if (const auto* u = expr_cast<UnaryExpr>(e))
      return u->op == UnaryOp::logical_not && changed_.contains(variable_in(u->operand));
    const auto* b = expr_cast<BinaryExpr>(e);
    return b != nullptr && b->op == BinaryOp::eq &&
           (changed_.contains(variable_in(b->lhs)) || changed_.contains(variable_in(b->rhs)));
  });
}

// ++, -- and op= on one shared object, which several threads do in the loop.
void UsageChecker::check_update(const Expr* e) {
  const Expr* target = changed_by(e);
  const auto* assignment = expr_cast<AssignExpr>(e);
  if (target == nullptr || (assignment != nullptr && !assignment->compound) || e->access == Access::none) return;
  const VarDecl* variable = fixed_object(target);
  if (variable == nullptr || may_lock_) return;
  // The iterations are of several threads if their affinity goes with the loop.
  if (!is_mythread(forall_->affinity)) {
    const bool goes = forall_->step != nullptr && any_expression(forall_->step, [&](const Expr* at) {
                        const Expr* changed = changed_by(at);
                        const VarDecl* counter = changed == nullptr ? nullptr : variable_in(changed);
                        return counter != nullptr && mentions(forall_->affinity, counter);
                      });
    if (!goes || mentions(forall_->affinity, variable)) return;
  }
  const auto* bound = forall_->condition == nullptr ? nullptr : expr_cast<BinaryExpr>(strip(forall_->condition));
  if (bound != nullptr && bound->op == BinaryOp::lt && is_constant(bound->rhs, 1)) return;
  for (const Expr* condition : conditions_) {
    const bool names_threads = any_expression(condition, [&](const Expr* at) {
      const auto* call = expr_cast<CallExpr>(at);
      return at->kind == ExprKind::threads || call != nullptr;
    });
    if (names_threads || depends_on_thread(condition) || one_iteration(condition)) return;
  }
  if (content_of(forall_->body).calls) return;
  warn(e->loc, warning::kForallRace,
       "unprotected update of shared " + quoted(variable->name->text) +
           " in upc_forall: threads lose each other's changes; use a lock, <upc_atomic.h> or a reduction",
       {{range_of(target)}, {}});
}

// A loop that does nothing but wait for relaxed shared memory to change.
void UsageChecker::check_loop(const Expr* condition, const Expr* step, const Stmt* body) {
  const CastExpr* read = nullptr;
  bool waits = true;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    const auto* cast = expr_cast<CastExpr>(e);
    if (cast != nullptr && cast->access == Access::relaxed && read == nullptr) read = cast;
    waits = waits && e->access != Access::strict && e->kind != ExprKind::call && e->kind != ExprKind::statement &&
            changed_by(e) == nullptr && !(e->is_lvalue() && e->type.is_volatile());
    return waits;
  };
  walk(condition, visitor);
  if (read == nullptr || !waits) return;
  visitor.expr = [&](const Expr* e) {
    const Expr* changed = changed_by(e);
    const VarDecl* variable = changed == nullptr ? nullptr : variable_in(changed);
    const bool harmless = changed == nullptr || (variable != nullptr && !variable->is_shared() &&
                                                 !variable->type.is_volatile() && !mentions(condition, variable));
    waits = waits && harmless && e->access != Access::strict && e->kind != ExprKind::call &&
            !(e->is_lvalue() && e->type.is_volatile());
    return waits;
  };
  visitor.stmt = [&](const Stmt* s) {
    const bool leaves = s->kind == StmtKind::goto_ || s->kind == StmtKind::computed_goto ||
                        s->kind == StmtKind::break_ || s->kind == StmtKind::return_;
    waits = waits && !leaves && s->kind != StmtKind::asm_ && s->kind != StmtKind::upc_sync;
    return waits;
  };
  walk(step, visitor);
  walk(body, visitor);
  if (!waits) return;
  const Expr* object = read->operand;
  const auto* ref = expr_cast<DeclRef>(strip(object));
  const std::string name = ref == nullptr ? "shared object" : quoted(ref->decl->name->text);
  warn(object->loc, warning::kSpin,
       "loop waits for the relaxed " + name +
           ", which orders nothing: what was written before it may be seen later; declare it strict, or use upc_fence "
           "after the loop",
       {{range_of(object)}, {}});
}

}  // namespace

void check_usage(const FunctionDecl* function, const TranslationUnit& unit, ConstEvaluator& constants,
                 Diagnostics& diagnostics) {
  if (function->body == nullptr || !function->body->uses_upc || function->in_system_header) return;
  if (unit.static_threads == 1) return;
  UsageChecker(function, unit, constants, diagnostics).run();
}

}  // namespace upcc
