// Constant expressions (C11 6.6 with gcc's extensions): folded on demand from the typed tree.
#pragma once

#include "ast/expr.hpp"
#include "basic/int128.hpp"
#include "sema/types.hpp"

namespace upcc {

struct ConstValue {
  enum class Kind : std::uint8_t {
    none,     // not constant
    integer,  // integer
    real,     // real
    complex,  // real + imaginary * i
    address,  // base + integer; the base is a Decl, StringLiteral, CompoundLiteralExpr or label
  };
  Kind kind = Kind::none;
  bool times_threads = false;  // integer is multiplied by THREADS (dynamic translation)
  bool shared = false;         // an address in shared space: known only when the program has started
  Int128 integer = 0;
  long double real = 0;
  long double imaginary = 0;
  const void* base = nullptr;

  [[nodiscard]] bool is_constant() const { return kind != Kind::none; }
  [[nodiscard]] bool is_integer() const { return kind == Kind::integer && !times_threads; }
};

class ConstEvaluator {
 public:
  // static_threads 0: THREADS is not constant.
  ConstEvaluator(const TypeContext& types, std::int64_t static_threads)
      : types_(types), static_threads_(static_threads) {}

  // Of a value expression.
  [[nodiscard]] ConstValue evaluate(const Expr* e) const;
  // Integer constant, else false.
  [[nodiscard]] bool integer(const Expr* e, Int128& out) const;
  // An address or arithmetic constant that may initialise static storage.
  [[nodiscard]] bool is_static_initialiser(const Expr* e) const;
  // Wraps v to the width and sign of an integer type.
  [[nodiscard]] Int128 wrap(Int128 v, const Type* type) const;
  // A null pointer constant: integer constant 0, or that cast to void * (6.3.2.3p3).
  [[nodiscard]] bool is_null_constant(const Expr* e) const;

 private:
  [[nodiscard]] ConstValue address_of(const Expr* lvalue) const;
  [[nodiscard]] ConstValue unary(const UnaryExpr* e) const;
  [[nodiscard]] ConstValue binary(const BinaryExpr* e) const;
  [[nodiscard]] ConstValue pointer_binary(const BinaryExpr* e, const ConstValue& a, const ConstValue& b) const;
  [[nodiscard]] ConstValue cast(const CastExpr* e) const;
  [[nodiscard]] ConstValue call(const CallExpr* e) const;
  [[nodiscard]] ConstValue convert(ConstValue v, QualType to, QualType from) const;
  [[nodiscard]] static bool truth(const ConstValue& v, bool& out);

  const TypeContext& types_;
  std::int64_t static_threads_;
};

}  // namespace upcc
