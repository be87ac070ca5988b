// The ranks of one host as a job of their own, for the conduit that joins them: a view of the whole job's boot.
#pragma once

#include <vector>

#include "boot/boot.hpp"

namespace weft::conduit::node {

/// Fences are those of the whole job, so all hosts make the same number of them.
class HostBoot final : public boot::Boot {
 public:
  /// `ranks`: those of this host, ascending; `whole` outlives this.
  HostBoot(boot::Boot& whole, std::vector<uint32_t> ranks, uint32_t host_rank)
      : whole_(whole), ranks_(std::move(ranks)), host_rank_(host_rank) {}

  uint32_t rank() const override { return host_rank_; }
  uint32_t size() const override { return static_cast<uint32_t>(ranks_.size()); }
  const char* name() const override { return whole_.name(); }
  Status put(std::string_view key, std::string_view value) override { return whole_.put(key, value); }
  Status fence() override { return whole_.fence(); }
  Status get(uint32_t rank, std::string_view key, std::string& value) override {
    return whole_.get(ranks_[rank], key, value);
  }
  Status finalize() override { return {}; }
  [[noreturn]] void abort(int exit_code, std::string_view reason) override {
    whole_.abort(exit_code, reason);
    __builtin_unreachable();
  }

 private:
  boot::Boot& whole_;
  std::vector<uint32_t> ranks_;
  uint32_t host_rank_;
};

}  // namespace weft::conduit::node
