#include "coll/groups.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weft::coll {

Groups::Groups(core::Rank& rank, rma::Engine& rma, const Members& team) : rank_(rank), rma_(rma), team_(team) {
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
  inside_ = group_of(std::move(inside_.numbers), inside_number_[team.me()]);
  leaders_ = group_of(std::move(leaders_.numbers), mine);  // who does not lead does not use it
}

Groups::Group Groups::group_of(std::vector<uint32_t> numbers, uint32_t me) const {
  std::vector<RankId> ranks;
  for (const uint32_t member : numbers) ranks.push_back(team_.rank(member));
  return {std::make_unique<Members>(rank_, rma_, core::RankList(std::move(ranks)), me), std::move(numbers)};
}

Groups::Group Groups::heads(uint32_t root) const {
  std::vector<uint32_t> numbers = leaders_.numbers;
  numbers[host_of(root)] = root;
  return group_of(std::move(numbers), host_of(team_.me()));
}

}  // namespace weft::coll
