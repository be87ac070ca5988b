#include "linalg/report.hpp"

#include <strings.h>
#include <weft/detail/library.h>
#include <weft/job.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

namespace weft::la {
namespace {

[[gnu::format(printf, 1, 0)]] std::string text_of(const char* format, va_list arguments) {
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

[[gnu::format(printf, 2, 0)]] void print_refusal(const char* function, const char* format, va_list arguments) {
  std::fprintf(stderr, "weft: %s: %s\n", function, text_of(format, arguments).c_str());
}

}  // namespace

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
  va_list arguments;
  va_start(arguments, format);
  if (speaks) print_refusal(function, format, arguments);
  va_end(arguments);
  return WEFT_ERR_INVALID;
}

int refuse_for_memory(bool speaks, const char* function, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (speaks && !Silence().is_inside()) print_refusal(function, format, arguments);
  va_end(arguments);
  return WEFT_ERR_NO_MEMORY;
}

Silence::Silence() : before_(weft_detail_silent_where_full(true)) {}
Silence::~Silence() { weft_detail_silent_where_full(before_); }

void end_job(const char* function, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fprintf(stderr, "weft: rank %u: error: %s: %s\n", weft_rank(), function, text_of(format, arguments).c_str());
  va_end(arguments);
  weft_exit(1);
}

void needs_job(const char* function) {
  if (weft_initialized() != 0) return;
  std::fprintf(stderr, "weft: error: %s was called before weft_init or after weft_finalize\n", function);
  weft_exit(1);
}

int64_t bits_of(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::string real_text(int64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string readable_size(std::size_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  char text[32];
  if (mebibytes < 1) {
    std::snprintf(text, sizeof text, "%.1f KiB", mebibytes * 1024);
  } else if (mebibytes < 10 * 1024) {
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
