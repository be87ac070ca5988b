#include "lower/loop_text.hpp"
#include "optimise/report.hpp"

// Shadow mode (-fupc-shadow, weft/upcrt/shadow.h): the text of a planned loop also says what it is element by element.

namespace upcc {

namespace {

// How values of a type are printed.
const char* printed_as(const Type* type) {
  if (type->is_real_floating()) return "UPCR_SHADOW_REAL";
  if (!type->is_integer()) return "0";
  return TypeContext::is_signed(type) ? "UPCR_SHADOW_SIGNED" : "UPCR_SHADOW_UNSIGNED";
}

}  // namespace

// The address of a single read, which in shadow mode says what is read.
std::string Lowerer::named_address(const Expr* lvalue) {
  std::string address = shared_address(lvalue);
  if (!options_.optimise.shadow) return address;
  return "upcr_shadow_named(" + address + ", " + printed_as(lvalue->type.type) + ", " +
         c_string(as_written(unit_, lvalue)) + ")";
}

// The place of a planned access, which in shadow mode says what it should be element by element.
std::string Lowerer::shadowed(const PlannedAccess& access, const std::string& place, const std::string& flag) {
  const Expr* lvalue = strip_parens(access.lvalue);
  if (!options_.optimise.shadow || lvalue->is_bitfield) return place;
  std::string flags = access.read ? "UPCR_SHADOW_READ" : "0";
  if (access.written) flags += " | UPCR_SHADOW_WRITTEN";
  if (!flag.empty()) flags += " | " + flag;
  flags += std::string(" | ") + printed_as(lvalue->type.type);
  return "(*(__typeof__(" + place + ")*)upcr_shadow_at((void*)&(" + place + "), " + shared_address(lvalue) +
         ", sizeof(" + place + "), " + flags + ", " + c_string(as_written(unit_, lvalue)) + ", " + here(lvalue->loc) +
         "))";
}

// In shadow mode: the iterations that the loop as it is written gives this thread.
std::string Lowerer::dry_loop(const LoopText& loop, const LoopClauses& clauses,
                              const std::function<std::string()>& generic) {
  const std::string shadow = loop.name("shadow");
  std::string body = "upcr_shadow_expect(&" + shadow + ", (long)" + loop.index + ");";
  // A test in the body divides the work.
  if (clauses.affinity != nullptr && !loop.controls)
    body = "if (" + affinity_thread(clauses) + " == upcr_mythread()) " + body;
  const Temporarily dry(dry_body_, "{" + body + "}");
  std::string out = "upcr_shadow_loop_t " + shadow + " = {0, 0, 0, 0};";
  std::string keep;
  std::string restore;
  const auto keeps = [&](const std::string& variable, const std::string& before) {
    keep += "const __typeof__(" + variable + ") " + before + " = " + variable + ";";
    restore += variable + " = " + before + ";";
  };
  const LoopShape& shape = loop.plan->shape;
  if (!shape.declared_inside) keeps(loop.index, loop.name("before"));
  for (std::size_t i = 0; i < shape.seconds.size(); ++i) {
    const SecondIndex& second = shape.seconds[i];
    if (second.first == nullptr)
      keeps(std::string(second.variable->name->text), loop.name("before" + std::to_string(i) + "_"));
  }
  return out + keep + generic() + restore;
}

}  // namespace upcc
