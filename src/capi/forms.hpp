// How the three forms of a function complete what it begins: blocking, with a handle (_nb), implicitly (_nbi).
#pragma once

#include "capi/state.hpp"

namespace weft::capi {

struct Blocking {
  template <class Begin>
  int operator()(Thread& thread, weft_rank_t, Begin begin_operation) const {
    return blocking(thread, begin_operation);
  }
  unsigned flags = 0;
};
struct Explicit {
  template <class Begin>
  int operator()(Thread& thread, weft_rank_t peer, Begin begin_operation) const {
    return with_handle(thread, peer, handle, begin_operation);
  }
  unsigned flags;
  weft_handle_t* handle;
};
struct Implicit {
  template <class Begin>
  int operator()(Thread& thread, weft_rank_t peer, Begin begin_operation) const {
    return with_implicit(thread, peer, begin_operation);
  }
  unsigned flags;
};

}  // namespace weft::capi
