// Which ranks share a host. Two ranks do if host name, boot id and network namespace are the same: containers and
// namespaces that have a network of their own count as hosts of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boot/boot.hpp"

namespace weft::boot {

class Hosts {
 public:
  /// Collective, with one fence. `forced_names`, if not empty, names this rank's host (WEFT_HOST_NAME). `word` (short,
  /// no blanks) travels along; `words`, if not null, gets those of all ranks.
  static Status collect(Boot& boot, const std::string& forced_names, Hosts& hosts, const std::string& word = "",
                        std::vector<std::string>* words = nullptr);

  Hosts() = default;
  /// Rank r is on the host whose number is host_of_rank[r]; hosts are numbered from 0 without gaps.
  explicit Hosts(std::vector<uint32_t> host_of_rank);

  uint32_t count() const { return count_; }
  uint32_t host_of(uint32_t rank) const { return host_of_rank_[rank]; }
  bool together(uint32_t a, uint32_t b) const { return host_of_rank_[a] == host_of_rank_[b]; }
  /// The ranks of a host, ascending.
  std::vector<uint32_t> ranks_of(uint32_t host) const;
  uint32_t host_rank(uint32_t rank) const;
  uint32_t host_size(uint32_t rank) const;
  /// When the job started, that is when its first rank came here: by this host's monotonic clock, the same on all ranks
  /// of the host. Across hosts as well as their clocks of the day agree.
  uint64_t start_ns() const { return start_ns_; }

 private:
  std::vector<uint32_t> host_of_rank_;
  uint32_t count_ = 0;
  uint64_t start_ns_ = 0;
};

/// What tells this process's host from others: name, boot id and network namespace, printable.
std::string host_identity();

}  // namespace weft::boot
