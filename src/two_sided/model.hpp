// Two-sided messages as MPI libraries send them, in virtual time: for comparisons with one-sided ones on machines that
// are not there.
//
// A short message is sent at once, through buffers on both sides: a copy each (eager). Of a long one only the envelope
// is sent; the data follows when the receiver has found a receive for it, has answered, and the sender is inside a call
// and hears that (rendezvous). A receiver looks through its posted receives for each envelope, and through what came
// unexpected for each receive, one by one, in one list for all sources. Nothing of it happens but inside calls: a rank
// that computes makes no progress. The costs are the platform's (sim::TwoSidedCosts).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/pool.hpp"
#include "sim/simulation.hpp"

namespace weft::two_sided {

using sim::Time;

inline constexpr uint32_t any_source = ~0u;
inline constexpr int any_tag = -1;

/// By what a message finds its receive.
struct Envelope {
  uint32_t source = 0;   // rank
  int tag = 0;           // at least 0
  uint32_t context = 0;  // messages of different contexts never meet

  bool fits(const Envelope& wanted) const {
    return context == wanted.context && (wanted.source == any_source || wanted.source == source) &&
           (wanted.tag == any_tag || wanted.tag == tag);
  }
};

/// A send or receive that has begun.
struct Request {
  bool is_complete = false;
  Envelope envelope = {};  // of a receive that is complete: what came
  size_t size = 0;         // of a receive: its room, and then what came
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  uint32_t peer = 0;  // of a send: to whom
};

class Model {
 public:
  /// That of the simulation that runs, made when it is first asked for.
  static Model& current();

  // ---- By the rank that runs; `call` names the function in reports of deadlocks ----

  /// Source and request stay as they are until the request is complete.
  void send(uint32_t to, int tag, uint32_t context, const void* source, size_t size, Request& request);
  void receive(const Envelope& wanted, void* destination, size_t room, Request& request);
  /// Makes progress, and says whether the request is complete.
  bool test(const Request& request);
  void wait(const Request& request, const char* call);

  uint32_t rank() const { return simulation_.rank(); }
  uint32_t size() const { return simulation_.ranks(); }
  sim::Simulation& simulation() { return simulation_; }
  /// Entries of the rank's lists that have been looked at so far.
  uint64_t looks() const { return ranks_[rank()].looks; }

 private:
  enum class Kind : uint8_t { eager, announcement, answer, data };
  struct Packet;
  struct Channel;
  // What a rank's library holds.
  struct Rank {
    std::deque<Packet*> arrived;  // not looked at yet
    std::deque<Request*> posted;
    std::deque<Packet*> unexpected;
    uint64_t looks = 0;
  };

  explicit Model(sim::Simulation& simulation);

  Packet& make(Kind kind, uint32_t from, uint32_t to);
  Channel& channel_of(const Packet& packet);
  void dispatch(Packet& packet);
  void in_order(Packet& packet);
  void come(Packet& packet);
  void progress();
  void take(Packet& packet);
  void match(Packet& packet, Request& request);
  Request* find_posted(const Envelope& envelope);
  void look_at(uint64_t entries);
  void copy(size_t bytes);
  static bool stays_inside(const sim::Network& network, const Packet& packet);
  Time time_to_send(const Packet& packet) const;
  Time time_to_take(const Packet& packet) const;

  sim::Simulation& simulation_;
  const sim::TwoSidedCosts costs_;
  std::vector<Rank> ranks_;
  std::unordered_map<uint64_t, Channel> channels_;  // by sender and receiver
  std::unique_ptr<sim::Pool<Packet>> packets_;
};

}  // namespace weft::two_sided
