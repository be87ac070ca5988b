// Exchange with a size for each pair: receivers tell each sender where its data goes and how much they expect.
#include "coll/algorithm/each_to_each.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// Lines: member: where it wants mine; its answer: its data is there.
Task run(Call& call) {
  const Request& r = call.request();
  const VectorSizes& v = *r.sizes;
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  size_t extent = 0;
  for (uint32_t m = 0; m < n; ++m) extent = std::max(extent, v.to_size[m] == 0 ? 0 : v.to_offset[m] + v.to_size[m]);
  const Call::Window window = extent == 0 ? Call::Window{} : call.window(r.destination, extent);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = source_in(i, me, n);
    co_await call.tell(from, me, window.offset + v.to_offset[from], v.to_size[from]);
  }
  if (v.from_size[me] != v.to_size[me]) call.refuse_sizes(me, v.from_size[me], me, v.to_size[me]);
  if (v.to_size[me] != 0) os::copy_data(r.destination + v.to_offset[me], r.source + v.from_offset[me], v.to_size[me]);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t to = target_in(i, me, n);
    const uint64_t* words = co_await call.arrived(to);
    if (words[1] != v.from_size[to]) call.refuse_sizes(me, v.from_size[to], to, words[1]);
    if (v.from_size[to] != 0) co_await call.answer(to, words[0], r.source + v.from_offset[to], v.from_size[to], me);
  }
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = source_in(i, me, n);
    if (v.to_size[from] == 0) continue;
    co_await call.answered(from);
    if (window.bounced)
      os::copy_data(r.destination + v.to_offset[from], window.at + v.to_offset[from], v.to_size[from]);
  }
}

Space space(const Shape& shape, const Plan&) { return {.lines = shape.members}; }
bool fits(const Shape&, const Plan&) { return true; }
double cost(const Model& model, const Shape& shape, const Plan&) {
  return 2 * model.phase() + 2 * shape.members * model.overhead_ns;
}

}  // namespace

extern const Algorithm exchange_v_put{
    .op = Op::exchange_v, .name = "put", .run = run, .space = space, .fits = fits, .cost = cost};

}  // namespace weft::coll::algorithm
