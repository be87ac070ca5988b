// The portable transport: active messages over the sends and receives of any MPI.
//
// Each class of messages (requests, replies) has its tag, a ring of receives posted in advance, and a pool of buffers
// to send from. MPI matches messages of one tag to receives in the order in which these were posted, so the oldest
// receive of a ring is the next to complete, and order is kept without a probe.
//
// No rank can flood another: every 32nd request to a peer is sent synchronously, and the next 32 are not all sent
// before that one was matched. So at most 63 requests per pair wait unmatched inside MPI. A request is taken only while
// a buffer for its reply is free; replies need nothing to be taken, so they always drain, and requests cannot deadlock.
// Nor can replies pile up at a rank that sends and never polls: it may send 256 requests from one poll to the next.
//
// Puts, gets, atomics and signals are left to the layer above, which builds them from messages. MPI's own one-sided
// operations are not used: MPI-3 tells of a put's remote completion only in a flush that waits, which poll() must not,
// and under some MPIs it hangs until the target calls MPI.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::mpi {

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::mpi
