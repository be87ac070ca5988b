// Hensgen, Finkel, Manber 1988, with any radix: in a round each member tells radix - 1 others, ever farther away, and
// hears from as many.
#include "coll/barrier_phase.hpp"

namespace weft::coll {
namespace {

uint32_t lines_of(uint32_t members, uint32_t radix) {
  uint32_t lines = 0;
  for (uint64_t distance = 1; distance < members; distance *= radix) lines += radix - 1;
  return lines;
}

Task disseminate(Call& call, uint32_t line, uint32_t radix) {
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint64_t distance = 1; distance < n; distance *= radix) {
    for (uint64_t j = 1; j < radix && j * distance < n; ++j)
      co_await call.signal(static_cast<uint32_t>((me + j * distance) % n), line + static_cast<uint32_t>(j) - 1);
    for (uint32_t j = 1; j < radix && j * distance < n; ++j) co_await call.arrived(line + j - 1);
    line += radix - 1;
  }
}

Task run(Call& call) { return disseminate(call, 0, call.plan().radix); }

Space space(const Shape& shape, const Plan& plan) { return {.lines = lines_of(shape.members, plan.radix)}; }

bool fits(const Shape& shape, const Plan& plan) { return plan.radix <= std::max(shape.members, 2u); }

double cost(const Model& model, const Shape& shape, const Plan& plan) {
  double time = 0;
  for (uint64_t distance = 1; distance < shape.members; distance *= plan.radix)
    time += (plan.radix - 1) * model.overhead_ns + model.phase();
  return time;
}

constexpr uint32_t radices[] = {2, 3, 4, 5, 6, 7, 8, 16};

}  // namespace

namespace {
uint32_t radix_of(const Members& members) {
  const bool share = members.all_direct() && members.core().capabilities().crowded;
  return share ? std::max(2u, members.size()) : 2;
}
}  // namespace

uint32_t barrier_lines(const Members& members) { return lines_of(members.size(), radix_of(members)); }

Task barrier_phase(Call& call, uint32_t line) { return disseminate(call, line, radix_of(call.members())); }

namespace algorithm {
extern const Algorithm barrier_dissemination{.op = Op::barrier,
                                             .name = "dissemination",
                                             .run = run,
                                             .space = space,
                                             .fits = fits,
                                             .cost = cost,
                                             .radices = radices};
}
}  // namespace weft::coll
