#include "sim/calendar.hpp"

namespace weft::sim {

void Calendar::at(Time when, Event& event) {
  put({std::max(when, now_), &event});
  ++size_;
}

void Calendar::put(const Entry& entry) {
  const auto index = static_cast<size_t>(std::bit_width(entry.when ^ now_));
  Bucket& bucket = buckets_[index];
  if (index > 0) {
    bucket.least = bucket.entries.empty() ? entry.when : std::min(bucket.least, entry.when);
    occupied_ |= uint64_t{1} << (index - 1);
  }
  bucket.entries.push_back(entry);
}

// Nothing is left to happen now: on to the next time.
void Calendar::advance() {
  const size_t index = first_later();
  Bucket& bucket = buckets_[index];
  now_ = bucket.least;
  occupied_ &= occupied_ - 1;
  const bool soon = bucket.entries.size() <= 256;
  for (const Entry& entry : bucket.entries) {
    if (soon) __builtin_prefetch(entry.event);  // it is among the next to happen
    put(entry);
  }
  bucket.entries.clear();
}

bool Calendar::run_next() {
  if (size_ == 0) return false;
  Bucket& due = buckets_[0];
  if (due.entries.empty()) advance();
  const Entry first = due.entries[ahead_++];
  if (ahead_ == due.entries.size()) {
    due.entries.clear();
    ahead_ = 0;
  }
  --size_;
  ++happened_;
  first.event->happen(now_);
  return true;
}

}  // namespace weft::sim
