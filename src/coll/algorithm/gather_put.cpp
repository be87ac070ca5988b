// Gather for large blocks: the root says where they go, and each member puts its own there.
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: 0 where the blocks go; 1 + member, on the root: its block is there, if the root waits for that.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  if (me != r.root) {
    const uint64_t* words = co_await call.arrived(0);
    if (words[1] == 0) {
      os::copy_data(call.members().direct(r.root) + words[0] + me * r.size, r.source, r.size);
      co_return;
    }
    co_await call.put(r.root, words[0] + me * r.size, r.source, r.size, 1 + me);
    co_return;
  }
  const Call::Window window = call.window(r.destination, n * r.size);
  const bool waits = window.bounced || !call.unsynchronized();
  for (uint32_t i = 1; i < n; ++i) co_await call.tell((me + i) % n, 0, window.offset, waits);
  if (r.source != r.destination + me * r.size) os::copy_data(r.destination + me * r.size, r.source, r.size);
  for (uint32_t i = 1; i < n && waits; ++i) {
    const uint32_t member = (me + i) % n;
    co_await call.arrived(1 + member);
    if (window.bounced) os::copy_data(r.destination + member * r.size, window.at + member * r.size, r.size);
  }
}

Space space(const Shape& shape, const Plan&) { return {.lines = 1 + shape.members}; }
bool fits(const Shape&, const Plan&) { return true; }
double cost(const Model& model, const Shape& shape, const Plan&) {
  return 2 * model.phase() + to_root(model, shape).incoming(shape.behind_link(), shape.size) + model.overhead_ns;
}

}  // namespace

extern const Algorithm gather_put{
    .op = Op::gather, .name = "put", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace weft::coll::algorithm
