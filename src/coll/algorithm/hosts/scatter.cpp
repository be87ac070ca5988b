#include "coll/algorithm/hosts/by_host.hpp"
#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

StageShapes stages_of(const Shape& s) {
  return {{inside(s, Op::scatter, s.size), between(s, Op::scatter, s.spread.most * s.size)}, 2};
}
using Composed = Composition<stages_of>;
using Stage = Composed::Stage;

Task run(Call& call) {
  const Request& r = call.request();
  const Role role(call);
  const ByHost blocks(call);
  const std::byte* whole = nullptr;  // on the root
  const std::byte* own = nullptr;    // of this host, on its head
  std::byte* received = nullptr;     // the same, on heads that have to get it
  if (role.is_root) {
    whole = role.groups.spread().in_equal_blocks() ? r.source : blocks.sort(call.temporary(blocks.all()).at, r.source);
    own = whole + role.host * blocks.of_host();
  } else if (role.is_head) {
    own = received = call.temporary(blocks.of_host()).at;
  }
  if (role.is_head) {
    Request across = changed(r, Op::scatter, role.home, received, whole);
    across.size = blocks.of_host();
    Stage stage(call, role.heads, across, 1);
    co_await stage.run();
  }
  if (!role.alone) {
    Stage stage(call, role.groups.inside(), changed(r, Op::scatter, role.head, r.destination, own), 0);
    co_await stage.run();
  } else if (r.destination != nullptr) {
    os::copy_data(r.destination, own, r.size);
  }
}

}  // namespace

extern constinit const Algorithm scatter_hosts =
    Composed::algorithm(Op::scatter, run, fits_blocks, cost_blocks<Composed>);

}  // namespace weft::coll::algorithm
