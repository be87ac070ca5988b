// Permute: one message out, one in. A member does not know who sends to it, so for large data the sender asks first.
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

Task run_eager(Call& call) {
  const Request& r = call.request();
  co_await call.send(r.root, 0, r.source, r.size);
  co_await call.arrived(0);
  os::copy_data(r.destination, call.slot(0), r.size);
}

void at_once(Call& call) {
  const Request& r = call.request();
  call.post(r.root, 0, r.source, r.size);
  call.wait(0);
  os::copy_data(r.destination, call.slot(0), r.size);
}

// Lines: 0 the data is there; 1 who sends it; 2 where mine goes.
Task run_put(Call& call) {
  const Request& r = call.request();
  const Call::Window window = call.window(r.destination, r.size);
  co_await call.tell(r.root, 1, call.me());
  const uint64_t from = (co_await call.arrived(1))[0];
  co_await call.tell(static_cast<uint32_t>(from), 2, window.offset);
  const uint64_t* words = co_await call.arrived(2);
  co_await call.put(r.root, words[0], r.source, r.size, 0);
  co_await call.arrived(0);
  if (window.bounced) os::copy_data(r.destination, window.at, r.size);
}

Space space_eager(const Shape& shape, const Plan&) { return {1, 1, shape.size}; }
Space space_put(const Shape&, const Plan&) { return {.lines = 3}; }
bool fits_eager(const Shape& shape, const Plan&) { return shape.size <= size_t{64} << 10; }
bool fits_put(const Shape&, const Plan&) { return true; }
double cost_eager(const Model& model, const Shape& shape, const Plan&) {
  return model.phase() + model.through(shape.size) + model.copy(shape.size);
}
double cost_put(const Model& model, const Shape& shape, const Plan&) {
  return 3 * model.phase() + model.message(shape.size);
}

}  // namespace

extern const Algorithm permute_eager{.op = Op::permute,
                                     .name = "eager",
                                     .run = run_eager,
                                     .space = space_eager,
                                     .fits = fits_eager,
                                     .cost = cost_eager,
                                     .at_once = at_once};
extern const Algorithm permute_put{
    .op = Op::permute, .name = "put", .run = run_put, .space = space_put, .fits = fits_put, .cost = cost_put};

}  // namespace weft::coll::algorithm
