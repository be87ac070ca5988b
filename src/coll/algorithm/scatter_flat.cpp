// Scatter without intermediaries: members say where their block goes, the root puts it there. Where memory is shared
// the root says where its data is instead, and members fetch their blocks at the same time.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: 0 the block is there; 1 + member, on the root: where it goes.
Task run_put(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  if (me != r.root) {
    const Call::Window window = call.window(r.destination, r.size);
    co_await call.tell(r.root, 1 + me, window.offset);
    co_await call.arrived(0);
    if (window.bounced) os::copy_data(r.destination, window.at, r.size);
    co_return;
  }
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t member = (me + i) % n;
    const uint64_t* words = co_await call.arrived(1 + member);
    co_await call.put(member, words[0], r.source + member * r.size, r.size, 0);
  }
  if (r.destination != nullptr && r.destination != r.source + me * r.size)
    os::copy_data(r.destination, r.source + me * r.size, r.size);
}

// Lines: 0 where the source is; 1 + member, on the root: has read its block, unless nobody asks.
Task run_shared(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  if (me != r.root) {
    const uint64_t* words = co_await call.arrived(0);
    const std::byte* source = call.members().direct(r.root) + words[0] + me * r.size;
    os::copy_data(r.destination, source, r.size);
    if (words[1] == 0) co_return;
    co_await call.signal(r.root, 1 + me);
    co_return;
  }
  const Call::Window window = call.window(r.source, n * r.size);
  if (window.bounced) os::copy_data(window.at, r.source, n * r.size);
  const bool asks = window.bounced || !call.unsynchronized();
  for (uint32_t i = 1; i < n; ++i) co_await call.tell((me + i) % n, 0, window.offset, asks);
  if (r.destination != nullptr && r.destination != r.source + me * r.size)
    os::copy_data(r.destination, r.source + me * r.size, r.size);
  for (uint32_t i = 1; i < n && asks; ++i) co_await call.arrived(1 + (me + i) % n);
}

Space space(const Shape& shape, const Plan&) { return {.lines = 1 + shape.members}; }
bool fits_put(const Shape&, const Plan&) { return true; }
bool fits_shared(const Shape& shape, const Plan&) { return shape.direct && shape.members > 1; }

double cost_put(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t through_link = shape.behind_link();
  return 2 * model.phase() + (shape.members - 1 - through_link) * model.overhead_ns +
         through_link * to_root(model, shape).message(shape.size) + model.copy(shape.size);
}
double cost_shared(const Model& model, const Shape& shape, const Plan&) {
  return 2 * model.phase() + shape.members * model.overhead_ns + model.message(shape.size);
}

}  // namespace

extern const Algorithm scatter_put{
    .op = Op::scatter, .name = "put", .run = run_put, .space = space, .fits = fits_put, .cost = cost_put};
extern const Algorithm scatter_shared{
    .op = Op::scatter, .name = "shared", .run = run_shared, .space = space, .fits = fits_shared, .cost = cost_shared};

}  // namespace weft::coll::algorithm
