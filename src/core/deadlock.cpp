#include "core/deadlock.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "weft/detail/context.h"

namespace weft::core {

using conduit::AmClass;
using conduit::AmDelivery;
using conduit::Result;

Deadlock::Deadlock(Rank& rank, const CallLedger& ledger)
    : rank_(rank), ledger_(ledger), checks_(rank.settings().check && !rank.threads_multiple()) {
  rank.handlers().add_internal(Internal::deadlock, on_call, this);
}

// args: kind, the team's first member and place, number; the payload is the function's name. A reply says besides that
// its sender has not begun the call that the request was about.
Result Deadlock::tell(RankId peer, AmClass message_class) const {
  const CallRecord& call = waits_for_;
  const uint64_t args[] = {static_cast<uint64_t>(call.kind), call.team.first, call.team.place, call.number};
  return rank_.conduit().am_send(peer, message_class,
                                 {.kind = conduit::AmKind::medium,
                                  .handler = number_of(Internal::deadlock),
                                  .arg_count = std::size(args),
                                  .args = args,
                                  .payload = call.signature.data(),
                                  .size = call.signature.size()});
}

void Deadlock::on_call(void* self, const AmDelivery& message) {
  auto& deadlock = *static_cast<Deadlock*>(self);
  const uint64_t* args = message.args;
  const CallRecord theirs = {.team = {static_cast<RankId>(args[1]), args[2]},
                             .kind = static_cast<CallKind>(args[0]),
                             .number = args[3],
                             .signature = std::string(static_cast<const char*>(message.payload), message.size)};
  std::lock_guard guard(deadlock.lock_);
  if (!deadlock.waits_ || deadlock.ledger_.announced(theirs)) return;
  if (deadlock.members_->find(message.source) == RankList::nowhere) return;
  std::vector<RankId>& answered = deadlock.answered_;
  if (message.message_class == AmClass::request) {
    (void)deadlock.tell(message.source, AmClass::reply);
    answered.push_back(message.source);
    return;
  }
  // An answer: what this rank waits for its sender has not begun. If both ranks get one, the lower reports.
  if (deadlock.rank_.id() < message.source || std::ranges::find(answered, message.source) == answered.end())
    deadlock.report(message.source, theirs);
}

void Deadlock::report(RankId peer, const CallRecord& theirs) const {
  const bool other_team = waits_for_.signature == theirs.signature && waits_for_.team != theirs.team;
  Caller lower(rank_.id(), waits_for_.signature);
  Caller higher(peer, theirs.signature);
  if (peer < rank_.id()) std::swap(lower, higher);
  if (other_team) higher.signature += " on another team";
  const std::string line = describe_calls(lower, higher) + "; each waits for the other; " + same_calls_rule;
  rank_.refuse(line.c_str());
}

Deadlock::Wait::Wait(Deadlock& deadlock, TeamId team, CallKind kind, const RankList& members)
    : Wait(deadlock, team, kind, members, 0, nullptr) {}

Deadlock::Wait::Wait(Deadlock& deadlock, TeamId team, CallKind kind, const RankList& members, uint64_t number,
                     const char* of)
    : deadlock_(deadlock) {
  std::string name = current_call();
  if (of != nullptr) name += std::string(" for ") + of;
  std::lock_guard guard(deadlock.lock_);
  if (number == 0) number = deadlock.ledger_.last(team, kind);
  deadlock.waits_for_ = {team, kind, number, std::move(name)};
  deadlock.members_ = &members;
  deadlock.answered_.clear();
  deadlock.waits_ = true;
}

Deadlock::Wait::~Wait() {
  std::lock_guard guard(deadlock_.lock_);
  deadlock_.waits_ = false;
}

void Deadlock::Wait::look() {
  for (; asked_ < deadlock_.members_->size(); ++asked_) {
    const RankId peer = (*deadlock_.members_)[asked_];
    if (peer != deadlock_.rank_.id() && deadlock_.tell(peer, AmClass::request) == Result::retry) return;
  }
}

}  // namespace weft::core
