// What the conduits of a simulated job share: the segments, and what is under way between them.
//
// A transfer takes effect when the simulated network says so, not when it is issued: its source is read when it has
// left, the target's memory changes when it arrives, and its remote completion takes an acknowledgement back. All of it
// is done by the network, as by hardware: the target's processor takes no part but in active messages. That both ends
// take something in delays who has one transfer under way and waits for it, as platforms count it
// (weft::sim::acknowledged_ns).
//
// The network delivers in any order. Messages of a channel are put in order again where they arrive, and with
// WEFT_ORDER=strict so are the transfers of a rank to another: one that is early takes effect after those before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "conduit/conduit.hpp"
#include "conduit/sim/collectives.hpp"
#include "os/shared_memory.hpp"
#include "sim/pool.hpp"
#include "sim/simulation.hpp"

namespace weft::conduit::sim {

using weft::sim::Pool;
using weft::sim::Simulation;
using weft::sim::Time;

class Fabric;

/// Hands on what arrives in the order of its numbers.
template <class Item>
class InOrder {
 public:
  /// One has arrived. Those whose turn it is now are handed on; false: it has to wait for others.
  template <class HandOn>
  bool arrived(Item& item, HandOn hand_on) {
    if (item.number != next_) {
      early_.push_back(&item);
      return false;
    }
    for (Item* next = &item; next != nullptr;) {
      hand_on(*next);
      ++next_;
      const auto found = std::ranges::find(early_, next_, &Item::number);
      next = found == early_.end() ? nullptr : *found;
      if (next != nullptr) early_.erase(found);
    }
    return true;
  }

 private:
  uint64_t next_ = 0;
  std::vector<Item*> early_;
};

/// A put, get, fill, atomic operation or signal under way: out to the target, and back.
class alignas(64) Transfer final : public weft::sim::Delivery {
 public:
  enum class Kind : uint8_t { put, get, fill, atomic };

  void injected(Time now) override;
  void arrived(Time now) override;
  /// At the target.
  void take_effect(Time now);
  /// Brings something back: complete locally when that is in place.
  bool fetches() const { return kind == Kind::get || (kind == Kind::atomic && request.result != nullptr); }

  // What a put needs on its way comes first, in one cache line.
  Fabric* fabric = nullptr;
  Completion* completion = nullptr;
  const void* source = nullptr;  // of a put; null: the data is in place already, or there is none
  uint64_t signal_offset = 0;
  uint64_t signal_value = 0;
  RankId from = 0;
  RankId to = 0;
  Kind kind = Kind::put;
  bool comes_back = false;
  bool has_signal = false;
  SignalOp signal_op = SignalOp::set;
  uint8_t byte = 0;     // of a fill
  uint64_t number = 0;  // in strict order, of those to this target
  uint64_t offset = 0;
  size_t size = 0;
  void* destination = nullptr;  // of a get; null as the source
  std::vector<std::byte> data;  // on its way
  AtomicRequest request{};
  uint64_t before = 0;  // the atomic operation's result, on its way

 private:
  void act(std::byte* segment);
};

/// The messages of one class from one rank to another: their order, and how many requests are not taken yet.
struct alignas(64) Channel {
  uint64_t sent = 0;
  uint64_t taken = 0;        // by the receiver
  uint64_t known_taken = 0;  // as the sender knows
  bool starved = false;      // the sender waits to hear of more
  InOrder<class Packet> arrivals;
};

/// A rank's channels to others. A hash table with open addressing: in a large job each step of a search is a cache
/// miss, and this takes one.
class Channels {
 public:
  /// One that is there, or null.
  Channel* find(RankId to, AmClass message_class) const;
  void add(RankId to, AmClass message_class, Channel& channel);

 private:
  struct Slot {
    uint64_t key;
    Channel* channel = nullptr;
  };
  static uint64_t key_of(RankId to, AmClass message_class) {
    return uint64_t{to} << 1 | static_cast<uint64_t>(message_class);
  }
  /// Where the key is, or has to be.
  size_t slot_of(uint64_t key) const;

  std::vector<Slot> slots_;  // as many as a power of two, or none; half of them are free at least
  size_t used_ = 0;
};

/// The transfers from one rank to another, in strict order.
struct Line {
  uint64_t issued = 0;
  InOrder<Transfer> arrivals;
};

/// An active message.
class alignas(64) Packet final : public weft::sim::Delivery {
 public:
  void injected(Time) override {}
  void arrived(Time now) override;
  weft::sim::Message message() const;
  /// For its handler.
  AmDelivery delivery() const;

  Fabric* fabric = nullptr;
  Channel* channel = nullptr;
  Packet* next = nullptr;  // in an inbox
  uint64_t number = 0;
  RankId from = 0;
  RankId to = 0;
  AmClass message_class = AmClass::request;
  AmKind kind = AmKind::short_;
  uint16_t handler = 0;
  uint8_t arg_count = 0;
  bool carries = false;   // its payload; else the data is in place
  bool is_empty = false;  // the payload has a size and no data
  uint64_t args[am_max_args] = {};
  size_t size = 0;
  uint64_t offset = 0;
  std::vector<std::byte> payload;
};

/// Tells the sender of requests how many have been taken.
class Credit final : public weft::sim::Delivery {
 public:
  void injected(Time) override {}
  void arrived(Time now) override;

  Fabric* fabric = nullptr;
  Channel* channel = nullptr;
  RankId sender = 0;
  uint64_t taken = 0;
};

/// Wakes a rank whose operation was declined by a fault: no room will come free that would.
class SecondTry final : public weft::sim::Event {
 public:
  void happen(Time now) override;

  Fabric* fabric = nullptr;
  RankId rank = 0;
};

/// What has come for a rank and waits for its poll().
struct alignas(64) Port {
  struct Notice {
    Completion* completion;
    bool remote;
  };
  std::vector<Notice> notices;
  Packet* first = nullptr;  // a list of messages, in the order of their coming
  Packet* last = nullptr;
  AmSink* dozing = nullptr;  // the rank's, while it is in a doze() that misses nothing
  bool touched = false;      // its memory
  bool tries_again = false;  // soon, what a fault has declined
  bool starved = false;      // waits for room for a transfer
  uint32_t outstanding = 0;  // transfers of this rank
  uint32_t requests = 0;     // messages of this rank that are not delivered yet
  uint32_t coming = 0;       // messages that have been sent to it
  Channels channels;         // of this rank's messages

  bool has_any() const { return touched || !notices.empty() || first != nullptr; }
};

class Fabric {
 public:
  /// Transfers, and as many requests, that a rank may have under way; and requests from one rank to another that have
  /// not been taken.
  static constexpr uint32_t most_under_way = 64;
  static constexpr uint64_t most_requests = 128;

  /// That of the simulation that runs; made by the first rank that asks.
  static Status join(const base::Settings& settings, std::shared_ptr<Fabric>& fabric);
  ~Fabric();

  Simulation& simulation() { return simulation_; }
  size_t segment_size() const { return segment_size_; }
  std::byte* segment(RankId rank) const { return segments_.address() + rank * stride_; }
  Port& port(RankId rank) { return ports_[rank]; }
  /// Ranks of one host map each other.
  bool shared_hosts() const { return shared_hosts_; }
  bool same_host(RankId a, RankId b) const { return host_of_[a] == host_of_[b]; }

  // ---- By the rank that runs ----

  /// A transfer of this rank; null if too many are under way.
  Transfer* begin(RankId from, RankId to, Transfer::Kind kind, Completion* completion);
  /// Sends it, in the rank's time.
  void issue(Transfer& transfer);
  /// A message of this rank, without payload yet; null if too many are not taken.
  Packet* prepare(RankId from, RankId to, AmClass message_class);
  void send(Packet& packet);
  void cancel(Packet& packet);
  /// The receiver has taken the message, at this time of its own.
  void taken(Packet& packet, Time now);
  /// The peer's memory has been changed directly.
  void touch(RankId peer, Time when);

  // ---- By what is under way ----

  /// The rank has begun an operation that notify() will be called for, once each way.
  static void expect(Completion& completion);
  void notify(RankId rank, Completion& completion, bool remote);
  void reach(Transfer& transfer, Time now);
  void come_back(Transfer& transfer, Time now);
  void finish(Transfer& transfer);
  void deliver(Packet& packet);
  void changed(const Transfer& transfer, Time now);
  Collectives& collectives() { return collectives_; }

 private:
  bool dozes(RankId rank) const;
  bool concerns_dozer(const Packet& packet) const;
  bool take_in_doze(RankId rank);
  bool declines(RankId from, RankId to, weft::sim::Flow flow);
  Fabric(Simulation& simulation, const base::Settings& settings);
  Channel& channel(RankId from, RankId to, AmClass message_class);
  Line& line_of(const Transfer& transfer) { return lines_[uint64_t{transfer.from} << 32 | transfer.to]; }
  Time taking_in(const Transfer& transfer) const;
  void tell_taken(Channel& channel, RankId sender, RankId receiver, Time now);
  friend class Credit;
  friend class SecondTry;

  Simulation& simulation_;
  const bool strict_;
  const bool early_;
  const bool shared_hosts_;
  os::Mapping segments_;
  size_t segment_size_ = 0;
  size_t stride_ = 0;
  std::vector<Port> ports_;
  std::vector<uint32_t> host_of_;
  std::deque<Channel> channels_;
  std::unordered_map<uint64_t, Line> lines_;
  Pool<Transfer> transfers_;
  Pool<Packet> packets_;
  Pool<Credit> credits_;
  std::unordered_map<uint64_t, uint64_t> tries_;  // of operations that faults may decline, by stream
  Pool<SecondTry> second_tries_;
  Collectives collectives_{*this};
};

}  // namespace weft::conduit::sim
