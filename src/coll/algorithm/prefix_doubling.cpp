// Prefix by recursive doubling (Hillis, Steele 1986): in a round each member sends what it has combined so far to the
// member 1, 2, 4, ... further on, which puts it before its own. The order of operands is kept.
#include <bit>
#include <cmath>

#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// `until_me` is the operands from some member to this one, `before_me`, if it is asked for, those to the one before
// this: each round makes both reach further back. Slots: one per round.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  std::byte* until_me = r.exclusive ? call.temporary(r.size).at : r.destination;
  std::byte* before_me = r.exclusive ? r.destination : nullptr;
  if (until_me != r.source) os::copy_data(until_me, r.source, r.size);
  uint32_t round = 0;
  for (uint64_t distance = 1; distance < n; distance *= 2, ++round) {
    if (me + distance < n) co_await call.send(static_cast<uint32_t>(me + distance), round, until_me, r.size);
    if (me < distance) continue;
    co_await call.arrived(round);
    co_await call.sent();
    r.fold(until_me, call.slot(round), until_me, r.size);
    if (before_me == nullptr) continue;
    if (round == 0)
      os::copy_data(before_me, call.slot(round), r.size);
    else
      r.fold(before_me, call.slot(round), before_me, r.size);
  }
}

uint32_t slots_of(uint32_t members) { return std::max(1u, static_cast<uint32_t>(std::bit_width(members - 1))); }

Space space(const Shape& shape, const Plan&) { return {slots_of(shape.members), slots_of(shape.members), shape.size}; }
bool fits(const Shape&, const Plan&) { return true; }
double cost(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t rounds = slots_of(shape.members);
  const Model own = model.unshared();
  // Members of a host that get the processor in turns take the rounds of many calls in one turn, if calls overlap.
  const double phase = (model.one_link || model.ahead_bytes == 0 ? model : own).phase();
  const double alone = rounds * (phase + model.through(shape.size) + model.overhead_ns + model.combine(shape.size));
  const double kept = own.overhead_ns + own.copy(shape.size);
  const double sent = own.sending(shape.size);
  const double received = own.combine_received(shape.size);
  const double messages = static_cast<double>(rounds) * shape.members - (std::exp2(rounds) - 1);
  const Work work = {.busiest = kept + (rounds - 1) * (sent + received) + std::max(sent, received),
                     .total = shape.members * kept + messages * (sent + received),
                     .carried = rounds * shape.size};
  return model.one_way(alone, work, shape.members, rounds * shape.size);
}

}  // namespace

extern const Algorithm prefix_doubling{
    .op = Op::prefix, .name = "doubling", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace weft::coll::algorithm
