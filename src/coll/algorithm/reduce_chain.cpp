// Reduce along a chain of the members, in segments that follow each other: each adds its operand to what comes from
// behind and passes it on. Every link carries the data once. The root comes first in the chain, so operands are not in
// the order of members.
#include "coll/algorithm/segments.hpp"
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: one per segment; then the one by which the member in front tells where it takes them.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), r.root, n);
  const bool last = position + 1 == n;
  const uint64_t segment = segment_of(r.size, call.plan(), r.fold.element);
  const uint32_t count = segments_of(r.size, call.plan(), r.fold.element);
  Call::Window behind;
  if (!last) {
    behind = call.temporary(r.size);
    co_await call.tell(member_at(position + 1, r.root, n), count, behind.offset);
  }
  for (uint32_t s = 0; s < count; ++s) {
    const uint64_t begin = s * segment;
    const uint64_t size = std::min<uint64_t>(segment, r.size - begin);
    const std::byte* partial = r.source + begin;
    if (!last) {
      co_await call.arrived(s);
      std::byte* const result = (position == 0 ? r.destination : behind.at) + begin;
      r.fold(result, partial, behind.at + begin, size);
      partial = result;
    }
    if (position == 0) continue;
    const uint64_t* words = co_await call.arrived(count);
    co_await call.put(member_at(position - 1, r.root, n), words[0] + begin, partial, size, s);
  }
}

Space space(const Shape& shape, const Plan& plan) {
  return {.lines = segments_of(shape.size, plan, shape.element) + 1};
}

bool fits(const Shape& shape, const Plan& plan) {
  return shape.commutative && shape.members > 1 && shape.size >= 1024 && plan.segment < 2 * shape.size;
}

double cost(const Model& model, const Shape& shape, const Plan& plan) {
  const auto segment = static_cast<size_t>(std::min<uint64_t>(segment_of(shape.size, plan, shape.element), shape.size));
  const double step = to_neighbour(model, shape).message(segment) + model.combine(segment);
  return pipelined(model, step, shape.members - 1, segments_of(shape.size, plan, shape.element));
}

}  // namespace

extern const Algorithm reduce_chain{
    .op = Op::reduce, .name = "chain", .run = run, .space = space, .fits = fits, .cost = cost, .segments = segments};

}  // namespace weft::coll::algorithm
