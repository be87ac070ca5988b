#include "coll/algorithm/hosts/composition.hpp"
#include "coll/barrier_phase.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

StageShapes stages_of(const Shape& s) { return {{between(s, Op::barrier, 0)}, 1}; }
uint32_t own_lines(const Shape& shape) { return gather_lines(shape.spread); }
using Composed = Composition<stages_of, own_lines>;

Task leaders_meet(Call& call, uint32_t) {
  Composed::Stage stage(call, call.team().groups.leaders(), call.request(), 0);
  co_await stage.run();
}
Task run(Call& call) { return meet_by_hosts(call, 0, leaders_meet); }

// Two steps inside beside the stage between.
double cost_barrier(const Model& model, const Shape& shape, const Plan& plan) {
  return Composed::cost(model, shape, plan) + 2 * model.inside->phase() +
         2 * shape.spread.most * model.inside->overhead_ns;
}

}  // namespace

extern constinit const Algorithm barrier_hosts = Composed::algorithm(Op::barrier, run, fits, cost_barrier);

}  // namespace weft::coll::algorithm
