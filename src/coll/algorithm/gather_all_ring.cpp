// Gather-all around a ring: at each step a member passes on the block that it got last. Only neighbours talk.
// With one size of blocks, or one for each member.
#include "coll/algorithm/blocks.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: step: the block of that step is there; then where the right neighbour wants blocks: all, or each
// (ListedBlocks, whose places are each member's own).
constexpr bool one_place(const EqualBlocks*) { return true; }
constexpr bool one_place(const ListedBlocks*) { return false; }

template <class Blocks>
Task run(Call& call) {
  constexpr bool together = one_place(static_cast<const Blocks*>(nullptr));
  const Request& r = call.request();
  const Blocks blocks(call);
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const uint32_t left = (me + n - 1) % n, right = (me + 1) % n;
  const Call::Window window = call.window(r.destination, blocks.extent());
  std::byte* const place = window.at + blocks.place(me);
  if (blocks.size(me) != 0 && r.source != place) os::copy_data(place, r.source, blocks.size(me));
  // Blocks come in the order left, left of that, and so on.
  for (uint32_t step = 0; step < (together ? 1 : n - 1); ++step) {
    const uint64_t at = together ? 0 : blocks.place((left + n - step) % n);
    co_await call.tell(left, n + step, window.offset + at);
  }
  const uint64_t* words = nullptr;
  for (uint32_t step = 0; step + 1 < n; ++step) {
    const uint32_t block = (me + n - step) % n;
    if (step > 0) co_await call.arrived(step - 1);
    if (step == 0 || !together) words = co_await call.arrived(n + step);
    co_await call.put(right, words[0] + (together ? blocks.place(block) : 0), window.at + blocks.place(block),
                      blocks.size(block), step);
  }
  co_await call.arrived(n - 2);
  if (window.bounced) blocks.settle(r.destination, window.at);
}

template <class Blocks>
Space space(const Shape& shape, const Plan&) {
  return {.lines = shape.members + (one_place(static_cast<const Blocks*>(nullptr)) ? 1 : shape.members - 1)};
}
bool fits(const Shape& shape, const Plan&) { return shape.members > 2; }
double cost(const Model& model, const Shape& shape, const Plan&) {
  const double step = model.phase() + to_neighbour(model, shape).message(shape.size);
  return model.phase() + (shape.members - 1) * step + model.copy(shape.size);
}

}  // namespace

extern const Algorithm gather_all_ring{.op = Op::gather_all,
                                       .name = "ring",
                                       .run = run<EqualBlocks>,
                                       .space = space<EqualBlocks>,
                                       .fits = fits,
                                       .cost = cost};
extern const Algorithm gather_all_v_ring{.op = Op::gather_all_v,
                                         .name = "ring",
                                         .run = run<ListedBlocks>,
                                         .space = space<ListedBlocks>,
                                         .fits = fits,
                                         .cost = cost};

}  // namespace weft::coll::algorithm
