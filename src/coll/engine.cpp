#include "coll/engine.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "base/log.hpp"
#include "coll/algorithm.hpp"
#include "coll/barrier_phase.hpp"
#include "coll/comparison.hpp"
#include "os/clock.hpp"
#include "os/processor.hpp"
#include "weft/detail/context.h"

namespace weft::coll {

Engine::Engine(core::Rank& rank, rma::Engine& rma, core::Deadlock& deadlock)
    : rank_(rank),
      rma_(rma),
      deadlock_(deadlock),
      spins_(!rank.capabilities().crowded),
      check_(rank.settings().check),
      traced_(rank.conduit().watches_everything()),
      choice_(rank),
      slots_(2),
      stand_ins_(64) {
  Members::register_handler(rank);
  std::vector<RankId> everyone(rank.size());
  for (RankId r = 0; r < rank.size(); ++r) everyone[r] = r;
  auto team = std::make_unique<Team>(rank, rma, scheduler_, std::move(everyone), rank.id());
  // At this moment all ranks' heaps are alike, so everybody's is where this one's is.
  Scratch::Place place{};
  if (!team->scratch.allocate(place, true).ok())
    rank.refuse("weft_init: no room in the segment for the scratch space of collectives; raise WEFT_SEGMENT_SIZE");
  team->scratch.connect(std::vector<Scratch::Place>(rank.size(), place));
  slots_[1].team = std::move(team);
  rank.progress().add_work(tick, this);
  start_tuning();
  // Decorators are for one thread.
  const bool plain = !rank.conduit().watches_everything() && rank.settings().fault.empty();
  if (rank.settings().progress == "thread" && plain && !world().members.all_direct())
    helper_ = std::thread([this] { help(); });
  plain_ = !check_ && !deadlock_.checks() && !tuning_ && !shared();
}

Engine::~Engine() {
  if (!helper_.joinable()) return;
  wanted_.store(2, std::memory_order_release);
  wanted_.notify_one();
  helper_.join();
}

void Engine::end_job(const char* line) {
  std::fflush(nullptr);
  rank_.boot().abort(1, line);
  __builtin_unreachable();
}

void Engine::refuse_for_room(size_t size, const char* use) {
  const char* call = weft_detail_current != nullptr ? weft_detail_current->call : nullptr;
  char line[240];
  std::snprintf(line, sizeof line,
                "%s: no room in the segment for the %zu bytes that a collective needs there for %s; raise "
                "WEFT_SEGMENT_SIZE, or leave more of it free",
                call != nullptr ? call : "weft_init", size, use);
  rank_.refuse(line);
}

void Engine::start_tuning() {
  const base::Settings& settings = rank_.settings();
  if (settings.tune == "online")
    tuning_ = std::make_unique<TuningBudget>(settings.tune_budget / 100);
}

// ---- Starting ----

Shape Engine::shape_of(const Team& team, const Request& request) {
  return {.op = request.op,
          .members = team.members.size(),
          .size = request.size,
          .element = request.fold.element,
          .commutative = request.fold.commutative,
          .direct = team.members.all_direct(),
          .spread = team.groups.spread()};
}

const Plan& Engine::plan(Team& team, const Shape& shape) {
  Plan& plan = team.plans.entry(shape).plan;
  if (plan.algorithm == nullptr) {
    Shape typical = shape;
    typical.size = PlanCache::largest(PlanCache::class_of(shape.size));
    set_plan(team, typical, choice_.choose(typical));
  }
  return plan;
}

void Engine::set_plan(Team& team, const Shape& shape, const Plan& plan) {
  team.plans.entry(shape) = {.plan = plan.algorithm == nullptr ? plan : composed(team, shape, plan)};
}

Plan Engine::composed(Team& team, const Shape& shape, Plan plan) {
  if (plan.algorithm->compose != nullptr)
    plan.stages = team.plans.keep(plan.algorithm->compose(choice_.model(shape), shape));
  return plan;
}

// What differs between hosts changes the choice, so all must know alike whether it does anywhere.
void Engine::agree_between_hosts() {
  if (rank_.hosts().count() == 1) return;
  Team& team = world();
  const Shape shape = {.op = Op::reduce_all, .size = sizeof(uint64_t)};
  team.plans.entry(shape).plan = {.algorithm = find_algorithm(Op::reduce_all, "doubling")};
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
  choice_.adjust(rank_, any);
  team.groups.set_direct(choice_.direct_inside());
}

bool Engine::start(Team& team, const Request& request, VectorSizes* sizes, rma::Operation& user, bool alone) {
  const uint64_t began_ns = traced_ && !alone && user.call != nullptr ? os::now_ns() : 0;
  if (!alone && run_at_once<false>(team, request)) {
    if (began_ns != 0) rank_.conduit().under_way(user.call, began_ns, os::now_ns());
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
  if (check_) compare_before(call);
  const uint64_t number = deadlock_.checks() ? deadlock_.begin(id_of(team), core::Deadlock::Kind::collective) : 0;
  enqueue(call);
  start_waiting(team);
  update_busy();
  if (call.state_ == Call::State::idle || call.state_ == Call::State::complete) return true;
  ++user.expected;
  call.user_ = &user;
  if (number != 0 && !alone) awaited_[&user] = {&team, number};
  if (helper_.joinable() && !alone && wanted_.exchange(1, std::memory_order_acq_rel) == 0) wanted_.notify_one();
  return false;
}

void Engine::run(Team& team, const Request& request, VectorSizes* sizes) {
  if (!run_at_once<true>(team, request)) start_and_wait(team, request, sizes);
}

void Engine::start_and_wait(Team& team, const Request& request, VectorSizes* sizes) {
  rma::Operation operation;
  if (start(team, request, sizes, operation, true)) return;
  if (!deadlock_.checks()) return rma_.wait_remote(operation);
  deadlock_.wait(id_of(team), core::Deadlock::Kind::collective, team.members.ranks(),
                 [&] { return operation.remote_done(); });
}

void Engine::wait(const rma::Operation& operation) {
  Awaited awaited{};
  if (deadlock_.checks()) {
    const auto guarded = guard();
    if (const auto found = awaited_.find(&operation); found != awaited_.end()) awaited = found->second;
  }
  if (awaited.team == nullptr) return rma_.wait_remote(operation);
  deadlock_.wait(
      id_of(*awaited.team), core::Deadlock::Kind::collective, awaited.team->members.ranks(),
      [&] { return operation.remote_done(); }, awaited.number, operation.call);
}

core::Deadlock::TeamId Engine::id_of(const Team& team) {
  return {team.members.rank(0), team.scratch.control(0)};
}

// As run() or, if it may not wait, start(), for what is small, on mapped memory, with nothing waiting in front of it: no
// coroutine, no queue, and what was worked out for the last call of this size. False: nothing has happened.
template <bool may_wait>
bool Engine::run_at_once(Team& team, const Request& request) {
  if (!plain_ || !team.members.all_direct() || in_progress_ || team.first_waiting != nullptr) return false;
  if (request.in_all || request.out_all || request.own_copy) return false;
  const PlanCache::Entry& entry = fitted_entry(team, request);
  const Algorithm& algorithm = *entry.plan.algorithm;
  const Needs needs = {.lines = entry.room.lines, .bulk = entry.room.bulk};
  Region region;
  if (algorithm.at_once == nullptr || (!may_wait && algorithm.ready == nullptr)) return false;
  if (may_wait ? !team.scratch.reserve(needs, region) : !team.scratch.peek(needs, region)) return false;
  update_busy_if_waiting();
  Call& call = team.at_once ? *team.at_once : make_at_once(team);
  call.asked_ = &request;
  call.plan_ = entry.plan;
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
  if (!call.stand_ins_.empty()) give_back_stand_ins(call);
  update_busy_if_waiting();
  return true;
}

Call& Engine::make_at_once(Team& team) {
  team.at_once = std::make_unique<Call>(*this, team);
  return *team.at_once;
}

const PlanCache::Entry& Engine::fitted_entry(Team& team, const Request& request) {
  const auto fits = [&](const PlanCache::Entry& entry) {
    return entry.size == request.size && entry.element == request.fold.element &&
           entry.commutative == request.fold.commutative;
  };
  PlanCache::Entry*& recent = team.plans.recent(request.op);
  if (recent != nullptr && fits(*recent)) return *recent;
  recent = &team.plans.entry(request.op, request.fold.commutative, request.size);
  if (!fits(*recent)) fit(team, request, *recent);
  return *recent;
}

void Engine::fit(Team& team, const Request& request, PlanCache::Entry& entry) {
  const Shape shape = shape_of(team, request);
  entry.room = room_of(shape, plan(team, shape));
  entry.size = request.size;
  entry.element = request.fold.element;
  entry.commutative = request.fold.commutative;
}

Room Engine::room_of(const Shape& shape, const Plan& plan) {
  const Layout layout(plan.algorithm->space(shape, plan));
  return {.lines = std::max(1u, layout.lines), .slot = layout.slot_room, .bulk = layout.bulk};
}

void Engine::enqueue(Call& call) {
  Team& team = call.team_;
  call.next_ = nullptr;
  (team.last_waiting ? team.last_waiting->next_ : team.first_waiting) = &call;
  team.last_waiting = &call;
}

void Engine::start_waiting(Team& team) {
  if (team.starting) return;
  team.starting = true;
  while (Call* call = team.first_waiting) {
    if (call->gated_ != 0) break;
    if (!call->planned_ && !make_plan(team, *call)) continue;
    if (!team.scratch.reserve(call->needs_, call->region_)) break;
    team.first_waiting = call->next_;
    if (team.first_waiting == nullptr) team.last_waiting = nullptr;
    launch(*call);
  }
  team.starting = false;
  if (team.first_waiting != nullptr && std::ranges::find(stalled_, &team) == stalled_.end()) stalled_.push_back(&team);
}

// The plan of the call that is the next on its team: here all members have come to the same point. False: another call
// has been put in front of it.
bool Engine::make_plan(Team& team, Call& call) {
  if (!tuning_) {
    const PlanCache::Entry& entry = fitted_entry(team, call.request_);
    call.plan_ = entry.plan;
    set_needs(call, entry.room);
    return true;
  }
  const Shape shape = shape_of(team, call.request_);
  if (choice_.forced(shape)) {
    call.plan_ = plan(team, shape);
  } else {
    Trial& trial = trial_of(team, shape);
    if (trial.must_agree()) {
      agree_before(call, trial);
      return false;
    }
    bool measured = false;
    call.plan_ = trial.next(measured);
    if (measured && call.alone_) call.trial_ = &trial;
  }
  set_needs(call, room_of(shape, call.plan_));
  return true;
}

void Engine::set_needs(Call& call, const Room& room) {
  const uint32_t phases = static_cast<uint32_t>(call.request_.in_all) + call.request_.out_all;
  const uint32_t barriers = phases == 0 ? 0 : phases * barrier_lines(call.members_);
  call.first_barrier_line_ = room.lines;
  call.slot_bytes_ = room.slot;
  call.needs_ = {.lines = room.lines + barriers, .bulk = room.bulk};
  call.planned_ = true;
}

// ---- Tuning while the program runs ----

Trial& Engine::trial_of(Team& team, const Shape& shape) {
  const size_t number = PlanCache::number(shape);
  const auto found = team.trials.find(number);
  if (found != team.trials.end()) return found->second;
  constexpr double worth_trying = 3;  // times the best prediction
  constexpr size_t most = 8;
  Shape typical = shape;
  typical.size = PlanCache::largest(PlanCache::class_of(shape.size));
  const Plan first = plan(team, shape);
  std::vector<Trial::Candidate> others;
  double least = choice_.predict(typical, first);
  for_each_candidate(typical, [&](const Plan& candidate) {
    if (candidate.algorithm == first.algorithm && candidate.radix == first.radix && candidate.segment == first.segment)
      return;
    others.push_back({candidate, choice_.predict(typical, candidate)});
    least = std::min(least, others.back().predicted_ns);
  });
  std::erase_if(others, [&](const auto& candidate) { return candidate.predicted_ns > worth_trying * least; });
  std::ranges::stable_sort(others, {}, &Trial::Candidate::predicted_ns);
  if (others.size() >= most) others.resize(most - 1);
  std::vector<Trial::Candidate> candidates = {{first, choice_.predict(typical, first)}};
  for (const Trial::Candidate& other : others)
    candidates.push_back({composed(team, typical, other.plan), other.predicted_ns});
  std::string about;
  if (team.members.me() == 0)
    about = std::string(name_of(shape.op)) + " of up to " + std::to_string(typical.size) + " bytes on " +
            std::to_string(shape.members) + " ranks";
  return team.trials.try_emplace(number, std::move(about), std::move(candidates), *tuning_).first->second;
}

// A reduce-all of what the members have measured, in front of the call.
void Engine::agree_before(Call& call, Trial& trial) {
  Team& team = call.team_;
  Call& agreement = make_call(team);
  agreement.request_ = {.op = Op::reduce_all,
                        .destination = reinterpret_cast<std::byte*>(trial.agreed()),
                        .source = reinterpret_cast<const std::byte*>(trial.prepare_numbers()),
                        .size = Trial::numbers * sizeof(double)};
  (void)make_fold("online", weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), agreement.request_.fold);
  agreement.plan_ = {.algorithm = find_algorithm(Op::reduce_all, team.members.size() > 1 ? "doubling" : "flat")};
  set_needs(agreement, room_of(shape_of(team, agreement.request_), agreement.plan_));
  agreement.alone_ = false;
  agreement.spin_ = false;
  agreement.trial_ = &trial;
  agreement.gates_ = &call;
  agreement.on_over_ = [](Call& over) {
    std::exchange(over.trial_, nullptr)->decide(static_cast<double>(os::now_ns() - over.started_ns_));
  };
  ++call.gated_;
  agreement.next_ = &call;
  team.first_waiting = &agreement;
}

namespace {

// ALLSYNC: nobody before everybody.
Task between_barriers(Call& call, Task (*run)(Call&), uint32_t line, bool before, bool after) {
  const uint32_t lines = barrier_lines(call.members());
  if (before) co_await barrier_phase(call, line);
  co_await run(call);
  co_await call.sent();
  if (after) co_await barrier_phase(call, before ? line + lines : line);
}

}  // namespace

void Engine::launch(Call& call) {
  const Request& request = call.request_;
  call.own_ = call.members_.segment() + call.team_.scratch.banks(call.me());
  call.state_ = Call::State::running;
  if (call.trial_ != nullptr) call.started_ns_ = os::now_ns();
  if (request.own_copy) {
    const size_t size = request.size * call.size();
    const Call::Window copy = call.temporary(size);
    std::memcpy(copy.at, request.source, size);
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
    if (call.gates_ != nullptr) {
      call.on_over_(call);
      --std::exchange(call.gates_, nullptr)->gated_;
    } else if (call.trial_ != nullptr) {
      std::exchange(call.trial_, nullptr)->record(static_cast<double>(os::now_ns() - call.started_ns_));
    }
    if (call.began_ns_ != 0) rank_.conduit().under_way(call.function_, call.began_ns_, os::now_ns());
    if (call.user_ != nullptr) {
      if (!awaited_.empty()) awaited_.erase(call.user_);
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

void Engine::update_busy() {
  rank_.progress().busy(!idle());
}

// The helper sleeps between two looks, longer the longer nothing has happened: a look takes the processor from the rank.
// It is late by a quarter of the wait at most.
void Engine::help() {
  constexpr uint64_t shortest_ns = 50'000, longest_ns = 10'000'000;
  os::take_short_turns();
  for (;;) {
    wanted_.wait(0, std::memory_order_acquire);
    uint64_t happened_ns = 0;
    for (bool more = true; more;) {
      uint32_t seen = 1;
      bool happened = wanted_.compare_exchange_strong(seen, 0, std::memory_order_acq_rel);
      if (seen == 2) return;
      if (lock_.try_lock()) {
        if (progress() != 0) happened = true;
        more = !idle();
        lock_.unlock();
      }
      const uint64_t now = os::now_ns();
      if (happened) happened_ns = now;
      const uint64_t pause_ns = std::clamp((now - happened_ns) / 4, shortest_ns, longest_ns);
      if (more) os::sleep_ns(pause_ns);
    }
  }
}

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
    if (team.first_waiting != nullptr) {
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

void Engine::recycle(Call& call) {
  call.task_.clear();
  while (call.kept_ != nullptr) FramePool::release(std::exchange(call.kept_, call.kept_->next));
  give_back_stand_ins(call);
  if (call.puts_.expected != 0) call.puts_.reset();
  call.sizes_.storage.reset();
  call.user_ = nullptr;
  call.began_ns_ = 0;
  call.state_ = Call::State::idle;
  --calls_;
  --call.team_.calls;
  call.team_.idle_calls.push_back(&call);
}

namespace {
constexpr size_t smallest_stand_in = 4096;
unsigned class_of_stand_in(size_t size) {
  return static_cast<unsigned>(std::bit_width(std::max(size, smallest_stand_in) - 1));
}
}  // namespace

Call::Window Engine::stand_in(size_t size) {
  std::vector<uint64_t>& free = stand_ins_[class_of_stand_in(size)];
  size_t offset = 0;
  if (!free.empty()) {
    offset = free.back();
    free.pop_back();
  } else if (!rank_.heap().allocate_local(size_t{1} << class_of_stand_in(size), 4096, offset).ok()) {
    refuse_for_room(size, "data that lies outside it");
  }
  return {.at = rank_.conduit().segment() + offset, .offset = offset, .stand_in = true, .size = size};
}

void Engine::give_back_stand_ins(Call& call) {
  for (const Call::Window& window : call.stand_ins_) give_back(window);
  call.stand_ins_.clear();
}

void Engine::give_back(const Call::Window& window) {
  // Large ones would add up, and cost nothing to make anew beside what is done with them.
  constexpr size_t kept = size_t{8} << 20;
  const unsigned size_class = class_of_stand_in(window.size);
  if ((size_t{1} << size_class) > kept)
    (void)rank_.heap().release_local(window.offset);
  else
    stand_ins_[size_class].push_back(window.offset);
}

void Engine::compare_before(Call& call) {
  Call& comparison = make_call(call.team_);
  Comparison::prepare(comparison, call);
  comparison.planned_ = true;
  comparison.gates_ = &call;
  comparison.on_over_ = Comparison::check;
  ++call.gated_;
  enqueue(comparison);
}

void Engine::finish() {
  rank_.progress().wait([this] {
    const auto guarded = guard();
    if (calls_ != 0 || !freed_.empty()) return false;
    return std::ranges::all_of(slots_, [](const Slot& slot) { return !slot.team || slot.team->scratch.quiet(); });
  });
}

}  // namespace weft::coll
