// Where the segments of other ranks are that this one may load and store.
//
// Nothing grows with the job where the ranks that are mapped follow each other, and so do their segments: all of them,
// those of a host whose ranks have numbers in a row, this rank alone, or none. Else a pointer per rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boot/hosts.hpp"
#include "conduit/conduit.hpp"

namespace weft::core {

class MappedPeers {
 public:
  /// None.
  MappedPeers() = default;
  /// Those that the conduit maps, all of which are on this rank's host.
  MappedPeers(const conduit::Conduit& conduit, const boot::Hosts& hosts);
  /// This rank alone.
  static MappedPeers only(conduit::RankId rank, std::byte* segment);

  /// The rank's segment, or null.
  std::byte* operator[](conduit::RankId rank) const {
    // A rank before the first becomes a number beyond all.
    const conduit::RankId place = rank - first_;
    if (__builtin_expect(place < count_, 1)) return base_ + place * distance_;
    return __builtin_expect(listed_.empty(), 1) ? nullptr : listed_[rank];
  }

  /// If all ranks from 0 on are mapped in a row: where the first segment is, and how far it is from one to the next;
  /// else null.
  std::byte* base_of_all(conduit::RankId ranks, size_t& distance) const {
    distance = distance_;
    return first_ == 0 && count_ == ranks ? base_ : nullptr;
  }
  size_t bytes() const { return listed_.capacity() * sizeof(std::byte*); }

 private:
  conduit::RankId first_ = 0, count_ = 0;
  std::byte* base_ = nullptr;
  size_t distance_ = 0;
  std::vector<std::byte*> listed_;  // by rank, if they do not follow each other
};

}  // namespace weft::core
