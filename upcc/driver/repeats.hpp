// Front end and C compiler both warn about plain C, and gcc about a function once more where it is inlined: once is
// enough.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace upcc::driver {

// The C compiler's messages without the warnings that are in `told` ("file:line:name", the name without -W) or have
// come before, nor the lines that belong to them.
std::string without_repeats(std::string_view messages, const std::unordered_set<std::string>& told);

}  // namespace upcc::driver
