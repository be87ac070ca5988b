#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// for and upc_forall (UPC 6.6.2). Without a plan a upc_forall has one copy of its body (trap 11); with one it has two
// at most, however deep loops nest: what is inside the planned copy needs no second one, what is inside the other is
// not planned. The depth lives in an object of the loop's block, whose cleanup runs however control leaves.

namespace upcc {

// Whether it has values that no long has.
bool Lowerer::is_wide_unsigned(const Type* type) const {
  return !TypeContext::is_signed(type) && types_.integer_bits(type) >= 64;
}

std::string Lowerer::affinity_test(const UpcForallStmt* s, const std::string& loop) {
  const std::string value = "(" + expr(s->affinity) + ")";
  if (s->affinity_kind == AffinityKind::pointer_to_shared) {
    return "upcr_forall_pointer(&" + loop + ", " + value + ")";
  }
  return std::string(is_wide_unsigned(s->affinity->type.type) ? "upcr_forall_unsigned(&" : "upcr_forall_integer(&") +
         loop + ", " + value + ")";
}

// What pragmas of OpenMP before a loop leave for the optimiser: one shares out the iterations of the loop, which stays
// as it is, and some are about the loops inside, too.
Lowerer::OpenMp Lowerer::openmp_before(std::uint32_t token) const {
  OpenMp found = OpenMp::none;
  for (const PragmaLine& pragma : unit_.tokens.pragmas) {
    if (pragma.before_token != token || !pragma.text.starts_with("omp")) continue;
    const auto says = [&](const char* word) { return pragma.text.find(word) != std::string_view::npos; };
    if (says("collapse") || says("ordered") || says("tile")) return OpenMp::nest;
    found = OpenMp::loop;
  }
  return found;
}

std::string Lowerer::for_statement(const ForStmt* s) {
  const OpenMp pragma = openmp_before(s->tokens.first);
  const bool openmp = pragma != OpenMp::none;
  const Temporarily nest(optimise_loops_, optimise_loops_ && pragma != OpenMp::nest);
  // Several threads would count at once.
  const Temporarily counted_once(replica_readers_, openmp ? decltype(replica_readers_){} : replica_readers_);
  const auto known = [this](const Expr* place) { return is_settled(place); };
  LoopClauses clauses = clauses_of(s);
  const auto plan = optimise_loops_ && !openmp ? planner_.plan(clauses, known) : std::nullopt;
  const bool may_wait_around = may_wait_;
  const LoopPlanner::Bound bound = planner_.bound_of(s);
  const bool complete = bound == LoopPlanner::Bound::complete;
  const Temporarily body_of_it(may_wait_, !complete && (may_wait_ || bound == LoopPlanner::Bound::none));
  const auto generic = [&](const Stmt* init) {
    const auto loop = [&](const std::string& test) {
      return generic_for(s->tokens.first, init, test, s->step, dry_body_.empty() ? stmt(s->body) : dry_body_);
    };
    if (bound == LoopPlanner::Bound::none && !openmp) return waiting(s, s->condition, loop);
    return loop(s->condition == nullptr ? "" : condition(s->condition));
  };
  // A loop around this one may wait: it is to look at memory again.
  if (!plan) {
    const bool look_again = complete && may_wait_around;
    return look_again ? "{" + generic(s->init) + abi::kLookAgain + "}" : generic(s->init);
  }
  const bool may_wait_inside = may_wait_;
  const auto unplanned = [&] {
    const Temporarily inside(may_wait_, may_wait_inside);
    return generic(plan->shape.declared_inside ? s->init : nullptr);
  };
  const Temporarily whole(may_wait_, may_wait_around);
  const bool set_before = !plan->shape.declared_inside && s->init != nullptr;
  return text::line(s->loc) + "{" + (set_before ? stmt(s->init) : "") + planned_loop(*plan, s, clauses, "", unplanned) +
         "}";
}

std::string Lowerer::forall(const UpcForallStmt* s) {
  const bool has_affinity =
      s->affinity_kind == AffinityKind::integer || s->affinity_kind == AffinityKind::pointer_to_shared;
  const bool divides = has_affinity && controlled_ == 0;
  const auto known = [this](const Expr* place) { return is_settled(place); };
  LoopClauses clauses{.init = s->init, .condition = s->condition, .step = s->step, .body = s->body};
  if (divides) {
    clauses.affinity_kind = s->affinity_kind;
    clauses.affinity = s->affinity;
  }
  const bool may_plan = optimise_loops_ && openmp_before(s->tokens.first) == OpenMp::none &&
                        (divides || !has_affinity || !s->affinity->has_side_effects);
  const auto plan = may_plan ? planner_.plan(clauses, known) : std::nullopt;
  const Temporarily body_of_it(may_wait_, may_wait_ || planner_.bound_of(s) == LoopPlanner::Bound::none);
  const bool inside = plan && plan->shape.declared_inside;
  std::string out = "{";
  if (s->init != nullptr && !inside) out += stmt(s->init);
  std::string object;
  if (divides) {
    object = temp("forall");
    out += "const upcr_forall_t " + object + " __attribute__((cleanup(upcr_forall_leave))) = upcr_forall_enter();";
  }
  const auto generic = [&] {
    std::string body = dry_body_.empty() ? stmt(s->body) : dry_body_;
    if (divides) {
      body = "if (" + affinity_test(s, object) + ") {" + body + "}";
    } else if (has_affinity && s->affinity->has_side_effects) {
      body = "{(void)" + expr(s->affinity) + ";" + body + "}";  // every clause is evaluated, whoever controls
    } else {
      body = "{" + body + "}";
    }
    const std::string test = s->condition == nullptr ? "" : condition(s->condition);
    return generic_for(s->tokens.first, inside ? s->init : nullptr, test, s->step, body);
  };
  if (!plan) return out + generic() + "}";
  return out + planned_loop(*plan, s, clauses, object, generic) + "}";
}

}  // namespace upcc
