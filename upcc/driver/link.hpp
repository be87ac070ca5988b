// Objects to a program.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "driver/options.hpp"
#include "driver/toolchain.hpp"

namespace upcc::driver {

// objects[i] is the object of options.inputs[i]. `inlines`: inline functions of the sources, for messages.
int link_program(const Toolchain& tools, const Options& options, const std::vector<std::string>& objects,
                 const std::unordered_set<std::string>& inlines);

}  // namespace upcc::driver
