// Reductions in one phase: members send their operands to all who need them, who combine them in the order of members.
// For small operands; and the reference for the others, since any operation may be used with it.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// destination = operand of member 0 op ... op operand of member `count` - 1; this member's is `own`, the others' are in
// the slots with their numbers. own may be the destination. next() takes the operands in order.
class Sum {
 public:
  Sum(Call& call, std::byte* destination, const std::byte* own, uint32_t count)
      : call_(call), fold_(call.request().fold), destination_(destination), own_(own), size_(call.request().size) {
    // The destination is written before an operand of member 2 or later is read.
    const uint32_t me = call.me();
    if (own == destination && me >= 2 && me < count)
      own_ = static_cast<const std::byte*>(os::copy_data(call.slot(me), own, size_));
  }
  void next(uint32_t member) {
    const std::byte* right = member == call_.me() ? own_ : call_.slot(member);
    if (left_ != nullptr) fold_(destination_, left_, right, size_);
    left_ = left_ == nullptr ? right : destination_;
  }
  void finish() const {
    if (left_ != destination_ && left_ != nullptr) os::copy_data(destination_, left_, size_);
  }

 private:
  Call& call_;
  const Fold& fold_;
  std::byte* destination_;
  const std::byte* own_;
  size_t size_;
  const std::byte* left_ = nullptr;
};

Task fold_slots(Call& call, std::byte* destination, const std::byte* own, uint32_t count) {
  Sum sum(call, destination, own, count);
  for (uint32_t member = 0; member < count; ++member) {
    if (member != call.me()) co_await call.arrived(member);
    sum.next(member);
  }
  sum.finish();
}

void fold_at_once(Call& call, std::byte* destination, const std::byte* own, uint32_t count) {
  Sum sum(call, destination, own, count);
  for (uint32_t member = 0; member < count; ++member) {
    if (member != call.me()) call.wait(member);
    sum.next(member);
  }
  sum.finish();
}

void reduce_at_once(Call& call) {
  const Request& r = call.request();
  if (call.me() != r.root)
    call.post(r.root, call.me(), r.source, r.size);
  else
    fold_at_once(call, r.destination, r.source, call.size());
}

void all_at_once(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) call.post(member_at(i, me, n), me, r.source, r.size);
  fold_at_once(call, r.destination, r.source, n);
}

Task run_reduce(Call& call) {
  const Request& r = call.request();
  if (call.me() != r.root) {
    co_await call.send(r.root, call.me(), r.source, r.size);
    co_return;
  }
  co_await fold_slots(call, r.destination, r.source, call.size());
}

Task run_all(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) co_await call.send(member_at(i, me, n), me, r.source, r.size);
  if (r.source == r.destination) co_await call.sent();
  co_await fold_slots(call, r.destination, r.source, n);
}

Task run_scatter(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t to = member_at(i, me, n);
    co_await call.send(to, me, r.source + to * r.size, r.size);
  }
  co_await fold_slots(call, r.destination, r.source + me * r.size, n);
}

Task run_prefix(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t to = me + 1; to < n; ++to) co_await call.send(to, me, r.source, r.size);
  if (r.source == r.destination) co_await call.sent();
  co_await fold_slots(call, r.destination, r.source, r.exclusive ? me : me + 1);
}

// The root has all operands, or is another.
bool reduce_ready(Call& call) {
  bool all = true;
  for (uint32_t member = 0; member < call.size() && call.me() == call.request().root; ++member)
    all = all && (member == call.me() || call.here(member));
  return all;
}

Space space(const Shape& shape, const Plan&) { return {shape.members, shape.members, shape.size}; }
bool fits(const Shape& shape, const Plan&) { return shape.size <= size_t{64} << 10; }
// The last resort of operations that do not commute.
bool fits_always(const Shape&, const Plan&) { return true; }

double cost_reduce(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t others = shape.members - 1;
  const Model own = model.unshared();
  const double received = own.combine_received(shape.size);
  const double alone = 2 * model.overhead_ns + std::max(model.incoming(others, shape.size), others * received);
  const Work work = {.busiest = own.overhead_ns + std::max(others * received, own.sending(shape.size)),
                     .total = shape.members * own.overhead_ns + others * (received + own.message(shape.size)),
                     .carried = others * shape.size};
  return model.one_way(alone, work, shape.members, shape.members * shape.size);
}
double cost_all(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t others = shape.members - 1;
  return model.phase() + others * (model.through(shape.size) + model.overhead_ns + model.combine(shape.size)) +
         model.incast(others, shape.size);
}
// From each member to those after it.
double cost_prefix(const Model& model, const Shape& shape, const Plan& plan) {
  const uint32_t others = shape.members - 1;
  const Model own = model.unshared();
  const double received = own.combine_received(shape.size);
  const Work work = {.busiest = own.overhead_ns + others * std::max(received, own.sending(shape.size)),
                     .total = shape.members * (own.overhead_ns + others * (received + own.message(shape.size)) / 2),
                     .carried = others * shape.size};
  return model.one_way(cost_all(model, shape, plan), work, shape.members, shape.members * shape.size);
}

}  // namespace

extern const Algorithm reduce_flat{.op = Op::reduce,
                                   .name = "flat",
                                   .run = run_reduce,
                                   .space = space,
                                   .fits = fits_always,
                                   .cost = cost_reduce,
                                   .at_once = reduce_at_once,
                                   .ready = reduce_ready};
extern const Algorithm reduce_all_flat{.op = Op::reduce_all,
                                       .name = "flat",
                                       .run = run_all,
                                       .space = space,
                                       .fits = fits_always,
                                       .cost = cost_all,
                                       .at_once = all_at_once};
extern const Algorithm reduce_scatter_flat{.op = Op::reduce_scatter,
                                           .name = "flat",
                                           .run = run_scatter,
                                           .space = space,
                                           .fits = fits_always,
                                           .cost = cost_all};
extern const Algorithm prefix_flat{
    .op = Op::prefix, .name = "flat", .run = run_prefix, .space = space, .fits = fits, .cost = cost_prefix};

}  // namespace weft::coll::algorithm
