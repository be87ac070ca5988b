#include "coll/barrier_phase.hpp"

#include <algorithm>

namespace weft::coll {
namespace {

// Where members share processors a phase costs a turn of each, so there is one only.
uint32_t radix_of(const Members& members) {
  const bool share = members.all_direct() && members.core().capabilities().crowded;
  return share ? std::max(2u, members.size()) : 2;
}

constexpr uint32_t leaders_radix = 2;

Task among_leaders(Call& call, uint32_t line) {
  const Groups& groups = call.team().groups;
  const core::RankList& numbers = groups.leaders().numbers;
  return disseminate_on_lines(call, line, leaders_radix, groups.spread().hosts, groups.host_of(call.me()), &numbers);
}

}  // namespace

uint32_t barrier_lines(const Team& team) {
  const Spread& spread = team.groups.spread();
  const uint32_t n = team.members.size();
  if (spread.has_levels(n)) return gather_lines(spread) + dissemination_steps(spread.hosts, leaders_radix);
  return dissemination_steps(n, radix_of(team.members));
}

Task barrier_phase(Call& call, uint32_t line) {
  if (call.team().groups.spread().has_levels(call.size())) return meet_by_hosts(call, line, among_leaders);
  return disseminate_on_lines(call, line, radix_of(call.members()), call.size(), call.me(), nullptr);
}

// ---- By dissemination ----

Task disseminate_on_lines(Call& call, uint32_t line, uint32_t radix, uint32_t n, uint32_t me,
                          const core::RankList* numbers) {
  return disseminate(
      call, n, me, radix,
      [&call, line, numbers](uint32_t member, uint32_t step) {
        return call.signal(numbers == nullptr ? member : (*numbers)[member], line + step);
      },
      [&call, line](uint32_t step) { return call.arrived(line + step); });
}

// ---- By hosts ----

uint32_t gather_lines(const Spread& spread) { return spread.most + 1; }

// Lines: i, on a leader: its host's member i has come; then: go on.
Task meet_by_hosts(Call& call, uint32_t line, Task (*leaders_meet)(Call& call, uint32_t line)) {
  const Groups& groups = call.team().groups;
  const uint32_t release = line + groups.spread().most;
  const core::RankList& numbers = groups.inside().numbers;
  if (!groups.leads()) {
    co_await call.signal(numbers[0], line + groups.inside_number(call.me()));
    co_await call.arrived(release);
    co_return;
  }
  for (uint32_t i = 1; i < numbers.size(); ++i) co_await call.arrived(line + i);
  co_await leaders_meet(call, line + gather_lines(groups.spread()));
  for (uint32_t i = 1; i < numbers.size(); ++i) co_await call.signal(numbers[i], release);
}

}  // namespace weft::coll
