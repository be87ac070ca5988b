#include "sim/calendar.hpp"

#include <algorithm>

namespace weft::sim {

void Calendar::at(Time when, Event& event) {
  const Entry entry{std::max(when, now_), entered_++, &event};
  size_t place = entries_.size();
  entries_.push_back(entry);
  while (place > 0) {
    const size_t parent = (place - 1) / children;
    if (!entry.before(entries_[parent])) break;
    entries_[place] = entries_[parent];
    place = parent;
  }
  entries_[place] = entry;
}

bool Calendar::run_next() {
  if (entries_.empty()) return false;
  const Entry first = entries_.front();
  const Entry last = entries_.back();
  entries_.pop_back();
  if (!entries_.empty()) settle(last);
  now_ = first.when;
  ++happened_;
  first.event->happen(now_);
  return true;
}

// Puts the entry where it belongs, from the free top down.
void Calendar::settle(const Entry& entry) {
  const size_t count = entries_.size();
  size_t place = 0;
  for (;;) {
    const size_t begin = place * children + 1;
    if (begin >= count) break;
    size_t least = begin;
    for (size_t child = begin + 1; child < std::min(begin + children, count); ++child)
      if (entries_[child].before(entries_[least])) least = child;
    if (!entries_[least].before(entry)) break;
    entries_[place] = entries_[least];
    place = least;
  }
  entries_[place] = entry;
}

}  // namespace weft::sim
