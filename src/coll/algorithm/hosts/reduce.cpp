#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

StageShapes stages_of(const Shape& s) { return {{inside(s, Op::reduce, s.size), between(s, Op::reduce, s.size)}, 2}; }
using Composed = Composition<stages_of>;
using Stage = Composed::Stage;

Task run(Call& call) {
  const Request& r = call.request();
  const Role role(call);
  std::byte* result = r.destination;
  if (role.is_head && !role.is_root && !role.alone) result = call.temporary(r.size).at;
  if (!role.alone) {
    Stage stage(call, role.groups.inside(), changed(r, Op::reduce, role.head, result, r.source), 0);
    co_await stage.run();
  }
  if (role.is_head) {
    Stage stage(call, role.heads, changed(r, Op::reduce, role.home, result, role.alone ? r.source : result), 1);
    co_await stage.run();
  }
}

}  // namespace

extern constinit const Algorithm reduce_hosts = Composed::algorithm(Op::reduce, run, fits);

}  // namespace weft::coll::algorithm
