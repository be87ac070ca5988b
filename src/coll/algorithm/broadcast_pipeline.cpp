// Broadcast down a tree in segments that follow each other, put straight where the receiver wants them. Each member
// tells its parent where that is. Two trees: k-nomial, and k-ary with k = 1 for a chain.
#include "coll/algorithm/segments.hpp"
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: one per segment; then one per child's position, by which it tells where its data goes.
template <class Tree>
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const Tree tree(n, call.plan().radix);
  const uint32_t position = position_of(call.me(), r.root, n);
  const uint64_t segment = segment_of(r.size, call.plan());
  const uint32_t count = segments_of(r.size, call.plan());
  Call::Window window;
  const std::byte* data = r.source;
  if (position != 0) {
    window = call.window(r.destination, r.size);
    data = window.at;
    co_await call.tell(member_at(tree.parent(position), r.root, n), count + position, window.offset);
  }
  for (uint32_t s = 0; s < count; ++s) {
    const uint64_t begin = s * segment;
    const uint64_t size = std::min<uint64_t>(segment, r.size - begin);
    if (position != 0) co_await call.arrived(s);
    for (auto child = tree.children(position, true); child.valid(); child.next()) {
      const uint64_t* words = co_await call.arrived(count + child.position());
      co_await call.put(member_at(child.position(), r.root, n), words[0] + begin, data + begin, size, s);
    }
    if (window.bounced) os::copy_data(r.destination + begin, data + begin, size);
  }
  if (position == 0 && r.destination != nullptr && r.destination != data) os::copy_data(r.destination, data, r.size);
}

Space space(const Shape& shape, const Plan& plan) { return {.lines = segments_of(shape.size, plan) + shape.members}; }

bool fits(const Shape& shape, const Plan& plan) {
  return shape.size >= 1024 && plan.radix <= std::max(shape.members, 2u) && plan.segment < 2 * shape.size;
}

// A parent sends each segment to all of its children.
template <class Tree>
double cost(const Model& model, const Shape& shape, const Plan& plan) {
  const auto segment = static_cast<size_t>(std::min<uint64_t>(segment_of(shape.size, plan), shape.size));
  const uint32_t children = Tree::fan(shape.members, plan.radix);
  const Model link = children == 1 ? to_neighbour(model, shape) : model;
  const double step = children * link.message(segment);
  return pipelined(model, step, Tree::depth(shape.members, plan.radix), segments_of(shape.size, plan)) +
         model.copy(shape.size);
}

constexpr uint32_t radices_knomial[] = {2, 4, 8};
constexpr uint32_t radices_kary[] = {1, 2, 3};

}  // namespace

extern const Algorithm broadcast_pipeline{.op = Op::broadcast,
                                          .name = "pipeline",
                                          .run = run<KNomial>,
                                          .space = space,
                                          .fits = fits,
                                          .cost = cost<KNomial>,
                                          .radices = radices_knomial,
                                          .segments = segments};
extern const Algorithm broadcast_kary{.op = Op::broadcast,
                                      .name = "kary",
                                      .run = run<KAry>,
                                      .space = space,
                                      .fits = fits,
                                      .cost = cost<KAry>,
                                      .radices = radices_kary,
                                      .segments = segments};

}  // namespace weft::coll::algorithm
