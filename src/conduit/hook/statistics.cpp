#include "conduit/hook/statistics.hpp"

#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/spin_lock.hpp"
#include "conduit/cpu_atomic.hpp"
#include "conduit/hook/forwarding.hpp"
#include "os/clock.hpp"
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

class Statistics final : public Forwarding {
 public:
  using Forwarding::Forwarding;

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
             Completion* completion) override {
    return count(inner().put(peer, offset, source, size, flags, completion), counters_.puts, counters_.put_bytes, size);
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    return count(inner().get(destination, peer, offset, size, completion), counters_.gets, counters_.get_bytes, size);
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    return count(inner().fill(peer, offset, byte, size, completion), counters_.fills, counters_.fill_bytes, size);
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    return count(inner().atomic(peer, offset, request, completion), counters_.atomics, counters_.atomic_bytes,
                 atomic_size(request.type));
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    Result result = inner().put_signal(peer, offset, source, size, signal_offset, value, op, completion);
    // It is the program's or a collective's.
    if (behalf() != WEFT_DETAIL_PROGRAM)
      return count(result, counters_.own_messages, counters_.own_bytes, size + sizeof value);
    if (result != Result::retry) add(counters_.signals, 1);
    return size == 0 ? result : count(result, counters_.puts, counters_.put_bytes, size);
  }

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    return count_message(inner().am_send(peer, message_class, message), message_class, message);
  }
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override {
    inner().am_commit(peer, message_class, message);
    count_message(Result::done, message_class, message);
  }

  int poll() override {
    int handled = inner().poll();
    add(counters_.polls, 1);
    if (handled == 0) add(counters_.empty_polls, 1);
    return handled;
  }
  void doze(uint64_t timeout_ns) override {
    uint64_t start = os::now_ns();
    inner().doze(timeout_ns);
    add(counters_.dozes, 1);
    add(counters_.doze_ns, os::now_ns() - start);
  }

  const Counters* counters() const override { return &counters_; }
  const Counters* close_counters(uint64_t barriers) override {
    closed_ = counters_;
    closed_->barriers = barriers;
    return &*closed_;
  }

  void waited(const char* call, uint64_t start_ns, uint64_t end_ns) override {
    inner().waited(call, start_ns, end_ns);
    std::lock_guard guard(waits_lock_);
    for (Wait& wait : waits_) {
      if (wait.call != nullptr && std::strcmp(wait.call, call) != 0) continue;
      wait.call = call;
      ++wait.count;
      wait.ns += end_ns - start_ns;
      break;
    }
  }
  void report(uint64_t barriers) override {
    if (!std::exchange(reported_, true)) print(barriers);
    inner().report(barriers);
  }

 private:
  // The waits in one function of the interface.
  struct Wait {
    const char* call = nullptr;
    uint64_t count = 0, ns = 0;
  };

  static uint32_t behalf() {
    return weft_detail_current != nullptr ? weft_detail_current->behalf : uint32_t{WEFT_DETAIL_PROGRAM};
  }

  // Threads of a rank may count at once; the relaxed order is enough, nothing else hangs on the numbers.
  static void add(uint64_t& counter, uint64_t amount) {
    std::atomic_ref<uint64_t>(counter).fetch_add(amount, std::memory_order_relaxed);
  }
  Result count(Result result, uint64_t& operations, uint64_t& bytes, size_t size) {
    if (result == Result::retry) {
      add(counters_.retries, 1);
    } else {
      add(operations, 1);
      add(bytes, size);
    }
    return result;
  }
  Result count_message(Result result, AmClass message_class, const AmMessage& message) {
    if (behalf() == WEFT_DETAIL_STATISTICS) return result;
    Counters& c = counters_;
    if (message.handler >= am_program_handlers) return count(result, c.own_messages, c.own_bytes, message.size);
    if (message_class == AmClass::request) return count(result, c.am_requests, c.am_request_bytes, message.size);
    return count(result, c.am_replies, c.am_reply_bytes, message.size);
  }

  void print(uint64_t barriers) {
    if (!closed_) close_counters(barriers);
    const Counters& counted = *closed_;
    std::string text = statistics_table("weft statistics, rank " + std::to_string(rank()), counted);
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

  Counters counters_;
  std::optional<Counters> closed_;
  base::SpinLock waits_lock_;
  std::array<Wait, 40> waits_;  // in the order in which they came first
  bool reported_ = false;
};

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

void wrap_statistics(std::unique_ptr<Conduit>& conduit) { conduit = std::make_unique<Statistics>(std::move(conduit)); }

}  // namespace weft::conduit::hook
