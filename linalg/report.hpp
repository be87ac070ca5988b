// Refusals: one line, printed by one rank of those that make the call.
#pragma once

#include <weft/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::la {

/// Whether WEFT_CHECK asks for what ranks give to be compared.
bool checks_ranks();

/// Prints "weft: FUNCTION: ..." if this rank `speaks`. Returns WEFT_ERR_INVALID.
[[gnu::format(printf, 3, 4)]] int refuse(bool speaks, const char* function, const char* format, ...);

/// Prints such a line with this rank's number, and ends the job.
[[noreturn, gnu::format(printf, 2, 3)]] void end_job(const char* function, const char* format, ...);

/// Ends the process, with a line, if this rank is in no job.
void needs_job(const char* function);

/// "1.5 GiB", "64.0 MiB", "3.5 KiB".
std::string readable_size(std::size_t bytes);

/// Bytes that this host can give without swapping, by the kernel's estimate; all there can be if it gives none.
std::size_t available_memory();

}  // namespace weft::la
