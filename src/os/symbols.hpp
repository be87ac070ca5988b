// Names of functions for backtraces, also of those that the dynamic linker does not know: a program's own without
// -rdynamic, and the inner ones of this library. From the file's table of symbols, so a stripped file has none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::os {

/// The function of the ELF file that has this place, given relative to where the file is loaded; as source has it, as
/// far as that is simple: namespaces, classes and name, without parameters. False if it cannot be found. The name is
/// cut to `size`. Usable in a signal handler.
bool function_at(const char* file, uintptr_t place, char* name, size_t size);

/// A symbol of C++ as source has it, "weft::os::print_backtrace"; other symbols stay as they are.
void make_readable(const char* symbol, char* name, size_t size);

}  // namespace weft::os
