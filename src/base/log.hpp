// One line on standard error per event: "weft: rank 3: error: message". Written with a single write(2) so that lines
// of different ranks never mix. Safe from any thread, and before the rank is known.
#pragma once

#include <cstdarg>

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

/// Lines above this level are dropped. Set from WEFT_LOG; warnings and errors by default.
void log_threshold(LogLevel level);

[[gnu::format(printf, 2, 3)]] void log(LogLevel level, const char* format, ...);

[[gnu::format(printf, 1, 2)]] void log_error(const char* format, ...);
[[gnu::format(printf, 1, 2)]] void log_warning(const char* format, ...);

}  // namespace weft::base
