// One line on standard error per event: "weft: rank 3: error: message". Written with a single write(2) so that lines
// of different ranks never mix. Safe from any thread, and before the rank is known.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <string_view>

namespace weft::base {

enum class LogLevel { error = 0, warning = 1, info = 2, debug = 3 };

/// Who the lines come from: "rank 3", or "weftrun" for the launcher. Kept per thread, so that ranks that are threads
/// of one process each have their own. Copied; at most 31 characters.
void log_identity(const char* identity);

/// As long as this exists, errors of the calling thread are written half a second late, if `hold`. Ranks that fail
/// alike at the start so say it once: one does at once, and its end is the job's.
class HoldErrors {
 public:
  explicit HoldErrors(bool hold);
  ~HoldErrors();
  HoldErrors(const HoldErrors&) = delete;
  HoldErrors& operator=(const HoldErrors&) = delete;
};

/// As long as this exists, errors of the calling thread are kept, not written, until end(). What is kept then is lost.
/// For what ranks do alike before they compare: one of them says what all have met. At most one per thread.
class KeepErrors {
 public:
  KeepErrors();
  ~KeepErrors();
  KeepErrors(const KeepErrors&) = delete;
  KeepErrors& operator=(const KeepErrors&) = delete;

  bool any() const { return size_ != 0; }

  /// From now on errors of the calling thread are written; what it has kept is, too, if `say`. Nothing happens if it
  /// keeps none. Usable in a signal handler.
  static void end(bool say);

  /// A line with its newline; beyond some there is no room.
  void keep(std::string_view line);

 private:
  char lines_[4096];
  size_t size_ = 0;
};

/// Lines above this level are dropped. Set from WEFT_LOG; warnings and errors by default.
void log_threshold(LogLevel level);

[[gnu::format(printf, 2, 3)]] void log(LogLevel level, const char* format, ...);

[[gnu::format(printf, 1, 2)]] void log_error(const char* format, ...);
/// What log_error() writes, newline and all, into `line` of `size` bytes, cut if it is longer; its length. For who
/// writes more behind it. Usable in a signal handler.
[[gnu::format(printf, 3, 0)]] size_t error_line(char* line, size_t size, const char* format, std::va_list arguments);
[[gnu::format(printf, 1, 2)]] void log_warning(const char* format, ...);

}  // namespace weft::base
