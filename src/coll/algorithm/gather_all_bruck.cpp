// Bruck et al. 1997, with any radix: members hold ever longer runs of blocks, each beginning with its own; in a round
// each gets the radix - 1 runs that follow its own. With one size of blocks, or one for each member.
#include "coll/algorithm/blocks.hpp"
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Slot 0 is the run; the line of digit j in a round says that the j-th run has come.
template <class Blocks>
Task run(Call& call) {
  const Request& r = call.request();
  const Blocks blocks(call);
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const uint32_t radix = call.plan().radix;
  std::byte* const held = call.slot(0);
  if (blocks.size(me) != 0) os::copy_data(held, r.source, blocks.size(me));
  uint32_t line = 0;
  for (uint64_t have = 1; have < n; have *= radix, line += radix - 1) {
    for (uint32_t j = 1; j < radix && j * have < n; ++j) {
      const auto to = static_cast<uint32_t>((me + n - j * have) % n);
      const uint64_t count = std::min(have, n - j * have);
      co_await call.put(to, call.slot_offset(to, 0) + blocks.run(to, j * have), held, blocks.run(me, count),
                        line + j - 1);
    }
    for (uint32_t j = 1; j < radix && j * have < n; ++j) co_await call.arrived(line + j - 1);
  }
  blocks.spread(r.destination, held, me);
}

Space space(const Shape& shape, const Plan& plan) {
  return {KNomial::depth(shape.members, plan.radix) * (plan.radix - 1), 1,
          std::max<size_t>(line_bytes, shape.members * shape.size)};
}

bool fits(const Shape& shape, const Plan& plan) {
  return shape.members > 2 && shape.size <= size_t{64} << 10 && plan.radix <= shape.members;
}

double cost(const Model& model, const Shape& shape, const Plan& plan) {
  const uint32_t rounds = KNomial::depth(shape.members, plan.radix);
  const uint32_t messages = plan.radix - 1;  // of a round
  return rounds * (messages * model.overhead_ns + model.taking_in(messages) + model.phase()) +
         model.through((shape.members - 1) * shape.size) +
         model.incast(messages, shape.size * shape.members / plan.radix) + model.copy((shape.members + 1) * shape.size);
}

constexpr uint32_t radices[] = {2, 3, 4, 5, 8, 16};

}  // namespace

extern const Algorithm gather_all_bruck{.op = Op::gather_all,
                                        .name = "bruck",
                                        .run = run<EqualBlocks>,
                                        .space = space,
                                        .fits = fits,
                                        .cost = cost,
                                        .radices = radices};
extern const Algorithm gather_all_v_bruck{.op = Op::gather_all_v,
                                          .name = "bruck",
                                          .run = run<ListedBlocks>,
                                          .space = space,
                                          .fits = fits,
                                          .cost = cost,
                                          .radices = radices};

}  // namespace weft::coll::algorithm
