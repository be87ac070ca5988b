// Ranks in an order: the members of a team. Those that lie an equal distance apart are not listed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "conduit/conduit.hpp"

namespace weft::core {

class RankList {
 public:
  using RankId = conduit::RankId;
  static constexpr uint32_t nowhere = UINT32_MAX;

  /// None.
  RankList() = default;
  /// `count` ranks from `first` on, `stride` apart.
  RankList(RankId first, uint32_t stride, uint32_t count) : first_(first), stride_(stride), count_(count) {}
  explicit RankList(std::vector<RankId> ranks) : count_(static_cast<uint32_t>(ranks.size())) {
    if (count_ != 0) first_ = ranks[0];
    stride_ = count_ > 1 ? ranks[1] - ranks[0] : 1;  // one that goes down wraps around, and back
    for (uint32_t i = 0; i < count_; ++i)
      if (ranks[i] != first_ + i * stride_) {
        listed_ = std::move(ranks);
        return;
      }
  }

  uint32_t size() const { return count_; }
  RankId operator[](uint32_t place) const {
    return __builtin_expect(listed_.empty(), 1) ? first_ + place * stride_ : listed_[place];
  }
  /// The ranks at these places.
  RankList at(const RankList& places) const {
    if (is_regular() && places.is_regular())
      return RankList(first_ + places.first_ * stride_, places.stride_ * stride_, places.count_);
    std::vector<RankId> ranks;
    for (uint32_t i = 0; i < places.size(); ++i) ranks.push_back((*this)[places[i]]);
    return RankList(std::move(ranks));
  }
  /// The rank's place in the list, or nowhere.
  uint32_t find(RankId rank) const {
    if (!listed_.empty()) {
      const auto found = std::ranges::find(listed_, rank);
      return found == listed_.end() ? nowhere : static_cast<uint32_t>(found - listed_.begin());
    }
    const auto up = static_cast<int64_t>(static_cast<int32_t>(stride_));
    const int64_t distance = int64_t{rank} - first_;
    if (count_ == 0 || distance % up != 0 || distance / up < 0 || distance / up >= count_) return nowhere;
    return static_cast<uint32_t>(distance / up);
  }
  /// All ranks of a job of so many, in their order.
  bool is_whole(RankId ranks) const { return listed_.empty() && first_ == 0 && stride_ == 1 && count_ == ranks; }
  /// They lie an equal distance apart: those from first() on, stride() apart. One that goes down wraps around.
  bool is_regular() const { return listed_.empty(); }
  RankId first() const { return first_; }
  uint32_t stride() const { return stride_; }
  size_t bytes() const { return listed_.capacity() * sizeof(RankId); }

 private:
  RankId first_ = 0;
  uint32_t stride_ = 1;
  uint32_t count_ = 0;
  std::vector<RankId> listed_;  // if they are not an equal distance apart
};

}  // namespace weft::core
