#include "core/mapped_peers.hpp"

namespace weft::core {

using conduit::RankId;

MappedPeers::MappedPeers(const conduit::Conduit& conduit, const boot::Hosts& hosts) {
  RankId mapped = 0;
  for (const RankId rank : hosts.ranks_of(hosts.host_of(conduit.rank()))) {
    std::byte* const segment = conduit.mapped(rank);
    if (segment == nullptr) continue;
    if (mapped++ == 0) {
      first_ = rank;
      base_ = segment;
    } else if (count_ == 1 && rank == first_ + 1 && segment > base_) {
      distance_ = static_cast<size_t>(segment - base_);
    }
    const bool follows = rank == first_ + count_ && segment == base_ + count_ * distance_;
    if (follows) ++count_;
  }
  if (mapped == count_) return;
  count_ = 0;
  for (RankId rank = 0; rank < conduit.size(); ++rank) listed_.push_back(conduit.mapped(rank));
  listed_.shrink_to_fit();
}

MappedPeers MappedPeers::only(RankId rank, std::byte* segment) {
  MappedPeers own;
  own.first_ = rank;
  own.count_ = 1;
  own.base_ = segment;
  return own;
}

}  // namespace weft::core
