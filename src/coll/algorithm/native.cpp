// What the conduit has itself: networks of the machine for collectives, or those of the library beneath. On the team of
// all ranks alone.
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

using conduit::NativeOp;

constexpr NativeOp native_of(Op op) {
  switch (op) {
    case Op::broadcast:
      return NativeOp::broadcast;
    case Op::gather_all:
      return NativeOp::gather_all;
    case Op::exchange:
      return NativeOp::exchange;
    case Op::reduce_all:
      return NativeOp::reduce_all;
    default:
      return NativeOp::barrier;
  }
}

void combine(const void* fold, void* result, const void* left, const void* right, size_t bytes) {
  (*static_cast<const Fold*>(fold))(result, left, right, bytes);
}

Task run(Call& call) {
  const Request& r = call.request();
  const bool is_root = r.op == Op::broadcast && call.me() == r.root;
  co_await call.native(
      {.op = native_of(r.op),
       .size = r.size,
       .root = r.root,
       .destination = r.destination,
       .source = r.op == Op::broadcast && !is_root ? nullptr : r.source,
       .fold = {.combine = combine, .context = &r.fold, .element = r.fold.element, .commutative = r.fold.commutative}});
  if (is_root && r.destination != nullptr && r.destination != r.source) os::copy_data(r.destination, r.source, r.size);
}

Space space(const Shape&, const Plan&) { return {}; }

bool fits(const Shape& shape, const Plan&) {
  return shape.native != nullptr && shape.members > 1 &&
         shape.native->offers(native_of(shape.op), shape.size, shape.commutative);
}

double cost(const Model& model, const Shape& shape, const Plan&) {
  return shape.native->expected_ns(native_of(shape.op), shape.size) + (model.share - 1) * model.switch_ns;
}

constexpr Algorithm native(Op op) {
  return {.op = op, .name = "native", .run = run, .space = space, .fits = fits, .cost = cost, .native = true};
}

}  // namespace

extern const Algorithm barrier_native = native(Op::barrier);
extern const Algorithm broadcast_native = native(Op::broadcast);
extern const Algorithm gather_all_native = native(Op::gather_all);
extern const Algorithm exchange_native = native(Op::exchange);
extern const Algorithm reduce_all_native = native(Op::reduce_all);

}  // namespace weft::coll::algorithm
