// Reduce up a k-nomial tree. The subtree of a position is a run of positions, and children are taken nearest first, so
// the order of operands is kept: on a tree whose root is member 0 the operation need not commute. Then the result goes
// on to the root of the call.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

uint32_t slots_for_children(uint32_t members, uint32_t radix) { return KNomial::depth(members, radix) * (radix - 1); }

// The result is at member `top`, in `result`; others may pass null. Slots: the children's operands, in their order.
Task reduce_up(Call& call, uint32_t top, std::byte* result) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), top, n);
  const KNomial tree(n, call.plan().radix);
  const std::byte* partial = r.source;
  uint32_t slot = 0;
  for (auto child = tree.children(position, false); child.valid(); child.next(), ++slot) {
    if (slot == 0 && result == nullptr) result = call.temporary(r.size).at;
    co_await call.arrived(slot);
    r.fold(result, partial, call.slot(slot), r.size);
    partial = result;
  }
  if (position == 0) {
    if (partial != result) std::memcpy(result, partial, r.size);
    co_return;
  }
  // Which of its parent's children is this one?
  const uint32_t parent = tree.parent(position);
  uint32_t mine = 0;
  for (auto child = tree.children(parent, false); child.position() != position; child.next()) ++mine;
  co_await call.send(member_at(parent, top, n), mine, partial, r.size);
}

Task run_reduce(Call& call) {
  const Request& r = call.request();
  const uint32_t top = r.fold.commutative ? r.root : 0;
  std::byte* result = call.me() == r.root ? r.destination : nullptr;
  if (top == r.root) {
    co_await reduce_up(call, top, result);
    co_return;
  }
  // The slot after the children's takes the result to the root. In place, the root's operand must not be overwritten
  // early, so partial results of members below the top have memory of their own.
  const uint32_t last = slots_for_children(call.size(), call.plan().radix);
  result = call.me() == top ? call.temporary(r.size).at : nullptr;
  co_await reduce_up(call, top, result);
  if (call.me() == top) {
    co_await call.send(r.root, last, result, r.size);
  } else if (call.me() == r.root) {
    co_await call.arrived(last);
    std::memcpy(r.destination, call.slot(last), r.size);
  }
}

// Up to member 0, and down again.
Task run_all(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const uint32_t last = slots_for_children(n, call.plan().radix);
  const KNomial tree(n, call.plan().radix);
  co_await reduce_up(call, 0, me == 0 ? r.destination : nullptr);
  const std::byte* result = r.destination;
  if (me != 0) {
    co_await call.arrived(last);
    result = call.slot(last);
  }
  for (auto child = tree.children(me, true); child.valid(); child.next())
    co_await call.send(child.position(), last, result, r.size);
  if (me != 0) std::memcpy(r.destination, result, r.size);
}

Space space(const Shape& shape, const Plan& plan) {
  const uint32_t slots = slots_for_children(shape.members, plan.radix) + 1;
  return {slots, slots, shape.size};
}

bool fits(const Shape& shape, const Plan& plan) {
  return shape.members > 2 && shape.size <= size_t{1} << 20 && plan.radix < shape.members;
}

double cost_up(const Model& model, const Shape& shape, const Plan& plan) {
  return KNomial::depth(shape.members, plan.radix) *
         (model.phase() + model.through(shape.size) +
          (plan.radix - 1) * (model.overhead_ns + model.combine(shape.size)));
}
double cost_reduce(const Model& model, const Shape& shape, const Plan& plan) {
  const Model own = model.unshared();
  const double received = own.combine_received(shape.size);
  const uint32_t children = KNomial::depth(shape.members, plan.radix) * (plan.radix - 1);
  const Work work = {
      .busiest = own.overhead_ns + std::min(children, shape.members - 1) * received,
      .total = shape.members * own.overhead_ns + (shape.members - 1) * (received + own.message(shape.size))};
  const size_t room = slots_for_children(shape.members, plan.radix) * shape.size;
  return model.one_way(cost_up(model, shape, plan), work, shape.members, room);
}
double cost_all(const Model& model, const Shape& shape, const Plan& plan) {
  return cost_up(model, shape, plan) +
         KNomial::depth(shape.members, plan.radix) * (model.phase() + (plan.radix - 1) * model.through(shape.size));
}

constexpr uint32_t radices[] = {2, 3, 4, 8};

}  // namespace

extern const Algorithm reduce_tree{.op = Op::reduce,
                                   .name = "tree",
                                   .run = run_reduce,
                                   .space = space,
                                   .fits = fits,
                                   .cost = cost_reduce,
                                   .radices = radices};
extern const Algorithm reduce_all_tree{.op = Op::reduce_all,
                                       .name = "tree",
                                       .run = run_all,
                                       .space = space,
                                       .fits = fits,
                                       .cost = cost_all,
                                       .radices = radices};

}  // namespace weft::coll::algorithm
