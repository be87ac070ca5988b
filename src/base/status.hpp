// The status of an internal call: the codes of weft/types.h, [[nodiscard]]. The first to notice an error logs it
// (base/log.hpp) with what to do about it; callers only pass it on.
#pragma once

#include "weft/types.h"

namespace weft {

class [[nodiscard]] Status {
 public:
  constexpr Status() = default;
  constexpr Status(weft_status_t code) : code_(code) {}  // NOLINT: implicit on purpose, `return WEFT_ERR_BOOT;`
  constexpr bool ok() const { return code_ == WEFT_OK; }
  constexpr weft_status_t code() const { return code_; }

 private:
  weft_status_t code_ = WEFT_OK;
};

}  // namespace weft
