// Stacks of the process's further threads.
#pragma once

namespace weft::os {

// Makes threads that start from here on have as much stack as ulimit -s gives the first. The C library takes their
// thread-local variables from it, and a UPC program's private arrays are thread-local.
void give_threads_whole_stacks();

}  // namespace weft::os
