#include "conduit/hook/statistics.hpp"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "conduit/cpu_atomic.hpp"
#include "weft/detail/context.h"

namespace weft::conduit::hook {
namespace {

[[gnu::format(printf, 2, 3)]] void append(std::string& text, const char* format, ...) {
  char line[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text += line;
}

// For whom the calling thread communicates.
uint32_t behalf() {
  return weft_detail_current != nullptr ? weft_detail_current->behalf : uint32_t{WEFT_DETAIL_PROGRAM};
}

// Relaxed is enough: nothing else depends on the numbers.
void add(uint64_t& counter, uint64_t amount) {
  std::atomic_ref<uint64_t>(counter).fetch_add(amount, std::memory_order_relaxed);
}

}  // namespace

std::string statistics_table(const std::string& title, const Counters& c) {
  struct Line {
    const char* name;
    uint64_t operations, bytes;
  };
  const Line lines[] = {{"put", c.puts, c.put_bytes},
                        {"get", c.gets, c.get_bytes},
                        {"memset", c.fills, c.fill_bytes},
                        {"atomic", c.atomics, c.atomic_bytes},
                        {"signal", c.signals, 8 * c.signals},
                        {"am request", c.am_requests, c.am_request_bytes},
                        {"am reply", c.am_replies, c.am_reply_bytes},
                        {"barrier", c.barriers, 0},
                        {"Weft's own", c.own_messages, c.own_bytes}};
  std::string text = title + "\n";
  append(text, "  %-12s %14s %18s   sent; Weft's own: by barriers, collectives, checks and the like\n", "operation",
         "count", "bytes");
  for (const Line& line : lines)
    if (line.operations != 0)
      append(text, "  %-12s %14" PRIu64 " %18" PRIu64 "\n", line.name, line.operations, line.bytes);
  return text;
}

void Statistics::count(Result result, uint64_t& operations, uint64_t& bytes, size_t size) {
  if (result == Result::retry) return add(counters_.retries, 1);
  add(operations, 1);
  add(bytes, size);
}

void Statistics::atomic(Result result, AtomicType type) {
  count(result, counters_.atomics, counters_.atomic_bytes, atomic_size(type));
}

// It is the program's or a collective's.
void Statistics::put_signal(Result result, size_t size) {
  if (behalf() != WEFT_DETAIL_PROGRAM)
    return count(result, counters_.own_messages, counters_.own_bytes, size + sizeof(uint64_t));
  if (result != Result::retry) add(counters_.signals, 1);
  if (size != 0) put(result, size);
}

void Statistics::message(Result result, AmClass message_class, const AmMessage& message) {
  if (behalf() == WEFT_DETAIL_STATISTICS) return;
  Counters& c = counters_;
  if (message.handler >= am_program_handlers) return count(result, c.own_messages, c.own_bytes, message.size);
  if (message_class == AmClass::request) return count(result, c.am_requests, c.am_request_bytes, message.size);
  count(result, c.am_replies, c.am_reply_bytes, message.size);
}

void Statistics::poll(int handled) {
  add(counters_.polls, 1);
  if (handled == 0) add(counters_.empty_polls, 1);
}

void Statistics::doze(uint64_t ns) {
  add(counters_.dozes, 1);
  add(counters_.doze_ns, ns);
}

void Statistics::waited(const char* call, uint64_t start_ns, uint64_t end_ns) {
  std::lock_guard guard(waits_lock_);
  for (Wait& wait : waits_) {
    if (wait.call != nullptr && std::strcmp(wait.call, call) != 0) continue;
    wait.call = call;
    ++wait.count;
    wait.ns += end_ns - start_ns;
    break;
  }
}

const Counters& Statistics::close(uint64_t barriers) {
  closed_ = counters_;
  closed_->barriers = barriers;
  return *closed_;
}

void Statistics::print(uint64_t barriers) {
  if (std::exchange(printed_, true)) return;
  const Counters& counted = closed_ ? *closed_ : close(barriers);
  std::string text = statistics_table("weft statistics, rank " + std::to_string(rank_), counted);
  std::lock_guard guard(waits_lock_);
  if (waits_[0].call != nullptr) append(text, "  %-28s %8s %14s\n", "waits in", "count", "ms");
  for (const Wait& wait : waits_)
    if (wait.call != nullptr)
      append(text, "  %-28s %8" PRIu64 " %14.3f\n", wait.call, wait.count, static_cast<double>(wait.ns) * 1e-6);
  append(text, "  polls %" PRIu64 " (%" PRIu64 " empty), declined %" PRIu64 ", slept %" PRIu64 " times, %.3f ms\n",
         counted.polls, counted.empty_polls, counted.retries, counted.dozes,
         static_cast<double>(counted.doze_ns) * 1e-6);
  // One write per rank keeps the ranks' tables apart.
  std::fputs(text.c_str(), stderr);
}

}  // namespace weft::conduit::hook
