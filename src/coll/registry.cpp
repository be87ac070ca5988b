// The list of algorithms. A new one adds its name here, in both places.
#include <cstring>

#include "coll/algorithm.hpp"

namespace weft::coll {
namespace algorithm {

extern const Algorithm barrier_dissemination, broadcast_tree, broadcast_pipeline, broadcast_kary, broadcast_kary_tree,
    broadcast_scatter_gather, broadcast_shared, scatter_tree, scatter_put, scatter_shared, gather_flat, gather_tree,
    gather_put, gather_all_flat, gather_all_put, gather_all_bruck, gather_all_ring, exchange_flat, exchange_put,
    exchange_pairwise, exchange_bruck, exchange_v_put, gather_v_flat, gather_v_tree, scatter_v_flat, scatter_v_tree,
    gather_all_v_flat, gather_all_v_put, gather_all_v_bruck, gather_all_v_ring, gather_all_v_hosts, permute_eager,
    permute_put, reduce_flat, reduce_tree, reduce_kary_tree, reduce_chain, reduce_halving, reduce_shared,
    reduce_all_flat, reduce_all_tree, reduce_all_doubling, reduce_all_halving, reduce_all_ring, reduce_all_shared,
    reduce_scatter_flat, reduce_scatter_ring, reduce_scatter_shared, prefix_flat, prefix_doubling, prefix_shared,
    barrier_hosts, broadcast_hosts, scatter_hosts, gather_hosts, reduce_hosts, reduce_all_hosts, gather_all_hosts,
    exchange_hosts, barrier_native, broadcast_native, gather_all_native, exchange_native, reduce_all_native;

namespace {
constexpr const Algorithm* list[] = {&barrier_dissemination,
                                     &broadcast_tree,
                                     &broadcast_pipeline,
                                     &broadcast_kary,
                                     &broadcast_kary_tree,
                                     &broadcast_scatter_gather,
                                     &broadcast_shared,
                                     &scatter_tree,
                                     &scatter_put,
                                     &scatter_shared,
                                     &gather_flat,
                                     &gather_tree,
                                     &gather_put,
                                     &gather_all_flat,
                                     &gather_all_put,
                                     &gather_all_bruck,
                                     &gather_all_ring,
                                     &exchange_flat,
                                     &exchange_put,
                                     &exchange_pairwise,
                                     &exchange_bruck,
                                     &exchange_v_put,
                                     &gather_v_flat,
                                     &gather_v_tree,
                                     &scatter_v_flat,
                                     &scatter_v_tree,
                                     &gather_all_v_flat,
                                     &gather_all_v_put,
                                     &gather_all_v_bruck,
                                     &gather_all_v_ring,
                                     &gather_all_v_hosts,
                                     &permute_eager,
                                     &permute_put,
                                     &reduce_flat,
                                     &reduce_tree,
                                     &reduce_kary_tree,
                                     &reduce_chain,
                                     &reduce_halving,
                                     &reduce_shared,
                                     &reduce_all_flat,
                                     &reduce_all_tree,
                                     &reduce_all_doubling,
                                     &reduce_all_halving,
                                     &reduce_all_ring,
                                     &reduce_all_shared,
                                     &reduce_scatter_flat,
                                     &reduce_scatter_ring,
                                     &reduce_scatter_shared,
                                     &prefix_flat,
                                     &prefix_doubling,
                                     &prefix_shared,
                                     &barrier_hosts,
                                     &broadcast_hosts,
                                     &scatter_hosts,
                                     &gather_hosts,
                                     &reduce_hosts,
                                     &reduce_all_hosts,
                                     &gather_all_hosts,
                                     &exchange_hosts,
                                     &barrier_native,
                                     &broadcast_native,
                                     &gather_all_native,
                                     &exchange_native,
                                     &reduce_all_native};
}
}  // namespace algorithm

std::span<const Algorithm* const> algorithms() { return algorithm::list; }

const Algorithm* find_algorithm(Op op, const char* name) {
  for (const Algorithm* candidate : algorithm::list)
    if (candidate->op == op && std::strcmp(candidate->name, name) == 0) return candidate;
  return nullptr;
}

bool takes(const Algorithm& algorithm, uint32_t radix, uint64_t segment) {
  const bool good_radix = algorithm.radices.empty() ? radix == 0 : radix >= algorithm.radices[0];
  return good_radix && algorithm.segments.empty() == (segment == 0);
}

const char* name_of(Op op) {
  constexpr const char* names[] = {"barrier",  "broadcast",  "scatter",    "gather",         "gather_all",
                                   "exchange", "exchange_v", "gather_v",   "scatter_v",      "gather_all_v",
                                   "permute",  "reduce",     "reduce_all", "reduce_scatter", "prefix"};
  return op < Op::count ? names[static_cast<size_t>(op)] : "?";
}

}  // namespace weft::coll
