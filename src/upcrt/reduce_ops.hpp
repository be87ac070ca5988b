// The operations of reductions, on values of one type.
#pragma once

#include <upc/upc_types.h>

#include <cstdint>
#include <type_traits>

#include "upcrt/state.hpp"
#include "weft/coll.h"

namespace weft::upcrt {

// As in <upc_collective.h>, which only UPC can include.
inline constexpr int op_function = 0x0200;
inline constexpr int op_noncommutative_function = 0x0400;

template <class T>
class ReduceOp {
 public:
  using Function = T (*)(T, T);

  ReduceOp(const char* name, int op, Function function) : op_(op), function_(function) {
    const bool user = op == op_function || op == op_noncommutative_function;
    const bool bits = op == UPC_AND || op == UPC_OR || op == UPC_XOR;
    const bool known = user || bits || op == UPC_ADD || op == UPC_MULT || op == UPC_LOGAND || op == UPC_LOGOR ||
                       op == UPC_MIN || op == UPC_MAX;
    if (!known) fail({}, "%s: %#x is no operation of reductions", name, static_cast<unsigned>(op));
    if (user && function == nullptr) fail({}, "%s: the function is a null pointer", name);
    if (bits && std::is_floating_point_v<T>) fail({}, "%s: bitwise operations are for integers", name);
  }

  bool commutative() const { return op_ != op_noncommutative_function; }

  T operator()(T a, T b) const {
    switch (op_) {
      case UPC_ADD:
        return wrap([](auto x, auto y) { return x + y; }, a, b);
      case UPC_MULT:
        return wrap([](auto x, auto y) { return x * y; }, a, b);
      case UPC_LOGAND:
        return static_cast<T>(a != T{} && b != T{});
      case UPC_LOGOR:
        return static_cast<T>(a != T{} || b != T{});
      case UPC_MIN:
        return a < b ? a : b;
      case UPC_MAX:
        return a > b ? a : b;
      case op_function:
      case op_noncommutative_function:
        return function_(a, b);
      default:
        return bitwise(a, b);
    }
  }

 private:
  // Integers wrap instead of overflowing: computed as unsigned, at least as wide as int.
  template <class F>
  static T wrap(F f, T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::conditional_t<sizeof(T) <= sizeof(unsigned), unsigned, unsigned long>;
      return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
    } else {
      return f(a, b);
    }
  }

  T bitwise(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (op_ == UPC_AND) return static_cast<T>(a & b);
      return op_ == UPC_OR ? static_cast<T>(a | b) : static_cast<T>(a ^ b);
    }
    return a;
  }

  int op_;
  Function function_;
};

/// The library's reduction for a upc_type_t and a upc_op_t. Ends the job with a line if there is none.
weft_reduction_t predefined_reduction(const char* function, int type, int op);

}  // namespace weft::upcrt
