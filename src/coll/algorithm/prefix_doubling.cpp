// Prefix by recursive doubling (Hillis, Steele 1986): in a round each member sends what it has combined so far to the
// member 1, 2, 4, ... further on, which puts it before its own. The order of operands is kept.
#include <bit>
#include <cmath>

#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// `run` is the operands from some member to this one, `before` those to the one before this: each round makes both
// reach further back. Slots: one per round.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const Call::Window spare = call.temporary(2 * r.size);
  std::byte* until_me = spare.at;
  std::byte* before_me = spare.at + r.size;
  std::memcpy(until_me, r.source, r.size);
  bool some = false;
  uint32_t round = 0;
  for (uint64_t distance = 1; distance < n; distance *= 2, ++round) {
    if (me + distance < n) co_await call.send(static_cast<uint32_t>(me + distance), round, until_me, r.size);
    if (me < distance) continue;
    co_await call.arrived(round);
    co_await call.sent();
    r.fold(until_me, call.slot(round), until_me, r.size);
    if (some)
      r.fold(before_me, call.slot(round), before_me, r.size);
    else
      std::memcpy(before_me, call.slot(round), r.size);
    some = true;
  }
  if (!r.exclusive)
    std::memcpy(r.destination, until_me, r.size);
  else if (me != 0)
    std::memcpy(r.destination, before_me, r.size);
}

uint32_t slots_of(uint32_t members) { return std::max(1u, static_cast<uint32_t>(std::bit_width(members - 1))); }

Space space(const Shape& shape, const Plan&) { return {slots_of(shape.members), slots_of(shape.members), shape.size}; }
bool fits(const Shape&, const Plan&) { return true; }
double cost(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t rounds = slots_of(shape.members);
  const double alone = rounds * (model.phase() + 2 * model.through(shape.size) + 2 * model.combine(shape.size)) +
                       2 * model.through(shape.size);
  const Model own = model.unshared();
  const double kept = own.overhead_ns + 2 * own.copy(shape.size);
  const double passed =
      own.sending(shape.size) + own.overhead_ns + own.handover(shape.size) + 2 * own.combine(shape.size);
  const double messages = static_cast<double>(rounds) * shape.members - (std::exp2(rounds) - 1);
  const Work work = {.busiest = kept + rounds * passed,
                     .total = shape.members * kept + messages * passed,
                     .carried = rounds * shape.size};
  return model.one_way(alone, work, shape.members, rounds * shape.size);
}

}  // namespace

extern const Algorithm prefix_doubling{
    .op = Op::prefix, .name = "doubling", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace weft::coll::algorithm
