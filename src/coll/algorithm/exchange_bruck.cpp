// Bruck et al. 1997, with any radix: blocks travel the distance to their member digit by digit, many in one message.
// Fewer messages, more bytes: for blocks so small that messages are what costs.
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Blocks whose distance has this digit at this weight, counted.
uint32_t blocks_with(uint32_t n, uint32_t radix, uint64_t weight, uint64_t digit) {
  uint32_t count = 0;
  for (uint64_t distance = 0; distance < n; ++distance) count += distance / weight % radix == digit;
  return count;
}

// held.at + d * size is the block that has to go d members further, or has arrived after coming from d members before.
Task run(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const uint32_t radix = call.plan().radix;
  const Call::Window held = call.temporary(2 * n * r.size);
  std::byte* packed = held.at + n * r.size;
  os::copy_data(held.at, r.source + me * r.size, (n - me) * r.size);
  os::copy_data(held.at + (n - me) * r.size, r.source, me * r.size);
  uint32_t slot = 0;
  for (uint64_t weight = 1; weight < n; weight *= radix) {
    co_await call.sent();
    std::byte* next = packed;
    for (uint64_t digit = 1; digit < radix && digit * weight < n; ++digit) {
      std::byte* first = next;
      for (uint64_t d = digit * weight; d < n; ++d) {
        if (d / weight % radix != digit) continue;
        os::copy_data(next, held.at + d * r.size, r.size);
        next += r.size;
      }
      co_await call.send(static_cast<uint32_t>((me + digit * weight) % n), slot + static_cast<uint32_t>(digit) - 1,
                         first, static_cast<size_t>(next - first));
    }
    for (uint32_t digit = 1; digit < radix && digit * weight < n; ++digit) {
      co_await call.arrived(slot + digit - 1);
      const std::byte* block = call.slot(slot + digit - 1);
      for (uint64_t d = digit * weight; d < n; ++d) {
        if (d / weight % radix != digit) continue;
        os::copy_data(held.at + d * r.size, block, r.size);
        block += r.size;
      }
    }
    slot += radix - 1;
  }
  for (uint32_t d = 0; d < n; ++d)
    os::copy_data(r.destination + (me + n - d) % n * r.size, held.at + d * r.size, r.size);
}

Space space(const Shape& shape, const Plan& plan) {
  uint32_t most = 1;
  for (uint64_t weight = 1; weight < shape.members; weight *= plan.radix)
    most = std::max(most, blocks_with(shape.members, plan.radix, weight, 1));
  const uint32_t slots = KNomial::depth(shape.members, plan.radix) * (plan.radix - 1);
  return {slots, slots, most * shape.size};
}

bool fits(const Shape& shape, const Plan& plan) {
  return shape.members > 2 && shape.size <= size_t{4} << 10 && plan.radix <= shape.members;
}

double cost(const Model& model, const Shape& shape, const Plan& plan) {
  const uint32_t rounds = KNomial::depth(shape.members, plan.radix);
  const size_t carried = shape.size * shape.members / plan.radix;  // by one of the messages of a round
  const uint32_t messages = plan.radix - 1;
  return rounds * (messages * model.through(carried) + model.taking_in(messages) + model.phase() +
                   model.copy(2 * messages * carried)) +
         model.copy(2 * shape.members * shape.size);
}

constexpr uint32_t radices[] = {2, 3, 4, 5, 8, 16};

}  // namespace

extern const Algorithm exchange_bruck{
    .op = Op::exchange, .name = "bruck", .run = run, .space = space, .fits = fits, .cost = cost, .radices = radices};

}  // namespace weft::coll::algorithm
