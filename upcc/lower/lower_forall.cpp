#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// upc_forall (UPC 6.6.2). Trap 11: one copy of the body; the depth lives in an object of the loop's block whose cleanup
// runs however control leaves.

namespace upcc {

std::string Lowerer::affinity_test(const UpcForallStmt* s, const std::string& loop) {
  const std::string value = expr(s->affinity);
  if (s->affinity_kind == AffinityKind::pointer_to_shared) {
    return "upcr_forall_pointer(&" + loop + ", " + value + ")";
  }
  const bool wide_unsigned = !TypeContext::is_signed(s->affinity->type.type) && types_.integer_bits(s->affinity->type.type) >= 64;
  return std::string(wide_unsigned ? "upcr_forall_unsigned(&" : "upcr_forall_integer(&") + loop + ", " + value + ")";
}

std::string Lowerer::forall_generic(const UpcForallStmt* s, const std::string& loop) {
  std::string body = stmt(s->body);
  if (!loop.empty()) body = "if (" + affinity_test(s, loop) + ") {" + body + "}";
  else body = "{" + body + "}";
  return generic_for(nullptr, s->condition, s->step, body);
}

std::string Lowerer::forall(const UpcForallStmt* s) {
  const bool divides = s->affinity_kind == AffinityKind::integer || s->affinity_kind == AffinityKind::pointer_to_shared;
  std::string out = "{";
  if (s->init != nullptr) out += stmt(s->init);
  std::string loop;
  if (divides) {
    loop = temp("forall");
    out += "const upcr_forall " + loop + " __attribute__((cleanup(upcr_forall_leave))) = upcr_forall_enter();";
  }
  return out + forall_generic(s, loop) + "}";
}

}  // namespace upcc
