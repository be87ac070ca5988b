#include "coll/table.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "coll/algorithm.hpp"

namespace weft::coll {

bool Table::parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string operation, algorithm, rest, numbers[5];
  words >> operation >> numbers[0] >> numbers[1] >> algorithm >> numbers[2] >> numbers[3] >> numbers[4] >> rest;
  const auto members = base::parse_number<uint32_t>(numbers[0], 1);
  const auto bytes = base::parse_number<uint64_t>(numbers[1]);
  const auto radix = base::parse_number<uint32_t>(numbers[2]);
  const auto segment = base::parse_number<uint64_t>(numbers[3]);
  const auto ns = base::parse_real(numbers[4]);
  if (!members || !bytes || !radix || !segment || !ns || *ns <= 0 || !rest.empty()) return false;
  Measurement m{};
  m.members = *members;
  m.size = *bytes;
  m.size_class = PlanCache::class_of(*bytes);
  m.plan.radix = *radix;
  m.plan.segment = *segment;
  m.ns = *ns;
  for (const Algorithm* known : algorithms())
    if (operation == name_of(known->op) && algorithm == known->name) m.plan.algorithm = known;
  // A name that this version does not know is skipped; one whose numbers make no sense is an error.
  if (m.plan.algorithm == nullptr) {
    ++unknown_;
    return true;
  }
  if (!takes(*m.plan.algorithm, m.plan.radix, m.plan.segment)) return false;
  m.op = m.plan.algorithm->op;
  measurements_.push_back(m);
  return true;
}

void Table::load(const std::string& path, const std::string& machine, bool tell) {
  if (path.empty()) return;
  const std::string signature = "weft-tune ";
  int number = 0;
  const auto refuse = [&](const std::string& why) {
    const std::string where = number == 0 ? "" : ", line " + std::to_string(number);
    if (tell)
      base::log_warning("WEFT_TUNE_FILE: %s%s: %s; the model chooses", path.c_str(), where.c_str(), why.c_str());
    measurements_.clear();
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return refuse(error ? error.message() : "not a file");
  std::ifstream file(path);
  std::string line;
  const auto next = [&] { return ++number, static_cast<bool>(std::getline(file, line)); };
  if (!file) return refuse(std::strerror(errno));
  if (!next() || !line.starts_with(signature)) return refuse("not a table of weft-tune");
  if (const std::string version = line.substr(signature.size()); version != "1") {
    if (version.empty() || version.find_first_not_of("0123456789") != version.npos)
      return refuse("the first line is not 'weft-tune 1'");
    return refuse("version " + version + " of weft-tune's tables; this program reads version 1: measure again");
  }
  if (!next() || !line.starts_with("machine ")) return refuse("not a table of weft-tune");
  if (line != "machine " + machine)
    return refuse("measured on another kind of machine, '" + line.substr(8) + "'; here it is '" + machine + "'");
  while (next() && !line.starts_with("end ")) {
    if (line.empty() || line[0] == '#') continue;
    if (!parse_line(line)) return refuse("expected operation members bytes algorithm radix segment ns");
  }
  const size_t lines = measurements_.size() + unknown_;
  if (line != "end " + std::to_string(lines))
    return refuse("expected 'end " + std::to_string(lines) + "': the file was cut off");
  while (next())
    if (!line.empty()) return refuse("something follows the end of the table");
  if (!tell) return;
  if (unknown_ != 0)
    base::log_warning(
        "WEFT_TUNE_FILE: %s: this version lacks the operation or algorithm that %zu of %zu lines name; "
        "they are skipped",
        path.c_str(), unknown_, lines);
  base::log(base::LogLevel::info, "WEFT_TUNE_FILE: %s: %zu measurements", path.c_str(), measurements_.size());
}

const Measurement* Table::best(const Shape& shape) const {
  constexpr uint32_t nearby = 4;
  const uint32_t wanted = PlanCache::class_of(shape.size);
  const Measurement* best = nullptr;
  uint32_t distance = nearby + 1;
  double least = std::numeric_limits<double>::infinity();
  for (const Measurement& m : measurements_) {
    if (m.op != shape.op || m.members != shape.members || !m.plan.algorithm->fits(shape, m.plan)) continue;
    const uint32_t off = m.size_class > wanted ? m.size_class - wanted : wanted - m.size_class;
    if (off > distance || (off == distance && m.ns >= least)) continue;
    if (off > nearby) continue;
    distance = off;
    least = m.ns;
    best = &m;
  }
  return best;
}

double Table::time(const Shape& shape, const Plan& plan) const {
  for (const Measurement& m : measurements_)
    if (m.op == shape.op && m.members == shape.members && m.size_class == PlanCache::class_of(shape.size) &&
        m.plan.same_candidate(plan))
      return m.ns;
  return 0;
}

}  // namespace weft::coll
