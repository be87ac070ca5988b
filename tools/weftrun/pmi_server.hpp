// The launcher's side of PMI-1: who has joined, the key-value space, and the fence. Pure bookkeeping: bytes in, replies
// out; the sockets are the Job's.
//
// It answers all that boot::connect_pmi1 and MPICH's own client ask for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "boot/pmi_wire.hpp"

namespace weftrun {

/// Why a message of a rank ends the job.
struct JobEnd {
  enum class Kind {
    exit_called,  // the rank asks for the end with `code`
    violation     // the rank breaks the protocol; `what` says how
  };
  Kind kind = Kind::violation;
  int code = 1;
  bool logged = false;  // exit_called: the rank has printed the reason itself
  std::string what;
};

class PmiServer {
 public:
  enum class Phase { before_init, joined, init_failed, wrong_settings, finalized };
  struct Reply {
    uint32_t rank;
    std::string line;
  };

  /// `name` names the key-value space; printable, without blanks. `per_host` are the ranks of each host, in blocks;
  /// empty if all are on one.
  PmiServer(uint32_t size, std::string name, const std::vector<uint32_t>& per_host = {});

  /// Takes what a rank has sent, in pieces of any size.
  std::optional<JobEnd> receive(uint32_t rank, std::string_view bytes);

  /// The replies due since the last call, in order, each a whole line.
  std::vector<Reply> take_replies();

  Phase phase(uint32_t rank) const { return ranks_[rank].phase; }
  /// Whether the rank has said that it writes its reports.
  bool reports(uint32_t rank) const { return ranks_[rank].reports; }
  bool anyone_joined() const { return joined_ > 0; }

 private:
  struct Rank {
    Phase phase = Phase::before_init;
    bool in_fence = false;
    bool reports = false;
    weft::boot::PmiLines lines;
  };

  std::optional<JobEnd> handle(uint32_t rank, const std::string& line);
  std::optional<JobEnd> handle_member(uint32_t rank, const weft::boot::PmiMessage& message);
  std::optional<JobEnd> join(uint32_t rank, const weft::boot::PmiMessage& message);
  void put(uint32_t rank, const weft::boot::PmiMessage& message);
  void get(uint32_t rank, const weft::boot::PmiMessage& message);
  void get_all(uint32_t rank, const weft::boot::PmiMessage& message);
  /// A reply to get_all: the values of this key, which ends in '-', from this rank's on; nothing if that has none.
  std::optional<std::string> page(const std::string& key, uint32_t first) const;
  std::optional<JobEnd> enter_fence(uint32_t rank);
  std::optional<JobEnd> finalize(uint32_t rank);
  void reply(uint32_t rank, const std::string& line) { replies_.push_back({rank, line + "\n"}); }

  const std::string name_;
  std::vector<Rank> ranks_;
  std::map<std::string, std::string, std::less<>> values_;
  // The replies to get_all since the last put: all ranks ask the same. By key and first rank.
  std::map<std::pair<std::string, uint32_t>, std::string> pages_;
  std::vector<Reply> replies_;
  uint32_t joined_ = 0;     // ranks that have ever joined
  uint32_t finalized_ = 0;  // of them, those that have left
  uint32_t in_fence_ = 0;   // ranks with in_fence set
};

}  // namespace weftrun
