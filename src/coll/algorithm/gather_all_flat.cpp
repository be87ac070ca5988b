// Gather-all in one phase: each member sends its block to all others, into scratch space if it is small, else straight
// to where the others say they want it. With one size of blocks, or one for each member.
#include "coll/algorithm/blocks.hpp"
#include "coll/algorithm/each_to_each.hpp"
#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

template <class Blocks>
Task run_eager(Call& call) {
  const Request& r = call.request();
  const Blocks blocks(call);
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) co_await call.send(target_in(i, me, n), me, r.source, blocks.size(me));
  own_block(r, blocks, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = source_in(i, me, n);
    co_await call.arrived(from);
    if (blocks.size(from) != 0) os::copy_data(r.destination + blocks.place(from), call.slot(from), blocks.size(from));
  }
}

template <class Blocks>
void at_once(Call& call) {
  const Request& r = call.request();
  const Blocks blocks(call);
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) call.post(member_at(i, me, n), me, r.source, blocks.size(me));
  own_block(r, blocks, me);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = member_at(i, me, n);
    call.wait(from);
    if (blocks.size(from) != 0) os::copy_data(r.destination + blocks.place(from), call.slot(from), blocks.size(from));
  }
}

// Lines: member: where it wants mine; its answer: its block is there, if this one waits for that.
template <class Blocks>
Task run_put(Call& call) {
  const Request& r = call.request();
  const Blocks blocks(call);
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  const size_t own = blocks.size(me);
  const Call::Window window = call.window(r.destination, blocks.extent());
  const bool waits = window.bounced || !call.unsynchronized();
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t from = source_in(i, me, n);
    if (blocks.size(from) != 0) co_await call.tell(from, me, window.offset + blocks.place(from), waits);
  }
  own_block(r, blocks, me);
  for (uint32_t i = 1; i < n && own != 0; ++i) {
    const uint32_t to = target_in(i, me, n);
    const uint64_t* words = co_await call.arrived(to);
    if (words[1] == 0) {
      os::copy_data(call.members().direct(to) + words[0], r.source, own);
      continue;
    }
    co_await call.answer(to, words[0], r.source, own, me);
  }
  for (uint32_t i = 1; i < n && waits; ++i) {
    const uint32_t from = source_in(i, me, n);
    if (blocks.size(from) == 0) continue;
    co_await call.answered(from);
    if (window.bounced)
      os::copy_data(r.destination + blocks.place(from), window.at + blocks.place(from), blocks.size(from));
  }
}

}  // namespace

extern const Algorithm gather_all_flat{.op = Op::gather_all,
                                       .name = "flat",
                                       .run = run_eager<EqualBlocks>,
                                       .space = space_eager,
                                       .fits = fits_eager,
                                       .cost = cost_eager,
                                       .at_once = at_once<EqualBlocks>};
extern const Algorithm gather_all_put{.op = Op::gather_all,
                                      .name = "put",
                                      .run = run_put<EqualBlocks>,
                                      .space = space_put,
                                      .fits = fits_put,
                                      .cost = cost_put};
extern const Algorithm gather_all_v_flat{.op = Op::gather_all_v,
                                         .name = "flat",
                                         .run = run_eager<ListedBlocks>,
                                         .space = space_eager,
                                         .fits = fits_eager,
                                         .cost = cost_eager,
                                         .at_once = at_once<ListedBlocks>};
extern const Algorithm gather_all_v_put{.op = Op::gather_all_v,
                                        .name = "put",
                                        .run = run_put<ListedBlocks>,
                                        .space = space_put,
                                        .fits = fits_put,
                                        .cost = cost_put};

}  // namespace weft::coll::algorithm
