// Exchange in one phase: each member sends each other its block, into scratch space if blocks are small, else straight
// to where the other says it wants it. `pairwise` takes one partner at a time, so that a network carries disjoint
// pairs.
#include "coll/algorithm/each_to_each.hpp"
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

void own_block(const Request& r, uint32_t me) {
  os::copy_data(r.destination + me * r.size, r.source + me * r.size, r.size);
}

Task run_eager(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t to = target_in(i, me, n);
    co_await call.send(to, me, r.source + to * r.size, r.size);
  }
  own_block(r, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = source_in(i, me, n);
    co_await call.arrived(from);
    os::copy_data(r.destination + from * r.size, call.slot(from), r.size);
  }
}

void at_once(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t to = member_at(i, me, n);
    call.post(to, me, r.source + to * r.size, r.size);
  }
  own_block(r, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = position_of(me, i, n);
    call.wait(from);
    os::copy_data(r.destination + from * r.size, call.slot(from), r.size);
  }
}

// Lines: member: where it wants mine; its answer: its block is there, if this one waits for that.
Task put_blocks(Call& call, bool one_at_a_time) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const Call::Window window = call.window(r.destination, n * r.size);
  const bool waits = window.bounced || one_at_a_time || !call.unsynchronized();
  for (uint32_t i = 1; i < n; ++i) co_await call.tell(source_in(i, me, n), me, window.offset, waits);
  own_block(r, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t to = target_in(i, me, n);
    const uint64_t* words = co_await call.arrived(to);
    if (words[1] == 0) {
      os::copy_data(call.members().direct(to) + words[0] + me * r.size, r.source + to * r.size, r.size);
      continue;
    }
    co_await call.answer(to, words[0] + me * r.size, r.source + to * r.size, r.size, me);
    if (one_at_a_time) co_await call.answered(source_in(i, me, n));
  }
  for (uint32_t i = 1; i < n && waits; ++i) {
    const uint32_t from = source_in(i, me, n);
    co_await call.answered(from);
    if (window.bounced) os::copy_data(r.destination + from * r.size, window.at + from * r.size, r.size);
  }
}

Task run_put(Call& call) { return put_blocks(call, false); }
Task run_pairwise(Call& call) { return put_blocks(call, true); }

bool fits_pairwise(const Shape& shape, const Plan&) { return shape.members > 2; }

double cost_pairwise(const Model& model, const Shape& shape, const Plan&) {
  return model.phase() + (shape.members - 1) * (model.message(shape.size) + model.phase()) + model.copy(shape.size);
}

}  // namespace

extern const Algorithm exchange_flat{.op = Op::exchange,
                                     .name = "flat",
                                     .run = run_eager,
                                     .space = space_eager,
                                     .fits = fits_eager,
                                     .cost = cost_eager,
                                     .at_once = at_once};
extern const Algorithm exchange_put{
    .op = Op::exchange, .name = "put", .run = run_put, .space = space_put, .fits = fits_put, .cost = cost_put};
extern const Algorithm exchange_pairwise{.op = Op::exchange,
                                         .name = "pairwise",
                                         .run = run_pairwise,
                                         .space = space_put,
                                         .fits = fits_pairwise,
                                         .cost = cost_pairwise};

}  // namespace weft::coll::algorithm
