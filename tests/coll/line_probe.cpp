// line_probe end|turn [answer]: a barrier whose algorithm sends two lines and waits for one; with `answer`, a line and
// an answer on it. `turn`: it runs often enough that its place is used again; `end`: once, so that only weft_finalize
// can notice.
#include <cstdio>
#include <cstring>

#include "capi/state.hpp"
#include "coll/call.hpp"
#include "weft/job.h"

namespace {

using namespace weft::coll;

bool answers = false;

Task run(Call& call) {
  const uint32_t next = (call.me() + 1) % call.size();
  if (answers)
    co_await call.answer(next, 0, nullptr, 0, 0);
  else
    co_await call.signal(next, 1);
  co_await call.signal(next, 0);
  co_await call.arrived(0);
}
Space space(const Shape&, const Plan&) { return {.lines = 2}; }
bool fits(const Shape&, const Plan&) { return true; }
double cost(const Model&, const Shape&, const Plan&) { return 1; }

constexpr Algorithm forgetful{
    .op = Op::barrier, .name = "forgetful", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || weft_init(nullptr, nullptr) != WEFT_OK) return 2;
  const bool turn = std::strcmp(argv[1], "turn") == 0;
  answers = argc > 2;
  Engine& engine = weft::capi::enter("line_probe").rank->coll;
  Team& team = engine.world();
  team.plans.entry({.op = Op::barrier}).decision.plan = {.algorithm = &forgetful};
  for (int i = 0; i < (turn ? 10000 : 1); ++i) engine.run(team, {.op = Op::barrier});
  if (turn) std::puts("passed");
  weft_finalize();
  std::puts("passed");
  return 0;
}
