#include "ast/expr.hpp"

namespace upcc {

std::string_view spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::mul:
      return "*";
    case BinaryOp::div:
      return "/";
    case BinaryOp::rem:
      return "%";
    case BinaryOp::add:
      return "+";
    case BinaryOp::sub:
      return "-";
    case BinaryOp::shl:
      return "<<";
    case BinaryOp::shr:
      return ">>";
    case BinaryOp::lt:
      return "<";
    case BinaryOp::gt:
      return ">";
    case BinaryOp::le:
      return "<=";
    case BinaryOp::ge:
      return ">=";
    case BinaryOp::eq:
      return "==";
    case BinaryOp::ne:
      return "!=";
    case BinaryOp::bit_and:
      return "&";
    case BinaryOp::bit_xor:
      return "^";
    case BinaryOp::bit_or:
      return "|";
    case BinaryOp::logical_and:
      return "&&";
    case BinaryOp::logical_or:
      return "||";
    case BinaryOp::comma:
      return ",";
  }
  return "?";
}

}  // namespace upcc
