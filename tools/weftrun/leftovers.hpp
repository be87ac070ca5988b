// What MPI libraries leave in /dev/shm when their processes are killed.
//
// Problem. MPICH and the UCX below it give memory that ranks share a name for the moment in which the others find it. A
// job that is killed in that moment, as weftrun ends a job in which a rank fails, leaves the file for ever.
#pragma once

#include <ctime>

namespace weftrun {

/// The time by which the kernel stamps files.
timespec file_time();

/// Removes this user's files of these libraries that are newer and that no process has open or mapped.
void remove_shared_memory_left(const timespec& since);

}  // namespace weftrun
