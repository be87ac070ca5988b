#include "linalg/report.hpp"

#include <strings.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>

namespace weft::la {

bool checks_ranks() {
  static const bool checks = [] {
    const char* text = std::getenv("WEFT_CHECK");
    if (text == nullptr) return false;
    const auto is = [&](const char* yes) { return strcasecmp(text, yes) == 0; };
    return is("1") || is("yes") || is("true") || is("on");
  }();
  return checks;
}

int refuse(bool speaks, const char* function, const char* format, ...) {
  if (speaks) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "weft: %s: %s\n", function, text);
  }
  return WEFT_ERR_INVALID;
}

std::string readable_size(std::size_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  char text[32];
  if (mebibytes < 10 * 1024) {
    std::snprintf(text, sizeof text, "%.1f MiB", mebibytes);
  } else {
    std::snprintf(text, sizeof text, "%.1f GiB", mebibytes / 1024);
  }
  return text;
}

std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::size_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace weft::la
