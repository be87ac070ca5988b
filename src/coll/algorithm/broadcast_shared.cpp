// Broadcast in shared memory: the root says where the data is, everybody copies it from there, once. Data that the root
// has outside its segment it copies into the segment in pieces, and the others follow.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

constexpr uint32_t pieces = 16;

// Lines: 0 where it is; 1 + p piece p is there; 1 + pieces + member, on the root: has read, unless nobody asks.
Task run_root(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const Call::Window window = call.window(r.source, r.size);
  for (uint32_t i = 1; i < n; ++i) co_await call.tell((me + i) % n, 0, window.offset, window.bounced);
  for (uint32_t p = 0; p < pieces && window.bounced; ++p) {
    const Slice s = slice_of(r.size, 1, pieces, p);
    os::copy_data(window.at + s.begin, r.source + s.begin, s.size());
    for (uint32_t i = 1; i < n; ++i) co_await call.signal((me + i) % n, 1 + p);
  }
  if (r.destination != nullptr && r.destination != r.source) os::copy_data(r.destination, r.source, r.size);
  if (call.unsynchronized() && !window.bounced) co_return;
  for (uint32_t i = 1; i < n; ++i) co_await call.arrived(1 + pieces + (me + i) % n);
}

Task run(Call& call) {
  const Request& r = call.request();
  if (call.me() == r.root) {
    co_await run_root(call);
    co_return;
  }
  const uint64_t* words = co_await call.arrived(0);
  const std::byte* source = call.members().direct(r.root) + words[0];
  if (words[1] == 0) {
    os::copy_data(r.destination, source, r.size);
    if (call.unsynchronized()) co_return;
  } else {
    for (uint32_t p = 0; p < pieces; ++p) {
      const Slice s = slice_of(r.size, 1, pieces, p);
      co_await call.arrived(1 + p);
      os::copy_data(r.destination + s.begin, source + s.begin, s.size());
    }
  }
  co_await call.signal(r.root, 1 + pieces + call.me());
}

Space space(const Shape& shape, const Plan&) { return {.lines = 1 + pieces + shape.members}; }

bool fits(const Shape& shape, const Plan&) { return shape.direct && shape.members > 1; }

double cost(const Model& model, const Shape& shape, const Plan&) {
  return (shape.members - 1) * model.overhead_ns + 2 * model.phase() + model.message(shape.size);
}

}  // namespace

extern const Algorithm broadcast_shared{
    .op = Op::broadcast, .name = "shared", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace weft::coll::algorithm
