// What is said of a crash that is the use of a null pointer-to-shared.
#pragma once

namespace weft::upcrt {

/// From now on a fault in the first bytes of a segment, where nothing of a program lies, gives a line that says so
/// before the process dies of it; other faults, and signals that are sent, go to whoever dealt with them before. Once
/// per process. `checked`: WEFT_CHECK=1 looks at what goes through pointers-to-shared.
void watch_null_accesses(bool checked);

}  // namespace weft::upcrt
