#include "weft/tune.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "capi/collective.hpp"
#include "coll/algorithm.hpp"
#include "coll/table.hpp"

namespace weft::capi {
namespace {

bool shape_of(coll::Team& team, const char* operation, size_t size, coll::Shape& shape) {
  for (int op = 0; op < static_cast<int>(coll::Op::count); ++op) {
    if (std::strcmp(coll::name_of(static_cast<coll::Op>(op)), operation) != 0) continue;
    shape = {.op = static_cast<coll::Op>(op),
             .members = team.members.size(),
             .size = coll::PlanCache::largest(coll::PlanCache::class_of(size)),
             .element = coll::is_reduction(static_cast<coll::Op>(op)) ? size_t{8} : size_t{1},
             .commutative = true,
             .direct = team.members.all_direct(),
             .spread = team.groups.spread(),
             .native = team.native};
    return true;
  }
  base::log_error("there is no collective '%s'", operation);
  return false;
}

int code_of(coll::Reason reason) {
  switch (reason) {
    case coll::Reason::model:
      return WEFT_CHOICE_MODEL;
    case coll::Reason::table:
      return WEFT_CHOICE_TABLE;
    case coll::Reason::forced:
      return WEFT_CHOICE_FORCED;
    case coll::Reason::set:
      return WEFT_CHOICE_SET;
  }
  return 0;
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;

extern "C" {

int weft_tune_candidates(weft_team_t team, const char* operation, size_t size, weft_candidate_t* list, size_t room,
                         size_t* count) {
  Thread& thread = enter("weft_tune_candidates");
  check_pointer("weft_tune_candidates", operation, "operation's name");
  check_pointer("weft_tune_candidates", list, room, "list");
  check_pointer("weft_tune_candidates", count, "pointer to the count");
  weft::coll::Engine& engine = thread.rank->coll;
  weft::coll::Team& found = find_team(thread, "weft_tune_candidates", team);
  weft::coll::Shape shape;
  if (!shape_of(found, operation, size, shape)) return WEFT_ERR_INVALID;
  const auto guarded = engine.guard();
  const weft::coll::Decision& decision = engine.planner().decision(found, shape);
  const weft::coll::Choice& choice = engine.planner().choice();
  bool listed = false;
  *count = 0;
  const auto add = [&](const weft::coll::Plan& plan) {
    const bool is_chosen = plan.same_candidate(decision.plan);
    listed = listed || is_chosen;
    if (*count < room)
      list[*count] = {.algorithm = plan.algorithm->name,
                      .radix = plan.radix,
                      .segment = plan.segment,
                      .predicted_ns = choice.predict(shape, plan),
                      .measured_ns = choice.table().time(shape, plan),
                      .chosen = is_chosen ? 1 : 0,
                      .reason = is_chosen ? code_of(decision.reason) : 0,
                      .measured_size = is_chosen ? decision.measured_size : 0};
    ++*count;
  };
  weft::coll::for_each_candidate(shape, add);
  if (!listed) add(decision.plan);
  return WEFT_OK;
}

int weft_tune_set(weft_team_t team, const char* operation, size_t size, const weft_candidate_t* candidate) {
  Thread& thread = enter("weft_tune_set");
  check_pointer("weft_tune_set", operation, "operation's name");
  weft::coll::Team& found = find_team(thread, "weft_tune_set", team);
  weft::coll::Shape shape;
  if (!shape_of(found, operation, size, shape)) return WEFT_ERR_INVALID;
  weft::coll::Engine& engine = thread.rank->coll;
  const auto guarded = engine.guard();
  if (candidate == nullptr) {
    engine.planner().choose_anew(found, shape);
    return WEFT_OK;
  }
  const weft::coll::Plan wanted = {weft::coll::find_algorithm(shape.op, candidate->algorithm), candidate->radix,
                                   candidate->segment};
  if (wanted.algorithm == nullptr || !takes(*wanted.algorithm, wanted.radix, wanted.segment) ||
      !wanted.algorithm->fits(shape, wanted))
    return WEFT_ERR_INVALID;
  engine.planner().set_plan(found, shape, wanted);
  return WEFT_OK;
}

size_t weft_candidate_name(const weft_candidate_t* candidate, char* name, size_t room) {
  check_pointer("weft_candidate_name", candidate, "candidate");
  check_pointer("weft_candidate_name", name, room, "room for the name");
  const std::string text = weft::coll::describe(candidate->algorithm, candidate->radix, candidate->segment);
  if (room != 0) std::snprintf(name, room, "%s", text.c_str());
  return text.size();
}

const char* weft_tune_machine(void) {
  return enter("weft_tune_machine").rank->coll.planner().choice().machine().c_str();
}

}  // extern "C"
