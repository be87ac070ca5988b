#include "common/compare.hpp"

namespace bench {
namespace {

double convert(Unit unit, double ns, double amount) {
  switch (unit) {
    case Unit::ns:
      return ns / amount;
    case Unit::gigabytes_per_second:
      return amount / ns;
    case Unit::millions_per_second:
      return amount * 1e3 / ns;
  }
  return 0;
}

const char* text(Unit unit) {
  switch (unit) {
    case Unit::ns:
      return "ns";
    case Unit::gigabytes_per_second:
      return "GB/s";
    case Unit::millions_per_second:
      return "M/s";
  }
  return "";
}

}  // namespace

void Bench::compare(Unit unit, const std::vector<Bare>& limits, const std::vector<Subject>& subjects) const {
  std::vector<Loop> loops;
  for (const Subject& subject : subjects) loops.push_back(subject.loop);
  for (const Bare& bare : limits)
    if (bare.loop) loops.push_back(bare.loop);
  const std::vector<double> ns = time_in_turn(job, effort, loops);
  if (!report) return;

  std::vector<std::optional<Limit>> found;
  size_t next = subjects.size();
  for (const Bare& bare : limits) {
    found.emplace_back();
    if (!bare.loop) continue;
    const double bare_ns = ns[next++];
    // A simulated machine does it in no time.
    if (bare_ns > 0) found.back() = Limit{bare.kind, convert(unit, bare_ns, bare.amount)};
  }
  for (size_t i = 0; i < subjects.size(); ++i)
    report->add({subjects[i].name, subjects[i].size_bytes, convert(unit, ns[i], subjects[i].amount), text(unit),
                 found[subjects[i].limit]});
}

std::vector<size_t> sizes(size_t first, size_t last, size_t step) {
  std::vector<size_t> list;
  for (size_t size = first; size <= last; size *= step) list.push_back(size);
  return list;
}

}  // namespace bench
