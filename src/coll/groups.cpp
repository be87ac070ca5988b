#include "coll/groups.hpp"

#include <utility>
#include <vector>

namespace weft::coll {
namespace {

boot::Hosts hosts_among(const boot::Hosts& hosts, const core::RankList& ranks) {
  if (ranks.is_regular()) return hosts.among(ranks.first(), ranks.stride(), ranks.size());
  std::vector<uint32_t> listed;
  for (uint32_t member = 0; member < ranks.size(); ++member) listed.push_back(ranks[member]);
  return hosts.among(listed);
}

// The first of each host.
core::RankList firsts(const boot::Hosts& hosts, uint32_t members) {
  if (const uint32_t distance = hosts.distance_of_firsts(); distance != 0) return {0, distance, hosts.count()};
  std::vector<uint32_t> numbers;
  for (uint32_t member = 0; member < members; ++member)
    if (hosts.host_rank(member) == 0) numbers.push_back(member);
  return core::RankList(std::move(numbers));
}

}  // namespace

Groups::Groups(core::Rank& rank, rma::OneSided& rma, const Members& team) : rank_(rank), rma_(rma), team_(team) {
  const uint32_t n = team.size();
  spread_.most = spread_.least = n;
  if (rank.hosts().count() == 1) return;
  hosts_ = hosts_among(rank.hosts(), team.ranks());
  spread_ = {
      .hosts = hosts_.count(), .most = hosts_.largest(), .least = hosts_.smallest(), .in_blocks = hosts_.in_blocks()};
  const uint32_t mine = hosts_.host_of(team.me());
  leads_ = hosts_.host_rank(team.me()) == 0;
  if (spread_.hosts == 1) return;
  inside_ = group_of(core::RankList(hosts_.ranks_of(mine)), hosts_.host_rank(team.me()));
  leaders_ = group_of(firsts(hosts_, n), mine);  // who does not lead does not use it
}

Groups::Group Groups::group_of(core::RankList numbers, uint32_t me) const {
  return {std::make_unique<Members>(rank_, rma_, team_.ranks().at(numbers), me), std::move(numbers)};
}

Groups::Group Groups::heads(uint32_t root) const {
  std::vector<uint32_t> numbers;
  for (uint32_t host = 0; host < spread_.hosts; ++host)
    numbers.push_back(host == host_of(root) ? root : leader_of(host));
  return group_of(core::RankList(std::move(numbers)), host_of(team_.me()));
}

}  // namespace weft::coll
