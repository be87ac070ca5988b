#include "upcrt/settings.hpp"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "upcrt/state.hpp"

namespace weft::upcrt {
namespace {

// "2G", "64MB", "1048576".
bool parse_size(const char* text, uint64_t& value) {
  if (*text < '0' || *text > '9') return false;
  char* end = nullptr;
  errno = 0;
  value = std::strtoull(text, &end, 10);
  if (errno != 0) return false;
  constexpr const char* units = "KMGT";
  if (const char* unit = *end != '\0' ? std::strchr(units, *end & ~0x20) : nullptr) {
    const int shift = 10 * static_cast<int>(unit - units + 1);
    if (value > UINT64_MAX >> shift) return false;
    value <<= shift;
    ++end;
  }
  if ((*end & ~0x20) == 'B') ++end;
  return *end == '\0' && value != 0;
}

}  // namespace

bool checks_wanted() {
  const char* text = std::getenv("WEFT_CHECK");
  return text != nullptr && std::strcmp(text, "1") == 0;
}

uint64_t heap_size_wanted() {
  const char* text = std::getenv("UPC_SHARED_HEAP_SIZE");
  if (text == nullptr || *text == '\0') return 0;
  uint64_t bytes = 0;
  if (!parse_size(text, bytes))
    fail({}, "UPC_SHARED_HEAP_SIZE is '%s'; it must be a number of bytes, with K, M, G or T if wanted", text);
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
  });
}

}  // namespace weft::upcrt
