// How the launcher speaks: of ranks as weftrun, or of UPC threads as upcrun, which becomes weftrun.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace weftrun {

/// Messages speak of UPC threads instead of Weft ranks. Set at the start, by upcrun and by the option --upc that upcrun
/// gives, and the agents of its jobs get.
inline bool speaks_upc = false;
inline const char* launcher() { return speaks_upc ? "upcrun" : "weftrun"; }
inline const char* rank_noun() { return speaks_upc ? "thread" : "rank"; }
inline const char* rank_nouns() { return speaks_upc ? "threads" : "ranks"; }

/// Tells the user a line before a job runs: the launcher's name and the text.
[[gnu::format(printf, 1, 2)]] inline void tell(const char* format, ...) {
  const std::string line = launcher() + (": " + std::string(format)) + "\n";
  va_list values;
  va_start(values, format);
  std::vfprintf(stderr, line.c_str(), values);
  va_end(values);
}

}  // namespace weftrun
