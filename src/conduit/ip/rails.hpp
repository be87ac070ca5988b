// The interfaces of a rank, each with connections and traffic of its own. The first carries everything; the others
// share what is long, once they have a connection to the peer: a transfer goes by the interface that would be done with
// it first, a longer one is split so that all are done together (shares.hpp). A signal behind a split put is sent when
// all of it is in place.
// Where no network has all ranks, each peer has one interface that leads to it, which carries everything to it.
//
// A connection keeps order and two do not, so operations of one rank on another have no order here (WEFT_ORDER=strict
// uses one interface). Used under the conduit's lock.
#pragma once

#include <poll.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "conduit/ip/shares.hpp"
#include "conduit/ip/sockets.hpp"
#include "conduit/ip/traffic.hpp"

namespace weft::conduit::ip {

class Rails {
 public:
  /// Transfers from so many bytes on go by the interface that is done first, shorter ones when so many are under way on
  /// the first; and from so many bytes on by all.
  static constexpr size_t share_least = size_t{32} << 10, share_short_least = size_t{8} << 10;
  static constexpr size_t busy = size_t{96} << 10;
  static constexpr size_t split_least = size_t{128} << 10;
  /// An interface that is slow for so long, to one peer, is told of.
  static constexpr uint64_t slow_for_ns = 3'000'000'000;

  Rails(RankId rank, RankId size, const Traffic::Options& options) : rank_(rank), size_(size), options_(options) {}

  /// Listens on each. Until keep() nothing is sent.
  Status open(std::span<const Interface> interfaces, const Ports& ports);
  /// The job uses these of them, in this order; the others are closed. `primary_of`: by peer, which of these leads
  /// to it, where not each leads to all; else empty.
  void keep(std::span<const size_t> which, std::vector<uint8_t> primary_of = {});

  size_t count() const { return all_.size(); }
  Traffic& operator[](size_t index) { return *all_[index]; }
  /// The one for messages to this peer and for what is short.
  Traffic& primary(RankId peer) { return *all_[primary_of_.empty() ? 0 : primary_of_[peer]]; }

  // As in conduit.hpp.
  Result put(RankId to, uint64_t offset, const void* source, size_t size, Completion* completion);
  Result get(void* destination, RankId from, uint64_t offset, size_t size, Completion* completion);
  Result put_signal(RankId to, uint64_t offset, const void* source, size_t size, uint64_t signal_offset, uint64_t value,
                    SignalOp op, Completion* completion);

  /// A message to deliver, if one has come; and that it has been.
  Arrival* next_arrival() { return primary_of_.empty() ? all_.front()->next_arrival() : next_arrival_by_turns(); }
  void delivered(Arrival* arrival) { primary(arrival->source).delivered(arrival); }

  int progress() {
    int done = all_.front()->progress();
    return all_.size() == 1 ? done : done + progress_of_others();
  }

  /// What to sleep on until something has come; none if the rank must not sleep.
  struct Bell {
    std::array<pollfd, interfaces_max * std::tuple_size_v<decltype(Traffic::Bell::descriptors)>> descriptors;
    size_t count = 0;
  };
  Bell bell();
  void look_around();
  /// Connections that were not of the job.
  size_t refused() const;

  bool all_done();
  void ending();
  /// Why communication has broken off, once it has.
  const Failure& failure() const;

 private:
  struct Signal {
    uint64_t offset, value;
    SignalOp op;
  };
  // A transfer of which each interface has a part.
  struct Split {
    RankId peer = 0;
    Completion* whole = nullptr;
    uint64_t parts = 0;  // which `done` counts
    std::optional<Signal> signal;
    Completion done, signalled;
    bool told_local = false, sent_signal = false;
  };
  // How often a look is taken at how much has crossed, while something is under way; and besides when some is answered.
  static constexpr uint64_t look_every_ns = 1'000'000;
  // What each interface carries to a peer.
  struct Paces {
    RankId peer = 0;
    std::array<Pace, interfaces_max> of;
    std::array<uint64_t, interfaces_max> slow_since_ns{};  // 0: it is not slow
    uint64_t now_ns = 0;                                   // when the last look was
    size_t unanswered = 0;                                 // then
    bool listed = false;                                   // some of them are watched
  };

  bool shares(RankId peer, size_t size) {
    if (all_.size() == 1 || !primary_of_.empty() || size < share_short_least) return false;
    return size >= share_least || primary(peer).under_way(peer) >= busy;
  }
  Paces& paces_of(RankId peer);
  size_t unanswered(RankId peer) const;
  Parts share(Paces& paces, size_t size);
  void tell_of_slow(Paces& paces, std::span<const Load> loads);
  Result began(Paces& paces, size_t rail, size_t size, Result result);
  void look_at(Paces& paces, uint64_t now_ns);
  bool watch(Paces& paces, uint64_t now_ns);
  Split& begin_split(RankId peer, const Parts& parts, Completion* whole);
  Result split_put(Paces& paces, uint64_t offset, const void* source, const Parts& parts, Completion* completion,
                   std::optional<Signal> signal);
  bool admitted(RankId peer, const Parts& parts);
  int progress_of_others();
  Arrival* next_arrival_by_turns();
  bool advance(Split& split);

  RankId rank_, size_;
  Traffic::Options options_;
  std::vector<std::unique_ptr<Traffic>> all_;
  std::vector<uint8_t> primary_of_;
  size_t turn_ = 0;  // whose arrival was the last
  std::vector<std::unique_ptr<Split>> splits_;
  std::unordered_map<RankId, Paces> paces_;  // of peers to which something was shared out
  std::vector<Paces*> watched_;
  std::array<bool, interfaces_max> told_of_{};  // that it is slow
};

}  // namespace weft::conduit::ip
