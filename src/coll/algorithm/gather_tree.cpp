// Gather up a k-nomial tree: each member collects the blocks of its subtree in its scratch space and sends them on in
// one message. With radix n it is flat.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// At the root: slot 0, in the order of members.
void to_destination(const Request& r, const std::byte* blocks, uint32_t n) {
  const size_t tail = (n - 1 - r.root) * r.size;  // members after the root come first
  os::copy_data(r.destination + (r.root + 1) * r.size, blocks + r.size, tail);
  os::copy_data(r.destination, blocks + r.size + tail, r.root * r.size);
  if (r.source != r.destination + r.root * r.size) os::copy_data(r.destination + r.root * r.size, r.source, r.size);
}

// Slot 0 holds the blocks of the subtree, this member's first. A line per child: those of its subtree have come.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), r.root, n);
  const KNomial tree(n, call.plan().radix);
  if (position != 0 && tree.span(position) == 1) {
    const uint32_t parent = tree.parent(position);
    const uint32_t to = member_at(parent, r.root, n);
    co_await call.put(to, call.slot_offset(to, 0) + (position - parent) * r.size, r.source, r.size,
                      tree.sibling(position));
    co_return;
  }
  std::byte* blocks = call.slot(0);
  if (position != 0) os::copy_data(blocks, r.source, r.size);
  uint32_t line = 0;
  for (auto child = tree.children(position, false); child.valid(); child.next()) co_await call.arrived(line++);
  if (position != 0) {
    const uint32_t parent = tree.parent(position);
    const uint32_t to = member_at(parent, r.root, n);
    co_await call.put(to, call.slot_offset(to, 0) + (position - parent) * r.size, blocks, tree.span(position) * r.size,
                      tree.sibling(position));
    co_return;
  }
  to_destination(r, blocks, n);
}

void at_once(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), r.root, n);
  const bool flat = call.plan().radix >= n;
  const KNomial tree(n, call.plan().radix);
  std::byte* const collected = call.slot(0);
  const std::byte* blocks = collected;
  size_t size = r.size;
  if (flat && position == 0) {
    for (uint32_t line = 0; line + 1 < n; ++line) call.wait(line);
  } else if (flat || (position != 0 && tree.span(position) == 1)) {
    blocks = r.source;
  } else {
    if (position != 0) os::copy_data(collected, r.source, r.size);
    uint32_t line = 0;
    for (auto child = tree.children(position, false); child.valid(); child.next()) call.wait(line++);
    size = tree.span(position) * r.size;
  }
  if (position == 0) return to_destination(r, blocks, n);
  const uint32_t parent = flat ? 0 : tree.parent(position);
  const uint32_t to = member_at(parent, r.root, n);
  call.post_at(to, call.slot_offset(to, 0) + (position - parent) * r.size, blocks, size,
               flat ? position - 1 : tree.sibling(position));
}

// At least a line, so that the slot is in the bulk: the line's own payload must stay free.
Space space(const Shape& shape, const Plan& plan) {
  const uint32_t lines = std::max(1u, KNomial::fan(shape.members, plan.radix));
  return {lines, 1, std::max<size_t>(line_bytes, shape.members * shape.size)};
}

bool fits(const Shape& shape, const Plan& plan) {
  return shape.size <= size_t{64} << 10 && (plan.radix <= shape.members || plan.radix == 2);
}

double cost(const Model& model, const Shape& shape, const Plan& plan) {
  const uint32_t depth = KNomial::depth(shape.members, plan.radix);
  double alone = model.copy(shape.members * shape.size) + model.overhead_ns + (std::max(depth, 1u) - 1) * model.phase();
  const Model own = model.unshared();
  const Model link = to_root(model, shape);
  const double start = own.overhead_ns + own.copy(shape.size);
  Work work = {.busiest = start, .total = shape.members * start, .carried = shape.behind_link() * shape.size};
  KNomial::for_each_level(shape.members, plan.radix, [&](uint64_t messages, uint64_t blocks) {
    const size_t size = blocks * shape.size;
    const double received = own.overhead_ns + std::max(own.handover(size), own.copy(size));
    alone += (plan.radix - 1) * model.overhead_ns + link.through(size);
    work.busiest += (plan.radix - 1) * received;
    work.total += static_cast<double>(messages) * (own.message(size) + received);
  });
  return link.one_way(alone, work, shape.members, shape.members * shape.size);
}

constexpr uint32_t radices[] = {2, 3, 4, 5, 6, 7, 8, 16, 32};

}  // namespace

extern const Algorithm gather_tree{.op = Op::gather,
                                   .name = "tree",
                                   .run = run,
                                   .space = space,
                                   .fits = fits,
                                   .cost = cost,
                                   .radices = radices,
                                   .at_once = at_once};

}  // namespace weft::coll::algorithm
