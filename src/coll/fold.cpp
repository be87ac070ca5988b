#include "coll/fold.hpp"

#include <cstdint>
#include <type_traits>

#include "base/log.hpp"

namespace weft::coll {
namespace {

// Integers wrap instead of overflowing: computed as unsigned, at least as wide as int.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) <= sizeof(unsigned)), unsigned, unsigned long>;

template <class T, weft_reduce_op_t op>
T combine(T x, T y) {
  if constexpr (op == WEFT_REDUCE_ADD || op == WEFT_REDUCE_MULT) {
    if constexpr (std::is_integral_v<T>) {
      const auto a = static_cast<Wrapping<T>>(x), b = static_cast<Wrapping<T>>(y);
      return static_cast<T>(op == WEFT_REDUCE_ADD ? a + b : a * b);
    } else {
      return op == WEFT_REDUCE_ADD ? x + y : x * y;
    }
  } else if constexpr (op == WEFT_REDUCE_MIN) {
    return y < x ? y : x;
  } else if constexpr (op == WEFT_REDUCE_MAX) {
    return y > x ? y : x;
  } else if constexpr (op == WEFT_REDUCE_LOGAND) {
    return static_cast<T>(x != T{} && y != T{});
  } else if constexpr (op == WEFT_REDUCE_LOGOR) {
    return static_cast<T>(x != T{} || y != T{});
  } else if constexpr (op == WEFT_REDUCE_AND) {
    return static_cast<T>(x & y);
  } else if constexpr (op == WEFT_REDUCE_OR) {
    return static_cast<T>(x | y);
  } else {
    return static_cast<T>(x ^ y);
  }
}

template <class T, weft_reduce_op_t op>
void kernel(void* result, const void* left, const void* right, size_t count, void*) {
  auto* out = static_cast<T*>(result);
  const auto* a = static_cast<const T*>(left);
  const auto* b = static_cast<const T*>(right);
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (size_t i = 0; i < count; ++i) out[i] = combine<T, op>(a[i], b[i]);
}

template <class T>
weft_reduce_function_t kernel_of(weft_reduce_op_t op) {
  switch (op) {
    case WEFT_REDUCE_ADD:
      return kernel<T, WEFT_REDUCE_ADD>;
    case WEFT_REDUCE_MULT:
      return kernel<T, WEFT_REDUCE_MULT>;
    case WEFT_REDUCE_MIN:
      return kernel<T, WEFT_REDUCE_MIN>;
    case WEFT_REDUCE_MAX:
      return kernel<T, WEFT_REDUCE_MAX>;
    case WEFT_REDUCE_LOGAND:
      return kernel<T, WEFT_REDUCE_LOGAND>;
    case WEFT_REDUCE_LOGOR:
      return kernel<T, WEFT_REDUCE_LOGOR>;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case WEFT_REDUCE_AND:
        return kernel<T, WEFT_REDUCE_AND>;
      case WEFT_REDUCE_OR:
        return kernel<T, WEFT_REDUCE_OR>;
      case WEFT_REDUCE_XOR:
        return kernel<T, WEFT_REDUCE_XOR>;
      default:
        break;
    }
  }
  return nullptr;
}

template <class T>
void choose(weft_reduce_op_t op, Fold& fold) {
  fold.element = sizeof(T);
  fold.kernel = kernel_of<T>(op);
}

void predefined(const weft_reduction_t& reduction, Fold& fold) {
  switch (reduction.type) {
    case WEFT_I8:
      return choose<int8_t>(reduction.op, fold);
    case WEFT_U8:
      return choose<uint8_t>(reduction.op, fold);
    case WEFT_I16:
      return choose<int16_t>(reduction.op, fold);
    case WEFT_U16:
      return choose<uint16_t>(reduction.op, fold);
    case WEFT_I32:
      return choose<int32_t>(reduction.op, fold);
    case WEFT_U32:
      return choose<uint32_t>(reduction.op, fold);
    case WEFT_I64:
      return choose<int64_t>(reduction.op, fold);
    case WEFT_U64:
      return choose<uint64_t>(reduction.op, fold);
    case WEFT_F32:
      return choose<float>(reduction.op, fold);
    case WEFT_F64:
      return choose<double>(reduction.op, fold);
    case WEFT_LONG_DOUBLE:
      return choose<long double>(reduction.op, fold);
  }
}

}  // namespace

const char* name_of(weft_type_t type) {
  constexpr const char* names[] = {"WEFT_I32", "WEFT_U32", "WEFT_I64", "WEFT_U64", "WEFT_F32",        "WEFT_F64",
                                   "WEFT_I8",  "WEFT_U8",  "WEFT_I16", "WEFT_U16", "WEFT_LONG_DOUBLE"};
  return type >= WEFT_I32 && type <= WEFT_LONG_DOUBLE ? names[type] : nullptr;
}

std::string describe(weft_reduce_op_t op, weft_type_t type) {
  constexpr const char* names[] = {"ADD", "MULT", "MIN", "MAX", "AND", "OR", "XOR", "LOGAND", "LOGOR"};
  std::string text = "WEFT_REDUCE_";
  if (op >= WEFT_REDUCE_ADD && op <= WEFT_REDUCE_LOGOR)
    text += names[op];
  else
    text = "weft_reduce_op_t " + std::to_string(static_cast<int>(op));
  const char* type_name = name_of(type);
  return text + " on " + (type_name != nullptr ? type_name : "weft_type_t " + std::to_string(static_cast<int>(type)));
}

Status make_fold(const char* function, const weft_reduction_t& reduction, Fold& fold) {
  fold = {};
  if (reduction.function != nullptr) {
    if (reduction.element_size == 0) {
      base::log_error("%s: a reduction by a function needs the size of its elements", function);
      return WEFT_ERR_INVALID;
    }
    fold.element = reduction.element_size;
    fold.commutative = reduction.commutative != 0;
    fold.kernel = reduction.function;
    fold.argument = reduction.argument;
    fold.users = true;
    return {};
  }
  predefined(reduction, fold);
  if (fold.kernel != nullptr) return {};
  base::log_error("%s: there is no %s", function, describe(reduction.op, reduction.type).c_str());
  return WEFT_ERR_INVALID;
}

}  // namespace weft::coll
