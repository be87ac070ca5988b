#include <algorithm>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Pass replication: arrays whose elements loops inside a loop read again and again, at any places (v[column[k]]) or
// from thread to thread (x[j] of a cyclic array): a product of a matrix and a vector. Such an array is copied to
// private memory in the order of its elements, once the loop has read as many elements as it has
// (weft/upcrt/replica.h). From then on a read is one of a private array, which the C compiler can vectorise. That holds
// whether memory is mapped or not. Right if
//   - nothing in the loop orders accesses, so what others write need not be seen before its end (UPC 5.1.2.3);
//   - nothing in the loop may change the array: no store through a private pointer to an object of its type, and shared
//     writes only of other objects. Which object a pointer leads to is known at run time: it stays there;
//   - the pointer to the array does not change.
// An array that is read by equal steps within long blocks needs none of it.

namespace upcc {

namespace {

const Expr* root_of_pointer(const Expr* pointer);

// What an lvalue is reached from: a pointer to its object, or a declared object that it is part of.
const Expr* root_of_lvalue(const Expr* lvalue) {
  const Expr* e = strip_parens(lvalue);
  if (e->kind == ExprKind::decl_ref) return e;
  if (const auto* m = expr_cast<MemberExpr>(e)) return m->arrow ? root_of_pointer(m->base) : root_of_lvalue(m->base);
  if (const auto* s = expr_cast<SubscriptExpr>(e))
    return s->base->type->is_vector() ? root_of_lvalue(s->base) : root_of_pointer(s->base);
  const auto* u = expr_cast<UnaryExpr>(e);
  return u != nullptr && u->op == UnaryOp::deref ? root_of_pointer(u->operand) : nullptr;
}

const Expr* root_of_pointer(const Expr* pointer) {
  const Expr* e = strip_conversions(pointer);
  if (const auto* c = expr_cast<CastExpr>(e); c != nullptr && c->cast_kind == CastKind::array_to_pointer)
    return root_of_lvalue(c->operand);
  if (const auto* u = expr_cast<UnaryExpr>(e); u != nullptr && u->op == UnaryOp::address_of)
    return root_of_lvalue(u->operand);
  const auto* b = expr_cast<BinaryExpr>(e);
  if (b == nullptr || (b->op != BinaryOp::add && b->op != BinaryOp::sub)) return e;
  return root_of_pointer(b->lhs->type.is_pointer_to_shared() ? b->lhs : b->rhs);
}

// The array of which a read element is a number, if both are plain: x[e] of `shared T x[n]` or of `shared T *x`.
const Expr* array_of(const Expr* lvalue) {
  const auto* s = expr_cast<SubscriptExpr>(strip_parens(lvalue));
  if (s == nullptr || s->index->has_side_effects || !s->type->is_arithmetic() || s->type.stays_as_written())
    return nullptr;
  const Expr* base = strip_parens(s->base);
  const auto* c = expr_cast<CastExpr>(base);
  if (c == nullptr || !c->type.is_pointer_to_shared()) return nullptr;
  const bool declared = is_declared_array(base) && TypeContext::is_complete(c->operand->type);
  return declared || c->cast_kind == CastKind::lvalue_to_rvalue ? base : nullptr;
}

// Whether the loop finds e before it begins, and it is the same to its end.
bool is_fixed(const Expr* e, const Effects& effects) {
  return effects.means_the_same_before(e) && (e->kind == ExprKind::decl_ref || effects.same_value(e));
}

// The reads that each iteration of a loop performs, of arrays whose copy would serve it better. `known`: what needs
// none.
std::vector<const Expr*> reads_of_arrays(const LoopPlanner& planner, const LoopClauses& loop,
                                         const std::function<bool(const Expr*)>& known) {
  const auto context = planner.counted(loop.init, loop.condition, loop.step, loop.body);
  if (!context || context->effects.one_copy() || context->effects.ends_early()) return {};
  LoopPlan moving;
  moving.shape = context->shape;
  planner.collect(moving, *context, [](const Expr*) { return false; });
  // Whether an access is a plain pointer for many iterations.
  const auto moves_well = [&](const Expr* place) {
    const auto access = std::find_if(moving.accesses.begin(), moving.accesses.end(),
                                     [&](const PlannedAccess& a) { return a.is_at(place); });
    if (access == moving.accesses.end()) return false;
    return access->motion.per_index == 0 || (planner.moves(*access, moving) && access->movement != Movement::walk);
  };
  LoopPlan found;
  for (const PerformedAccess& one : shared_accesses(loop.body)) {
    const Expr* place = strip_parens(one.lvalue);
    if (one.writes || array_of(place) == nullptr || known(place) || moves_well(place)) continue;
    PlannedAccess& read = found.accesses.emplace_back();
    read.lvalue = place;
    read.same = {place};
  }
  planner.mark_certain(found, loop.body);
  std::vector<const Expr*> reads;
  for (const PlannedAccess& read : found.accesses) {
    if (read.certain) reads.push_back(read.lvalue);
  }
  return reads;
}

class Search {
 public:
  explicit Search(const PlannedLoop& loop) : loop_(loop), all_(shared_accesses(loop.context.body)) {}

  void run(LoopPlan& plan) const {
    const auto known = [&](const Expr* place) { return loop_.known(place) || plan.is_own(place); };
    Visitor loops;
    loops.stmt = [&](const Stmt* s) {
      const auto* inner = stmt_cast<ForStmt>(s);
      if (inner == nullptr) return true;
      for (const Expr* read : reads_of_arrays(loop_.planner, clauses_of(inner), known)) add(plan, read, s);
      return true;
    };
    walk(loop_.context.body, loops);
  }

  // What may change the array of a read in the loop, or where it is, in words; empty if nothing does. The pointers that
  // decide at run time are added to `written`.
  [[nodiscard]] std::string changed_by(const Expr* read, std::vector<const Expr*>& written) const {
    const Expr* array = array_of(read);
    const Effects& effects = loop_.context.effects;
    const bool declared = is_declared_array(array);
    if (!(declared ? effects.means_the_same_before(array) : is_fixed(array, effects)))
      return "the pointer to the array may change in the loop";
    if (effects.stores_by_pointer(read->type.type))
      return "a store through a private pointer in the loop may change an element";
    for (const PerformedAccess& other : all_) {
      if (!other.writes || !may_be_one_object(other.lvalue, read)) continue;
      const Expr* root = root_of_lvalue(other.lvalue);
      if (root == nullptr || !is_fixed(root, effects)) return "a write in the loop may change an element";
      const bool same = same_expression(root, array) || (root->kind == ExprKind::decl_ref && declared);
      if (same) return "the loop writes to the array";
      const bool told =
          std::any_of(written.begin(), written.end(), [&](const Expr* e) { return same_expression(e, root); });
      if (!told) written.push_back(root);
    }
    return {};
  }

 private:
  void add(LoopPlan& plan, const Expr* read, const Stmt* reader) const {
    const Expr* array = array_of(read);
    for (Replica& known : plan.replicated) {
      if (!same_expression(known.array, array)) continue;
      known.reads.push_back(read);
      known.readers.push_back(reader);
      return;
    }
    Replica replica{.array = array, .written = {}, .reads = {read}, .readers = {reader}};
    if (changed_by(read, replica.written).empty()) plan.replicated.push_back(std::move(replica));
  }

  const PlannedLoop& loop_;
  const std::vector<PerformedAccess> all_;
};

void decide(LoopPlan& plan, const PlannedLoop& loop) { Search(loop).run(plan); }

}  // namespace

std::string LoopPlanner::obstacle_to_copy(const LoopClauses& loop, const LoopClauses& inside, const Expr* read,
                                          const TranslationUnit& unit) const {
  if (!options_.on(Pass::replication) || inside.affinity != nullptr) return {};
  const std::function<bool(const Expr*)> known = [](const Expr*) { return false; };
  const std::vector<const Expr*> reads = reads_of_arrays(*this, inside, known);
  if (std::find(reads.begin(), reads.end(), strip_parens(read)) == reads.end()) return {};
  if (std::string why = obstacle_to_moving(loop, unit); !why.empty()) return why;
  const auto context = counted(loop.init, loop.condition, loop.step, loop.body);
  std::vector<const Expr*> written;
  return Search({*this, loop, *context, known}).changed_by(read, written);
}

const Pass Pass::replication{.name = "replication",
                             .help = "arrays that loops inside a loop read again and again are copied whole",
                             .batch = decide};

}  // namespace upcc
