#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// Pointer-to-shared values: addresses, arithmetic, comparison (UPC 6.4.2, 6.4.3, 6.4.4).

namespace upcc {

namespace {

QualType pointee_of(QualType pointer) { return static_cast<const PointerType*>(pointer.type)->pointee; }

bool is_null_pointer(const Expr* e) {
  for (;;) {
    if (const auto* p = expr_cast<ParenExpr>(e)) {
      e = p->inner;
    } else if (const auto* c = expr_cast<CastExpr>(e)) {
      if (c->cast_kind == CastKind::null_to_pts) return true;
      if (!c->implicit) return false;
      e = c->operand;
    } else {
      return false;
    }
  }
}

}  // namespace

std::uint64_t Lowerer::element_size(QualType pointee) const {
  const QualType element = pointee.ultimate();
  if (element->is_void() || element->is_function() || !TypeContext::is_complete(element)) return 1;
  return static_cast<std::uint64_t>(types_.size_of(element).value);
}

std::string Lowerer::layout_args(QualType pointee) const {
  return std::to_string(pointee.block_size()) + ", " + std::to_string(element_size(pointee));
}

std::string Lowerer::offset_of(const VarDecl* object) const { return "upcc_offset(" + shared_symbol(object) + ")"; }

std::string Lowerer::elements(QualType type) {
  std::string out;
  std::int64_t constant = 1;
  for (QualType at = type; const auto* a = at->as<ArrayType>(); at = a->element) {
    if (a->array_kind == ArrayKind::variable) {
      const auto captured = extents_.find(a->count_expr);
      out += " * (long)(" + (captured != extents_.end() ? captured->second : expr(a->count_expr)) + ")";
    } else {
      constant *= a->count.value;
      if (a->count.times_threads) out += " * (long)upcr_threads()";
    }
  }
  if (out.empty()) return std::to_string(constant);
  return "(" + std::to_string(constant) + "l" + out + ")";
}

std::string Lowerer::as_long(const Expr* index) {
  Int128 value = 0;
  if (!index->has_side_effects && constants_.integer(index, value)) {
    return value < 0 ? "(" + std::to_string(static_cast<long long>(value)) + "l)"
                     : std::to_string(static_cast<long long>(value)) + "l";
  }
  return "(long)(" + expr(index) + ")";
}

void Lowerer::add_index(SharedRef& ref, const Expr* index, bool subtract, QualType pointee) {
  Int128 value = 0;
  if (!index->has_side_effects && constants_.integer(index, value) && value == 0) return;
  std::string term = as_long(index);
  if (pointee->is_array()) {
    const std::string count = elements(pointee);
    if (count != "1") term += " * " + count;
  }
  if (ref.index.empty()) {
    ref.index = subtract ? "-(" + term + ")" : term;
  } else {
    ref.index += (subtract ? " - " : " + ") + term;
  }
}

// The row of a declared array whose element s is, if each row lies in one block: its first element then has a phase
// that is a multiple of its length. Null otherwise, and for subscripts that are known, which cost nothing.
const Expr* Lowerer::row_in_block(const SubscriptExpr* s) const {
  Int128 known = 0;
  const Expr* row = decayed_array(s->base);
  if (row == nullptr || s->type->is_array()) return nullptr;
  if (!options_.optimise.on(Pass::phase_elimination) || constants_.integer(s->index, known)) return nullptr;
  const Size length = TypeContext::element_count(row->type);
  const std::uint64_t block = row->type.block_size();
  if (row->type->variably_modified || length.times_threads || length.value <= 1 || block == 0) return nullptr;
  if (row->kind != ExprKind::subscript || block % static_cast<std::uint64_t>(length.value) != 0) return nullptr;
  const Expr* array = row;
  while (const auto* outer = expr_cast<SubscriptExpr>(array)) {
    array = decayed_array(outer->base);
    if (array == nullptr) return nullptr;
  }
  return array->kind == ExprKind::decl_ref ? row : nullptr;
}

// An element of such a row, as the arguments of upcc_in_row() and upcc_at_row().
std::string Lowerer::row_element(const Expr* row, const std::string& index) {
  return shared_address(row) + ", " + index + ", " + elements(row->type) + ", " + layout_args(row->type);
}

SharedRef Lowerer::pointer_ref(const Expr* e) {
  switch (e->kind) {
    case ExprKind::paren:
      return pointer_ref(static_cast<const ParenExpr*>(e)->inner);
    case ExprKind::unary: {
      const auto* u = static_cast<const UnaryExpr*>(e);
      if (u->op == UnaryOp::extension) return pointer_ref(u->operand);
      if (u->op == UnaryOp::address_of && u->operand->is_shared_lvalue()) return lvalue_ref(u->operand);
      break;
    }
    case ExprKind::binary: {
      const auto* b = static_cast<const BinaryExpr*>(e);
      if (b->op != BinaryOp::add && b->op != BinaryOp::sub) break;
      const bool pointer_first = b->lhs->type.is_pointer_to_shared();
      SharedRef ref = pointer_ref(pointer_first ? b->lhs : b->rhs);
      add_index(ref, pointer_first ? b->rhs : b->lhs, b->op == BinaryOp::sub, pointee_of(e->type));
      return ref;
    }
    case ExprKind::cast: {
      const auto* c = static_cast<const CastExpr*>(e);
      if (c->cast_kind == CastKind::array_to_pointer && c->operand->is_shared_lvalue()) return lvalue_ref(c->operand);
      const bool kept = c->cast_kind == CastKind::pts_to_pts_keep || c->cast_kind == CastKind::noop;
      if (!kept || !c->operand->type.is_pointer_to_shared()) break;
      const QualType from = pointee_of(c->operand->type);
      const QualType to = pointee_of(c->type);
      const SharedRef ref = pointer_ref(c->operand);
      // Steps of equal elements and blocks add up across the cast; otherwise the steps so far are taken first.
      if (from.block_size() == to.block_size() && element_size(from) == element_size(to)) return ref;
      return {spell(ref, from), nullptr, {}};
    }
    default:
      break;
  }
  return {expr(e), nullptr, {}};
}

SharedRef Lowerer::lvalue_ref(const Expr* e) {
  switch (e->kind) {
    case ExprKind::decl_ref:
      if (const auto* var = decl_cast<VarDecl>(static_cast<const DeclRef*>(e)->decl)) return {{}, var, {}};
      break;
    case ExprKind::paren:
      return lvalue_ref(static_cast<const ParenExpr*>(e)->inner);
    case ExprKind::generic:
      return lvalue_ref(static_cast<const GenericExpr*>(e)->chosen);
    case ExprKind::choose:
      return lvalue_ref(static_cast<const ChooseExpr*>(e)->chosen);
    case ExprKind::unary: {
      const auto* u = static_cast<const UnaryExpr*>(e);
      if (u->op == UnaryOp::deref) return pointer_ref(u->operand);
      if (u->op == UnaryOp::extension) return lvalue_ref(u->operand);
      // __real, __imag
      const std::uint64_t part = element_size(e->type);
      return {
          "upcr_field(" + shared_address(u->operand) + ", " + std::to_string(u->op == UnaryOp::imag ? part : 0) + ")",
          nullptr,
          {}};
    }
    case ExprKind::subscript: {
      const auto* s = static_cast<const SubscriptExpr*>(e);
      if (s->base->type->is_vector()) {
        return {"upcr_field(" + shared_address(s->base) + ", " + std::to_string(element_size(e->type)) + " * " +
                    as_long(s->index) + ")",
                nullptr,
                {}};
      }
      if (const Expr* row = row_in_block(s)) {
        return {"upcc_in_row(" + row_element(row, as_long(s->index)) + ")", nullptr, {}};
      }
      SharedRef ref = pointer_ref(s->base);
      add_index(ref, s->index, false, e->type);
      return ref;
    }
    case ExprKind::member: {
      // Trap 6: the address of a member is indefinite, also at offset 0 (6.4.4).
      const auto* m = static_cast<const MemberExpr*>(e);
      const std::string base =
          m->arrow ? spell(pointer_ref(m->base), pointee_of(m->base->type)) : shared_address(m->base);
      return {"upcr_field(" + base + ", " + std::to_string(m->field->bit_offset / 8) + ")", nullptr, {}};
    }
    default:
      break;
  }
  return {expr(e), nullptr, {}};
}

std::string Lowerer::spell(const SharedRef& ref, QualType pointee) {
  const std::string size = std::to_string(element_size(pointee));
  if (ref.index.empty()) return ref.object == nullptr ? ref.root : "upcr_make(" + offset_of(ref.object) + ", 0, 0)";
  if (ref.object != nullptr && speculative_) {
    return "upcr_add(upcr_make(" + offset_of(ref.object) + ", 0, 0), " + ref.index + ", " + layout_args(pointee) + ")";
  }
  if (ref.object != nullptr) {
    return "upcr_element(" + offset_of(ref.object) + ", (unsigned long)(" + ref.index + "), " + layout_args(pointee) +
           ")";
  }
  if (options_.optimise.on(Pass::phase_elimination)) {
    const std::uint64_t block = pointee.block_size();
    if (block == 0) return "upcr_add_indefinite(" + ref.root + ", " + ref.index + ", " + size + ")";
    if (block == 1) return "upcr_add_cyclic(" + ref.root + ", " + ref.index + ", " + size + ")";
  }
  return "upcr_add(" + ref.root + ", " + ref.index + ", " + layout_args(pointee) + ")";
}

std::string Lowerer::shared_address(const Expr* lvalue) { return spell(lvalue_ref(lvalue), lvalue->type); }

std::string Lowerer::mapped_address(const Expr* lvalue) {
  const auto* s = expr_cast<SubscriptExpr>(strip_parens(lvalue));
  if (const Expr* row = s == nullptr ? nullptr : row_in_block(s))
    return "upcc_at_row(" + row_element(row, as_long(s->index)) + ")";
  const SharedRef ref = lvalue_ref(lvalue);
  const bool cyclic = lvalue->type.block_size() == 1 && !ref.index.empty();
  if (!cyclic || !options_.optimise.on(Pass::phase_elimination)) return "upcr_at(" + spell(ref, lvalue->type) + ")";
  return "upcc_at_cyclic(" + spell({ref.root, ref.object, {}}, lvalue->type) + ", " + ref.index + ", " +
         std::to_string(element_size(lvalue->type)) + ")";
}

std::string Lowerer::pointer_binary(const BinaryExpr* e) {
  const bool both = e->lhs->type.is_pointer_to_shared() && e->rhs->type.is_pointer_to_shared();
  if (!both) {  // p + i, i + p, p - i
    const QualType pointee = pointee_of(e->type);
    return spell(pointer_ref(e), pointee);
  }
  if (e->op == BinaryOp::eq || e->op == BinaryOp::ne) {
    const std::string negate = e->op == BinaryOp::ne ? "!" : "";
    if (is_null_pointer(e->rhs)) return "(" + negate + "upcr_is_null(" + expr(e->lhs) + "))";
    if (is_null_pointer(e->lhs)) return "(" + negate + "upcr_is_null(" + expr(e->rhs) + "))";
    return "(" + negate + "upcr_equal(" + expr(e->lhs) + ", " + expr(e->rhs) + "))";
  }
  const QualType pointee = pointee_of(e->lhs->type);
  const std::string difference =
      "upcr_subtract(" + expr(e->lhs) + ", " + expr(e->rhs) + ", " + layout_args(pointee) + ")";
  switch (e->op) {
    case BinaryOp::sub:
      return pointee->is_array() ? "(" + difference + " / " + elements(pointee) + ")" : difference;
    case BinaryOp::lt:
      return "(" + difference + " < 0)";
    case BinaryOp::le:
      return "(" + difference + " <= 0)";
    case BinaryOp::gt:
      return "(" + difference + " > 0)";
    default:
      return "(" + difference + " >= 0)";
  }
}

}  // namespace upcc
