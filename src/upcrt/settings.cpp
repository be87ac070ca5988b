#include "upcrt/settings.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "base/parse.hpp"
#include "upcrt/state.hpp"
#include "weft/detail/language.h"

namespace weft::upcrt {
namespace {

// Of a flag of the core, which has refused what is none.
bool is_on(const char* setting) {
  const char* text = std::getenv(setting);
  return text != nullptr && base::parse_flag(text).value_or(false);
}

}  // namespace

bool checks_wanted() { return is_on("WEFT_CHECK"); }
bool statistics_wanted() { return is_on("WEFT_STATS"); }

const char* places_file_wanted() {
  const char* name = std::getenv("UPC_PLACES");
  return name == nullptr || *name == '\0' ? nullptr : name;
}

uint64_t heap_size_wanted() {
  const char* text = std::getenv("UPC_SHARED_HEAP_SIZE");
  if (text == nullptr || *text == '\0') return 0;
  uint64_t bytes = 0;
  if (!base::parse_size(text, bytes) || bytes == 0)
    fail({}, "UPC_SHARED_HEAP_SIZE is '%s'; it must be a number of bytes, with K, M, G or T if wanted", text);
  return bytes;
}

uint64_t cache_size_wanted() {
  const char* text = std::getenv("UPC_CACHE");
  if (text == nullptr || *text == '\0') return uint64_t{1} << 20;
  uint64_t bytes = 0;
  if (!base::parse_size(text, bytes) || bytes > uint64_t{1} << 40)
    fail({}, "UPC_CACHE is '%s'; it must be a number of bytes, with K, M, G or T if wanted; 0 keeps nothing", text);
  return bytes;
}

void ask_for_segment(uint64_t static_bytes) {
  // Threads of one process come here one after another or at once; the first decides.
  static std::once_flag once;
  std::call_once(once, [static_bytes] {
    if (std::getenv("WEFT_SEGMENT_SIZE") != nullptr) return;
    const uint64_t heap = heap_size_wanted();
    if (heap == 0) return;
    uint64_t needed = heap + static_bytes + (uint64_t{4} << 20);
    if (checks_wanted()) needed += needed / 16;
    char text[32];
    std::snprintf(text, sizeof text, "%" PRIu64, needed / 3 * 4);
    setenv("WEFT_SEGMENT_SIZE", text, 1);
    static char advice[80];
    std::snprintf(advice, sizeof advice, "upcrun --shared-heap (UPC_SHARED_HEAP_SIZE, now %s)",
                  std::getenv("UPC_SHARED_HEAP_SIZE"));
    weft_detail_name_segment_size(advice);
  });
}

}  // namespace weft::upcrt
