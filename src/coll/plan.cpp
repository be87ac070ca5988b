#include "coll/plan.hpp"

#include "coll/algorithm.hpp"

namespace weft::coll {

std::string describe(const char* algorithm, uint32_t radix, uint64_t segment) {
  std::string text = algorithm;
  if (radix != 0 || segment != 0) text += ":" + std::to_string(radix);
  if (segment != 0) text += ":" + std::to_string(segment);
  return text;
}

std::string describe(const Plan& plan) { return describe(plan.algorithm->name, plan.radix, plan.segment); }

}  // namespace weft::coll
