#include "optimise/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

namespace upcc {

namespace {

bool is_loop(const Stmt* s) {
  return s->kind == StmtKind::for_ || s->kind == StmtKind::upc_forall || s->kind == StmtKind::while_ ||
         s->kind == StmtKind::do_;
}

class Reporter {
 public:
  Reporter(const TranslationUnit& unit, TypeContext& types, const ConstEvaluator& constants,
           const OptimiseOptions& options)
      : unit_(unit),
        effects_(effect_context(unit, constants, options.strict_aliasing)),
        planner_(types, effects_, options),
        options_(options) {}

  std::vector<Remark> run() {
    for (const DeclGroup* group : unit_.groups) {
      if (group->kind != GroupKind::function_definition || group->in_system_header || !group->uses_upc) continue;
      const auto* function = static_cast<const FunctionDecl*>(group->decls[0]);
      planner_.enter(function);
      loops_in(function->body, {});
    }
    std::stable_sort(remarks_.begin(), remarks_.end(), [](const Remark& a, const Remark& b) { return a.loc < b.loc; });
    // One remark says it for all.
    const bool any_on = std::any_of(kPasses.begin(), kPasses.end(), [&](const Pass* p) { return options_.on(*p); });
    if (!any_on && !remarks_.empty()) {
      remarks_.resize(1);
      remarks_[0].missed = true;
      remarks_[0].text =
          "shared accesses in loops, here and below, go element by element: all passes are off; -O1 "
          "switches them on";
    }
    return std::move(remarks_);
  }

 private:
  // The loop around the code that is looked at, if there is one.
  struct Around {
    const Stmt* loop = nullptr;
    LoopClauses clauses;
    const LoopPlan* plan = nullptr;
  };

  // The outermost loops of a piece of code.
  void loops_in(const Stmt* code, const Around& around) {
    Visitor visitor;
    visitor.stmt = [&](const Stmt* s) {
      if (!is_loop(s)) return true;
      loop(s, around);
      return false;
    };
    walk(code, visitor);
  }

  void loop(const Stmt* s, const Around& around) {
    LoopClauses clauses = clauses_of(s);
    const Stmt* body = clauses.body;
    const Expr* condition = clauses.condition;
    if (const auto* w = stmt_cast<WhileStmt>(s)) body = w->body, condition = w->condition;
    if (const auto* d = stmt_cast<DoStmt>(s)) body = d->body, condition = d->condition;
    const Expr* affinity = clauses.affinity;
    std::optional<LoopPlan> plan;
    const bool counts = clauses.body != nullptr;
    if (counts) plan = planner_.plan(clauses, [](const Expr*) { return false; });
    if (counts) atomic_updates(s);
    if (plan) {
      for (const Replica& replica : plan->replicated) {
        for (const Expr* read : replica.reads) copied_.emplace(read, s);
      }
    }
    const auto in_body = [&](const Expr* lvalue, bool written, Access how) {
      access(lvalue, written, how, clauses, plan, around);
    };
    Visitor visitor;
    visitor.stmt = [&](const Stmt* inner) {
      if (!is_loop(inner)) return true;
      walk(clauses_of(inner).init, visitor);  // once in each iteration of this loop
      return false;
    };
    visitor.expr = [&](const Expr* e) {
      const Stmt* sender = sends(plan ? &*plan : nullptr, e) ? s : sends(around.plan, e) ? around.loop : nullptr;
      if (sender == nullptr) return each_access(e, in_body);
      const Expr* lvalue = updated_lvalue(e);
      const std::string what = "update of '" + as_written(unit_, lvalue) + "'";
      if (own_row(strip_parens(lvalue)) != nullptr) {
        add(lvalue, false, what + " is of this thread's own memory", Pass::updates);
        return true;
      }
      add(lvalue, false, what + " sent to its owner with others, in place after " + loop_of(sender), Pass::updates);
      return true;
    };
    walk(body, visitor);
    const bool once = plan && plan->windows;
    clause(condition, once, s, around);
    clause(clauses.step, once, s, around);
    clause(affinity, once, s, around);
    loops_in(body, {.loop = s, .clauses = clauses, .plan = plan ? &*plan : nullptr});
  }

  // Calls `told` with what an expression itself accesses, the expressions in it left out. True, to go on into them.
  template <typename Told>
  static bool each_access(const Expr* e, const Told& told) {
    if (e->access == Access::none) return true;
    const auto* c = expr_cast<CastExpr>(e);
    const auto* a = expr_cast<AssignExpr>(e);
    const auto* u = expr_cast<UnaryExpr>(e);
    if (c != nullptr) told(c->operand, false, e->access);
    if (a != nullptr) told(a->lhs, true, e->access);
    if (u != nullptr) told(u->operand, true, e->access);
    return true;
  }

  // Why a clause of a loop reads something in each iteration.
  std::string why_read_again(const Stmt* loop, const Expr* lvalue) const {
    if (planner_.moves_in(loop, lvalue)) return "a clause of the loop reads another object in each iteration";
    const bool waits = planner_.spins(loop) && planner_.changing_bound(clauses_of(loop)) == nullptr;
    return waits ? "the loop looks at it until another thread has changed it"
                 : "a clause of the loop reads it in each iteration; if it does not change, copy it to a local "
                   "variable before the loop";
  }

  // What a clause of a loop accesses: in each iteration, or once if the loop is planned.
  void clause(const Expr* e, bool once, const Stmt* loop, const Around& around) {
    Visitor visitor;
    const auto tell = [&](const Expr* lvalue, bool written, Access how) {
      const std::string what = described(lvalue, written);
      if (how == Access::strict) return stays(lvalue, what);
      const auto is_it = [&](const PlannedAccess& a) { return a.is_at(place_of(lvalue)); };
      if (around.plan != nullptr && around.plan->is_own(place_of(lvalue)))
        return add(lvalue, false, what + " is of this thread's own memory", Pass::locality);
      if (once) return add(lvalue, false, what + " once, before the iterations", Pass::loop_windows);
      const bool in_window =
          around.plan != nullptr && std::any_of(around.plan->accesses.begin(), around.plan->accesses.end(),
                                                [&](const PlannedAccess& a) { return a.in_window && is_it(a); });
      if (in_window) {
        return add(lvalue, false, what + " fetched in bulk before iterations of " + loop_of(around.loop),
                   Pass::loop_windows);
      }
      const std::string reason =
          written ? "a clause of the loop writes it in each iteration" : why_read_again(loop, lvalue);
      add(lvalue, true, what + " goes element by element: " + reason, Pass::loop_windows);
    };
    visitor.expr = [&](const Expr* part) { return each_access(part, tell); };
    walk(e, visitor);
  }

  void stays(const Expr* lvalue, const std::string& what) {
    add(lvalue, true, what + " stays where it is: it is strict", Pass::loop_windows);
  }

  [[nodiscard]] std::string described(const Expr* lvalue, bool written) const {
    return std::string(written ? "write of " : "read of ") + "'" + as_written(unit_, lvalue) + "'";
  }

  void atomic_updates(const Stmt* loop) {
    for (const CallExpr* call : planner_.atomic_updates(loop).calls) {
      if (!told_.insert(call).second) continue;  // of a loop around
      add(call->args[3], false,
          "atomic update of '" + as_written(unit_, call->args[3]) +
              "' added up and sent to its owner with others, in place after " + loop_of(loop),
          Pass::updates);
    }
  }

  static bool sends(const LoopPlan* plan, const Expr* e) {
    return plan != nullptr && std::find(plan->updates.begin(), plan->updates.end(), e) != plan->updates.end();
  }

  void access(const Expr* lvalue, bool written, Access how, const LoopClauses& loop,
              const std::optional<LoopPlan>& plan, const Around& around) {
    const std::string what = described(lvalue, written);
    const auto is_it = [&](const PlannedAccess& a) { return a.is_at(place_of(lvalue)); };
    const PlannedAccess* planned = nullptr;
    if (plan) {
      const auto found = std::find_if(plan->accesses.begin(), plan->accesses.end(), is_it);
      if (found != plan->accesses.end()) planned = &*found;
    }
    if (how == Access::strict) return stays(lvalue, what);
    const bool own = (planned != nullptr && planned->with_affinity) || is_own_by_subscript(place_of(lvalue));
    if (own && planned != nullptr && (planned->with_affinity || planned->in_window))
      return add(lvalue, false, what + " is of this thread's own memory", Pass::locality);
    if (const auto copied = copied_.find(strip_parens(lvalue)); copied != copied_.end()) {
      return add(lvalue, false,
                 what + " is of a private copy of the array, once " + loop_of(copied->second) +
                     " has read as much as all of it",
                 Pass::replication);
    }
    const bool nested = around.plan != nullptr && std::any_of(around.plan->nested.begin(), around.plan->nested.end(),
                                                              [&](const NestedAccess& a) { return is_it(a.access); });
    const std::string done = written ? " written back in bulk after " : " fetched in bulk before ";
    const bool asked = plan && plan->own != nullptr && planned != nullptr && planned->moves_with_affinity;
    const std::string foreign = own || asked ? "" : planner_.obstacle_to_locality(loop, place_of(lvalue));
    const std::string copy = std::string(asked ? "; plain if it begins on the affinity's thread, in the same phase, "
                                                 "which is asked before the loop"
                                               : "") +
                             (foreign.empty() ? "" : "; not known to be this thread's own: " + foreign) +
                             (written ? "" : no_copy(lvalue, loop, around));
    if (nested)
      return add(lvalue, false, what + done + "iterations of " + loop_of(around.loop) + copy, Pass::loop_windows);
    if (plan && std::any_of(plan->gathered.begin(), plan->gathered.end(), is_it))
      return add(lvalue, false, what + done + "iterations" + copy, Pass::gather);
    if (planned != nullptr && planned->in_window)
      return add(lvalue, false, what + done + "iterations" + copy, Pass::loop_windows);
    std::string why = planner_.obstacle(loop, unit_);
    if (why.empty() && !plan && loop.affinity != nullptr) {
      why = options_.on(Pass::forall_bounds) ? "the affinity '" + as_written(unit_, loop.affinity) +
                                                   "' does not move by equal steps with the loop's index"
                                             : "the pass forall-bounds is off";
    }
    if (why.empty()) why = planner_.obstacle(loop, lvalue, written, unit_);
    const std::string where = own ? ", in this thread's own memory: " : ": ";
    add(lvalue, true, what + " goes element by element" + where + why + copy, Pass::loop_windows);
  }

  // Why the loop around keeps no copy of the array that a loop reads, if one would serve.
  std::string no_copy(const Expr* read, const LoopClauses& loop, const Around& around) const {
    if (around.loop == nullptr) return {};
    const std::string why = planner_.obstacle_to_copy(around.clauses, loop, read, unit_);
    return why.empty() ? why : "; " + loop_of(around.loop) + " keeps no copy of the array: " + why;
  }

  std::string loop_of(const Stmt* loop) const {
    return "the loop of line " + std::to_string(unit_.source.presumed(loop->loc).line);
  }

  void add(const Expr* lvalue, bool missed, std::string text, const Pass& pass) {
    remarks_.push_back({lvalue->loc, missed, std::move(text), pass.name});
  }

  const TranslationUnit& unit_;
  EffectContext effects_;
  LoopPlanner planner_;
  const OptimiseOptions& options_;
  std::vector<Remark> remarks_;
  std::unordered_set<const CallExpr*> told_;
  std::unordered_map<const Expr*, const Stmt*> copied_;  // reads of arrays that a loop around copies, and which
};

}  // namespace

std::string as_written(const TranslationUnit& unit, const Expr* e) {
  constexpr std::size_t kLongest = 40;
  std::string out;
  for (std::uint32_t i = e->tokens.first; i < e->tokens.last; ++i) {
    const Token& token = unit.tokens.tokens[i];
    const bool apart =
        i > e->tokens.first && unit.tokens.tokens[i - 1].loc + unit.tokens.tokens[i - 1].length != token.loc;
    if (apart) out += ' ';
    out += unit.source.text().substr(token.loc, token.length);
  }
  return out.size() <= kLongest ? out : out.substr(0, kLongest - 3) + "...";
}

std::vector<Remark> report(const TranslationUnit& unit, TypeContext& types, const ConstEvaluator& constants,
                           const OptimiseOptions& options) {
  return Reporter(unit, types, constants, options).run();
}

std::string as_text(const SourceText& source, const Remark& remark) {
  const PresumedLoc at = source.presumed(remark.loc);
  return std::string(at.file) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
         (remark.missed ? ": missed: " : ": remark: ") + remark.text + " [" + std::string(remark.pass) + "]\n";
}

std::string as_json(const SourceText& source, const Remark& remark) {
  const PresumedLoc at = source.presumed(remark.loc);
  const nlohmann::ordered_json line = {{"file", at.file},         {"line", at.line},     {"column", at.column},
                                       {"missed", remark.missed}, {"text", remark.text}, {"pass", remark.pass}};
  // A name of a file may hold bytes that are no UTF-8.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace upcc
