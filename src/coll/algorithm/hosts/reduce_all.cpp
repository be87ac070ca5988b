#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

StageShapes stages_of(const Shape& s) {
  return {{inside(s, Op::reduce, s.size), between(s, Op::reduce_all, s.size), inside(s, Op::broadcast, s.size)}, 3};
}
using Composed = Composition<stages_of>;
using Stage = Composed::Stage;

Task run(Call& call) {
  const Request& r = call.request();
  const Groups& groups = call.team().groups;
  const bool alone = groups.alone();
  std::byte* result = groups.leads() ? r.destination : nullptr;
  if (!alone) {
    Stage stage(call, groups.inside(), changed(r, Op::reduce, 0, result, r.source), 0);
    co_await stage.run();
  }
  if (groups.leads()) {
    Stage stage(call, groups.leaders(), changed(r, Op::reduce_all, 0, result, alone ? r.source : result), 1);
    co_await stage.run();
  }
  if (!alone) {
    Stage stage(call, groups.inside(),
                changed(r, Op::broadcast, 0, groups.leads() ? nullptr : r.destination, r.destination), 2);
    co_await stage.run();
  }
}

}  // namespace

extern constinit const Algorithm reduce_all_hosts = Composed::algorithm(Op::reduce_all, run, fits);

}  // namespace weft::coll::algorithm
