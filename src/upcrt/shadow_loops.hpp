// Shadow mode of loops (weft/upcrt/shadow.h), for the accesses beside planned ones. All of it does nothing unless the
// calling thread is in such a loop and the object is not mapped here.
#pragma once

#include <cstddef>

#include "upcrt/state.hpp"
#include "weft/upcrt/pts.h"

namespace weft::upcrt {

/// What the loop that the calling thread is in has written.
class ShadowMemory;
extern thread_local ShadowMemory* shadow_memory;

/// After a single read of `size` bytes gave `got`: ends the job if that is not what they should be.
void shadow_read(upcr_pts_t from, const void* got, size_t size, Place place);
/// After a single write.
void shadow_written(upcr_pts_t to, const void* from, size_t size, Place place);

/// The value that an object should have.
void shadow_value(void* to, upcr_pts_t from, size_t size);
/// After an update that takes effect later, and that others' updates may change: the value that this thread should see.
void shadow_updated(upcr_pts_t to, const void* from, size_t size);

/// Before bytes are put back that the plan says the loop has written: ends the job if it has not.
void shadow_puts_back(weft_rank_t thread, uint64_t offset, uint64_t size, Place place);

}  // namespace weft::upcrt
