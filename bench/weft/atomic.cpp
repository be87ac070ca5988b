// Remote atomics: on this rank's own memory, on the peer's, and on one word that two ranks fight for. The limit is the
// processor's instruction on the same word, run the same way.
#include <weft/atomic.h>

#include <cstdint>
#include <vector>

#include "common/opaque.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

struct Place {
  weft_rank_t owner;
  size_t offset;
  uint64_t* mapped;
};

uint64_t bare_compare_swap(uint64_t* word, uint64_t expected, uint64_t desired) {
  __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

template <class Operation>
Loop loop_of(Place place, Operation operation) {
  return [=](uint64_t iterations) mutable {
    repeat(iterations, [&] {
      opaque(place.owner, place.offset, place.mapped);
      uint64_t before = operation(place);
      opaque(before);
    });
  };
}

struct Loops {
  Loop add, swap, add_call, bare_add, bare_swap;
};

// Words that a list of additions goes to, in no order.
constexpr size_t list_length = 1024;
std::vector<size_t> list_of_places(size_t offset) {
  std::vector<size_t> places;
  for (uint32_t i = 0; i < list_length; ++i)
    places.push_back(offset + i * 2654435761u % list_length * sizeof(uint64_t));
  return places;
}

Loops loops_on(const weft_atomic_domain_t* domain, const Place& place) {
  return {.add = loop_of(place, [=](const Place& p) { return weft_atomic_fetch_add64(domain, p.owner, p.offset, 1); }),
          .swap = loop_of(place,
                          [=](const Place& p) { return weft_atomic_compare_swap64(domain, p.owner, p.offset, 0, 0); }),
          .add_call = loop_of(place,
                              [=](const Place& p) {
                                const uint64_t one = 1;
                                weft_atomic(domain, nullptr, p.owner, p.offset, WEFT_ATOMIC_ADD, &one, nullptr);
                                return one;
                              }),
          .bare_add = loop_of(place, [](const Place& p) { return __atomic_fetch_add(p.mapped, 1, __ATOMIC_SEQ_CST); }),
          .bare_swap = loop_of(place, [](const Place& p) { return bare_compare_swap(p.mapped, 0, 0); })};
}

}  // namespace

void atomics(const Bench& bench) {
  const Symmetric memory(bench, 2 * line_bytes);
  weft_atomic_domain_t* domain = nullptr;
  require(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain) == WEFT_OK, "no atomic domain");
  const size_t alone = memory.offset();
  const size_t shared = memory.offset() + line_bytes;
  const auto place = [](weft_rank_t owner, size_t offset) {
    return Place{owner, offset, static_cast<uint64_t*>(weft_pointer(owner, offset))};
  };
  bench.section("atomics");
  const auto compare = [&](const std::string& where, const Loops& loops, bool mapped, auto who) {
    bench.compare(Unit::ns,
                  {{"bare atomic", mapped ? who(loops.bare_add) : Loop()},
                   {"bare atomic", mapped ? who(loops.bare_swap) : Loop()}},
                  {{"fetch_add_" + where, 8, who(loops.add), 0},
                   {"compare_swap_" + where, 8, who(loops.swap), 1},
                   {"add_call_" + where, 8, who(loops.add_call), 0}});
  };
  const auto rank_0 = [&](const Loop& loop) { return on_rank_0(bench, loop); };
  const auto two_ranks = [&](const Loop& loop) { return bench.job.rank() < 2 ? loop : Loop([](uint64_t) {}); };
  const bool mapped = memory.mapped();
  compare("own", loops_on(domain, place(0, alone)), mapped, rank_0);
  compare("peer", loops_on(domain, place(1, alone)), mapped, rank_0);
  compare("contended", loops_on(domain, place(1, shared)), mapped, two_ranks);
  const Symmetric table(bench, list_length * sizeof(uint64_t));
  const std::vector<size_t> places = list_of_places(table.offset());
  const std::vector<uint64_t> ones(list_length, 1);
  for (const weft_rank_t owner : {0u, 1u}) {
    const Place first = place(owner, table.offset());
    const Loop list = loop_of(first, [&](const Place& p) {
      return weft_atomic_indexed(domain, p.owner, WEFT_ATOMIC_ADD, list_length, places.data(), ones.data());
    });
    const Loop bare = loop_of(first, [&](const Place& p) {
      for (const size_t at : places)
        __atomic_fetch_add(p.mapped + (at - table.offset()) / sizeof(uint64_t), 1, __ATOMIC_SEQ_CST);
      return 0;
    });
    bench.compare(Unit::ns, {{"bare atomics", mapped ? rank_0(bare) : Loop()}},
                  {{owner == 0 ? "list_1024_own" : "list_1024_peer", list_length * sizeof(uint64_t), rank_0(list), 0}});
  }
  weft_atomic_domain_destroy(domain);
}

}  // namespace bench
