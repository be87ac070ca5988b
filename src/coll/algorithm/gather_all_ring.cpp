// Gather-all around a ring: at each step a member passes on the block that it got last. Only neighbours talk.
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: step: the block of that step is there; n: where the right neighbour wants them.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const uint32_t right = (me + 1) % n;
  const Call::Window window = call.window(r.destination, n * r.size);
  std::byte* place = window.at + me * r.size;
  if (r.source != place) std::memcpy(place, r.source, r.size);
  co_await call.tell((me + n - 1) % n, n, window.offset);
  const uint64_t* told = co_await call.arrived(n);
  for (uint32_t step = 0; step + 1 < n; ++step) {
    const uint32_t block = (me + n - step) % n;
    if (step > 0) co_await call.arrived(step - 1);
    co_await call.put(right, told[0] + block * r.size, window.at + block * r.size, r.size, step);
  }
  co_await call.arrived(n - 2);
  if (window.stand_in) std::memcpy(r.destination, window.at, n * r.size);
}

Space space(const Shape& shape, const Plan&) { return {.lines = shape.members + 1}; }
bool fits(const Shape& shape, const Plan&) { return shape.members > 2; }
double cost(const Model& model, const Shape& shape, const Plan&) {
  const double step = model.phase() + to_neighbour(model, shape).message(shape.size);
  return model.phase() + (shape.members - 1) * step + model.copy(shape.size);
}

}  // namespace

extern const Algorithm gather_all_ring{
    .op = Op::gather_all, .name = "ring", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace weft::coll::algorithm
