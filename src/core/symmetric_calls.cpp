#include "core/symmetric_calls.hpp"

#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <string>

namespace weft::core {
namespace {

constexpr const char* rule =
    "all ranks allocate and free symmetric memory, and create and destroy atomic domains, with the same arguments in "
    "the same order";

}  // namespace

SymmetricCalls::SymmetricCalls(Rank& rank) : rank_(rank) {
  rank.handlers().add_internal(Internal::symmetric_call, on_call, this);
}

conduit::RankId SymmetricCalls::before() const { return (rank_.id() + rank_.size() - 1) % rank_.size(); }

// The lock makes numbers and allocations agree where several threads call.
Status SymmetricCalls::allocate(size_t size, size_t alignment, size_t& offset) {
  uint64_t number;
  Status status;
  {
    std::lock_guard guard(lock_);
    number = ++count_;
    status = rank_.heap().allocate_symmetric(size, alignment, offset);
  }
  std::string text =
      "weft_alloc_symmetric(" + std::to_string(size) + " bytes, alignment " + std::to_string(alignment) + ")";
  if (!status.ok()) text += ", for which there is no memory";
  made(number, {std::move(text), status.ok() ? offset : 0});
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
  made(number, {"weft_free_symmetric(offset " + std::to_string(offset) + ")", 0});
  return {};
}

void SymmetricCalls::note(std::string text) {
  uint64_t number;
  {
    std::lock_guard guard(lock_);
    number = ++count_;
  }
  made(number, {std::move(text), 0});
}

void SymmetricCalls::made(uint64_t number, const Call& call) {
  send(Subject::call, number, call);
  std::lock_guard guard(lock_);
  const auto theirs = theirs_.find(number);
  if (theirs == theirs_.end()) {
    own_.emplace(number, call);
    return;
  }
  compare(number, call, theirs->second);
  theirs_.erase(theirs);
}

// args: subject, number, offset; the payload is the text.
void SymmetricCalls::send(Subject subject, uint64_t number, const Call& call) {
  const uint64_t args[] = {static_cast<uint64_t>(subject), number, call.offset};
  const conduit::AmMessage message = {.kind = conduit::AmKind::medium,
                                      .handler = number_of(Internal::symmetric_call),
                                      .arg_count = std::size(args),
                                      .args = args,
                                      .payload = call.text.data(),
                                      .size = call.text.size()};
  const conduit::RankId next = (rank_.id() + 1) % rank_.size();
  rank_.progress().wait(
      [&] { return rank_.conduit().am_send(next, conduit::AmClass::request, message) != conduit::Result::retry; });
}

void SymmetricCalls::on_call(void* self, const conduit::AmDelivery& message) {
  auto& calls = *static_cast<SymmetricCalls*>(self);
  const uint64_t number = message.args[1];
  std::lock_guard guard(calls.lock_);
  if (static_cast<Subject>(message.args[0]) == Subject::count) {
    calls.count_came_ = true;
    calls.their_count_ = number;
    return;
  }
  Call theirs{std::string(static_cast<const char*>(message.payload), message.size), message.args[2]};
  const auto own = calls.own_.find(number);
  if (own == calls.own_.end()) {
    calls.theirs_.emplace(number, std::move(theirs));
    return;
  }
  calls.compare(number, own->second, theirs);
  calls.own_.erase(own);
}

void SymmetricCalls::compare(uint64_t number, const Call& own, const Call& theirs) {
  if (own == theirs) return;
  const std::string line = "symmetric call " + std::to_string(number) + " is " + own.text + " on rank " +
                           std::to_string(rank_.id()) + " and " + theirs.text + " on rank " + std::to_string(before()) +
                           "; " + rule;
  rank_.refuse(line.c_str());
}

void SymmetricCalls::tell_count() { send(Subject::count, count_, {}); }

void SymmetricCalls::compare_counts() {
  std::lock_guard guard(lock_);
  if (!count_came_ || their_count_ == count_) return;
  char line[400];
  std::snprintf(line, sizeof line,
                "rank %u has made %" PRIu64 " calls for symmetric memory and atomic domains, rank %u %" PRIu64 "; %s",
                rank_.id(), count_, before(), their_count_, rule);
  rank_.refuse(line);
}

}  // namespace weft::core
