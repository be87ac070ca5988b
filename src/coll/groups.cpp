#include "coll/groups.hpp"

#include <algorithm>
#include <map>

namespace weft::coll {

Groups::Groups(core::Rank& rank, rma::Engine& rma, const Members& team) {
  const uint32_t n = team.size();
  spread_.most = spread_.least = n;
  if (rank.hosts().count() == 1) return;
  std::map<uint32_t, uint32_t> numbers;  // of hosts
  for (uint32_t member = 0; member < n; ++member) {
    const uint32_t host = rank.hosts().host_of(team.rank(member));
    const auto [entry, fresh] = numbers.try_emplace(host, static_cast<uint32_t>(members_on_.size()));
    if (fresh) {
      members_on_.push_back(0);
      leaders_.numbers.push_back(member);
    }
    spread_.in_blocks = spread_.in_blocks && (member == 0 || fresh || host_of_.back() == entry->second);
    host_of_.push_back(entry->second);
    inside_number_.push_back(members_on_[entry->second]++);
  }
  spread_.hosts = static_cast<uint32_t>(members_on_.size());
  spread_.most = *std::ranges::max_element(members_on_);
  spread_.least = *std::ranges::min_element(members_on_);
  const uint32_t mine = host_of_[team.me()];
  for (uint32_t member = 0; member < n; ++member)
    if (host_of_[member] == mine) inside_.numbers.push_back(member);
  leads_ = leaders_.numbers[mine] == team.me();
  if (spread_.hosts == 1) return;
  const auto make = [&](Group& group, uint32_t me) {
    std::vector<RankId> ranks;
    for (const uint32_t member : group.numbers) ranks.push_back(team.rank(member));
    group.members = std::make_unique<Members>(rank, rma, std::move(ranks), me);
  };
  make(inside_, inside_number_[team.me()]);
  make(leaders_, mine);  // who does not lead does not use it
}

}  // namespace weft::coll
