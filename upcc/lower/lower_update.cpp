#include <algorithm>

#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// Assignment, op=, ++ and --. Trap 9: the address of a shared lvalue is computed once, and the new value in the
// promoted type.

namespace upcc {

namespace {

const std::string kOld(1, text::kPlaceholder);

const Expr* strip(const Expr* e) {
  while (const auto* p = expr_cast<ParenExpr>(e)) e = p->inner;
  return e;
}

}  // namespace

std::string Lowerer::assign(const AssignExpr* e, bool unused) {
  const Expr* lhs = e->lhs;
  if (!lhs->is_shared_lvalue()) {
    if (e->compound && lhs->type.is_pointer_to_shared()) return compound_assign(e);
    return splice(e->tokens, {{lhs->tokens, expr(lhs)}, {e->rhs->tokens, expr(e->rhs)}});
  }
  if (updated_places_.contains(place_of(lhs)))
    return update_later(e, e->computation_type, expr(e->rhs), std::string(spelling(e->op)));
  if (e->access != Access::strict) {
    const std::string place = plain_place(lhs);
    if (!place.empty() && !(e->compound && lhs->type.is_pointer_to_shared())) {
      return splice(e->tokens, {{lhs->tokens, place}, {e->rhs->tokens, expr(e->rhs)}});
    }
  }
  if (e->compound) return compound_assign(e);
  const auto* from = expr_cast<CastExpr>(e->rhs);
  const bool copy = unused && e->type->is_record() && from != nullptr && e->access != Access::strict &&
                    from->cast_kind == CastKind::lvalue_to_rvalue && from->access == Access::relaxed;
  if (copy && plain_place(from->operand).empty()) {
    const std::string type = type_name(e->type);
    return "({ const upcr_pts_t upcr_t_ = " + shared_address(lhs) + ", upcr_f_ = " + shared_address(from->operand) +
           "; if (upcr_direct()) *(" + type + "*)(void*)upcr_at(upcr_t_) = *(const " + type +
           "*)(void*)upcr_at(upcr_f_); else upcr_copy_slow(upcr_t_, upcr_f_, sizeof(" + type + "), " + here(e->loc) +
           "); })";
  }
  return store(lhs, e->type, e->access, expr(e->rhs));
}

// pointer + index, where index is C text that counts objects of the pointed-to type.
std::string Lowerer::pointer_step(QualType pointer, const std::string& value, int direction) {
  const QualType pointee = static_cast<const PointerType*>(pointer.type)->pointee;
  if (!pointee->is_array()) {
    return std::string(direction > 0 ? "upcr_next(" : "upcr_previous(") + value + ", " + layout_args(pointee) + ")";
  }
  return "upcr_add(" + value + ", " + (direction > 0 ? "" : "-") + elements(pointee) + ", " + layout_args(pointee) +
         ")";
}

std::string Lowerer::shared_update(const Expr* lvalue, QualType type, Access access, const std::string& compute,
                                   bool want_old, Loc loc) {
  // `compute` has a placeholder for the old value.
  const std::string address = temp("a");
  const std::string old = temp("o");
  const std::string value = text::fill(compute, old);
  const auto text = [&](const std::string& type_text, const std::string& place, const std::string& load,
                        const std::string& store) {
    return "({ const upcr_pts_t " + address + " = " + place + "; const " + type_text + " " + old + " = " + load + "; " +
           store + "; " + (want_old ? old + "; " : "") + "})";
  };
  if (lvalue->is_bitfield) {
    const BitField field = bit_field(lvalue);
    const std::string type_text = type_name(type);
    return text(type_text, field.record_address, get_bits(type_text, field, address, access, loc),
                put_bits(type_text, field, address, value, access, loc));
  }
  const std::string place = shared_address(lvalue);
  return with_access_type(lvalue, type, [&](const std::string& name) {
    return text(name, place, get(name, address, access, loc), put(name, address, value, access, loc));
  });
}

// The runtime does it, unless the object is this thread's own. That is known of a row of its own by the subscript
// alone.
std::string Lowerer::update_later(const Expr* update, QualType computed, const std::string& operand,
                                  const std::string& sign) {
  const Expr* lvalue = updated_lvalue(update);
  const UpdateKind kind = *update_kind(update, types_);
  const std::string address = temp("a");
  const std::string value = temp("v");
  const std::string own = temp("p");
  const std::string sent = temp("s");
  const std::string wide = type_name(computed);
  const auto* element = expr_cast<SubscriptExpr>(strip_parens(lvalue));
  const SubscriptExpr* const row = own_row(element);
  const std::string index = row == nullptr ? "" : temp("i");
  const std::string place = row == nullptr ? shared_address(lvalue) : "upcc_in_row(" + row_element(row, index) + ")";
  return with_access_type(lvalue, lvalue->type.unqualified(), [&](const std::string& type) {
    const auto update_own = [&](const std::string& at) {
      return "{ " + type + "* const " + own + " = " + at + "; *" + own + " = (" + type + ")((" + wide + ")*" + own +
             " " + sign + " " + value + "); }";
    };
    const std::string operands = "const " + wide + " " + value + " = (" + wide + ")(" + operand + "); ";
    const std::string find = "const upcr_pts_t " + address + " = " + place + "; ";
    const std::string anywhere = "if (upcr_is_plainly_mine(" + address + ")) " +
                                 update_own("(" + type + "*)(void*)upcr_self_at(" + address + ".offset)") +
                                 " else { const " + type + " " + sent + " = (" + type + ")" + value + "; upcr_update(" +
                                 address + ", " + kind.op + ", " + kind.type + ", &" + sent + ", " + here(update->loc) +
                                 "); }";
    if (row == nullptr) return "({ " + find + operands + anywhere + " })";
    const std::string first = "(" + type + "*)(void*)upcr_self_at(" + shared_address(row) + ".offset)";
    const std::string in_row = "__builtin_expect((unsigned long)" + index + " < " + elements(row->type) + ", 1)";
    return "({ const long " + index + " = " + as_long(element->index) + "; " + operands + "if (" + in_row + ") " +
           update_own(first + " + " + index) + " else { " + find + anywhere + " } })";
  });
}

// A loop, after which the updates are in place that it leaves for its end.
std::string Lowerer::with_atomic_updates(const Stmt* loop, const std::function<std::string()>& text) {
  if (!atomic_updates_.calls.empty() || openmp_before(loop->tokens.first) != OpenMp::none) return text();
  const Temporarily inside(atomic_updates_, planner_.atomic_updates(loop));
  return atomic_updates_.calls.empty() ? text() : "{" + text() + "upcr_updates_finish();}";
}

std::string Lowerer::atomic_update(const CallExpr* call) {
  const auto& calls = atomic_updates_.calls;
  if (std::find(calls.begin(), calls.end(), call) == calls.end()) return {};
  const std::string what = expr(call->args[0]) + ", " + expr(call->args[2]) + ", ";
  if (const SubscriptExpr* target = atomic_updates_.by_index) {
    const std::string index = temp("i");
    const std::string operand = temp("v");
    SharedRef place = pointer_ref(target->base);
    place.index += (place.index.empty() ? "" : " + ") + index;
    return "({ const long " + index + " = " + as_long(target->index) + "; const void* const " + operand + " = " +
           expr(call->args[4]) + "; if (!upcr_add_up(" + index + ", " + atomic_update_op(call, constants_) + ", " +
           operand + ")) upcr_atomic_sum(" + what + spell(place, target->type) + ", " + operand + ", " + index + ", " +
           here(call->callee->loc) + "); })";
  }
  return "upcr_atomic_update(" + what + expr(call->args[3]) + ", " + expr(call->args[4]) +
         (atomic_updates_.apart ? ", 1, " : ", 0, ") + here(call->callee->loc) + ")";
}

std::string Lowerer::compound_assign(const AssignExpr* e) {
  const Expr* lhs = e->lhs;
  std::string compute;
  if (lhs->type.is_pointer_to_shared()) {
    const QualType pointee = static_cast<const PointerType*>(lhs->type.type)->pointee;
    SharedRef ref{kOld, nullptr, {}};
    add_index(ref, e->rhs, e->op == BinaryOp::sub, pointee);
    compute = spell(ref, pointee);
  } else {
    compute = "((" + type_name(e->computation_type) + ")" + kOld + " " + std::string(spelling(e->op)) + " (" +
              expr(e->rhs) + "))";
  }
  if (lhs->is_shared_lvalue()) return shared_update(lhs, e->type, e->access, compute, false, e->loc);
  // A private variable that holds a pointer-to-shared.
  if (strip(lhs)->kind == ExprKind::decl_ref) {
    const std::string name = expr(lhs);
    return "(" + name + " = " + text::fill(compute, name) + ")";
  }
  const std::string address = temp("a");
  return "({ upcc_unaligned_pts_t* const " + address + " = &(" + expr(lhs) + "); *" + address + " = " +
         text::fill(compute, "*" + address) + "; })";
}

std::string Lowerer::increment(const UnaryExpr* e, bool unused) {
  const bool up = e->op == UnaryOp::pre_inc || e->op == UnaryOp::post_inc;
  const bool post = e->op == UnaryOp::post_inc || e->op == UnaryOp::post_dec;
  const bool want_old = post && !unused;
  const Expr* place = e->operand;
  const bool pointer = e->type.is_pointer_to_shared();
  if (updated_places_.contains(place_of(place))) return update_later(e, e->type, "1", up ? "+" : "-");
  if (place->is_shared_lvalue()) {
    if (!pointer && e->access != Access::strict) {
      const std::string plain = plain_place(place);
      if (!plain.empty()) return splice(e->tokens, {{place->tokens, plain}});
    }
    const std::string one = std::string("(" + kOld + " ") + (up ? "+ 1)" : "- 1)");
    return shared_update(place, e->type, e->access, pointer ? pointer_step(e->type, kOld, up ? 1 : -1) : one, want_old,
                         e->loc);
  }
  if (!pointer) return splice(e->tokens, {{place->tokens, expr(place)}});
  if (strip(place)->kind == ExprKind::decl_ref) {
    const std::string name = expr(place);
    if (!want_old) return "(" + name + " = " + pointer_step(e->type, name, up ? 1 : -1) + ")";
    const std::string old = temp("o");
    return "({ const upcr_pts_t " + old + " = " + name + "; " + name + " = " + pointer_step(e->type, old, up ? 1 : -1) +
           "; " + old + "; })";
  }
  const std::string address = temp("a");
  const std::string old = temp("o");
  return "({ upcc_unaligned_pts_t* const " + address + " = &(" + expr(place) + "); const upcr_pts_t " + old + " = *" +
         address + "; *" + address + " = " + pointer_step(e->type, old, up ? 1 : -1) + "; " +
         (want_old ? old + "; " : "") + "})";
}

}  // namespace upcc
