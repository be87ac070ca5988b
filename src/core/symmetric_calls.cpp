#include "core/symmetric_calls.hpp"

#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <string>

namespace weft::core {
namespace {

constexpr const char* rule =
    "all ranks make the same calls of weft_alloc_symmetric and weft_free_symmetric in the same order";

}  // namespace

SymmetricCalls::SymmetricCalls(Rank& rank) : rank_(rank) {
  rank.handlers().add_internal(Internal::symmetric_call, on_call, this);
}

conduit::RankId SymmetricCalls::before() const { return (rank_.id() + rank_.size() - 1) % rank_.size(); }

// The lock makes numbers and allocations agree where several threads call.
Status SymmetricCalls::allocate(size_t size, size_t alignment, size_t& offset) {
  uint64_t number;
  Call call{Kind::allocate, size, alignment, 0};
  Status status;
  {
    std::lock_guard guard(lock_);
    number = ++count_;
    status = rank_.heap().allocate_symmetric(size, alignment, offset);
    if (status.ok()) call.offset = offset;
  }
  made(number, call);
  return status;
}

Status SymmetricCalls::release(size_t offset) {
  uint64_t number;
  {
    std::lock_guard guard(lock_);
    const Status status = rank_.heap().release_symmetric(offset);
    if (!status.ok()) return status;
    number = ++count_;
  }
  made(number, {Kind::release, 0, 0, offset});
  return {};
}

void SymmetricCalls::made(uint64_t number, const Call& call) {
  send(number, call);
  std::lock_guard guard(lock_);
  const auto theirs = theirs_.find(number);
  if (theirs == theirs_.end()) {
    own_.emplace(number, call);
    return;
  }
  compare(number, call, theirs->second);
  theirs_.erase(theirs);
}

// args: number, kind, size, alignment, offset
void SymmetricCalls::send(uint64_t number, const Call& call) {
  const uint64_t args[] = {number, static_cast<uint64_t>(call.kind), call.size, call.alignment, call.offset};
  const conduit::AmMessage message = {
      .handler = static_cast<uint16_t>(Internal::symmetric_call), .arg_count = 5, .args = args};
  const conduit::RankId next = (rank_.id() + 1) % rank_.size();
  rank_.progress().wait(
      [&] { return rank_.conduit().am_send(next, conduit::AmClass::request, message) != conduit::Result::retry; });
}

void SymmetricCalls::on_call(void* self, const conduit::AmDelivery& message) {
  auto& calls = *static_cast<SymmetricCalls*>(self);
  const uint64_t number = message.args[0];
  const Call theirs{static_cast<Kind>(message.args[1]), message.args[2], message.args[3], message.args[4]};
  std::lock_guard guard(calls.lock_);
  if (theirs.kind == Kind::count) {
    calls.told_ = true;
    calls.their_count_ = number;
    return;
  }
  const auto own = calls.own_.find(number);
  if (own == calls.own_.end()) {
    calls.theirs_.emplace(number, theirs);
    return;
  }
  calls.compare(number, own->second, theirs);
  calls.own_.erase(own);
}

void SymmetricCalls::compare(uint64_t number, const Call& own, const Call& theirs) {
  if (own == theirs) return;
  auto describe = [](const Call& call) {
    char text[160];
    if (call.kind == Kind::release)
      std::snprintf(text, sizeof text, "weft_free_symmetric(offset %" PRIu64 ")", call.offset);
    else
      std::snprintf(text, sizeof text, "weft_alloc_symmetric(%" PRIu64 " bytes, alignment %" PRIu64 ")%s", call.size,
                    call.alignment, call.offset == 0 ? ", for which there is no memory" : "");
    return std::string(text);
  };
  char line[640];
  std::snprintf(line, sizeof line, "symmetric call %" PRIu64 " is %s on rank %u and %s on rank %u; %s", number,
                describe(own).c_str(), rank_.id(), describe(theirs).c_str(), before(), rule);
  rank_.refuse(line);
}

void SymmetricCalls::tell_count() { send(count_, {Kind::count, 0, 0, 0}); }

void SymmetricCalls::compare_counts() {
  std::lock_guard guard(lock_);
  if (!told_ || their_count_ == count_) return;
  char line[320];
  std::snprintf(line, sizeof line,
                "rank %u has made %" PRIu64 " symmetric allocations and frees, rank %u %" PRIu64 "; %s", rank_.id(),
                count_, before(), their_count_, rule);
  rank_.refuse(line);
}

}  // namespace weft::core
