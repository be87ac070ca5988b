// Broadcast down a tree in one message per member, into its scratch space: for what is small. In a k-nomial tree it is
// there soonest; in a k-ary one (k = 1: a chain) no link carries more than k messages, so calls that follow each other
// overlap.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

template <class Tree>
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), r.root, n);
  const Tree tree(n, call.plan().radix);
  const std::byte* data = r.source;
  if (position != 0) {
    co_await call.arrived(0);
    data = call.slot(0);
  }
  for (auto child = tree.children(position, true); child.valid(); child.next())
    co_await call.send(member_at(child.position(), r.root, n), 0, data, r.size);
  if (r.destination != nullptr && r.destination != data) os::copy_data(r.destination, data, r.size);
}

void at_once(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), r.root, n);
  const bool flat = call.plan().radix >= n;
  const std::byte* data = r.source;
  if (position != 0) {
    call.wait(0);
    data = call.slot(0);
  }
  if (!flat) {
    const KNomial tree(n, call.plan().radix);
    for (auto child = tree.children(position, true); child.valid(); child.next())
      call.post(member_at(child.position(), r.root, n), 0, data, r.size);
  } else if (position == 0) {
    for (uint32_t p = 1; p < n; ++p) call.post(member_at(p, r.root, n), 0, data, r.size);
  }
  if (r.destination != nullptr && r.destination != data) os::copy_data(r.destination, data, r.size);
}

bool ready(Call& call) { return call.me() == call.request().root || call.here(0); }

Space space(const Shape& shape, const Plan&) { return {1, 1, shape.size}; }

bool fits(const Shape& shape, const Plan& plan) {
  return shape.size <= size_t{64} << 10 && plan.radix <= std::max(shape.members, 2u);
}

// Mapped memory has no links.
bool fits_kary(const Shape& shape, const Plan& plan) {
  return !shape.direct && shape.size <= size_t{64} << 10 && plan.radix < shape.members;
}

template <class Tree>
double cost(const Model& model, const Shape& shape, const Plan& plan) {
  const uint32_t depth = Tree::depth(shape.members, plan.radix);
  const uint32_t children = Tree::fan(shape.members, plan.radix);
  const Model link = children == 1 ? to_neighbour(model, shape) : model;
  const double alone = depth * Tree::per_level(plan.radix) * link.through(shape.size) + (depth - 1.0) * model.phase() +
                       2 * model.overhead_ns + model.copy(shape.size);
  const Model own = model.unshared();
  // The lines that it writes to were last read by the receiver.
  const double sent = own.sending(shape.size) + own.handover(shape.size);
  const double received = own.overhead_ns + own.handover(shape.size);
  const double kept = own.overhead_ns + own.copy(shape.size);
  const double root = kept + children * sent;
  const double next = kept + received + Tree::fan_below(shape.members, plan.radix) * sent;
  const Work work = {.busiest = std::max(root, next),
                     .total = shape.members * kept + (shape.members - 1) * (sent + received),
                     .carried = children * shape.size};
  return link.one_way(alone, work, shape.members, shape.size);
}

constexpr uint32_t radices_kary[] = {1, 2, 3};
constexpr uint32_t radices[] = {2, 3, 4, 5, 6, 7, 8, 16};

}  // namespace

extern const Algorithm broadcast_tree{.op = Op::broadcast,
                                      .name = "tree",
                                      .run = run<KNomial>,
                                      .space = space,
                                      .fits = fits,
                                      .cost = cost<KNomial>,
                                      .radices = radices,
                                      .at_once = at_once,
                                      .ready = ready};
extern const Algorithm broadcast_kary_tree{.op = Op::broadcast,
                                           .name = "kary_tree",
                                           .run = run<KAry>,
                                           .space = space,
                                           .fits = fits_kary,
                                           .cost = cost<KAry>,
                                           .radices = radices_kary};

}  // namespace weft::coll::algorithm
