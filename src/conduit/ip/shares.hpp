// How a transfer is shared out among the interfaces that lead to a peer: by when each would be done with it, that is
// (bytes under way + bytes of the transfer) / rate. Under way is what has yet to cross the network: with puts, not when
// the peer has answered, which may come late behind what it sends itself. The rate is what the interface was lately
// seen to carry while something was under way on it. What the system says of a link's speed may be wrong, or nothing.
//
// Measurements are rough, and parts of a transfer that are sent one after the other look as if their links differed.
// So a link that carries at least half as much as the fastest counts as equal: two that share evenly are then no slower
// than the fastest alone. A link that is passed over while others are at work is taken for faster and faster, so one
// that has recovered is tried again. One that carries N times less is tried every N / 4 seconds, which costs little.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "conduit/ip/sockets.hpp"

namespace weft::conduit::ip {

/// What one interface carries to one peer.
class Pace {
 public:
  /// Bytes to the peer that have yet to cross, as of the last look and with what was begun since.
  size_t under_way() const { return under_way_; }
  /// So many bytes more.
  void began(size_t size, uint64_t now_ns) {
    if (!watched()) since_ns_ = now_ns;
    left_ = under_way_ += size;
  }
  /// So many are under way after a look at the network. The time that those took which have crossed since, if some
  /// have.
  uint64_t looked(size_t under_way, uint64_t now_ns) {
    const size_t before = std::exchange(under_way_, under_way);
    return watched() && under_way < before ? crossed(before - under_way, now_ns) : 0;
  }
  /// Others were at work for so long until now. This one has nothing to do, but it may have had for a part of that.
  void passed_over(uint64_t ns, uint64_t now_ns) { idle_ns_ += static_cast<double>(std::min(ns, now_ns - since_ns_)); }
  /// What was under way when a transfer was last begun has not all crossed.
  bool watched() const { return left_ != 0; }

  /// Bytes per nanosecond that were seen; 0: not known. A short time says little: links would look different that are
  /// not.
  double measured() const { return ns_ < memory_ns / 2 ? 0 : bytes_ / ns_; }
  /// What to expect of it: less while bytes are due, more the longer it was passed over.
  double rate(uint64_t now_ns) const;

 private:
  // When so much time with something under way is remembered, half of it is forgotten.
  static constexpr double memory_ns = 64e6;
  static constexpr double grows_ns = 250e6;
  // So many times what was expected at most: a program that computes looks late, for which the link cannot help.
  static constexpr double late_most = 8;

  double counted_ns(uint64_t elapsed_ns, size_t bytes) const;
  uint64_t crossed(size_t bytes, uint64_t now_ns);

  double bytes_ = 0, ns_ = 0, idle_ns_ = 0;
  uint64_t since_ns_ = 0;  // when some were last seen to have crossed, or first under way
  size_t under_way_ = 0, left_ = 0;
};

/// What an interface has to do for a peer.
struct Load {
  size_t rail;
  size_t bytes;  // under way
  double rate;   // any unit; 0: not known

  double done_with(size_t more) const { return static_cast<double>(bytes + more) / rate; }
};

struct Part {
  size_t rail, begin, size;
};
struct Parts {
  std::array<Part, interfaces_max> of;
  size_t count = 0;
};

/// Less than this would not pay for a frame of its own, and parts end at multiples of it.
inline constexpr size_t part_least = size_t{16} << 10;

/// Those that are not known, or are at least half as fast as the fastest, become as fast as that.
void level_rates(std::span<Load> loads);
/// Which is done first with so many bytes more; of several, the first.
size_t first_done(std::span<const Load> loads, size_t size);
/// So that all are done at the same time, as far as that can be. The order of `loads` changes.
Parts parts_of(std::span<Load> loads, size_t size);

}  // namespace weft::conduit::ip
