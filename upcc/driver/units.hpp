// What the UPC units of a program were compiled for.
#pragma once

#include <string>
#include <vector>

#include "driver/options.hpp"

namespace upcc::driver {

// Looks at the program that has been linked. THREADS and --pthreads are properties of each unit: units must agree, with
// each other and with the options of this command. Where threads share a process, other objects must not ask the
// runtime as those of processes do, and a warning names their variables, which are one for all threads. Says what is
// wrong and removes the program then. Returns the exit code.
[[nodiscard]] int check_units(const Options& options, const std::vector<std::string>& objects);

}  // namespace upcc::driver
