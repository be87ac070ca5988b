#include "weft/team.h"

#include <algorithm>
#include <span>
#include <vector>

#include "capi/collective.hpp"

namespace weft::capi {
namespace {

coll::Engine& engine_of(Thread& thread) { return thread.rank->coll; }

// A hash of a list, so that all members can see that they have the same one.
constexpr uint64_t no_hash = UINT64_MAX;
uint64_t hash_of(const uint32_t* members, uint32_t count) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint32_t i = 0; i < count; ++i) hash = (hash ^ members[i]) * 0x100000001b3;
  return (hash ^ count) >> 1;
}

// Logs an error if a member does not exist or is listed twice.
bool is_list_of_members(const char* function, const coll::Team& team, std::span<const uint32_t> list) {
  std::vector<uint32_t> sorted(list.begin(), list.end());
  std::ranges::sort(sorted);
  if (!sorted.empty() && !has_member(function, team, sorted.back())) return false;
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) base::log_error("%s: %s is listed twice", function, team.members.name(*twice).c_str());
  return twice == sorted.end();
}

// All members' values of something, for checking before a split.
std::vector<int64_t> gather(Thread& thread, coll::Team& team, int64_t value, const coll::TeamCall& call) {
  std::vector<int64_t> all(team.members.size());
  engine_of(thread).run(team, {.op = coll::Op::gather_all,
                               .destination = reinterpret_cast<std::byte*>(all.data()),
                               .source = reinterpret_cast<const std::byte*>(&value),
                               .size = sizeof value,
                               .team_call = &call});
  return all;
}

// The new team of these members of the parent, if they are valid on all ranks.
int make(Thread& thread, weft_team_t parent, const core::RankList& members, bool valid, const coll::TeamCall* call,
         weft_team_t* team) {
  weft_team_t made = WEFT_TEAM_NONE;
  const Status status = engine_of(thread).make(parent, members, valid, call, made);
  if (status.ok()) *team = made;
  return status.code();
}

}  // namespace

coll::Team& find_team(Thread& thread, const char* function, weft_team_t team) {
  coll::Team* found = thread.rank->coll.find(team);
  if (found == nullptr)
    misuse("%s: team %#llx was freed, or never was a team%s", function, static_cast<unsigned long long>(team),
           team == WEFT_TEAM_NONE ? " (it is WEFT_TEAM_NONE)" : "");
  return *found;
}

void tell_no_member(const char* function, const coll::Team& team, uint32_t member) {
  const uint32_t size = team.members.size();
  base::log_error("%s: there is no member %u in a team of %u, whose members are 0 to %u", function, member, size,
                  size - 1);
}

}  // namespace weft::capi

using namespace weft::capi;

extern "C" {

int weft_team_split(weft_team_t parent, int32_t color, int32_t key, weft_team_t* team) {
  Thread& thread = enter("weft_team_split");
  check_pointer("weft_team_split", team, "pointer to the team");
  find_team(thread, "weft_team_split", parent);
  if (color < WEFT_NO_COLOR)
    weft::base::log_error("weft_team_split: colour %d; it is at least 0, or WEFT_NO_COLOR", color);
  weft_team_t made = WEFT_TEAM_NONE;
  const weft::Status status = engine_of(thread).split(parent, color, key, {weft::coll::TeamFunction::split}, made);
  if (status.ok()) *team = made;
  return status.code();
}

int weft_team_split_stride(weft_team_t parent, uint32_t count, uint32_t stride, weft_team_t* team) {
  Thread& thread = enter("weft_team_split_stride");
  check_pointer("weft_team_split_stride", team, "pointer to the team");
  const auto& members = find_team(thread, "weft_team_split_stride", parent).members;
  const uint64_t block = uint64_t{count} * stride;
  const bool fits = block != 0 && members.size() % block == 0;
  if (!fits)
    weft::base::log_error("weft_team_split_stride: teams of %u, %u apart, do not cut a team of %u into equal parts",
                          count, stride, members.size());
  const uint32_t me = members.me();
  const auto first = static_cast<uint32_t>(fits ? me / block * block + me % stride : 0);
  const weft::coll::TeamCall call = {weft::coll::TeamFunction::split_stride, count, stride};
  return make(thread, parent, {first, stride, count}, fits, &call, team);
}

int weft_team_split_host(weft_team_t parent, weft_team_t* team) {
  Thread& thread = enter("weft_team_split_host");
  check_pointer("weft_team_split_host", team, "pointer to the team");
  const auto& all = find_team(thread, "weft_team_split_host", parent).members;
  const weft::core::Rank& rank = *thread.rank->core;
  std::vector<uint32_t> members;
  for (uint32_t member = 0; member < all.size(); ++member)
    if (rank.hosts().together(all.rank(member), rank.id())) members.push_back(member);
  constexpr weft::coll::TeamCall call = {weft::coll::TeamFunction::split_host};
  return make(thread, parent, weft::core::RankList(std::move(members)), true, &call, team);
}

int weft_team_from_list(weft_team_t parent, const uint32_t* list, uint32_t count, weft_team_t* team) {
  constexpr weft::coll::TeamCall call = {weft::coll::TeamFunction::from_list};
  Thread& thread = enter("weft_team_from_list");
  check_pointer("weft_team_from_list", team, "pointer to the team");
  check_pointer("weft_team_from_list", list, count, "list of members");
  weft::coll::Team& found = find_team(thread, "weft_team_from_list", parent);
  const bool valid = is_list_of_members("weft_team_from_list", found, {list, count});
  const auto hashes = engine_of(thread).range(found, valid ? hash_of(list, count) : no_hash, call);
  if (hashes.most == no_hash) return WEFT_ERR_INVALID;
  if (hashes.least != hashes.most) {
    if (found.members.me() == 0) weft::base::log_error("weft_team_from_list: the lists of the parent's members differ");
    return WEFT_ERR_MISMATCH;
  }
  const bool listed = std::find(list, list + count, found.members.me()) != list + count;
  const std::vector<uint32_t> members(list, listed ? list + count : list);
  return make(thread, parent, weft::core::RankList(members), true, nullptr, team);
}

int weft_team_pair(weft_team_t parent, uint32_t partner, weft_team_t* team) {
  constexpr weft::coll::TeamCall call = {weft::coll::TeamFunction::pair};
  Thread& thread = enter("weft_team_pair");
  check_pointer("weft_team_pair", team, "pointer to the team");
  weft::coll::Team& found = find_team(thread, "weft_team_pair", parent);
  const uint32_t size = found.members.size();
  (void)has_member("weft_team_pair", found, partner);
  const std::vector<int64_t> partners = gather(thread, found, partner, call);
  if (std::ranges::any_of(partners, [&](int64_t other) { return other >= size; })) return WEFT_ERR_INVALID;
  for (uint32_t member = 0; member < size; ++member) {
    const auto other = static_cast<uint32_t>(partners[member]);
    if (partners[other] == member) continue;
    if (found.members.me() == 0)
      weft::base::log_error("weft_team_pair: %s names %s, which names %s", found.members.name(member).c_str(),
                            found.members.name(other).c_str(),
                            found.members.name(static_cast<uint32_t>(partners[other])).c_str());
    return WEFT_ERR_MISMATCH;
  }
  std::vector<uint32_t> both = {std::min(found.members.me(), partner)};
  if (partner != found.members.me()) both.push_back(std::max(found.members.me(), partner));
  return make(thread, parent, weft::core::RankList(std::move(both)), true, nullptr, team);
}

int weft_team_free(weft_team_t team) {
  Thread& thread = enter("weft_team_free");
  if (team == WEFT_TEAM_NONE) return WEFT_OK;
  if (team == WEFT_TEAM_WORLD) misuse("weft_team_free: WEFT_TEAM_WORLD is not freed");
  find_team(thread, "weft_team_free", team);
  engine_of(thread).free(team);
  return WEFT_OK;
}

uint32_t weft_team_rank(weft_team_t team) {
  return find_team(enter_anywhere("weft_team_rank"), "weft_team_rank", team).members.me();
}

uint32_t weft_team_size(weft_team_t team) {
  return find_team(enter_anywhere("weft_team_size"), "weft_team_size", team).members.size();
}

weft_rank_t weft_team_world_rank(weft_team_t team, uint32_t member) {
  const auto& members = find_team(enter_anywhere("weft_team_world_rank"), "weft_team_world_rank", team).members;
  if (member >= members.size())
    misuse("weft_team_world_rank: there is no member %u in a team of %u", member, members.size());
  return members.rank(member);
}

uint32_t weft_team_member(weft_team_t team, weft_rank_t rank) {
  static_assert(WEFT_NO_MEMBER == weft::core::RankList::nowhere);
  return find_team(enter_anywhere("weft_team_member"), "weft_team_member", team).members.ranks().find(rank);
}

int weft_team_translate(weft_team_t from, const uint32_t* members, size_t count, weft_team_t to, uint32_t* result) {
  check_pointer("weft_team_translate", members, count, "list of members");
  check_pointer("weft_team_translate", result, count, "list of results");
  for (size_t i = 0; i < count; ++i) result[i] = weft_team_member(to, weft_team_world_rank(from, members[i]));
  return WEFT_OK;
}

}  // extern "C"
