// What the UPC units of a program were compiled for.
#pragma once

#include "driver/options.hpp"

namespace upcc::driver {

// THREADS and --pthreads are properties of each unit. Removes a linked program whose units differ in one of them, from
// each other or from the options of this command, and says which unit it is. Returns the exit code.
[[nodiscard]] int refuse_units(const Options& options);

}  // namespace upcc::driver
