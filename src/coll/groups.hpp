// The members of a team by host: those of this rank's host, and the leaders, which are the first members of each host.
// Where members are placed regularly nothing of this is listed.
#pragma once

#include <memory>

#include "boot/hosts.hpp"
#include "coll/plan.hpp"
#include "coll/scratch.hpp"
#include "core/rank_list.hpp"

namespace weft::coll {

class Groups {
 public:
  struct Group {
    std::unique_ptr<Members> members;
    core::RankList numbers;  // in the team
  };

  Groups(core::Rank& rank, rma::OneSided& rma, const Members& team);
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  const Spread& spread() const { return spread_; }
  /// Where ranks of a host are mapped: known only when all ranks have told.
  void set_direct(bool direct) { spread_.direct = direct; }

  // ---- Only if spread().hosts > 1 ----

  const Group& inside() const { return inside_; }
  const Group& leaders() const { return leaders_; }
  /// The leaders, but on the root's host the root, so that nothing has to go through its leader.
  Group heads(uint32_t root) const;
  /// Hosts are numbered by their first members.
  uint32_t host_of(uint32_t member) const { return hosts_.host_of(member); }
  uint32_t leader_of(uint32_t host) const { return leaders_.numbers[host]; }
  /// The member's number among those of its host.
  uint32_t inside_number(uint32_t member) const { return hosts_.host_rank(member); }
  bool leads() const { return leads_; }
  /// No other member is on this rank's host.
  bool alone() const { return inside_.numbers.size() == 1; }

 private:
  Group group_of(core::RankList numbers, uint32_t me) const;

  core::Rank& rank_;
  rma::OneSided& rma_;
  const Members& team_;
  boot::Hosts hosts_;  // of members
  Spread spread_;
  Group inside_, leaders_;
  bool leads_ = true;
};

}  // namespace weft::coll
