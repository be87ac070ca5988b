#include "coll/engine.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "coll/algorithm.hpp"
#include "coll/barrier_phase.hpp"
#include "os/clock.hpp"

namespace weft::coll {

Engine::Engine(core::Rank& rank, rma::OneSided& rma, core::CallChecks& checks)
    : rank_(rank),
      rma_(rma),
      call_checks_(checks),
      checks_(checks.on ? std::make_unique<CollectiveChecks>(*this, checks) : nullptr),
      spins_(!rank.capabilities().crowded),
      recorder_(rank.recorder()),
      planner_(rank),
      slots_(2),
      bounce_buffers_(rank.heap()) {
  Members::register_handler(rank);
  auto team = std::make_unique<Team>(rank, rma, scheduler_, core::RankList(0, 1, rank.size()), rank.id());
  // At this moment all ranks' heaps are alike, so everybody's is where this one's is.
  Scratch::Place place{};
  if (!team->scratch.allocate(place, true).ok())
    rank.refuse("weft_init: no room in the segment for the scratch space of collectives; raise WEFT_SEGMENT_SIZE",
                false);
  team->scratch.connect(place);
  team->native = rank.conduit().native_collectives();
  slots_[1].team = std::move(team);
  rank.progress().add_work(tick, concerns, this);
  // Decorators are for one thread.
  if (rank.settings().progress == "thread" && rank.capabilities().may_bypass && !world().members.all_direct())
    thread_ = std::make_unique<CollectiveThread>([this] { return look_from_thread(); });
  plain_ = checks_ == nullptr && !planner_.tunes() && !shared();
}

// ---- Starting ----

// What differs between hosts changes the choice, so all must know alike whether it does anywhere.
void Engine::agree_between_hosts() {
  if (rank_.hosts().count() == 1) return;
  Team& team = world();
  const Shape shape = {.op = Op::reduce_all, .size = sizeof(uint64_t)};
  team.plans.entry(shape).decision.plan = {.algorithm = find_algorithm(Op::reduce_all, "doubling")};
  uint64_t any = Choice::differing(rank_);
  Fold fold;
  (void)make_fold("start", weft_reduction_of(WEFT_U64, WEFT_REDUCE_OR), fold);
  run(team, {.op = Op::reduce_all,
             .destination = reinterpret_cast<std::byte*>(&any),
             .source = reinterpret_cast<const std::byte*>(&any),
             .size = sizeof any,
             .fold = fold});
  team.plans.entry(shape) = {};
  team.trials.clear();
  planner_.choice().adjust(rank_, any);
  team.groups.set_direct(planner_.choice().direct_inside());
}

bool Engine::start(Team& team, const Request& request, VectorSizes* sizes, rma::Operation& user, bool alone) {
  const uint64_t began_ns = recorder_ != nullptr && !alone && user.call != nullptr ? os::now_ns() : 0;
  if (!alone && run_at_once<false>(team, request)) {
    if (began_ns != 0) recorder_->under_way(user.call, began_ns, os::now_ns());
    return true;
  }
  const auto guarded = guard();
  Call& call = make_call(team);
  call.began_ns_ = began_ns;
  call.function_ = user.call;
  call.request_ = request;
  if (sizes != nullptr) {
    call.sizes_ = std::move(*sizes);
    call.request_.sizes = &call.sizes_;
  }
  call.alone_ = alone;
  call.spin_ = alone && spins() && team.members.all_direct();
  call.planned_ = false;
  if (checks_) checks_->begins(call);
  enqueue(call);
  start_waiting(team);
  update_busy();
  if (call.state_ == Call::State::idle || call.state_ == Call::State::complete) return true;
  ++user.expected;
  call.user_ = &user;
  if (checks_ && !alone) checks_->goes_on(team, user);
  if (thread_ != nullptr && !alone) thread_->wake();
  return false;
}

void Engine::run(Team& team, const Request& request, VectorSizes* sizes) {
  if (!run_at_once<true>(team, request)) start_and_wait(team, request, sizes);
}

void Engine::start_and_wait(Team& team, const Request& request, VectorSizes* sizes) {
  rma::Operation operation;
  if (start(team, request, sizes, operation, true)) return;
  checks_ ? checks_->wait(team, operation) : rma_.wait_remote(operation);
}

void Engine::wait(const rma::Operation& operation) { checks_ ? checks_->wait(operation) : rma_.wait_remote(operation); }

// As run() or, if it may not wait, start(), for what is small, on mapped memory, with nothing waiting in front of it:
// no coroutine, no queue, and what was worked out for the last call of this size. False: nothing has happened.
template <bool may_wait>
bool Engine::run_at_once(Team& team, const Request& request) {
  if (!plain_ || !team.members.all_direct() || in_progress_ || team.first_waiting != nullptr) return false;
  if (request.in_all || request.out_all || request.own_copy || request.room != nullptr) return false;
  const PlanCache::Entry& entry = planner_.fitted_entry(team, request);
  const Algorithm& algorithm = *entry.decision.plan.algorithm;
  const Needs needs = {.lines = entry.room.lines, .bulk = entry.room.bulk};
  Region region;
  if (algorithm.at_once == nullptr || (!may_wait && algorithm.ready == nullptr)) return false;
  if (may_wait ? !team.scratch.reserve(needs, region) : !team.scratch.peek(needs, region)) return false;
  update_busy_if_waiting();
  Call& call = team.at_once ? *team.at_once : make_at_once(team);
  call.asked_ = &request;
  call.plan_ = entry.decision.plan;
  call.region_ = region;
  call.slot_bytes_ = entry.room.slot;
  call.own_ = team.members.segment() + team.scratch.banks(team.members.me());
  call.spin_ = spins_ && calls_ == 0;
  if (!may_wait) {
    if (!algorithm.ready(call)) return false;
    (void)team.scratch.reserve(needs, region);
  }
  algorithm.at_once(call);
  team.scratch.release(region);
  if (!call.bounce_buffers_.empty()) give_back_buffers(call);
  update_busy_if_waiting();
  return true;
}

Call& Engine::make_at_once(Team& team) {
  team.at_once = std::make_unique<Call>(*this, team);
  return *team.at_once;
}

void Engine::enqueue(Call& call) {
  Team& team = call.team_;
  call.next_ = nullptr;
  (team.last_waiting ? team.last_waiting->next_ : team.first_waiting) = &call;
  team.last_waiting = &call;
}

namespace {

// What counts of a call; nothing of most.
ExchangesUnderWay::Sends sends_of(const Request& request, const Algorithm& algorithm, const Members& members) {
  if ((request.op != Op::exchange && request.op != Op::exchange_v) || algorithm.native || members.all_direct())
    return {};
  const uint32_t others = members.size() - 1;
  if (request.sizes == nullptr) return {others, others * uint64_t{request.size}};
  return {others, std::accumulate(request.sizes->from_size, request.sizes->from_size + members.size(), uint64_t{0})};
}

}  // namespace

void Engine::start_held(Team& team) {
  ExchangesUnderWay& exchanges = team.exchanges;
  while (!exchanges.held.empty() && !exchanges.enough()) {
    Call& call = *exchanges.held.front();
    exchanges.held.erase(exchanges.held.begin());
    launch(call);
  }
}

void Engine::start_waiting(Team& team) {
  if (team.starting) return;
  team.starting = true;
  start_held(team);
  while (Call* call = team.first_waiting) {
    if (call->gated_ != 0) break;
    if (!call->planned_ && !make_plan(team, *call)) continue;
    if (!team.scratch.reserve(call->needs_, call->region_)) break;
    team.first_waiting = call->next_;
    if (team.first_waiting == nullptr) team.last_waiting = nullptr;
    ExchangesUnderWay& exchanges = team.exchanges;
    call->sends_ = sends_of(call->request_, *call->plan_.algorithm, team.members);
    if (call->sends_.messages != 0 && (exchanges.enough() || !exchanges.held.empty()))
      exchanges.held.push_back(call);
    else
      launch(*call);
  }
  team.starting = false;
  if (team.has_calls_to_start() && std::ranges::find(stalled_, &team) == stalled_.end()) stalled_.push_back(&team);
}

// The plan of the call that is the next on its team: here all members have come to the same point. False: another call
// has been put in front of it.
bool Engine::make_plan(Team& team, Call& call) {
  if (!planner_.tunes()) {
    const PlanCache::Entry& entry = planner_.fitted_entry(team, call.request_);
    call.plan_ = entry.decision.plan;
    set_needs(call, entry.room);
    return true;
  }
  const Shape shape = Planner::shape_of(team, call.request_);
  if (planner_.choice().forced(shape)) {
    call.plan_ = planner_.decision(team, shape).plan;
  } else {
    Trial& trial = planner_.trial_of(team, shape);
    if (trial.must_agree()) {
      agree_before(call, trial);
      return false;
    }
    bool measured = false;
    call.plan_ = trial.next(measured);
    if (measured && call.alone_) call.trial_ = &trial;
  }
  set_needs(call, Planner::room_of(shape, call.plan_));
  return true;
}

void Engine::set_needs(Call& call, const Room& room) {
  const uint32_t phases = static_cast<uint32_t>(call.request_.in_all) + call.request_.out_all;
  const uint32_t barriers = phases == 0 ? 0 : phases * barrier_lines(call.team_);
  call.first_barrier_line_ = room.lines;
  call.slot_bytes_ = room.slot;
  call.needs_ = {.lines = room.lines + barriers, .bulk = room.bulk};
  if (call.request_.room != nullptr) call.needs_ = larger(call.needs_, *call.request_.room);
  call.planned_ = true;
}

// ---- Tuning while the program runs ----

// A reduce-all of what the members have measured, in front of the call.
void Engine::agree_before(Call& call, Trial& trial) {
  Team& team = call.team_;
  Call& agreement = make_call_before(call, [](Call& over) {
    std::exchange(over.trial_, nullptr)->decide(static_cast<double>(os::now_ns() - over.started_ns_));
  });
  agreement.request_ = {.op = Op::reduce_all,
                        .destination = reinterpret_cast<std::byte*>(trial.agreed()),
                        .source = reinterpret_cast<const std::byte*>(trial.prepare_numbers()),
                        .size = Trial::numbers * sizeof(double)};
  (void)make_fold("online", weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), agreement.request_.fold);
  agreement.plan_ = {.algorithm = find_algorithm(Op::reduce_all, team.members.size() > 1 ? "doubling" : "flat")};
  set_needs(agreement, Planner::room_of(Planner::shape_of(team, agreement.request_), agreement.plan_));
  agreement.trial_ = &trial;
  agreement.next_ = &call;
  team.first_waiting = &agreement;
}

namespace {

// ALLSYNC: nobody before everybody.
Task between_barriers(Call& call, Task (*run)(Call&), uint32_t line, bool before, bool after) {
  const uint32_t lines = barrier_lines(call.team());
  if (before) co_await barrier_phase(call, line);
  co_await run(call);
  co_await call.sent();
  if (after) co_await barrier_phase(call, before ? line + lines : line);
}

}  // namespace

// A program that gives no data and wants some would go on with what was there before.
void Engine::check_data(const Call& call) {
  const Request& request = call.request_;
  const bool both = !has_root(request.op) || call.me() == request.root;
  const bool is_empty = request.size == 0 && request.sizes == nullptr;
  if (!both || is_empty || request.destination == nullptr || !os::Dataless::holds(request.source) ||
      os::Dataless::holds(request.destination))
    return;
  const std::string line =
      std::string("weft_") + name_of(request.op) +
      ": the source has no data, as in all jobs with --sim-data none, and the destination wants some";
  rank_.refuse(line.c_str(), false);
}

void Engine::launch(Call& call) {
  const Request& request = call.request_;
  if (os::Dataless::any()) check_data(call);
  call.own_ = call.members_.segment() + call.team_.scratch.banks(call.me());
  if (LineCheck* check = call.team_.scratch.line_check()) {
    const Algorithm& algorithm = *call.plan_.algorithm;
    call.checked_ =
        &check->begin(call.region_, call.needs_.lines, std::string(name_of(algorithm.op)) + "=" + algorithm.name);
  }
  call.state_ = Call::State::running;
  call.team_.exchanges.begins(call.sends_);
  if (call.plan_.algorithm->native) call.native_turn_ = call.team_.native_turns++;
  if (call.trial_ != nullptr) call.started_ns_ = os::now_ns();
  if (request.own_copy) {
    const size_t size = request.size * call.size();
    const Call::Window copy = call.temporary(size);
    os::copy_data(copy.at, request.source, size);
    call.request_.source = copy.at;
    call.request_.out_none = false;  // the copy goes with the call
  }
  // In progress() nobody may wait, and other threads must not find the engine locked for long.
  const Algorithm& algorithm = *call.plan_.algorithm;
  if (algorithm.at_once != nullptr && call.alone_ && !request.in_all && !request.out_all && !in_progress_ &&
      call.members_.all_direct() && !rank_.threads_multiple()) {
    algorithm.at_once(call);
    settle(call);
    return;
  }
  if (request.in_all || request.out_all) {
    call.task_ = between_barriers(call, algorithm.run, call.first_barrier_line_, request.in_all, request.out_all);
  } else {
    call.task_ = algorithm.run(call);
  }
  if (call.task_.ended()) {
    if (!settle(call)) ended_.push_back(&call);
    return;
  }
  call.task_.notify(
      [](void* owner) {
        auto& ended = *static_cast<Call*>(owner);
        ended.engine_.ended_.push_back(&ended);
      },
      &call);
}

// The task is over. Complete for the program when its sources may be reused; forgotten when nothing is outstanding.
bool Engine::settle(Call& call) {
  if (call.state_ == Call::State::running) {
    if (!call.puts_.local_done()) return false;
    call.state_ = Call::State::complete;
    call.team_.scratch.release(call.region_);
    call.team_.exchanges.ends(call.sends_);
    if (call.gates_ != nullptr) {
      call.on_over_(call);
      --std::exchange(call.gates_, nullptr)->gated_;
    } else if (call.trial_ != nullptr) {
      std::exchange(call.trial_, nullptr)->record(static_cast<double>(os::now_ns() - call.started_ns_));
    }
    if (call.began_ns_ != 0) recorder_->under_way(call.function_, call.began_ns_, os::now_ns());
    if (call.user_ != nullptr) {
      if (checks_) checks_->ended(call.user_);
      call.user_->completion.finish_local();
      call.user_->completion.finish_remote();
    }
  }
  if (!call.puts_.remote_done()) return false;
  recycle(call);
  return true;
}

// ---- Progress ----

int Engine::tick(void* self) {
  auto& engine = *static_cast<Engine*>(self);
  if (!engine.shared()) return engine.progress();
  if (!engine.lock_.try_lock()) return 0;
  const int done = engine.progress();
  engine.lock_.unlock();
  return done;
}

// What has ended waits for operations, and what has not begun for what has not ended.
bool Engine::concerns(const void* self, const std::byte* begin, size_t size) {
  return static_cast<const Engine*>(self)->scheduler_.concerns(begin, size);
}

CollectiveThread::Look Engine::look_from_thread() {
  if (!lock_.try_lock()) return {.happened = false, .more = true};
  const CollectiveThread::Look look = {.happened = progress() != 0, .more = !idle()};
  lock_.unlock();
  return look;
}

void Engine::update_busy() { rank_.progress().busy(!idle()); }

int Engine::progress() {
  if (in_progress_) return 0;
  in_progress_ = true;
  int done = scheduler_.run();
  for (size_t i = 0; i < ended_.size();) {
    if (!settle(*ended_[i])) {
      ++i;
      continue;
    }
    ++done;
    ended_[i] = ended_.back();
    ended_.pop_back();
  }
  for (size_t i = 0; i < stalled_.size();) {
    Team& team = *stalled_[i];
    start_waiting(team);
    if (team.has_calls_to_start()) {
      ++i;
      continue;
    }
    stalled_[i] = stalled_.back();
    stalled_.pop_back();
  }
  if (!freed_.empty()) collect_freed_teams();
  update_busy();
  in_progress_ = false;
  return done;
}

// ---- Calls and memory ----

Call& Engine::make_call(Team& team) {
  ++calls_;
  ++team.calls;
  if (!team.idle_calls.empty()) {
    Call& call = *team.idle_calls.back();
    team.idle_calls.pop_back();
    call.state_ = Call::State::waiting;
    return call;
  }
  team.all_calls.push_back(std::make_unique<Call>(*this, team));
  team.idle_calls.reserve(team.all_calls.size());
  return *team.all_calls.back();
}

// A call of the runtime's own for which `call` waits. The caller queues it in front.
Call& Engine::make_call_before(Call& call, void (*on_over)(Call&)) {
  Call& first = make_call(call.team_);
  first.alone_ = false;
  first.spin_ = false;
  first.gates_ = &call;
  first.on_over_ = on_over;
  ++call.gated_;
  return first;
}

void Engine::recycle(Call& call) {
  call.task_.clear();
  while (call.kept_ != nullptr) FramePool::release(std::exchange(call.kept_, call.kept_->next));
  give_back_buffers(call);
  if (call.puts_.expected != 0) call.puts_.reset();
  call.sizes_.storage.reset();
  call.user_ = nullptr;
  call.began_ns_ = 0;
  call.state_ = Call::State::idle;
  --calls_;
  --call.team_.calls;
  call.team_.idle_calls.push_back(&call);
}

Call::Window Engine::bounce_buffer(size_t size) {
  uint64_t offset = 0;
  if (!bounce_buffers_.take(size, offset))
    rank_.refuse_for_room(size, "a collective needs there for data that lies outside it");
  return {.at = rank_.conduit().segment() + offset, .offset = offset, .bounced = true, .size = size};
}

void Engine::give_back_buffers(Call& call) {
  for (const Call::Window& window : call.bounce_buffers_) bounce_buffers_.give_back(window.offset, window.size);
  call.bounce_buffers_.clear();
}

void Engine::finish() {
  if (checks_) checks_->wait_for_freed_teams();
  rank_.progress().wait([this] {
    const auto guarded = guard();
    if (calls_ != 0 || !freed_.empty()) return false;
    return std::ranges::all_of(slots_, [](const Slot& slot) { return !slot.team || slot.team->scratch.quiet(); });
  });
  for (const Slot& slot : slots_)
    if (slot.team) slot.team->scratch.check_lines();
}

}  // namespace weft::coll
