// Gather-all in one phase: each member sends its block to all others, into scratch space if it is small, else straight
// to where the others say they want it.
#include "coll/algorithm/each_to_each.hpp"
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

void own_block(const Request& r, uint32_t me) {
  std::byte* place = r.destination + me * r.size;
  if (r.source != place) std::memcpy(place, r.source, r.size);
}

Task run_eager(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) co_await call.send(member_at(i, me, n), me, r.source, r.size);
  own_block(r, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = member_at(i, me, n);
    co_await call.arrived(from);
    std::memcpy(r.destination + from * r.size, call.slot(from), r.size);
  }
}

void at_once(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) call.post(member_at(i, me, n), me, r.source, r.size);
  own_block(r, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = member_at(i, me, n);
    call.wait(from);
    std::memcpy(r.destination + from * r.size, call.slot(from), r.size);
  }
}

// Lines: member: its block is there, if this one waits for that; n + member: where it wants mine.
Task run_put(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const Call::Window window = call.window(r.destination, n * r.size);
  const bool waits = window.stand_in || !call.loose();
  for (uint32_t i = 1; i < n; ++i) co_await call.tell(member_at(i, me, n), n + me, window.offset, waits);
  own_block(r, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t to = member_at(i, me, n);
    const uint64_t* told = co_await call.arrived(n + to);
    if (told[1] == 0) {
      std::memcpy(call.members().direct(to) + told[0] + me * r.size, r.source, r.size);
      continue;
    }
    co_await call.put(to, told[0] + me * r.size, r.source, r.size, me);
  }
  for (uint32_t i = 1; i < n && waits; ++i) {
    const uint32_t from = member_at(i, me, n);
    co_await call.arrived(from);
    if (window.stand_in) std::memcpy(r.destination + from * r.size, window.at + from * r.size, r.size);
  }
}

}  // namespace

extern const Algorithm gather_all_flat{.op = Op::gather_all,
                                       .name = "flat",
                                       .run = run_eager,
                                       .space = space_eager,
                                       .fits = fits_eager,
                                       .cost = cost_eager,
                                       .at_once = at_once};
extern const Algorithm gather_all_put{
    .op = Op::gather_all, .name = "put", .run = run_put, .space = space_put, .fits = fits_put, .cost = cost_put};

}  // namespace weft::coll::algorithm
