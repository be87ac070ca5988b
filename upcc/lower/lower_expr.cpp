#include <utility>

#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// Expressions. The default is to repeat the user's tokens around lowered operands; only the UPC operators differ.

namespace upcc {

std::string Lowerer::expr(const Expr* e) {
  if (!e->uses_upc) return text::tokens(e->tokens);
  switch (e->kind) {
    case ExprKind::mythread:
      return "upcr_mythread()";
    case ExprKind::threads:
      return unit_.dynamic_threads() ? "upcr_threads()" : std::to_string(unit_.static_threads);
    case ExprKind::paren:
      return splice(e->tokens,
                    {{static_cast<const ParenExpr*>(e)->inner->tokens, expr(static_cast<const ParenExpr*>(e)->inner)}});
    case ExprKind::unary:
      return unary(static_cast<const UnaryExpr*>(e));
    case ExprKind::binary:
      return binary(static_cast<const BinaryExpr*>(e));
    case ExprKind::assign:
      return assign(static_cast<const AssignExpr*>(e), false);
    case ExprKind::conditional:
      return conditional(static_cast<const ConditionalExpr*>(e));
    case ExprKind::cast:
      return cast(static_cast<const CastExpr*>(e));
    case ExprKind::call:
      return call(static_cast<const CallExpr*>(e));
    case ExprKind::member: {
      const auto* m = static_cast<const MemberExpr*>(e);
      const std::string base = expr(m->base);
      return m->implicit ? base : splice(e->tokens, {{m->base->tokens, base}});
    }
    case ExprKind::subscript: {
      const auto* s = static_cast<const SubscriptExpr*>(e);
      return splice(e->tokens, {{s->base->tokens, expr(s->base)}, {s->index->tokens, expr(s->index)}});
    }
    case ExprKind::sizeof_:
      return size(static_cast<const SizeofExpr*>(e));
    case ExprKind::compound_literal:
      return compound_literal(static_cast<const CompoundLiteralExpr*>(e));
    case ExprKind::init_list:
      return initialiser(e, e->type, false);
    case ExprKind::statement:
      return splice(e->tokens, {{static_cast<const StatementExpr*>(e)->body->tokens,
                                 block(static_cast<const StatementExpr*>(e)->body)}});
    case ExprKind::generic:
      return "(" + expr(static_cast<const GenericExpr*>(e)->chosen) + ")";
    case ExprKind::choose:
      return "(" + expr(static_cast<const ChooseExpr*>(e)->chosen) + ")";
    case ExprKind::offsetof_: {
      const auto* o = static_cast<const OffsetofExpr*>(e);
      if (o->variable_indices.empty()) return "(" + std::to_string(o->constant_bytes) + "ul)";
      std::vector<Child> children;
      for (const Expr* index : o->variable_indices) children.emplace_back(index->tokens, expr(index));
      return splice(e->tokens, std::move(children));
    }
    case ExprKind::va_arg_:
      return "__builtin_va_arg(" + expr(static_cast<const VaArgExpr*>(e)->list) + ", " + printer_.declare(e->type) +
             ")";
    case ExprKind::types_compatible:
      return static_cast<const TypesCompatibleExpr*>(e)->value ? "1" : "0";
    default:
      return text::tokens(e->tokens);
  }
}

std::string Lowerer::discarded(const Expr* e) {
  if (!e->uses_upc) return text::tokens(e->tokens);
  if (const auto* a = expr_cast<AssignExpr>(e)) return assign(a, true);
  if (const auto* u = expr_cast<UnaryExpr>(e);
      u != nullptr && u->op >= UnaryOp::pre_inc && u->op <= UnaryOp::post_dec) {
    return increment(u, true);
  }
  if (const auto* p = expr_cast<ParenExpr>(e)) return splice(e->tokens, {{p->inner->tokens, discarded(p->inner)}});
  if (const auto* b = expr_cast<BinaryExpr>(e); b != nullptr && b->op == BinaryOp::comma) {
    return splice(e->tokens, {{b->lhs->tokens, discarded(b->lhs)}, {b->rhs->tokens, discarded(b->rhs)}});
  }
  return expr(e);
}

// Trap 10: a pointer-to-shared is a struct, which C cannot test.
std::string Lowerer::condition(const Expr* e) {
  if (!e->uses_upc) return text::tokens(e->tokens);
  // In parentheses: sema has said what the C compiler would say about an assignment.
  if (const auto* a = expr_cast<AssignExpr>(e); a != nullptr && a->lhs->is_shared_lvalue()) return "(" + expr(e) + ")";
  if (!e->type.is_pointer_to_shared()) return expr(e);
  return "(!upcr_is_null(" + expr(e) + "))";
}

std::string Lowerer::unary(const UnaryExpr* e) {
  switch (e->op) {
    case UnaryOp::logical_not:
      if (e->operand->type.is_pointer_to_shared()) return "upcr_is_null(" + expr(e->operand) + ")";
      break;
    case UnaryOp::address_of:
      if (e->operand->is_shared_lvalue()) return shared_address(e->operand);
      break;
    case UnaryOp::pre_inc:
    case UnaryOp::pre_dec:
    case UnaryOp::post_inc:
    case UnaryOp::post_dec:
      return increment(e, false);
    default:
      break;
  }
  return splice(e->tokens, {{e->operand->tokens, expr(e->operand)}});
}

std::string Lowerer::binary(const BinaryExpr* e) {
  if (e->op == BinaryOp::logical_and || e->op == BinaryOp::logical_or) {
    return splice(e->tokens, {{e->lhs->tokens, condition(e->lhs)}, {e->rhs->tokens, condition(e->rhs)}});
  }
  if (e->op == BinaryOp::comma) {  // may become the argument of a function
    return "(" + splice(e->tokens, {{e->lhs->tokens, discarded(e->lhs)}, {e->rhs->tokens, expr(e->rhs)}}) + ")";
  }
  if (e->lhs->type.is_pointer_to_shared() || e->rhs->type.is_pointer_to_shared()) return pointer_binary(e);
  return splice(e->tokens, {{e->lhs->tokens, expr(e->lhs)}, {e->rhs->tokens, expr(e->rhs)}});
}

std::string Lowerer::conditional(const ConditionalExpr* e) {
  if (e->then != nullptr) {
    return splice(e->tokens, {{e->condition->tokens, condition(e->condition)},
                              {e->then->tokens, expr(e->then)},
                              {e->otherwise->tokens, expr(e->otherwise)}});
  }
  if (!e->condition->type.is_pointer_to_shared()) {
    return splice(e->tokens, {{e->condition->tokens, expr(e->condition)}, {e->otherwise->tokens, expr(e->otherwise)}});
  }
  const std::string value = temp("v");
  return "({ const upcr_pts_t " + value + " = " + expr(e->condition) + "; upcr_is_null(" + value + ") ? " +
         expr(e->otherwise) + " : " + value + "; })";
}

namespace {

bool through_array(QualType type) { return type.is_pointer_to_shared(); }

}  // namespace

std::string Lowerer::cast(const CastExpr* e) {
  const Expr* operand = e->operand;
  switch (e->cast_kind) {
    case CastKind::lvalue_to_rvalue:
      if (operand->is_shared_lvalue()) return load(operand, e->type, e->access);
      return expr(operand);
    case CastKind::array_to_pointer:
      if (operand->is_shared_lvalue()) return shared_address(operand);
      return expr(operand);
    case CastKind::null_to_pts:
      return "upcr_null()";
    case CastKind::pts_to_bool:
      return "(!upcr_is_null(" + expr(operand) + "))";
    case CastKind::pts_to_int:
      return "((" + type_name(e->type) + ")upcr_addrfield(" + expr(operand) + "))";
    case CastKind::pts_to_local: {
      if (const auto local = local_places_.find(e); local != local_places_.end()) {
        const auto& [place, own] = local->second;
        const auto* address = static_cast<const UnaryExpr*>(strip_parens(operand));
        const std::string elsewhere = std::exchange(plain_places_[place], own);
        const std::string part = known_place(address->operand);
        plain_places_[place] = elsewhere;
        return "((" + printer_.declare(e->type) + ")(void*)&" + part + ")";
      }
      return "((" + printer_.declare(e->type) + ")upcr_local_at(" + expr(operand) + ", " + here(e->loc) + "))";
    }
    case CastKind::pts_to_pts_reset:
      return "upcr_resetphase(" + expr(operand) + ")";
    case CastKind::pts_to_pts_keep:
      return "(" + expr(operand) + ")";
    case CastKind::to_void:
      return "((void)(" + discarded(operand) + "))";
    default:
      break;
  }
  if (e->implicit) return expr(operand);
  if (through_array(e->type) && operand->type.is_pointer_to_shared()) return "(" + expr(operand) + ")";
  return explicit_c_cast(e);
}

std::string Lowerer::explicit_c_cast(const CastExpr* e) {
  const std::string operand = expr(e->operand);
  const TokenRange type_tokens{e->tokens.first, e->operand->tokens.first};
  if (!mentions_shared(e->type) && !has_upc_tokens(type_tokens)) {
    return "(" + splice(e->tokens, {{e->operand->tokens, operand}}) + ")";
  }
  return "((" + printer_.declare(e->type) + ")(" + operand + "))";
}

std::string Lowerer::call(const CallExpr* e) {
  if (std::string text = atomic_update(e); !text.empty()) return text;
  if (std::string text = library_call(e); !text.empty()) return text;
  std::vector<Child> children{{e->callee->tokens, expr(e->callee)}};
  for (const Expr* arg : e->args) children.emplace_back(arg->tokens, expr(arg));
  return splice(e->tokens, std::move(children));
}

std::string Lowerer::variable_size(QualType type) {
  if (const auto* a = type->as<ArrayType>()) {
    const std::string inner = variable_size(a->element);
    if (a->array_kind == ArrayKind::variable) {
      const auto captured = extents_.find(a->count_expr);
      return inner + " * (unsigned long)(" + (captured != extents_.end() ? captured->second : expr(a->count_expr)) +
             ")";
    }
    return inner + " * " + std::to_string(a->count.value) + "ul" +
           (a->count.times_threads ? " * (unsigned long)upcr_threads()" : "");
  }
  return std::to_string(types_.size_of(type).value) + "ul";
}

// Trap 5: a size may contain the factor THREADS.
std::string Lowerer::size(const SizeofExpr* e) {
  if (!e->variable) {
    return "(" + std::to_string(e->value.value) + "ul" +
           (e->value.times_threads ? " * (unsigned long)upcr_threads())" : ")");
  }
  if (mentions_shared(e->operand_type)) return "(" + variable_size(e->operand_type) + ")";
  if (e->operand == nullptr) return "sizeof(" + printer_.declare(e->operand_type) + ")";
  return splice(e->tokens, {{e->operand->tokens, expr(e->operand)}});
}

std::string Lowerer::compound_literal(const CompoundLiteralExpr* e) {
  if (const auto variable = hoisted_.find(e); variable != hoisted_.end()) return variable->second;
  std::string values = initialiser(e->init, e->type, e->file_scope);
  if (!mentions_shared(e->type) && !has_upc_tokens({e->tokens.first, e->init->tokens.first})) {
    return "(" + splice(e->tokens, {{e->init->tokens, values}}) + ")";
  }
  if (e->init->kind != ExprKind::init_list) values = "{" + values + "}";
  return "((" + printer_.declare(e->type) + ")" + values + ")";
}

}  // namespace upcc
