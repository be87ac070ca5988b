#include "coll/algorithm/hosts/by_host.hpp"
#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

StageShapes stages_of(const Shape& s) {
  return {{inside(s, Op::gather, s.size), between(s, Op::gather, s.spread.most * s.size)}, 2};
}
using Composed = Composition<stages_of>;
using Stage = Composed::Stage;

Task run(Call& call) {
  const Request& r = call.request();
  const Role role(call);
  const ByHost blocks(call);
  const bool in_order = role.groups.spread().in_equal_blocks();
  std::byte* whole = nullptr;  // on the root
  std::byte* own = nullptr;    // of this host, on its head
  if (role.is_root) {
    whole = in_order ? r.destination : call.temporary(blocks.all()).at;
    own = whole + role.host * blocks.of_host();
  } else if (role.is_head) {
    own = call.temporary(blocks.of_host()).at;
  }
  if (role.alone) {
    os::copy_data(own, r.source, r.size);
  } else {
    Stage stage(call, role.groups.inside(), changed(r, Op::gather, role.head, own, r.source), 0);
    co_await stage.run();
  }
  if (role.is_head) {
    Request across = changed(r, Op::gather, role.home, whole, own);
    across.size = blocks.of_host();
    Stage stage(call, role.heads, across, 1);
    co_await stage.run();
  }
  if (role.is_root && !in_order) blocks.restore(r.destination, whole);
}

}  // namespace

extern constinit const Algorithm gather_hosts =
    Composed::algorithm(Op::gather, run, fits_blocks, cost_blocks<Composed>);

}  // namespace weft::coll::algorithm
