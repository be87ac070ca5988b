// How the three forms of a function complete what it begins: blocking, with a handle (_nb), implicitly (_nbi).
#pragma once

#include "capi/state.hpp"

namespace weft::capi {

struct Blocking {
  template <class Begin>
  int operator()(Thread& thread, weft_rank_t, Begin begin_operation) const {
    return blocking(thread, begin_operation);
  }
  /// Instead, if the operation has been carried out already.
  int done(const char*) const { return WEFT_OK; }
  unsigned flags = 0;
};
struct Explicit {
  template <class Begin>
  int operator()(Thread& thread, weft_rank_t peer, Begin begin_operation) const {
    return with_handle(thread, peer, handle, begin_operation);
  }
  int done(const char* function) const {
    check_handle_pointer(function, handle);
    *handle = WEFT_HANDLE_DONE;
    return WEFT_OK;
  }
  unsigned flags;
  weft_handle_t* handle;
};
struct Implicit {
  template <class Begin>
  int operator()(Thread& thread, weft_rank_t peer, Begin begin_operation) const {
    return with_implicit(thread, peer, begin_operation);
  }
  int done(const char*) const { return WEFT_OK; }
  unsigned flags;
};

}  // namespace weft::capi
