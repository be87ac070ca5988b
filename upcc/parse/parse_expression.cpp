#include "parse/parser.hpp"

// Expressions (C11 6.5, UPC 6.4).

namespace upcc {

using enum TokenKind;

namespace {

struct OperatorInfo {
  int precedence = 0;  // 0: not a binary operator
  BinaryOp op = BinaryOp::comma;
};

OperatorInfo binary_operator(TokenKind kind) {
  switch (kind) {
    case star:
      return {10, BinaryOp::mul};
    case slash:
      return {10, BinaryOp::div};
    case percent:
      return {10, BinaryOp::rem};
    case plus:
      return {9, BinaryOp::add};
    case minus:
      return {9, BinaryOp::sub};
    case less_less:
      return {8, BinaryOp::shl};
    case greater_greater:
      return {8, BinaryOp::shr};
    case less:
      return {7, BinaryOp::lt};
    case greater:
      return {7, BinaryOp::gt};
    case less_equal:
      return {7, BinaryOp::le};
    case greater_equal:
      return {7, BinaryOp::ge};
    case equal_equal:
      return {6, BinaryOp::eq};
    case bang_equal:
      return {6, BinaryOp::ne};
    case amp:
      return {5, BinaryOp::bit_and};
    case caret:
      return {4, BinaryOp::bit_xor};
    case pipe:
      return {3, BinaryOp::bit_or};
    case amp_amp:
      return {2, BinaryOp::logical_and};
    case pipe_pipe:
      return {1, BinaryOp::logical_or};
    default:
      return {};
  }
}

bool compound_operator(TokenKind kind, BinaryOp& op) {
  switch (kind) {
    case star_equal:
      op = BinaryOp::mul;
      return true;
    case slash_equal:
      op = BinaryOp::div;
      return true;
    case percent_equal:
      op = BinaryOp::rem;
      return true;
    case plus_equal:
      op = BinaryOp::add;
      return true;
    case minus_equal:
      op = BinaryOp::sub;
      return true;
    case less_less_equal:
      op = BinaryOp::shl;
      return true;
    case greater_greater_equal:
      op = BinaryOp::shr;
      return true;
    case amp_equal:
      op = BinaryOp::bit_and;
      return true;
    case caret_equal:
      op = BinaryOp::bit_xor;
      return true;
    case pipe_equal:
      op = BinaryOp::bit_or;
      return true;
    default:
      return false;
  }
}

}  // namespace

Expr* Parser::spanned(Expr* e, std::size_t start) {
  e->tokens = since(start);
  if (e->uses_upc) ++upc_uses_;
  return e;
}

// The same for an expression that may have UPC in a type name, as __typeof__(MYTHREAD): since `uses`, which is what
// upc_uses_ was at its start.
Expr* Parser::spanned_with_types(Expr* e, std::size_t start, std::uint64_t uses) {
  e->uses_upc = e->uses_upc || upc_uses_ != uses;
  return spanned(e, start);
}

// 6.5.17 expression: assignment-expression { , assignment-expression }
Expr* Parser::expression() {
  const std::size_t start = pos_;
  Expr* e = assignment_expression();
  while (at(comma)) {
    const Loc loc = tok().loc;
    advance();
    e = spanned(sema_.binary(BinaryOp::comma, e, assignment_expression(), loc), start);
  }
  return e;
}

// 6.5.16 assignment-expression: conditional-expression | unary-expression assignment-operator assignment-expression
Expr* Parser::assignment_expression() {
  const Depth depth(*this);
  const std::size_t start = pos_;
  Expr* lhs = conditional_expression();
  const Loc loc = tok().loc;
  if (at(equal)) {
    advance();
    return spanned(sema_.assign(lhs, assignment_expression(), loc), start);
  }
  BinaryOp op{};
  if (compound_operator(tok().kind, op)) {
    advance();
    return spanned(sema_.compound_assign(op, lhs, assignment_expression(), loc), start);
  }
  return lhs;
}

// 6.5.15 conditional-expression: logical-OR-expression [ ? [expression] : conditional-expression ]
Expr* Parser::conditional_expression() {
  const std::size_t start = pos_;
  Expr* condition = binary_expression(1);
  if (!at(question)) return condition;
  const Depth depth(*this);
  const Loc loc = tok().loc;
  advance();
  Expr* then = nullptr;
  if (!at(colon)) {
    const Sema::Unevaluated operand(sema_, condition, false);
    then = expression();
  }
  expect(colon);
  const Sema::Unevaluated operand(sema_, condition, true);
  Expr* otherwise = conditional_expression();
  return spanned(sema_.conditional(condition, then, otherwise, loc), start);
}

// 6.5.5 to 6.5.14, by precedence climbing: all binary operators associate to the left.
Expr* Parser::binary_expression(int min_precedence) {
  const std::size_t start = pos_;
  Expr* lhs = cast_expression();
  for (;;) {
    const OperatorInfo info = binary_operator(tok().kind);
    if (info.precedence < min_precedence || info.precedence == 0) return lhs;
    const Loc loc = tok().loc;
    advance();
    Expr* rhs = nullptr;
    if (info.op == BinaryOp::logical_and || info.op == BinaryOp::logical_or) {
      const Sema::Unevaluated operand(sema_, lhs, info.op == BinaryOp::logical_or);
      rhs = binary_expression(info.precedence + 1);
    } else {
      rhs = binary_expression(info.precedence + 1);
    }
    lhs = spanned(sema_.binary(info.op, lhs, rhs, loc), start);
  }
}

// 6.5.4 cast-expression: unary-expression | ( type-name ) cast-expression
Expr* Parser::cast_expression() {
  if (!at(l_paren) || !is_type_start(peek())) return unary_expression();
  const Depth depth(*this);
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  const Loc loc = tok().loc;
  advance();
  const QualType type = type_name();
  expect(r_paren);
  if (at(l_brace)) return postfix_suffixes(compound_literal(type, start), start);
  Expr* operand = cast_expression();
  return spanned_with_types(sema_.explicit_cast(type, operand, loc), start, uses);
}

// 6.5.3 unary-expression
Expr* Parser::unary_expression() {
  const std::size_t start = pos_;
  const Loc loc = tok().loc;
  UnaryOp op{};
  bool operand_is_unary = false;
  switch (tok().kind) {
    case plus_plus:
      op = UnaryOp::pre_inc;
      operand_is_unary = true;
      break;
    case minus_minus:
      op = UnaryOp::pre_dec;
      operand_is_unary = true;
      break;
    case amp:
      op = UnaryOp::address_of;
      break;
    case star:
      op = UnaryOp::deref;
      break;
    case plus:
      op = UnaryOp::plus;
      break;
    case minus:
      op = UnaryOp::minus;
      break;
    case tilde:
      op = UnaryOp::bit_not;
      break;
    case bang:
      op = UnaryOp::logical_not;
      break;
    case kw_real:
      op = UnaryOp::real;
      break;
    case kw_imag:
      op = UnaryOp::imag;
      break;
    case kw_extension:
      op = UnaryOp::extension;
      break;
    case kw_sizeof:
      return sizeof_expression(SizeofKind::size);
    case kw_alignof:
      return sizeof_expression(SizeofKind::align);
    case kw_upc_localsizeof:
      return sizeof_expression(SizeofKind::upc_local);
    case kw_upc_blocksizeof:
      return sizeof_expression(SizeofKind::upc_block);
    case kw_upc_elemsizeof:
      return sizeof_expression(SizeofKind::upc_elem);
    case amp_amp: {
      advance();
      if (!at(identifier)) fail("expected identifier");
      Name* name = tok().name;
      advance();
      return spanned(sema_.label_address(name, loc), start);
    }
    default:
      return postfix_expression();
  }
  const Depth depth(*this);
  advance();
  Expr* operand = operand_is_unary ? unary_expression() : cast_expression();
  return spanned(sema_.unary(op, operand, loc), start);
}

// 6.5.3.4, UPC 6.4.1: sizeof unary-expression | sizeof ( type-name )
Expr* Parser::sizeof_expression(SizeofKind kind) {
  const Depth depth(*this);
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  const auto finish = [&](Expr* e) {
    auto* size = expr_cast<SizeofExpr>(spanned_with_types(e, start, uses));
    if (size != nullptr && size->uses_upc) unit_.upc_sizes.push_back(size);
    return e;
  };
  const Loc loc = tok().loc;
  advance();
  const Sema::Unevaluated operand_only(sema_);
  if (at(l_paren) && is_type_start(peek())) {
    const std::size_t literal_start = pos_;
    advance();
    const QualType type = type_name();
    expect(r_paren);
    if (!at(l_brace)) return finish(sema_.size_of_type(kind, type, loc));
    Expr* operand = postfix_suffixes(compound_literal(type, literal_start), literal_start);
    return finish(sema_.size_of_expr(kind, operand, loc));
  }
  Expr* operand = unary_expression();
  return finish(sema_.size_of_expr(kind, operand, loc));
}

// 6.5.2.5 ( type-name ) { initializer-list [,] }
Expr* Parser::compound_literal(QualType type, std::size_t start) {
  const Loc loc = tokens_[start].loc;
  Sema::SyntaxInit* init = initializer_list();
  QualType completed = type;
  if (type->variably_modified && type->is_array()) {
    const auto* array = static_cast<const ArrayType*>(type.type);
    if (array->array_kind == ArrayKind::variable) diagnostics_.error(loc, "compound literal has variable size");
  }
  const bool file_scope = sema_.current_function() == nullptr;
  Expr* value = sema_.initialise(completed, init, file_scope, file_scope);
  return spanned(sema_.compound_literal(completed, value, loc), start);
}

// 6.5.2 postfix-expression
Expr* Parser::postfix_expression() {
  const std::size_t start = pos_;
  return postfix_suffixes(primary_expression(), start);
}

// The word behind `.` or `->`: members of C structures may be called `shared`.
Name* Parser::member_name() {
  if (!at(identifier) && !tok().is_upc_keyword()) fail("expected identifier");
  Name* name = tok().name;
  if (pos_ + 1 < tokens_.size()) ++pos_;
  return name;
}

Expr* Parser::postfix_suffixes(Expr* e, std::size_t start) {
  for (;;) {
    const Loc loc = tok().loc;
    switch (tok().kind) {
      case l_square: {
        advance();
        Expr* i = expression();
        expect_close(r_square, loc);
        e = spanned(sema_.subscript(e, i, loc), start);
        break;
      }
      case l_paren:
        e = call_suffix(e, start);
        break;
      case dot:
      case arrow: {
        const bool is_arrow = at(arrow);
        advance();
        const Loc name_loc = tok().loc;
        Name* name = member_name();
        (void)name_loc;
        e = spanned(sema_.member(e, is_arrow, name, loc, name_loc), start);
        break;
      }
      case plus_plus:
      case minus_minus: {
        const UnaryOp op = at(plus_plus) ? UnaryOp::post_inc : UnaryOp::post_dec;
        advance();
        e = spanned(sema_.unary(op, e, loc), start);
        break;
      }
      default:
        return e;
    }
  }
}

// postfix-expression ( [argument-expression-list] )
Expr* Parser::call_suffix(Expr* callee, std::size_t start) {
  const Depth depth(*this);
  const Loc loc = tok().loc;
  advance();
  std::vector<Expr*> args;
  if (!at(r_paren)) {
    do {
      if (args.size() == 1 && is_type_start(tok()) && tokens_[start].name != nullptr &&
          tokens_[start].name->text == "__builtin_convertvector") {
        const QualType type = type_name();
        (void)type;
        args.push_back(sema_.error_expr(loc));
      } else {
        args.push_back(assignment_expression());
      }
    } while (accept(comma));
  }
  const Loc close = tok().loc;
  if (begins_expression() && (tok().flags & Token::kLineStart) == 0) {
    const Loc end = previous_end();
    fail_at(end, "expected ',' or ')' " + before(), {{}, {{{end + 1, end + 1}, ","}}});
  }
  expect_close(r_paren, loc);
  Expr* e = sema_.call(callee, args, loc, close);
  e->loc = callee->loc;
  return spanned(e, start);
}

// 6.5.1 primary-expression
Expr* Parser::primary_expression() {
  const std::size_t start = pos_;
  const Token& token = tok();
  switch (token.kind) {
    case identifier: {
      advance();
      return spanned(sema_.identifier(token, at(l_paren)), start);
    }
    case number:
      advance();
      return spanned(sema_.number(token), start);
    case character:
      advance();
      return spanned(sema_.character(token), start);
    case string: {
      while (at(string)) advance();
      return spanned(sema_.strings(std::span(&tokens_[start], pos_ - start)), start);
    }
    case kw_func_name:
      advance();
      return spanned(sema_.function_name(token), start);
    case kw_mythread:
      advance();
      return spanned(sema_.mythread(token.loc), start);
    case kw_threads:
      advance();
      return spanned(sema_.threads(token.loc), start);
    case l_paren:
      return parenthesized();
    case kw_generic:
      return generic_selection();
    case kw_builtin_va_arg:
    case kw_builtin_types_compatible_p:
    case kw_builtin_choose_expr:
      return builtin_expression();
    case kw_builtin_offsetof:
      return offsetof_expression();
    default:
      fail("expected expression");
  }
}

// ( expression ), or GNU ( compound-statement )
Expr* Parser::parenthesized() {
  const Depth depth(*this);
  const std::size_t start = pos_;
  const Loc loc = tok().loc;
  advance();
  if (at(l_brace)) {
    if (sema_.current_function() == nullptr)
      fail_at(tok().loc, "braced-group within expression allowed only inside a function");
    CompoundStmt* body = compound_statement(true);
    expect_close(r_paren, loc);
    return spanned(sema_.statement_expression(body, loc), start);
  }
  Expr* inner = expression();
  expect_close(r_paren, loc);
  return spanned(sema_.paren(inner, inner->loc), start);
}

// 6.5.1.1 _Generic ( assignment-expression , generic-assoc-list )
Expr* Parser::generic_selection() {
  const Depth depth(*this);
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  const Loc loc = tok().loc;
  advance();
  expect(l_paren);
  Expr* control = assignment_expression();
  std::vector<Sema::Association> associations;
  expect(comma);
  do {
    Sema::Association a;
    a.loc = tok().loc;
    if (!accept(kw_default)) a.type = type_name();
    expect(colon);
    a.value = assignment_expression();
    associations.push_back(a);
  } while (accept(comma));
  expect(r_paren);
  return spanned_with_types(sema_.generic(control, associations, loc), start, uses);
}

// __builtin_va_arg ( e , type ), __builtin_types_compatible_p ( type , type ), __builtin_choose_expr ( e , e , e )
Expr* Parser::builtin_expression() {
  const Depth depth(*this);
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  const TokenKind kind = tok().kind;
  const Loc loc = tok().loc;
  advance();
  expect(l_paren);
  Expr* result = nullptr;
  if (kind == kw_builtin_va_arg) {
    Expr* list = assignment_expression();
    expect(comma);
    result = sema_.va_argument(list, type_name(), loc);
  } else if (kind == kw_builtin_types_compatible_p) {
    const QualType a = type_name();
    expect(comma);
    result = sema_.types_compatible(a, type_name(), loc);
  } else {
    Expr* condition = assignment_expression();
    expect(comma);
    Expr* a = assignment_expression();
    expect(comma);
    result = sema_.choose(condition, a, assignment_expression(), loc);
  }
  expect(r_paren);
  return spanned_with_types(result, start, uses);
}

// __builtin_offsetof ( type-name , identifier { . identifier | [ expression ] } )
Expr* Parser::offsetof_expression() {
  const Depth depth(*this);
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  const Loc loc = tok().loc;
  advance();
  expect(l_paren);
  const QualType type = type_name();
  expect(comma);
  std::vector<Sema::OffsetofStep> steps;
  const Loc first = tok().loc;
  steps.push_back({member_name(), nullptr, first});
  for (;;) {
    const Loc step = tok().loc;
    if (accept(dot) || accept(arrow)) {
      steps.push_back({member_name(), nullptr, step});
    } else if (accept(l_square)) {
      steps.push_back({nullptr, expression(), step});
      expect(r_square);
    } else {
      break;
    }
  }
  expect(r_paren);
  return spanned_with_types(sema_.offset_of(type, steps, loc), start, uses);
}

}  // namespace upcc
