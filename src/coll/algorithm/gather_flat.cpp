// Gather in one phase: each member sends its block into a slot of its own in the root's scratch space. A small block
// travels in the line that announces it.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

void own_block(const Request& r, uint32_t me) {
  std::byte* place = r.destination + me * r.size;
  if (r.source != place) os::copy_data(place, r.source, r.size);
}

Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  if (me != r.root) {
    co_await call.send(r.root, me, r.source, r.size);
    co_return;
  }
  own_block(r, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = member_at(i, me, n);
    co_await call.arrived(from);
    os::copy_data(r.destination + from * r.size, call.slot(from), r.size);
  }
}

void at_once(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  if (me != r.root) return call.post(r.root, me, r.source, r.size);
  own_block(r, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = member_at(i, me, n);
    call.wait(from);
    os::copy_data(r.destination + from * r.size, call.slot(from), r.size);
  }
}

// The root has all blocks, or is another.
bool ready(Call& call) {
  bool all = true;
  for (uint32_t member = 0; member < call.size() && call.me() == call.request().root; ++member)
    all = all && (member == call.me() || call.here(member));
  return all;
}

Space space(const Shape& shape, const Plan&) { return {shape.members, shape.members, shape.size}; }
bool fits(const Shape& shape, const Plan&) { return shape.size <= size_t{64} << 10; }

double cost(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t others = shape.members - 1;
  const Model own = model.unshared();
  const Model link = to_root(model, shape);
  const uint32_t through_link = shape.behind_link();
  // Beside the tree's, a block in a line saves the line of its announcement.
  const double lines = shape.size <= line_payload ? 0.5 : 1.6;
  const double received = lines * own.overhead_ns + std::max(own.handover(shape.size), own.copy(shape.size));
  const double start = own.overhead_ns + own.copy(shape.size);
  const double alone = 2 * model.overhead_ns + std::max(link.incoming(through_link, shape.size), others * received);
  const Work work = {.busiest = std::max(start + others * received, own.sending(shape.size)),
                     .total = start + others * (received + own.overhead_ns + own.message(shape.size)),
                     .carried = through_link * shape.size};
  return link.one_way(alone, work, shape.members, shape.members * shape.size);
}

}  // namespace

extern const Algorithm gather_flat{.op = Op::gather,
                                   .name = "flat",
                                   .run = run,
                                   .space = space,
                                   .fits = fits,
                                   .cost = cost,
                                   .at_once = at_once,
                                   .ready = ready};

}  // namespace weft::coll::algorithm
