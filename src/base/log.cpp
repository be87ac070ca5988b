#include "base/log.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

namespace weft::base {
namespace {

std::atomic<LogLevel> threshold{LogLevel::warning};
thread_local char identity[32] = "";
thread_local bool hold_errors = false;
thread_local KeepErrors* keeper = nullptr;

const char* prefix(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error: ";
    case LogLevel::warning:
      return "warning: ";
    case LogLevel::info:
      return "";
    case LogLevel::debug:
      return "debug: ";
  }
  return "";
}

[[gnu::format(printf, 4, 0)]] size_t put_line(char* line, size_t size, LogLevel level, const char* format,
                                              std::va_list arguments) {
  const int used = std::snprintf(line, size, "weft: %s%s%s", identity, identity[0] ? ": " : "", prefix(level));
  const int more = std::vsnprintf(line + used, size - static_cast<size_t>(used) - 1, format, arguments);
  size_t length = static_cast<size_t>(used) + static_cast<size_t>(more < 0 ? 0 : more);
  if (length > size - 2) length = size - 2;
  line[length++] = '\n';
  return length;
}

[[gnu::format(printf, 2, 0)]] void vlog(LogLevel level, const char* format, std::va_list arguments) {
  if (level > threshold.load(std::memory_order_relaxed)) return;
  if (level == LogLevel::error && hold_errors && keeper == nullptr) {
    constexpr timespec half_a_second{0, 500'000'000};
    nanosleep(&half_a_second, nullptr);
    hold_errors = false;
  }
  char line[2048];
  const size_t length = put_line(line, sizeof line, level, format, arguments);
  if (level == LogLevel::error && keeper != nullptr) return keeper->keep({line, length});
  // A short or failed write to standard error has nowhere to be reported.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line, length);
}

}  // namespace

void log_identity(const char* text) {
  std::strncpy(identity, text, sizeof identity - 1);
  identity[sizeof identity - 1] = '\0';
}

HoldErrors::HoldErrors(bool hold) { hold_errors = hold; }
HoldErrors::~HoldErrors() { hold_errors = false; }

KeepErrors::KeepErrors() { keeper = this; }
KeepErrors::~KeepErrors() { keeper = nullptr; }

void KeepErrors::end(bool say) {
  KeepErrors* const kept = std::exchange(keeper, nullptr);
  if (kept == nullptr || !say) return;
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, kept->lines_, kept->size_);
}

void KeepErrors::keep(std::string_view line) {
  if (line.size() > sizeof lines_ - size_) return;
  std::memcpy(lines_ + size_, line.data(), line.size());
  size_ += line.size();
}

void log_threshold(LogLevel level) { threshold.store(level, std::memory_order_relaxed); }

void log(LogLevel level, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  vlog(level, format, arguments);
  va_end(arguments);
}

void log_error(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  vlog(LogLevel::error, format, arguments);
  va_end(arguments);
}

size_t error_line(char* line, size_t size, const char* format, std::va_list arguments) {
  return put_line(line, size, LogLevel::error, format, arguments);
}

void log_warning(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  vlog(LogLevel::warning, format, arguments);
  va_end(arguments);
}

}  // namespace weft::base
