#include <cstring>

#include "coll/algorithm.hpp"

namespace weft::coll {
namespace algorithm {

#define ALGORITHM(name) extern const Algorithm name;
#include "coll/algorithms.def.hpp"
#undef ALGORITHM

namespace {
constexpr const Algorithm* list[] = {
#define ALGORITHM(name) &(name),
#include "coll/algorithms.def.hpp"
#undef ALGORITHM
};
}  // namespace
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
