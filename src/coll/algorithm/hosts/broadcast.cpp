#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

StageShapes stages_of(const Shape& s) {
  return {{inside(s, Op::broadcast, s.size), between(s, Op::broadcast, s.size)}, 2};
}
using Composed = Composition<stages_of>;
using Stage = Composed::Stage;

Task run(Call& call) {
  const Request& r = call.request();
  const Role role(call);
  const std::byte* source = role.is_root ? r.source : r.destination;
  if (role.is_head) {
    std::byte* destination = role.is_root && !role.alone ? nullptr : r.destination;
    Stage stage(call, role.heads, changed(r, Op::broadcast, role.home, destination, source), 1);
    co_await stage.run();
  }
  if (!role.alone) {
    std::byte* destination = role.is_head && !role.is_root ? nullptr : r.destination;
    Stage stage(call, role.groups.inside(), changed(r, Op::broadcast, role.head, destination, source), 0);
    co_await stage.run();
  }
}

}  // namespace

extern constinit const Algorithm broadcast_hosts = Composed::algorithm(Op::broadcast, run, fits);

}  // namespace weft::coll::algorithm
