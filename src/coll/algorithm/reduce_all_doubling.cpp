// Recursive doubling: in a round members at a distance of 1, 2, 4, ... swap what they have and combine it. Where the
// team is no power of two, the first members pair up before, and the one of each pair that stayed out gets the result
// after. Pairs are neighbours and blocks stay in order, so the operation need not commute.
#include <bit>

#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Slots: one per round, then one for what comes before or after the rounds.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const uint32_t core = std::bit_floor(n);
  const uint32_t extra = n - core;  // members 2i and 2i + 1 for i < extra are one
  const auto rounds = static_cast<uint32_t>(std::bit_width(core) - 1);
  const bool paired = me < 2 * extra;
  if (paired && me % 2 == 1) {
    co_await call.send(me - 1, rounds, r.source, r.size);
    co_await call.arrived(rounds);
    os::copy_data(r.destination, call.slot(rounds), r.size);
    co_return;
  }
  const uint32_t index = paired ? me / 2 : me - extra;
  const auto member = [&](uint32_t i) { return i < extra ? 2 * i : i + extra; };
  const std::byte* partial = r.source;
  if (paired) {
    co_await call.arrived(rounds);
    r.fold(r.destination, r.source, call.slot(rounds), r.size);
    partial = r.destination;
  }
  for (uint32_t round = 0; round < rounds; ++round) {
    const uint32_t partner = index ^ 1u << round;
    co_await call.send(member(partner), round, partial, r.size);
    co_await call.arrived(round);
    if (partial == r.destination) co_await call.sent();
    if (partner < index)
      r.fold(r.destination, call.slot(round), partial, r.size);
    else
      r.fold(r.destination, partial, call.slot(round), r.size);
    partial = r.destination;
  }
  if (partial != r.destination) os::copy_data(r.destination, partial, r.size);
  if (paired) co_await call.send(me + 1, rounds, r.destination, r.size);
}

uint32_t slots_of(uint32_t members) { return static_cast<uint32_t>(std::bit_width(std::bit_floor(members))); }

Space space(const Shape& shape, const Plan&) { return {slots_of(shape.members), slots_of(shape.members), shape.size}; }

bool fits(const Shape& shape, const Plan&) { return shape.members > 1 && shape.size <= size_t{4} << 20; }

double cost(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t rounds = slots_of(shape.members) - 1 + (std::has_single_bit(shape.members) ? 0 : 2);
  return rounds * (model.phase() + model.through(shape.size) + model.copy(shape.size) + model.overhead_ns +
                   model.combine(shape.size));
}

}  // namespace

extern const Algorithm reduce_all_doubling{
    .op = Op::reduce_all, .name = "doubling", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace weft::coll::algorithm
