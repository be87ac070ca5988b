// In the shared library alone. It comes before the C library's function of that name, which C++ calls for each
// thread-local object with a destructor.
#include "capi/destructors.hpp"

extern "C" {

[[gnu::visibility("default")]] int weft_detail_thread_atexit(void (*destroy)(void*), void* object,
                                                             void* library) __asm__("__cxa_thread_atexit_impl");

int weft_detail_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  if (weft::capi::keep_destructor(destroy, object, library)) return 0;
  return weft::capi::thread_atexit_of_c_library(destroy, object, library);
}

}  // extern "C"
