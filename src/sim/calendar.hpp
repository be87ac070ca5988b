// Virtual time: what happens when. Everything that a simulation does begins with an event of its calendar, and events
// happen in one order only: by time, and at one time in the order in which they were entered. So a run depends on
// nothing but its input: no address, no clock of the host, no thread.
//
// One calendar belongs to one simulation, and is used by one thread of the operating system.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::sim {

/// Nanoseconds of virtual time since the simulation began.
using Time = uint64_t;

/// Something that will happen. Its owner keeps it alive until it has happened, and may enter it again from happen() on;
/// one that is entered several times happens as often.
class Event {
 public:
  virtual void happen(Time now) = 0;

 protected:
  ~Event() = default;
};

class Calendar {
 public:
  /// The time of the event that happens, or that happened last; 0 before the first.
  Time now() const { return now_; }

  /// The event will happen at `when`, or now if that is over.
  void at(Time when, Event& event);

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  /// When the next one happens. Only if not empty().
  Time next() const { return buckets_[0].entries.empty() ? buckets_[first_later()].least : now_; }

  /// Lets the next event happen; false if there is none. Not from inside happen().
  bool run_next();

  /// How many have happened.
  uint64_t happened() const { return happened_; }

 private:
  // A radix heap (Ahuja et al., 1990): nothing is entered before now, so entries need not be sorted among each other.
  // Bucket 0 has those of now, bucket i > 0 those whose highest bit that differs from now is bit i - 1. When a bucket
  // is the first that has any, now becomes its least time and its entries go to lower ones, each at most 64 times in
  // all and mostly few. They stay in the order of entry, so those of one time happen in it.
  struct Entry {
    Time when;
    Event* event;
  };
  struct Bucket {
    std::vector<Entry> entries;
    Time least = 0;  // if it has any
  };

  size_t first_later() const { return static_cast<size_t>(std::countr_zero(occupied_)) + 1; }
  void put(const Entry& entry);
  void advance();

  std::array<Bucket, 65> buckets_;
  uint64_t occupied_ = 0;  // bit i: bucket i + 1 has entries
  size_t ahead_ = 0;       // so many of bucket 0 have happened
  size_t size_ = 0;
  Time now_ = 0;
  uint64_t happened_ = 0;
};

}  // namespace weft::sim
