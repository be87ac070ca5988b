// Objects to a program.
#pragma once

#include <string>
#include <vector>

#include "driver/options.hpp"
#include "driver/toolchain.hpp"

namespace upcc::driver {

// objects[i] is the object of options.inputs[i].
int link_program(const Toolchain& tools, const Options& options, const std::vector<std::string>& objects);

}  // namespace upcc::driver
