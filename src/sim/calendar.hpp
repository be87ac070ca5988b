// Virtual time: what happens when. Everything that a simulation does begins with an event of its calendar, and events
// happen in one order only: by time, and at one time in the order in which they were entered. So a run depends on
// nothing but its input: no address, no clock of the host, no thread.
//
// One calendar belongs to one simulation, and is used by one thread of the operating system.
#pragma once

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

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  /// When the next one happens. Only if not empty().
  Time next() const { return entries_.front().when; }

  /// Lets the next event happen; false if there is none. Not from inside happen().
  bool run_next();

  /// How many have happened.
  uint64_t happened() const { return happened_; }

 private:
  struct Entry {
    Time when;
    uint64_t number;
    Event* event;

    bool before(const Entry& other) const { return when != other.when ? when < other.when : number < other.number; }
  };
  // A heap of four children each is half as deep as one of two, and the four lie in two cache lines.
  static constexpr size_t children = 4;

  void settle(const Entry& entry);

  std::vector<Entry> entries_;
  Time now_ = 0;
  uint64_t entered_ = 0;
  uint64_t happened_ = 0;
};

}  // namespace weft::sim
