// Making and freeing teams, and their split-phase barrier.
#include <algorithm>
#include <bit>

#include "base/log.hpp"
#include "coll/barrier_phase.hpp"
#include "coll/engine.hpp"

namespace weft::coll {

Team::Team(core::Rank& rank, rma::OneSided& rma, Scheduler& scheduler, core::RankList ranks, uint32_t me)
    : members(rank, rma, std::move(ranks), me), groups(rank, rma, members), scratch(members, scheduler) {}
Team::~Team() = default;

Team* Engine::find(weft_team_t handle) {
  const auto number = static_cast<uint32_t>(handle);
  if (number == 0 || number >= slots_.size()) return nullptr;
  Slot& slot = slots_[number];
  return slot.generation == static_cast<uint32_t>(handle >> 32) ? slot.team.get() : nullptr;
}

weft_team_t Engine::adopt(std::unique_ptr<Team> team) {
  uint32_t number = 2;
  while (number < slots_.size() && slots_[number].team) ++number;
  if (number == slots_.size()) slots_.emplace_back();
  slots_[number].team = std::move(team);
  return uint64_t{slots_[number].generation} << 32 | number;
}

// A gather-all over the parent says who goes where.
Status Engine::split(weft_team_t parent_handle, int64_t color, int64_t key, const TeamCall& call, weft_team_t& handle) {
  struct Wish {
    int64_t color, key;
  };
  const Team& parent = *find(parent_handle);
  const uint32_t size = parent.members.size();
  const Wish mine = {color, key};
  std::vector<Wish> wishes(size);
  run(*find(parent_handle), {.op = Op::gather_all,
                             .destination = reinterpret_cast<std::byte*>(wishes.data()),
                             .source = reinterpret_cast<const std::byte*>(&mine),
                             .size = sizeof mine,
                             .team_call = &call});
  if (std::ranges::any_of(wishes, [](const Wish& wish) { return wish.color < WEFT_NO_COLOR; })) return WEFT_ERR_INVALID;
  std::vector<uint32_t> members;
  for (uint32_t member = 0; member < size; ++member)
    if (color != WEFT_NO_COLOR && wishes[member].color == color) members.push_back(member);
  std::ranges::stable_sort(members, {}, [&](uint32_t member) { return wishes[member].key; });
  return make(parent_handle, core::RankList(std::move(members)), true, nullptr, handle);
}

namespace {

// What members agree on by the maximum of each number. A number and its complement together say whether all are alike.
struct Agreement {
  uint64_t invalid = 0, no_memory = 0;
  uint64_t control = 0, not_control = 0, banks = 0, not_banks = 0;

  void propose(const Scratch::Place& place) {
    control = place.control, not_control = ~place.control;
    banks = place.banks, not_banks = ~place.banks;
  }
  bool alike() const { return control == ~not_control && banks == ~not_banks; }
};

}  // namespace

// Then all agree whether everybody has what it needs and, as long as their heaps have had the same use, that
// everybody's scratch space is at the same place. Else a gather-all says where.
Status Engine::make(weft_team_t parent_handle, const core::RankList& members, bool valid, const TeamCall* call,
                    weft_team_t& handle) {
  rank_.progress().poll();  // gives back what freed teams had
  Team& parent = *find(parent_handle);
  Agreement agreement = {.invalid = valid ? 0u : 1u};
  std::unique_ptr<Team> team;
  Scratch::Place place{};
  if (valid && members.size() != 0) {
    team = std::make_unique<Team>(rank_, rma_, scheduler_, parent.members.ranks().at(members),
                                  members.find(parent.members.me()));
    team->groups.set_direct(planner_.choice().direct_inside());
    if (team->scratch.allocate(place).ok()) {
      team->scratch.connect(place);
      agreement.propose(place);
    } else {
      place = {};
      agreement.no_memory = 1;
    }
  }
  Fold fold;
  (void)make_fold("a team", weft_reduction_of(WEFT_U64, WEFT_REDUCE_MAX), fold);
  run(parent, {.op = Op::reduce_all,
               .destination = reinterpret_cast<std::byte*>(&agreement),
               .source = reinterpret_cast<const std::byte*>(&agreement),
               .size = sizeof agreement,
               .fold = fold,
               .team_call = call});
  if (agreement.invalid != 0) return WEFT_ERR_INVALID;
  if (agreement.no_memory != 0) return WEFT_ERR_NO_MEMORY;
  if (!agreement.alike()) {
    std::vector<Scratch::Place> places(parent.members.size()), theirs;
    run(parent, {.op = Op::gather_all,
                 .destination = reinterpret_cast<std::byte*>(places.data()),
                 .source = reinterpret_cast<const std::byte*>(&place),
                 .size = sizeof place});
    for (uint32_t i = 0; i < members.size(); ++i) theirs.push_back(places[members[i]]);
    if (team) team->scratch.connect(std::move(theirs));
  }
  const auto guarded = guard();
  if (team && checks_) checks_->team_made(*team);
  handle = team ? adopt(std::move(team)) : WEFT_TEAM_NONE;
  return {};
}

Engine::Range Engine::range(Team& team, uint64_t value, const TeamCall& call) {
  uint64_t most[] = {value, ~value};
  Fold fold;
  (void)make_fold("a team", weft_reduction_of(WEFT_U64, WEFT_REDUCE_MAX), fold);
  run(team, {.op = Op::reduce_all,
             .destination = reinterpret_cast<std::byte*>(most),
             .source = reinterpret_cast<const std::byte*>(most),
             .size = sizeof most,
             .fold = fold,
             .team_call = &call});
  return {.least = ~most[1], .most = most[0]};
}

namespace {

// Buffers in the place of the program's that one collective may have at a time: its operands and what it combines; with
// several hosts the same in each stage.
constexpr unsigned buffers_of_call = 3, buffers_of_stages = 6;
// Results that the largest of them holds.
constexpr size_t buffer_results = 4;

}  // namespace

// Members that have the memory say so before any of them takes it, by a call that the banks serve as they are; then the
// banks grow with a barrier that asks for that much.
Status Engine::reserve(Team& team, size_t broadcast, size_t result) {
  const Members& members = team.members;
  Needs needs;
  bool has_room = true;
  {
    const auto guarded = guard();
    needs = larger(planner_.most_needs(team, Op::barrier, 0), planner_.most_needs(team, Op::broadcast, broadcast));
    needs = larger(needs, planner_.most_needs(team, Op::reduce_all, result));
    needs = larger(needs, planner_.most_needs(team, Op::gather_all, result / members.size()));
    needs.lines += 2 * barrier_lines(team);  // of calls with ALLSYNC
    if (checks_) needs.lines = std::max(needs.lines, members.size());
    const unsigned buffers = team.groups.spread().hosts > 1 ? buffers_of_stages : buffers_of_call;
    has_room = result == 0 || bounce_buffers_.reserve(buffer_results * result, buffers);
    team.scratch.keep_for(needs);
    const size_t growth = team.scratch.growth_for(needs);
    has_room = has_room && (growth == 0 || rank_.heap().has_local_room(growth, Scratch::alignment));
  }
  if (range(team, has_room ? 1 : 0, {}).least == 0) return WEFT_ERR_NO_MEMORY;
  run(team, {.op = Op::barrier, .room = &needs});
  return {};
}

// The last collective of a team is a barrier: when it is over everybody has ended all the others.
void Engine::free(weft_team_t handle) {
  Team& team = *find(handle);
  rma::Operation& over = team.over;
  constexpr TeamCall call = {.function = TeamFunction::free};
  (void)start(team, {.op = Op::barrier, .team_call = &call}, {}, over, false);
  const auto guarded = guard();
  Slot& slot = slots_[static_cast<uint32_t>(handle)];
  ++slot.generation;
  freed_.push_back(std::move(slot.team));
  collect_freed_teams();
  update_busy();
}

void Engine::collect_freed_teams() {
  std::erase_if(freed_, [](const std::unique_ptr<Team>& team) {
    if (!team->over.remote_done() || team->calls != 0 || !team->scratch.quiet()) return false;
    team->scratch.check_lines();
    return true;
  });
}

// ---- The split-phase barrier ----

Barrier& Engine::barrier(Team& team) {
  if (!team.barrier) team.barrier = std::make_unique<Barrier>(rank_, call_checks_, barrier_wiring(team));
  return *team.barrier;
}

Barrier::Wiring Engine::barrier_wiring(Team& team) {
  const auto area = [&team](uint32_t member) {
    std::byte* const segment = team.members.direct(member);
    return segment == nullptr ? nullptr : reinterpret_cast<Barrier::Area*>(segment + team.scratch.barrier_area(member));
  };
  const auto send = [this, &team](uint32_t member, uint64_t parity, uint32_t step, uint64_t word) {
    const uint64_t at = team.scratch.barrier_area(member) + Dissemination::offset_of(parity, step);
    rank_.progress().wait(
        [&] { return team.members.put_signal(member, 0, nullptr, 0, at, word, team.scratch.detached()); });
  };
  const uint32_t me = team.members.me();
  const bool share_processors = rank_.capabilities().crowded && team.members.all_direct();
  return {.team = team.id(),
          .members = team.members.ranks(),
          .me = me,
          .schedule = Schedule::suited(team.members.size(), share_processors),
          .own = area(me),
          .area = area,
          .send = send};
}

}  // namespace weft::coll
