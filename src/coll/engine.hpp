// All collectives of a rank: the teams, the calls under way, and their progress.
#pragma once

#include <memory>
#include <vector>

#include "base/spin_lock.hpp"
#include "coll/bounce_buffers.hpp"
#include "coll/call.hpp"
#include "coll/collective_checks.hpp"
#include "coll/collective_thread.hpp"
#include "coll/planner.hpp"
#include "weft/team.h"

namespace weft::coll {

class Engine {
 public:
  /// `checks`: are told of collectives and of teams' barriers, if they are on.
  Engine(core::Rank& rank, rma::OneSided& rma, core::CallChecks& checks);
  /// All ranks, once, before anything else: ranks of several hosts agree on what to choose from. All handlers of
  /// internal messages must be there, since a rank that is through may send any of them to one that is not.
  void agree_between_hosts();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Begins a collective; `user` is counted when it is complete, unless it is when this returns true. `alone`: the
  /// caller will wait for it at once. `sizes` are taken over.
  bool start(Team& team, const Request& request, VectorSizes* sizes, rma::Operation& user, bool alone);
  /// Waits for the operation, which may be one of start()'s.
  void wait(const rma::Operation& operation);
  /// Begins a collective and waits.
  void run(Team& team, const Request& request, VectorSizes* sizes = nullptr);

  // ---- Teams ----

  Team& world() { return *slots_[1].team; }
  /// Null if the handle is that of a freed team, or of none.
  Team* find(weft_team_t handle);
  /// How a new team is to be formed, by each member of the parent: WEFT_NO_COLOR or a colour; order by key.
  Status split(weft_team_t parent, int64_t color, int64_t key, const TeamCall& call, weft_team_t& handle);
  /// A team of members of the parent whose numbers, in the new team's order, those that are to be in it know alike;
  /// others give none. All members of the parent call it; if one says that it is not valid, none gets a team.
  Status make(weft_team_t parent, const core::RankList& members, bool valid, const TeamCall* call, weft_team_t& handle);
  /// The least and the most that members have.
  struct Range {
    uint64_t least, most;
  };
  Range range(Team& team, uint64_t value, const TeamCall& call);
  void free(weft_team_t handle);
  /// Makes room for later broadcasts of up to `broadcast` bytes in the segment, and for reductions to all and
  /// gather-alls with results of up to `result` bytes. No call of the team is under way. WEFT_OK or WEFT_ERR_NO_MEMORY,
  /// alike on all members.
  Status reserve(Team& team, size_t broadcast, size_t result);

  /// The split-phase barrier of a team; that of all ranks is apart (capi::RankState).
  Barrier& barrier(Team& team);

  /// Waits until teams that were freed are gone and nothing is under way.
  void finish();

  core::Rank& core() { return rank_; }
  rma::OneSided& rma() { return rma_; }
  Scheduler& scheduler() { return scheduler_; }
  /// For the planner and what it keeps on teams, which the collective thread may use at the same time.
  base::OptionalGuard guard() { return {lock_, shared()}; }
  Planner& planner() { return planner_; }

  // ---- For calls ----

  Call::Window bounce_buffer(size_t size);
  bool spins() const { return calls_ == 1 && spins_; }

 private:
  friend class CollectiveChecks;
  struct Slot {
    std::unique_ptr<Team> team;
    uint32_t generation = 0;
  };

  bool shared() const { return rank_.threads_multiple() || thread_ != nullptr; }
  static int tick(void* self);
  static bool concerns(const void* self, const std::byte* begin, size_t size);
  int progress();
  void update_busy();
  bool idle() const { return scheduler_.idle() && ended_.empty() && stalled_.empty() && freed_.empty(); }
  CollectiveThread::Look look_from_thread();
  template <bool may_wait>
  bool run_at_once(Team& team, const Request& request);
  Call& make_at_once(Team& team);
  [[gnu::noinline]] void start_and_wait(Team& team, const Request& request, VectorSizes* sizes);
  void update_busy_if_waiting() {
    if (!scheduler_.idle()) update_busy();
  }
  void enqueue(Call& call);
  void start_waiting(Team& team);
  void start_held(Team& team);
  void check_data(const Call& call);
  void launch(Call& call);
  bool settle(Call& call);
  Call& make_call(Team& team);
  void recycle(Call& call);
  void give_back_buffers(Call& call);
  void collect_freed_teams();
  weft_team_t adopt(std::unique_ptr<Team> team);
  Barrier::Wiring barrier_wiring(Team& team);
  Call& make_call_before(Call& call, void (*on_over)(Call&));
  bool make_plan(Team& team, Call& call);
  static void set_needs(Call& call, const Room& room);
  void agree_before(Call& call, Trial& trial);

  core::Rank& rank_;
  rma::OneSided& rma_;
  core::CallChecks& call_checks_;                   // for the teams' barriers
  const std::unique_ptr<CollectiveChecks> checks_;  // null if they are off
  base::SpinLock lock_;
  Scheduler scheduler_;
  bool spins_;
  conduit::hook::Recorder* recorder_;  // is told from when to when collectives were under way; or null
  Planner planner_;
  bool plain_ = false;  // nobody checks calls, times them, or makes them on several threads
  bool in_progress_ = false;
  std::vector<Slot> slots_;
  uint32_t calls_ = 0;                        // under way
  std::vector<Call*> ended_;                  // their tasks are over, their puts may not be
  std::vector<Team*> stalled_;                // with calls to be started later
  std::vector<std::unique_ptr<Team>> freed_;  // given up, not gone
  BounceBuffers bounce_buffers_;
  std::unique_ptr<CollectiveThread>
      thread_;  // where not all ranks are mapped; the last, so that it ends before what it looks at
};

}  // namespace weft::coll
