#include "weft/signal.h"

#include <atomic>
#include <cstring>

#include "capi/forms.hpp"
#include "conduit/cpu_atomic.hpp"

namespace weft::capi {
namespace {

std::atomic_ref<uint64_t> own_word(Thread& thread, size_t offset) {
  return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(thread.rank->core->conduit().segment() + offset));
}

void check_op(const Thread& thread, const char* function, weft_signal_op_t op) {
  if (thread.rank->check && op != WEFT_SIGNAL_SET && op != WEFT_SIGNAL_ADD)
    misuse("%s: %d is no weft_signal_op_t", function, static_cast<int>(op));
}

void check_signal(Thread& thread, const char* function, weft_rank_t peer, size_t signal_offset) {
  check_range(thread, function, peer, signal_offset, sizeof(uint64_t));
  if (thread.rank->check && signal_offset % sizeof(uint64_t) != 0)
    misuse("%s: the signal word at offset %zu is not aligned to 8 bytes", function, signal_offset);
}

rma::Result begin(Thread& thread, rma::Operation& operation, weft_rank_t peer, size_t offset, const void* source,
                  size_t size, size_t signal_offset, uint64_t value, weft_signal_op_t op, unsigned flags) {
  const auto signal_op = op == WEFT_SIGNAL_ADD ? conduit::SignalOp::add : conduit::SignalOp::set;
  if (char* base = direct(thread, peer)) {
    if (size != 0) std::memcpy(base + offset, source, size);
    conduit::apply_signal(reinterpret_cast<std::byte*>(base) + signal_offset, value, signal_op);
    thread.rank->core->conduit().nudge(peer);
    return rma::Result::done;
  }
  return thread.rank->rma.put_signal(operation, peer, offset, source, size, signal_offset, value, signal_op,
                                     rma_flags(flags));
}

// The blocking form: only the source is waited for, remote completion is counted with the thread's implicit operations.
struct UntilSourceIsFree {
  template <class Begin>
  int operator()(Thread& thread, weft_rank_t peer, Begin begin_operation) const {
    return with_implicit(thread, peer, begin_operation,
                         [&](const rma::Operation& operation) { thread.rank->rma.wait_local(operation); });
  }
  unsigned flags = 0;
};

template <class Form>
int put_signal(const char* function, weft_rank_t peer, size_t offset, const void* source, size_t size,
               size_t signal_offset, uint64_t value, weft_signal_op_t op, Form form) {
  Thread& thread = enter(function);
  check_flags(thread, function, form.flags);
  check_transfer(thread, function, source, peer, offset, size);
  check_signal(thread, function, peer, signal_offset);
  check_op(thread, function, op);
  return form(thread, peer, [&](rma::Operation& operation) {
    return begin(thread, operation, peer, offset, source, size, signal_offset, value, op, form.flags);
  });
}

bool satisfied(weft_compare_t compare, uint64_t word, uint64_t value) {
  switch (compare) {
    case WEFT_EQ:
      return word == value;
    case WEFT_NE:
      return word != value;
    case WEFT_LT:
      return word < value;
    case WEFT_LE:
      return word <= value;
    case WEFT_GT:
      return word > value;
    case WEFT_GE:
      return word >= value;
  }
  misuse("%s: %d is no weft_compare_t", weft_detail_context()->call, static_cast<int>(compare));
}

// A list of conditions on own words, looked at from its start.
class AnyCondition {
 public:
  AnyCondition(Thread& thread, const char* function, const weft_signal_condition_t* conditions, size_t count)
      : segment_(thread.rank->core->conduit().segment()), conditions_(conditions), count_(count) {
    check_pointer(function, conditions, count, "list of conditions");
    for (size_t i = 0; i < count; ++i) check_signal(thread, function, thread.context.rank, conditions[i].offset);
  }

  bool satisfied() {
    for (size_t i = 0; i < count_; ++i) {
      const weft_signal_condition_t& condition = conditions_[i];
      auto* word = reinterpret_cast<uint64_t*>(segment_ + condition.offset);
      // acquire: the data that the signal announces is visible.
      found_ = std::atomic_ref<uint64_t>(*word).load(std::memory_order_acquire);
      if (!capi::satisfied(condition.compare, found_, condition.value)) continue;
      index_ = i;
      return true;
    }
    return false;
  }

  void tell(size_t* index, uint64_t* seen) const {
    if (index) *index = index_;
    if (seen) *seen = found_;
  }

 private:
  std::byte* segment_;
  const weft_signal_condition_t* conditions_;
  size_t count_;
  size_t index_ = 0;
  uint64_t found_ = 0;
};

// Takes n if it is there.
bool take(std::atomic_ref<uint64_t> word, uint64_t n) {
  uint64_t count = word.load(std::memory_order_relaxed);
  // acquire: what was written before the post is visible to the taker.
  while (count >= n)
    if (word.compare_exchange_weak(count, count - n, std::memory_order_acquire, std::memory_order_relaxed)) return true;
  return false;
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;
namespace rma = weft::rma;

extern "C" {

int weft_put_signal(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                    uint64_t value, weft_signal_op_t op) {
  return put_signal("weft_put_signal", peer, offset, source, size, signal_offset, value, op, UntilSourceIsFree{});
}

int weft_put_signal_nb(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                       uint64_t value, weft_signal_op_t op, unsigned flags, weft_handle_t* handle) {
  return put_signal("weft_put_signal_nb", peer, offset, source, size, signal_offset, value, op,
                    Explicit{flags, handle});
}

int weft_put_signal_nbi(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                        uint64_t value, weft_signal_op_t op, unsigned flags) {
  return put_signal("weft_put_signal_nbi", peer, offset, source, size, signal_offset, value, op, Implicit{flags});
}

int weft_signal_wait(size_t signal_offset, weft_compare_t compare, uint64_t value, uint64_t* seen) {
  Thread& thread = enter("weft_signal_wait");
  check_signal(thread, "weft_signal_wait", thread.context.rank, signal_offset);
  auto word = own_word(thread, signal_offset);
  uint64_t found = 0;
  // acquire: the data that the signal announces is visible.
  thread.rank->core->progress().wait(
      [&] { return satisfied(compare, found = word.load(std::memory_order_acquire), value); });
  if (seen) *seen = found;
  return WEFT_OK;
}

int weft_signal_test(size_t signal_offset, weft_compare_t compare, uint64_t value, uint64_t* seen) {
  Thread& thread = enter("weft_signal_test");
  check_signal(thread, "weft_signal_test", thread.context.rank, signal_offset);
  auto word = own_word(thread, signal_offset);
  uint64_t found = word.load(std::memory_order_acquire);
  if (!satisfied(compare, found, value)) {
    thread.rank->core->progress().poll();
    found = word.load(std::memory_order_acquire);
    if (!satisfied(compare, found, value)) return 0;
  }
  if (seen) *seen = found;
  return 1;
}

int weft_signal_wait_any(const weft_signal_condition_t* conditions, size_t count, size_t* index, uint64_t* seen) {
  Thread& thread = enter("weft_signal_wait_any");
  if (count == 0) misuse("weft_signal_wait_any: `count` is 0, and nothing would end the wait");
  AnyCondition any(thread, "weft_signal_wait_any", conditions, count);
  thread.rank->core->progress().wait([&] { return any.satisfied(); });
  any.tell(index, seen);
  return WEFT_OK;
}

int weft_signal_test_any(const weft_signal_condition_t* conditions, size_t count, size_t* index, uint64_t* seen) {
  Thread& thread = enter("weft_signal_test_any");
  AnyCondition any(thread, "weft_signal_test_any", conditions, count);
  if (!any.satisfied()) {
    thread.rank->core->progress().poll();
    if (!any.satisfied()) return 0;
  }
  any.tell(index, seen);
  return 1;
}

int weft_semaphore_post(weft_rank_t peer, size_t offset, uint64_t n) {
  Thread& thread = enter("weft_semaphore_post");
  check_signal(thread, "weft_semaphore_post", peer, offset);
  return UntilSourceIsFree{}(thread, peer, [&](rma::Operation& operation) {
    return begin(thread, operation, peer, offset, nullptr, 0, offset, n, WEFT_SIGNAL_ADD, 0);
  });
}

int weft_semaphore_wait(size_t offset, uint64_t n) {
  Thread& thread = enter("weft_semaphore_wait");
  check_signal(thread, "weft_semaphore_wait", thread.context.rank, offset);
  auto word = own_word(thread, offset);
  thread.rank->core->progress().wait([&] { return take(word, n); });
  return WEFT_OK;
}

int weft_semaphore_try(size_t offset, uint64_t n) {
  Thread& thread = enter("weft_semaphore_try");
  check_signal(thread, "weft_semaphore_try", thread.context.rank, offset);
  auto word = own_word(thread, offset);
  if (take(word, n)) return 1;
  thread.rank->core->progress().poll();
  return take(word, n) ? 1 : 0;
}

}  // extern "C"
