// Dissemination (barrier_phase.hpp) with the radix of the plan.
#include "coll/barrier_phase.hpp"

namespace weft::coll::algorithm {
namespace {

Task run(Call& call) { return disseminate_on_lines(call, 0, call.plan().radix, call.size(), call.me(), nullptr); }

Space space(const Shape& shape, const Plan& plan) { return {.lines = dissemination_steps(shape.members, plan.radix)}; }

bool fits(const Shape& shape, const Plan& plan) { return plan.radix <= std::max(shape.members, 2u); }

double cost(const Model& model, const Shape& shape, const Plan& plan) {
  double time = 0;
  for (uint64_t distance = 1; distance < shape.members; distance *= plan.radix)
    time += (plan.radix - 1) * model.overhead_ns + model.phase();
  return time;
}

constexpr uint32_t radices[] = {2, 3, 4, 5, 6, 7, 8, 16};

}  // namespace

extern const Algorithm barrier_dissemination{.op = Op::barrier,
                                             .name = "dissemination",
                                             .run = run,
                                             .space = space,
                                             .fits = fits,
                                             .cost = cost,
                                             .radices = radices};

}  // namespace weft::coll::algorithm
