#include "coll/table.hpp"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/log.hpp"
#include "coll/algorithm.hpp"

namespace weft::coll {

bool Table::parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string operation, algorithm;
  Measurement m{};
  uint64_t bytes = 0;
  if (!(words >> operation >> m.members >> bytes >> algorithm >> m.plan.radix >> m.plan.segment >> m.ns)) return false;
  std::string rest;
  if (words >> rest || m.members == 0 || !(m.ns > 0)) return false;
  for (const Algorithm* known : algorithms())
    if (operation == name_of(known->op) && algorithm == known->name) m.plan.algorithm = known;
  // A name that this version does not know is skipped; one whose numbers make no sense is an error.
  if (m.plan.algorithm == nullptr) return true;
  if (m.plan.algorithm->radices.empty() != (m.plan.radix == 0) ||
      (!m.plan.algorithm->segments.empty() && m.plan.segment == 0))
    return false;
  if (m.plan.radix == 1 && m.plan.algorithm->radices[0] != 1) return false;
  m.op = m.plan.algorithm->op;
  m.size_class = PlanCache::class_of(bytes);
  measurements_.push_back(m);
  return true;
}

void Table::load(const std::string& path, const std::string& machine, bool tell) {
  if (path.empty()) return;
  std::ifstream file(path);
  std::string line;
  const auto refuse = [&](int number, const char* why) {
    if (tell) base::log_warning("WEFT_TUNE_FILE: %s, line %d: %s; the model chooses", path.c_str(), number, why);
    measurements_.clear();
  };
  if (!file) return refuse(0, "the file cannot be read");
  if (!std::getline(file, line) || line != "weft-tune 1") return refuse(1, "not a table of weft-tune");
  if (!std::getline(file, line) || line != "machine " + machine)
    return refuse(2, ("measured on another kind of machine; here it is '" + machine + "'").c_str());
  for (int number = 3; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    if (!parse_line(line)) return refuse(number, "not: operation members bytes algorithm radix segment ns");
  }
}

Plan Table::best(const Shape& shape) const {
  constexpr uint32_t nearby = 4;
  const uint32_t wanted = PlanCache::class_of(shape.size);
  Plan best;
  uint32_t distance = nearby + 1;
  double least = std::numeric_limits<double>::infinity();
  for (const Measurement& m : measurements_) {
    if (m.op != shape.op || m.members != shape.members || !m.plan.algorithm->fits(shape, m.plan)) continue;
    const uint32_t off = m.size_class > wanted ? m.size_class - wanted : wanted - m.size_class;
    if (off > distance || (off == distance && m.ns >= least)) continue;
    if (off > nearby) continue;
    distance = off;
    least = m.ns;
    best = m.plan;
  }
  return best;
}

double Table::time(const Shape& shape, const Plan& plan) const {
  for (const Measurement& m : measurements_)
    if (m.op == shape.op && m.members == shape.members && m.size_class == PlanCache::class_of(shape.size) &&
        m.plan.algorithm == plan.algorithm && m.plan.radix == plan.radix && m.plan.segment == plan.segment)
      return m.ns;
  return 0;
}

}  // namespace weft::coll
