#include "core/symmetric_calls.hpp"

#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace weft::core {
namespace {

constexpr const char* rule =
    "all ranks allocate and free symmetric memory, and create and destroy atomic domains, with the same arguments in "
    "the same order";

}  // namespace

SymmetricCalls::SymmetricCalls(Rank& rank, CallLedger& ledger) : rank_(rank), ledger_(ledger) {
  rank.handlers().add_internal(Internal::symmetric_call, on_call, this);
}

conduit::RankId SymmetricCalls::before() const { return (rank_.id() + rank_.size() - 1) % rank_.size(); }

// The lock makes numbers and allocations agree where several threads call.
Status SymmetricCalls::allocate(size_t size, size_t alignment, size_t& offset) {
  CallRecord call;
  Status status;
  {
    std::lock_guard guard(lock_);
    call = announce();
    status = rank_.heap().allocate_symmetric(size, alignment, offset);
  }
  call.signature =
      "weft_alloc_symmetric(" + std::to_string(size) + " bytes, alignment " + std::to_string(alignment) + ")";
  call.signature += status.ok() ? ", which gives offset " + std::to_string(offset) : ", for which there is no memory";
  made(std::move(call));
  return status;
}

Status SymmetricCalls::release(size_t offset) {
  CallRecord call;
  {
    std::lock_guard guard(lock_);
    const Status status = rank_.heap().release_symmetric(offset);
    if (!status.ok()) return status;
    call = announce();
  }
  call.signature = "weft_free_symmetric(offset " + std::to_string(offset) + ")";
  made(std::move(call));
  return {};
}

void SymmetricCalls::note(std::string signature) {
  CallRecord call = announce();
  call.signature = std::move(signature);
  made(std::move(call));
}

CallRecord SymmetricCalls::announce() {
  return {.team = world_team,
          .kind = CallKind::symmetric,
          .number = ledger_.announce(world_team, CallKind::symmetric),
          .signature = {}};
}

void SymmetricCalls::made(CallRecord call) {
  send(Subject::call, call.number, call.signature);
  std::lock_guard guard(lock_);
  const auto theirs = theirs_.find(call.number);
  if (theirs == theirs_.end()) {
    own_.emplace(call.number, std::move(call));
    return;
  }
  compare(call, theirs->second);
  theirs_.erase(theirs);
}

// args: subject, number; the payload is the signature.
void SymmetricCalls::send(Subject subject, uint64_t number, const std::string& signature) {
  const uint64_t args[] = {static_cast<uint64_t>(subject), number};
  const conduit::AmMessage message = {.kind = conduit::AmKind::medium,
                                      .handler = number_of(Internal::symmetric_call),
                                      .arg_count = std::size(args),
                                      .args = args,
                                      .payload = signature.data(),
                                      .size = signature.size()};
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
  CallRecord theirs = {.team = world_team,
                       .kind = CallKind::symmetric,
                       .number = number,
                       .signature = std::string(static_cast<const char*>(message.payload), message.size)};
  const auto own = calls.own_.find(number);
  if (own == calls.own_.end()) {
    calls.theirs_.emplace(number, std::move(theirs));
    return;
  }
  calls.compare(own->second, theirs);
  calls.own_.erase(own);
}

void SymmetricCalls::compare(const CallRecord& own, const CallRecord& theirs) {
  if (own.signature == theirs.signature) return;
  const std::string line = "symmetric call " + std::to_string(own.number) +
                           " differs: " + describe_calls({rank_.id(), own.signature}, {before(), theirs.signature}) +
                           "; " + rule;
  rank_.refuse(line.c_str());
}

uint64_t SymmetricCalls::count() const { return ledger_.last(world_team, CallKind::symmetric); }

void SymmetricCalls::tell_count() { send(Subject::count, count(), {}); }

void SymmetricCalls::compare_counts() {
  std::lock_guard guard(lock_);
  if (!count_came_ || their_count_ == count()) return;
  char line[400];
  std::snprintf(line, sizeof line,
                "rank %u has made %" PRIu64 " calls for symmetric memory and atomic domains, rank %u %" PRIu64 "; %s",
                rank_.id(), count(), before(), their_count_, rule);
  rank_.refuse(line);
}

}  // namespace weft::core
