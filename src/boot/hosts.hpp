// Which ranks share a host. Two ranks do if host name, boot id and network namespace are the same: containers and
// namespaces that have a network of their own count as hosts of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "boot/boot.hpp"

namespace weft::boot {

/// Copies share what takes memory. That is nothing where ranks are placed regularly: in blocks, one host after the
/// other, or dealt to the hosts in turn; else 8 bytes a rank.
class Hosts {
 public:
  /// Collective, with one fence. `forced_names`, if not empty, names this rank's host (WEFT_HOST_NAME). `word` (short,
  /// no blanks) travels along; `words`, if not null, gets those of all ranks, or nothing if they are alike. Ranks that
  /// are threads of one process share what they learn.
  static Status collect(Boot& boot, const std::string& forced_names, Hosts& hosts, const std::string& word = "",
                        std::vector<std::string>* words = nullptr);

  Hosts() = default;
  /// Rank r is on the host whose number is host_of_rank[r]; hosts are numbered from 0 without gaps.
  explicit Hosts(const std::vector<uint32_t>& host_of_rank);

  uint32_t count() const { return count_; }
  uint32_t host_of(uint32_t rank) const { return place_of(rank).host; }
  bool together(uint32_t a, uint32_t b) const { return host_of(a) == host_of(b); }
  /// The ranks of a host, ascending.
  std::vector<uint32_t> ranks_of(uint32_t host) const;
  /// The rank's number among those of its host, and how many these are.
  uint32_t host_rank(uint32_t rank) const { return place_of(rank).number; }
  uint32_t host_size(uint32_t rank) const { return size_of(host_of(rank)); }
  uint32_t size_of(uint32_t host) const;
  /// The most and the fewest ranks that a host has.
  uint32_t largest() const { return largest_; }
  uint32_t smallest() const { return smallest_; }
  /// The ranks of a host follow each other.
  bool in_blocks() const { return in_blocks_; }
  /// How far it is from the first rank of a host to that of the next, where ranks are placed regularly; else 0.
  uint32_t distance_of_firsts() const { return listed_ != nullptr ? 0 : std::max(block_, 1u); }
  /// Some of the ranks, numbered from 0 in this order; so are their hosts, by their first ranks: first, first + stride,
  /// and so on. That takes no time per rank where both are regular.
  Hosts among(uint32_t first, uint32_t stride, uint32_t count) const;
  Hosts among(const std::vector<uint32_t>& ranks) const;
  /// What it takes of memory for each rank of the job.
  size_t bytes_per_rank() const { return listed_ == nullptr ? 0 : sizeof(Place); }
  /// When the job started, that is when its first rank came here: by this host's monotonic clock, the same on all ranks
  /// of the host. Across hosts as well as their clocks of the day agree.
  uint64_t start_ns() const { return start_ns_; }

 private:
  struct Place {
    uint32_t host, number;
    bool operator==(const Place&) const = default;
  };
  struct Listed {
    std::vector<Place> of_rank;
    std::vector<uint32_t> sizes;  // of hosts
  };
  struct Collected;

  Place place_of(uint32_t rank) const {
    if (__builtin_expect(listed_ != nullptr, 0)) return listed_->of_rank[rank];
    return block_ != 0 ? Place{rank / block_, rank % block_} : Place{rank % count_, rank / count_};
  }
  static std::shared_ptr<const Collected> collect_once(Boot& boot);

  static Hosts in_blocks_of(uint32_t block, uint32_t ranks);

  uint32_t ranks_ = 0, count_ = 0, largest_ = 0, smallest_ = 0;
  uint32_t block_ = 0;  // ranks of a host, in blocks; the last has the rest. 0: dealt in turn
  bool in_blocks_ = true;
  std::shared_ptr<const Listed> listed_;  // if neither
  uint64_t start_ns_ = 0;
};

/// What tells this process's host from others: name, boot id and network namespace, printable.
std::string host_identity();

/// What tells the network that this process is in from those of other machines, containers and namespaces, whatever
/// host it counts to: boot id and network namespace, printable.
std::string network_identity();

}  // namespace weft::boot
