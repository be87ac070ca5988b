// Windows of loops on memory that is not mapped (weft/upcrt/window.h), for the accesses beside them.
#pragma once

#include <cstddef>

#include "weft/upcrt/pts.h"

namespace weft::upcrt {

/// The windows that the calling thread has open, if any.
struct OpenWindows;
extern thread_local OpenWindows* innermost_windows;

/// After `size` bytes have been read from `from`: replaces those that open windows have written since they were
/// fetched.
void see_through_windows(void* to, upcr_pts_t from, size_t size);
/// After `size` bytes have been written to `to`: shows them to open windows.
void show_windows(upcr_pts_t to, const void* from, size_t size);

}  // namespace weft::upcrt
