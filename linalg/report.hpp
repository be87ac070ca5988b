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

/// The same for a want of memory, but silent where the library's caller tells of it. Returns WEFT_ERR_NO_MEMORY.
[[gnu::format(printf, 3, 4)]] int refuse_for_memory(bool speaks, const char* function, const char* format, ...);

/// While it lives, nothing is said on this rank where its segment is full: who made it says what that means.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  /// Whether somebody else has made one before.
  bool is_inside() const { return before_; }

 private:
  bool before_;
};

/// Prints such a line with this rank's number, and ends the job.
[[noreturn, gnu::format(printf, 2, 3)]] void end_job(const char* function, const char* format, ...);

/// Ends the process, with a line, if this rank is in no job.
void needs_job(const char* function);

/// The bits of a real number of 8 bytes, one of those that NaN has; and such a number in words. Numbers that are not
/// the same have not the same text.
int64_t bits_of(double value);
std::string real_text(int64_t bits);

/// "1.5 GiB", "64.0 MiB", "3.5 KiB".
std::string readable_size(std::size_t bytes);

/// Bytes that this host can give without swapping, by the kernel's estimate; all there can be if it gives none.
std::size_t available_memory();

}  // namespace weft::la
