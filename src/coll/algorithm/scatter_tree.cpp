// Scatter down a k-nomial tree: each member gets the blocks of its subtree in one message and passes on what is not its
// own. With radix n it is flat: a message per member.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// The blocks in the order of positions.
const std::byte* turned(Call& call) {
  const Request& r = call.request();
  const Call::Window copy = call.temporary(call.size() * r.size);
  const size_t tail = (call.size() - r.root) * r.size;
  os::copy_data(copy.at, r.source + r.root * r.size, tail);
  os::copy_data(copy.at + tail, r.source, r.root * r.size);
  return copy.at;
}

Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), r.root, n);
  const KNomial tree(n, call.plan().radix);
  const std::byte* blocks = nullptr;  // of positions from this one on
  if (position != 0) {
    co_await call.arrived(0);
    blocks = call.slot(0);
  } else {
    blocks = r.root == 0 || call.plan().radix >= n ? r.source : turned(call);
  }
  for (auto child = tree.children(position, true); child.valid(); child.next()) {
    const uint32_t p = child.position();
    const uint32_t member = member_at(p, r.root, n);
    const bool flat = call.plan().radix >= n;
    co_await call.send(member, 0, blocks + (flat ? member : p - position) * r.size, tree.span(p) * r.size);
  }
  const std::byte* own = position != 0 ? blocks : r.source + call.me() * r.size;
  if (r.destination != nullptr && r.destination != own) os::copy_data(r.destination, own, r.size);
}

void at_once(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t position = position_of(call.me(), r.root, n);
  const bool flat = call.plan().radix >= n;
  const std::byte* blocks = position == 0 ? r.source : call.slot(0);
  if (position != 0) call.wait(0);
  if (!flat) {
    if (position == 0 && r.root != 0) blocks = turned(call);
    const KNomial tree(n, call.plan().radix);
    for (auto child = tree.children(position, true); child.valid(); child.next())
      call.post(member_at(child.position(), r.root, n), 0, blocks + (child.position() - position) * r.size,
                tree.span(child.position()) * r.size);
  } else if (position == 0) {
    for (uint32_t p = 1; p < n; ++p) {
      const uint32_t member = member_at(p, r.root, n);
      call.post(member, 0, blocks + member * r.size, r.size);
    }
  }
  const std::byte* own = position != 0 ? blocks : r.source + call.me() * r.size;
  if (r.destination != nullptr && r.destination != own) os::copy_data(r.destination, own, r.size);
}

bool ready(Call& call) { return call.me() == call.request().root || call.here(0); }

Space space(const Shape& shape, const Plan& plan) {
  const size_t blocks = plan.radix >= shape.members ? 1 : (shape.members + 1) / 2;
  return {1, 1, std::max<size_t>(1, blocks) * shape.size};
}

bool fits(const Shape& shape, const Plan& plan) {
  return shape.size <= size_t{64} << 10 && (plan.radix <= shape.members || plan.radix == 2);
}

double cost(const Model& model, const Shape& shape, const Plan& plan) {
  const uint32_t depth = KNomial::depth(shape.members, plan.radix);
  double alone = model.copy(shape.size) + model.overhead_ns + (std::max(depth, 1u) - 1) * model.phase();
  const Model own = model.unshared();
  const Model link = to_root(model, shape);
  const double kept = own.overhead_ns + own.copy(shape.size);
  Work work = {.busiest = kept, .total = shape.members * kept, .carried = shape.behind_link() * shape.size};
  KNomial::for_each_level(shape.members, plan.radix, [&](uint64_t messages, uint64_t blocks) {
    const size_t size = blocks * shape.size;
    alone += (plan.radix - 1) * link.through(size);
    // The lines that a member writes to were last read by the receiver.
    const double sent = own.sending(size) + own.handover(size);
    work.busiest += (plan.radix - 1) * sent;
    work.total += static_cast<double>(messages) * (sent + own.overhead_ns + own.handover(size));
  });
  work.busiest = std::max(work.busiest, kept + own.overhead_ns + own.handover(shape.size));
  return link.one_way(alone, work, shape.members, shape.members * shape.size);
}

constexpr uint32_t radices[] = {2, 3, 4, 5, 6, 7, 8, 16, 32};

}  // namespace

extern const Algorithm scatter_tree{.op = Op::scatter,
                                    .name = "tree",
                                    .run = run,
                                    .space = space,
                                    .fits = fits,
                                    .cost = cost,
                                    .radices = radices,
                                    .at_once = at_once,
                                    .ready = ready};

}  // namespace weft::coll::algorithm
