// The elementwise operations of reductions.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "base/status.hpp"
#include "os/dataless.hpp"
#include "weft/coll.h"
#include "weft/detail/context.h"

namespace weft::coll {

/// What stands as the running handler in a thread's context while a program's function combines elements.
inline constexpr char reduction_function[] = "the function of a reduction";

struct Fold {
  size_t element = 1;  // bytes
  bool commutative = true;
  weft_reduce_function_t kernel = nullptr;
  void* argument = nullptr;
  bool users = false;  // the kernel is the program's

  /// result = left op right over `bytes` bytes; result may be left or right. 0 bytes do nothing, nor does it where one
  /// of the three has no data.
  void operator()(void* result, const void* left, const void* right, size_t bytes) const {
    if (bytes == 0) return;
    const auto empty = [](const void* address) { return os::Dataless::holds(address); };
    if (__builtin_expect(os::Dataless::any(), 0) && (empty(left) || empty(right) || empty(result))) return;
    weft_detail_context_t* context = users ? weft_detail_current : nullptr;
    const char* handler = context != nullptr ? std::exchange(context->handler, reduction_function) : nullptr;
    kernel(result, left, right, bytes / element, argument);
    if (context != nullptr) context->handler = handler;
  }
};

/// The constant's name; null if it is none.
const char* name_of(weft_type_t type);
/// "WEFT_REDUCE_ADD on WEFT_F32", for messages; numbers where there are no names.
std::string describe(weft_reduce_op_t op, weft_type_t type);

/// WEFT_ERR_INVALID, after logging what is wrong, for an operation that the type does not have.
Status make_fold(const char* function, const weft_reduction_t& reduction, Fold& fold);

}  // namespace weft::coll
