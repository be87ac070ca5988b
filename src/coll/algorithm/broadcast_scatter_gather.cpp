// Van de Geijn's broadcast (Barnett et al. 1994): the root scatters slices, then a ring gathers them everywhere. Every
// byte leaves the root twice however many members there are.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: [0, n) slice that comes at a step of the ring, 0 from the root; n + position: told to the root; 2n: told to
// the left.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), r.root, n);
  const auto member = [&](uint32_t p) { return member_at(p, r.root, n); };
  const auto slice = [&](uint32_t index) { return slice_of(r.size, 1, n, index); };
  Call::Window window;
  const std::byte* data = r.source;
  if (position != 0) {
    window = call.window(r.destination, r.size);
    data = window.at;
    co_await call.tell(member(0), n + position, window.offset);
    co_await call.tell(member(position - 1), 2 * n, window.offset);
  }
  for (uint32_t p = 1; p < n && position == 0; ++p) {
    const uint64_t* words = co_await call.arrived(n + p);
    co_await call.put(member(p), words[0] + slice(p).begin, data + slice(p).begin, slice(p).size(), 0);
  }
  if (position != 0) co_await call.arrived(0);
  const uint32_t right = (position + 1) % n;
  const uint64_t* words = right == 0 ? nullptr : co_await call.arrived(2 * n);
  for (uint32_t step = 0; step + 1 < n; ++step) {
    if (step > 0 && position != 0) co_await call.arrived(step);
    if (right == 0) continue;
    const Slice s = slice((position + n - step) % n);
    co_await call.put(member(right), words[0] + s.begin, data + s.begin, s.size(), step + 1);
  }
  if (position != 0) co_await call.arrived(n - 1);
  if (r.destination != nullptr && r.destination != data) os::copy_data(r.destination, data, r.size);
}

Space space(const Shape& shape, const Plan&) { return {.lines = 2 * shape.members + 1}; }

bool fits(const Shape& shape, const Plan&) { return shape.members > 2 && shape.size >= 64 * shape.members; }

double cost(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t n = shape.members;
  return 3 * model.phase() + (2 * n - 2) * model.message(shape.size / n);
}

}  // namespace

extern const Algorithm broadcast_scatter_gather{
    .op = Op::broadcast, .name = "scatter-gather", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace weft::coll::algorithm
