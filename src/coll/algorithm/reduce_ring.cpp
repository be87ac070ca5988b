// Reductions around a ring (Patarasuk and Yuan 2009): partial results of blocks travel around and grow; after n - 1
// steps each member has the result of one block; for reduce-all the results travel around once more. Only neighbours
// talk, and each byte crosses each link at most twice. Operands are combined in the order of the ring, so the operation
// must commute.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: [0, n - 1) partial results by step; [n, 2n - 1) results; 2n: where the right neighbour takes both.
struct Ring {
  uint32_t n, me, right, left;
  explicit Ring(const Call& call) : n(call.size()), me(call.me()), right((me + 1) % n), left((me + n - 1) % n) {}
};

// `block(i)` gives the bytes of block i in the source. The inbox has room for one block of `room` bytes per step.
// Leaves the result of block `me` in `result`, which must not be where the source is.
template <class Block>
Task pass_partials(Call& call, Ring ring, Block block, Call::Window inbox, size_t room, const uint64_t* words,
                   std::byte* result) {
  const Request& r = call.request();
  const std::byte* partial = nullptr;
  for (uint32_t step = 0; step + 1 < ring.n; ++step) {
    // Block b starts at member b + 1 and ends at b.
    const uint32_t sends = (ring.me + ring.n - step - 1) % ring.n;
    const Slice s = block(sends);
    co_await call.put(ring.right, words[0] + step * room, step == 0 ? r.source + s.begin : partial, s.size(), step);
    co_await call.arrived(step);
    const Slice next = block((sends + ring.n - 1) % ring.n);
    std::byte* in = inbox.at + step * room;
    const bool last = step + 2 == ring.n;
    r.fold(last ? result : in, in, r.source + next.begin, next.size());
    partial = in;
  }
}

Task run_all(Call& call) {
  const Request& r = call.request();
  const Ring ring(call);
  const uint32_t n = ring.n;
  const auto block = [&r, n](uint32_t i) { return slice_of(r.size, r.fold.element, n, i); };
  const size_t room = block(0).size();
  const Call::Window inbox = call.temporary(n * room + room);
  const Call::Window result = call.window(r.destination, r.size);
  co_await call.tell(ring.left, 2 * n, inbox.offset, result.offset);
  const uint64_t* words = co_await call.arrived(2 * n);
  const Slice own = block(ring.me);
  std::byte* reduced = inbox.at + n * room;
  co_await pass_partials(call, ring, block, inbox, room, words, reduced);
  // In place, the source of this block is read no more; those of the others were read when they passed.
  os::copy_data(result.at + own.begin, reduced, own.size());
  // In place, a neighbour whose memory this overwrites has read it: a result has every member's operand in it.
  for (uint32_t step = 0; step + 1 < n; ++step) {
    const Slice s = block((ring.me + n - step) % n);
    if (step > 0) co_await call.arrived(n + step - 1);
    co_await call.put(ring.right, words[1] + s.begin, result.at + s.begin, s.size(), n + step);
  }
  co_await call.arrived(n + n - 2);
  if (result.bounced) os::copy_data(r.destination, result.at, r.size);
}

Task run_scatter(Call& call) {
  const Request& r = call.request();
  const Ring ring(call);
  const uint32_t n = ring.n;
  const auto block = [&r](uint32_t i) { return Slice{i * r.size, (i + 1) * r.size}; };
  const Call::Window inbox = call.temporary(n * r.size);
  co_await call.tell(ring.left, 2 * n, inbox.offset);
  const uint64_t* words = co_await call.arrived(2 * n);
  co_await pass_partials(call, ring, block, inbox, r.size, words, r.destination);
}

Space space(const Shape& shape, const Plan&) { return {.lines = 2 * shape.members + 1}; }

bool fits_all(const Shape& shape, const Plan&) {
  return shape.members > 2 && shape.commutative && shape.size >= shape.element * shape.members;
}
bool fits_scatter(const Shape& shape, const Plan&) { return shape.members > 2 && shape.commutative; }

double cost_all(const Model& model, const Shape& shape, const Plan&) {
  const size_t block = shape.size / shape.members;
  const uint32_t steps = shape.members - 1;
  const double step = model.phase() + to_neighbour(model, shape).message(block);
  return model.phase() + 2 * steps * step + steps * model.combine(block);
}
double cost_scatter(const Model& model, const Shape& shape, const Plan&) {
  const double step = model.phase() + to_neighbour(model, shape).message(shape.size) + model.combine(shape.size);
  return model.phase() + (shape.members - 1) * step;
}

}  // namespace

extern const Algorithm reduce_all_ring{
    .op = Op::reduce_all, .name = "ring", .run = run_all, .space = space, .fits = fits_all, .cost = cost_all};
extern const Algorithm reduce_scatter_ring{.op = Op::reduce_scatter,
                                           .name = "ring",
                                           .run = run_scatter,
                                           .space = space,
                                           .fits = fits_scatter,
                                           .cost = cost_scatter};

}  // namespace weft::coll::algorithm
