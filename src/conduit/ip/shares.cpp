#include "conduit/ip/shares.hpp"

#include <algorithm>

namespace weft::conduit::ip {

namespace {

// What is late on a slow link is later than what is late on a fast one.
constexpr double slower_counts = 0.5;

}  // namespace

double Pace::counted_ns(uint64_t elapsed_ns, size_t bytes) const {
  const auto elapsed = static_cast<double>(elapsed_ns);
  return ns_ == 0 ? elapsed : std::min(elapsed, late_most * static_cast<double>(bytes) * ns_ / bytes_);
}

uint64_t Pace::crossed(size_t bytes, uint64_t now_ns) {
  const uint64_t took_ns = now_ns - std::exchange(since_ns_, now_ns);
  ns_ += counted_ns(took_ns, bytes);
  bytes_ += static_cast<double>(bytes);
  idle_ns_ = 0;
  left_ = std::min(under_way_, left_ - std::min(left_, bytes));
  while (ns_ >= memory_ns) {
    bytes_ /= 2;
    ns_ /= 2;
  }
  return took_ns;
}

double Pace::rate(uint64_t now_ns) const {
  if (measured() == 0) return 0;
  if (watched()) return bytes_ / (ns_ + counted_ns(now_ns - since_ns_, under_way_));
  return measured() * (1 + idle_ns_ / grows_ns);
}

void level_rates(std::span<Load> loads) {
  const double most = std::ranges::max_element(loads, {}, &Load::rate)->rate;
  for (Load& load : loads) {
    if (load.rate == 0 || load.rate >= most / 2)
      load.rate = most == 0 ? 1 : most;
    else
      load.rate *= slower_counts;
  }
}

size_t first_done(std::span<const Load> loads, size_t size) {
  const auto when = [&](const Load& load) { return load.done_with(size); };
  return static_cast<size_t>(std::ranges::min_element(loads, {}, when) - loads.begin());
}

Parts parts_of(std::span<Load> loads, size_t size) {
  std::ranges::sort(loads, {}, [](const Load& load) { return load.done_with(0); });
  // The time at which the first `used` are done together.
  size_t used = 0;
  double bytes = static_cast<double>(size), rates = 0, level = 0;
  while (used < loads.size() && (used == 0 || loads[used].done_with(0) < level)) {
    bytes += static_cast<double>(loads[used].bytes);
    rates += loads[used++].rate;
    level = bytes / rates;
  }
  // What is left of the multiples goes to the fastest, which it keeps busy for the shortest time.
  const auto fastest = std::ranges::max_element(loads.first(used), {}, &Load::rate);
  std::swap(*fastest, loads[used - 1]);
  Parts parts;
  size_t begin = 0;
  for (const Load& load : loads.first(used)) {
    const double exact = level * load.rate - static_cast<double>(load.bytes);
    const size_t units = static_cast<size_t>(std::max(exact, 0.0)) / part_least;
    const size_t part = &load == &loads[used - 1] ? size - begin : std::min(units * part_least, size - begin);
    if (part == 0) continue;
    parts.of[parts.count++] = {load.rail, begin, part};
    begin += part;
  }
  return parts;
}

}  // namespace weft::conduit::ip
