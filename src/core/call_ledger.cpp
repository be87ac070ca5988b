#include "core/call_ledger.hpp"

#include <mutex>

namespace weft::core {

uint64_t CallLedger::announce(TeamId team, CallKind kind) {
  std::lock_guard guard(lock_);
  return ++last_[team][static_cast<size_t>(kind)];
}

uint64_t CallLedger::last(TeamId team, CallKind kind) const {
  std::lock_guard guard(lock_);
  const auto found = last_.find(team);
  return found == last_.end() ? 0 : found->second[static_cast<size_t>(kind)];
}

void CallLedger::start_team(TeamId team) {
  std::lock_guard guard(lock_);
  last_.erase(team);
}

std::string describe_calls(std::span<const Caller> callers) {
  std::string text;
  for (const Caller& caller : callers) text += (text.empty() ? "" : "; ") + caller.who + " calls " + caller.signature;
  return text;
}

std::string describe_calls(const Caller& first, const Caller& second) {
  const Caller both[] = {first, second};
  return describe_calls(both);
}

}  // namespace weft::core
