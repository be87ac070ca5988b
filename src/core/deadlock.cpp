#include "core/deadlock.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "weft/detail/context.h"

namespace weft::core {

using conduit::AmClass;
using conduit::AmDelivery;
using conduit::Result;

Deadlock::Deadlock(Rank& rank) : rank_(rank), checks_(rank.settings().check && !rank.threads_multiple()) {
  rank.handlers().add_internal(Internal::deadlock, on_call, this);
}

void Deadlock::start_team(TeamId team) {
  std::lock_guard guard(lock_);
  begun_.erase(team);
}

uint64_t Deadlock::begin(TeamId team, Kind kind) {
  std::lock_guard guard(lock_);
  return ++begun_[team][static_cast<size_t>(kind)];
}

bool Deadlock::begun(const Call& call) const {
  const auto found = begun_.find(call.team);
  return found != begun_.end() && found->second[static_cast<size_t>(call.kind)] >= call.number;
}

// args: kind, the team's first member and place, number; the payload is the function's name. A reply says besides that
// its sender has not begun the call that the request was about.
Result Deadlock::tell(RankId peer, AmClass message_class, const Call& call) const {
  const uint64_t args[] = {static_cast<uint64_t>(call.kind), call.team.first, call.team.place, call.number};
  return rank_.conduit().am_send(peer, message_class,
                                 {.kind = conduit::AmKind::medium,
                                  .handler = number_of(Internal::deadlock),
                                  .arg_count = std::size(args),
                                  .args = args,
                                  .payload = call.name.data(),
                                  .size = call.name.size()});
}

void Deadlock::on_call(void* self, const AmDelivery& message) {
  auto& deadlock = *static_cast<Deadlock*>(self);
  const uint64_t* args = message.args;
  const Call theirs = {.team = {static_cast<RankId>(args[1]), args[2]},
                       .kind = static_cast<Kind>(args[0]),
                       .number = args[3],
                       .name = std::string(static_cast<const char*>(message.payload), message.size),
                       .members = nullptr};
  std::lock_guard guard(deadlock.lock_);
  if (!deadlock.waits_ || deadlock.begun(theirs)) return;
  if (deadlock.waits_for_.members->find(message.source) == RankList::nowhere) return;
  std::vector<RankId>& answered = deadlock.answered_;
  if (message.message_class == AmClass::request) {
    (void)deadlock.tell(message.source, AmClass::reply, deadlock.waits_for_);
    answered.push_back(message.source);
    return;
  }
  // An answer: what this rank waits for its sender has not begun. If both ranks get one, the lower reports.
  if (deadlock.rank_.id() < message.source || std::ranges::find(answered, message.source) == answered.end())
    deadlock.report(message.source, theirs);
}

void Deadlock::report(RankId peer, const Call& theirs) const {
  const bool first = rank_.id() < peer;
  const Call& lower = first ? waits_for_ : theirs;
  const Call& higher = first ? theirs : waits_for_;
  const bool other_team = lower.name == higher.name && lower.team != higher.team;
  const std::string line = "rank " + std::to_string(first ? rank_.id() : peer) + " is in " + lower.name + ", rank " +
                           std::to_string(first ? peer : rank_.id()) + " in " + higher.name +
                           (other_team ? " on another team" : "") +
                           ", each waiting for the other; all ranks make the same collective calls in the same order";
  rank_.refuse(line.c_str());
}

Deadlock::Wait::Wait(Deadlock& deadlock, TeamId team, Kind kind, const RankList& members)
    : Wait(deadlock, team, kind, members, 0, nullptr) {}

Deadlock::Wait::Wait(Deadlock& deadlock, TeamId team, Kind kind, const RankList& members, uint64_t number,
                     const char* of)
    : deadlock_(deadlock) {
  std::string name = current_call();
  if (of != nullptr) name += std::string(" for ") + of;
  std::lock_guard guard(deadlock.lock_);
  if (number == 0) number = deadlock.begun_[team][static_cast<size_t>(kind)];
  deadlock.waits_for_ = {team, kind, number, std::move(name), &members};
  deadlock.answered_.clear();
  deadlock.waits_ = true;
}

Deadlock::Wait::~Wait() {
  std::lock_guard guard(deadlock_.lock_);
  deadlock_.waits_ = false;
}

void Deadlock::Wait::look() {
  const Call& call = deadlock_.waits_for_;
  for (; asked_ < call.members->size(); ++asked_) {
    const RankId peer = (*call.members)[asked_];
    if (peer != deadlock_.rank_.id() && deadlock_.tell(peer, AmClass::request, call) == Result::retry) return;
  }
}

}  // namespace weft::core
