#include "coll/algorithm/hosts/by_host.hpp"
#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

// Blocks travel in the order of hosts. Where that is not the order of members, each member puts them right.
StageShapes stages_of(const Shape& s) {
  return {{inside(s, Op::gather, s.size), between(s, Op::gather_all, s.spread.most * s.size),
           inside(s, Op::broadcast, s.members * s.size)},
          3};
}
using Composed = Composition<stages_of>;
using Stage = Composed::Stage;

Task run(Call& call) {
  const Request& r = call.request();
  const Groups& groups = call.team().groups;
  const ByHost blocks(call);
  const bool in_order = groups.spread().in_equal_blocks();
  std::byte* whole = in_order ? r.destination : call.temporary(blocks.all()).at;
  std::byte* own = whole + groups.host_of(call.me()) * blocks.of_host();
  {
    Stage stage(call, groups.inside(), changed(r, Op::gather, 0, groups.leads() ? own : nullptr, r.source), 0);
    co_await stage.run();
  }
  if (groups.leads()) {
    Request across = changed(r, Op::gather_all, 0, whole, own);
    across.size = blocks.of_host();
    Stage stage(call, groups.leaders(), across, 1);
    co_await stage.run();
  }
  {
    Request all = changed(r, Op::broadcast, 0, groups.leads() ? nullptr : whole, whole);
    all.size = blocks.all();
    Stage stage(call, groups.inside(), all, 2);
    co_await stage.run();
  }
  if (in_order) co_return;
  co_await call.sent();
  blocks.restore(r.destination, whole);
}

}  // namespace

extern constinit const Algorithm gather_all_hosts = Composed::algorithm(Op::gather_all, run, fits_equal_hosts);

}  // namespace weft::coll::algorithm
