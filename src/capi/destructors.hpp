// Destructors of thread-local C++ objects of simulated ranks. Each rank has such objects of its own, at the same
// addresses as the others, so they do not belong into the C library's list of the thread that all ranks share.
#pragma once

namespace weft::capi {

/// Registers a destructor of the rank that runs, or of the main thread before it is rank 0. `library` is an address
/// in the program or library whose object it is. False: the object is no rank's, and is the C library's affair.
bool keep_destructor(void (*destroy)(void*), void* object, const void* library);

/// The rank that runs has ended: destroys its objects, the latest first.
void run_destructors();

/// What the C library has in place of Weft's thread_atexit.cpp.
int thread_atexit_of_c_library(void (*destroy)(void*), void* object, void* library);

}  // namespace weft::capi
