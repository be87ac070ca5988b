#include <algorithm>

#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// for and upc_forall (UPC 6.6.2). Without a plan a upc_forall has one copy of its body (trap 11); with one it has two
// at most, however deep loops nest: what is inside the planned copy needs no second one, what is inside the other is
// not planned. The depth lives in an object of the loop's block, whose cleanup runs however control leaves.

namespace upcc {

std::string Lowerer::affinity_test(const UpcForallStmt* s, const std::string& loop) {
  const std::string value = "(" + expr(s->affinity) + ")";
  if (s->affinity_kind == AffinityKind::pointer_to_shared) {
    return "upcr_forall_pointer(&" + loop + ", " + value + ")";
  }
  const Type* type = s->affinity->type.type;
  const bool wide_unsigned = !TypeContext::is_signed(type) && types_.integer_bits(type) >= 64;
  return std::string(wide_unsigned ? "upcr_forall_unsigned(&" : "upcr_forall_integer(&") + loop + ", " + value + ")";
}

// OpenMP shares out the iterations of the loop that follows: it stays as it is.
bool Lowerer::openmp_before(std::uint32_t token) const {
  const auto& pragmas = unit_.tokens.pragmas;
  return std::any_of(pragmas.begin(), pragmas.end(), [&](const PragmaLine& pragma) {
    return pragma.before_token == token && pragma.text.starts_with("omp");
  });
}

// What some pragmas of OpenMP say is about the loops inside, too.
bool Lowerer::openmp_nest_before(std::uint32_t token) const {
  const auto& pragmas = unit_.tokens.pragmas;
  return std::any_of(pragmas.begin(), pragmas.end(), [&](const PragmaLine& pragma) {
    if (pragma.before_token != token || !pragma.text.starts_with("omp")) return false;
    return pragma.text.find("collapse") != std::string_view::npos ||
           pragma.text.find("ordered") != std::string_view::npos || pragma.text.find("tile") != std::string_view::npos;
  });
}

std::string Lowerer::for_statement(const ForStmt* s) {
  const Temporarily nest(optimise_loops_, optimise_loops_ && !openmp_nest_before(s->tokens.first));
  const auto known = [this](const Expr* place) { return plain_places_.contains(place); };
  const bool openmp = openmp_before(s->tokens.first);
  const auto plan = optimise_loops_ && !openmp ? planner_.plan(s, known) : std::nullopt;
  const bool may_wait_around = may_wait_;
  const LoopPlanner::Bound bound = planner_.bound_of(s);
  const bool complete = bound == LoopPlanner::Bound::complete;
  const Temporarily body_of_it(may_wait_, !complete && (may_wait_ || bound == LoopPlanner::Bound::none));
  const auto generic = [&](const Stmt* init) {
    const auto loop = [&](const std::string& test) {
      return generic_for(s->tokens.first, init, test, s->step, stmt(s->body));
    };
    if (bound == LoopPlanner::Bound::none && !openmp) return waiting(s, s->condition, loop);
    return loop(s->condition == nullptr ? "" : condition(s->condition));
  };
  // A loop around this one may wait: it is to look at memory again.
  if (!plan) {
    const bool look_again = complete && may_wait_around;
    return look_again ? "{" + generic(s->init) + abi::kLookAgain + "}" : generic(s->init);
  }
  std::string slow;
  if (!direct_ || plan->shape.tested()) {
    optimise_loops_ = false;
    slow = generic(plan->shape.declared_inside ? s->init : nullptr);
    optimise_loops_ = true;
  }
  const Temporarily whole(may_wait_, may_wait_around);
  const bool set_before = !plan->shape.declared_inside && s->init != nullptr;
  return text::line(s->loc) + "{" + (set_before ? stmt(s->init) : "") +
         planned_loop(*plan, s, s->body, nullptr, "", slow) + "}";
}

std::string Lowerer::forall(const UpcForallStmt* s) {
  const bool has_affinity =
      s->affinity_kind == AffinityKind::integer || s->affinity_kind == AffinityKind::pointer_to_shared;
  const bool divides = has_affinity && controlled_ == 0;
  const auto known = [this](const Expr* place) { return plain_places_.contains(place); };
  const auto plan =
      optimise_loops_ && !openmp_before(s->tokens.first) && (divides || !has_affinity || !s->affinity->has_side_effects)
          ? planner_.plan(s, divides, known)
          : std::nullopt;
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
    std::string body = stmt(s->body);
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
  std::string slow;
  if (!direct_ || divides || plan->shape.tested()) {
    optimise_loops_ = false;
    slow = generic();
    optimise_loops_ = true;
  }
  return out + planned_loop(*plan, s, s->body, s, object, slow) + "}";
}

}  // namespace upcc
