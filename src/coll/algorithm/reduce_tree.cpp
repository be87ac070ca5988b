// Reduce up a k-nomial tree. The subtree of a position is a run of positions, and children are taken nearest first, so
// the order of operands is kept: on a tree whose root is member 0 the operation need not commute. Then the result goes
// on to the root of the call. Or up a k-ary tree, whose order is another: no link carries more than k operands.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// The result is at member `top`, in `result`; others may pass null. Slots: the children's operands, in their order.
template <class Tree>
Task reduce_up(Call& call, uint32_t top, std::byte* result) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), top, n);
  const Tree tree(n, call.plan().radix);
  const std::byte* partial = r.source;
  uint32_t slot = 0;
  for (auto child = tree.children(position, false); child.valid(); child.next(), ++slot) {
    if (slot == 0 && result == nullptr) result = call.temporary(r.size).at;
    co_await call.arrived(slot);
    r.fold(result, partial, call.slot(slot), r.size);
    partial = result;
  }
  if (position == 0) {
    if (partial != result) os::copy_data(result, partial, r.size);
    co_return;
  }
  co_await call.send(member_at(tree.parent(position), top, n), tree.sibling(position), partial, r.size);
}

template <class Tree>
Task run_reduce(Call& call) {
  const Request& r = call.request();
  const uint32_t top = r.fold.commutative ? r.root : 0;
  std::byte* result = call.me() == r.root ? r.destination : nullptr;
  if (top == r.root) {
    co_await reduce_up<Tree>(call, top, result);
    co_return;
  }
  // The slot after the children's takes the result to the root. In place, the root's operand must not be overwritten
  // early, so partial results of members below the top have memory of their own.
  const uint32_t last = Tree::fan(call.size(), call.plan().radix);
  result = call.me() == top ? call.temporary(r.size).at : nullptr;
  co_await reduce_up<Tree>(call, top, result);
  if (call.me() == top) {
    co_await call.send(r.root, last, result, r.size);
  } else if (call.me() == r.root) {
    co_await call.arrived(last);
    os::copy_data(r.destination, call.slot(last), r.size);
  }
}

// Up to member 0, and down again.
Task run_all(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const uint32_t last = KNomial::fan(n, call.plan().radix);
  const KNomial tree(n, call.plan().radix);
  co_await reduce_up<KNomial>(call, 0, me == 0 ? r.destination : nullptr);
  const std::byte* result = r.destination;
  if (me != 0) {
    co_await call.arrived(last);
    result = call.slot(last);
  }
  for (auto child = tree.children(me, true); child.valid(); child.next())
    co_await call.send(child.position(), last, result, r.size);
  if (me != 0) os::copy_data(r.destination, result, r.size);
}

template <class Tree>
Space space(const Shape& shape, const Plan& plan) {
  const bool goes_on = shape.op != Op::reduce || !shape.commutative;
  const uint32_t slots = Tree::fan(shape.members, plan.radix) + (goes_on ? 1 : 0);
  return {slots, slots, shape.size};
}

bool fits(const Shape& shape, const Plan& plan) {
  return shape.members > 2 && shape.size <= size_t{1} << 20 && plan.radix < shape.members;
}

// Mapped memory has no links.
bool fits_kary(const Shape& shape, const Plan& plan) {
  return !shape.direct && shape.commutative && shape.size <= size_t{64} << 10 && plan.radix < shape.members;
}

template <class Tree>
double cost_up(const Model& model, const Shape& shape, const Plan& plan) {
  const uint32_t siblings = Tree::per_level(plan.radix);
  return Tree::depth(shape.members, plan.radix) *
         (model.phase() + model.through(shape.size) + model.queued(siblings - 1, shape.size) +
          siblings * (model.overhead_ns + model.combine(shape.size)));
}
template <class Tree>
double cost_reduce(const Model& model, const Shape& shape, const Plan& plan) {
  const Model own = model.unshared();
  const double received = own.combine_received(shape.size);
  const uint32_t children = Tree::fan(shape.members, plan.radix);
  const uint32_t below = Tree::fan_below(shape.members, plan.radix);
  const Work work = {
      .busiest = own.overhead_ns + std::max(children * received, below * received + own.sending(shape.size)),
      .total = shape.members * own.overhead_ns + (shape.members - 1) * (received + own.message(shape.size)),
      .carried = children * shape.size};
  const size_t room = children * shape.size;
  const Model link = children == 1 ? to_neighbour(model, shape) : model;
  return link.one_way(cost_up<Tree>(link, shape, plan), work, shape.members, room);
}
double cost_all(const Model& model, const Shape& shape, const Plan& plan) {
  return cost_up<KNomial>(model, shape, plan) +
         KNomial::depth(shape.members, plan.radix) * (model.phase() + (plan.radix - 1) * model.through(shape.size));
}

constexpr uint32_t radices[] = {2, 3, 4, 8};
constexpr uint32_t radices_kary[] = {1, 2, 3};

}  // namespace

extern const Algorithm reduce_tree{.op = Op::reduce,
                                   .name = "tree",
                                   .run = run_reduce<KNomial>,
                                   .space = space<KNomial>,
                                   .fits = fits,
                                   .cost = cost_reduce<KNomial>,
                                   .radices = radices};
extern const Algorithm reduce_kary_tree{.op = Op::reduce,
                                        .name = "kary_tree",
                                        .run = run_reduce<KAry>,
                                        .space = space<KAry>,
                                        .fits = fits_kary,
                                        .cost = cost_reduce<KAry>,
                                        .radices = radices_kary};
extern const Algorithm reduce_all_tree{.op = Op::reduce_all,
                                       .name = "tree",
                                       .run = run_all,
                                       .space = space<KNomial>,
                                       .fits = fits,
                                       .cost = cost_all,
                                       .radices = radices};

}  // namespace weft::coll::algorithm
