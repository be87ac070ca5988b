// The network of a simulation: when a message that a rank sends has left its buffer, and when it has arrived.
//
// What lies on which side:
// - The sender (the conduit) decides which messages exist, acknowledgements included, and how large they are with their
//   headers. It spends the processor time that send_overhead() and receive_overhead() tell, each in the time of its own
//   rank. It restores order where it needs some, limits what is under way, and hands over messages of host-mates that
//   it does not carry itself. It never sends to the rank itself.
// - The network decides on routes, waiting for links and for the node's parts, and order: short messages may pass long
//   ones, and others may pass each other if the platform says so. It loses nothing, and has room for everything. It
//   takes no processor time from any rank. Which rank lies on which host is its decision.
//
// Choices that a network makes (among routes, say) depend on the seed and on numbers, never on addresses or clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/calendar.hpp"
#include "sim/network/statistics.hpp"

namespace weft::sim {

/// Up to this many bytes a message is short.
inline constexpr uint64_t most_short_bytes = 512;

/// What travels besides the data of a message, and all of one that only acknowledges.
inline constexpr uint64_t header_bytes = 32;
inline constexpr uint64_t acknowledgement_bytes = 16;

/// What a message is for. Networks carry all alike; injected faults number the messages of each by themselves.
enum class Flow : uint8_t { request, reply, transfer, answer, credit };

struct Message {
  uint32_t from;  // ranks
  uint32_t to;
  uint64_t bytes;  // all that travels
  bool is_short;   // may pass long ones
  Flow flow = Flow::transfer;
  bool is_fetched = false;     // the target has asked for it: a get's data
  bool tells_injected = true;  // false: its Delivery need not hear of that, as nobody does but who sends data

  static Message of(uint32_t from, uint32_t to, uint64_t bytes, Flow flow = Flow::transfer) {
    return {.from = from,
            .to = to,
            .bytes = bytes,
            .is_short = bytes <= most_short_bytes,
            .flow = flow,
            .tells_injected = flow == Flow::transfer};
  }
};

/// Where the network tells of one message: first injected(), if it wants to know, then arrived(), once each, from
/// inside events of the calendar, never from inside send(). The sender keeps it alive until it has arrived.
class Delivery {
 public:
  /// The source has been read and may be reused.
  virtual void injected(Time now) = 0;
  /// The last byte is in the target's memory.
  virtual void arrived(Time now) = 0;

 protected:
  ~Delivery() = default;
};

/// What two-sided messages cost a rank's MPI library, beside what the network takes (src/two_sided).
struct TwoSidedCosts {
  uint64_t eager_limit = 0;     // bytes; longer ones are announced first
  Time send_overhead = 0;       // of the processor, for each message
  Time receive_overhead = 0;    // the same
  Time node_send_overhead = 0;  // to a rank of the same node, bytes included; 0: as elsewhere
  Time node_receive_overhead = 0;
  double match_ns = 0;          // for each entry of a list that is looked at
  double copy_ns_per_byte = 0;  // of eager messages, on each side
};

class Network {
 public:
  virtual ~Network() = default;

  /// A message leaves the processor at `when`, which is the calendar's time or later: a rank may run ahead of it.
  virtual void send(Time when, const Message& message, Delivery& delivery) = 0;

  /// Processor time that sending and taking in a message cost their ranks. One from a rank to itself stands for one to
  /// another node.
  virtual Time send_overhead(const Message& message) const = 0;
  virtual Time receive_overhead(const Message& message) const = 0;

  // Networks for collectives among all ranks, beside the one for messages. Nothing if the machine has none.
  /// From the last rank's coming to a barrier until all know that it has.
  virtual std::optional<Time> barrier_time() const { return std::nullopt; }
  /// Until so many bytes have gone through a tree of all nodes, from one rank to all (ways = 1), or from all, combined
  /// on the way, to one and back to all (2).
  virtual std::optional<Time> tree_time(uint64_t /*bytes*/, uint32_t /*ways*/) const { return std::nullopt; }

  /// Whether crowded links of the machine hold messages back. Else they drop some, which senders must avoid: the
  /// simulation itself loses none.
  virtual bool lossless() const { return true; }

  virtual TwoSidedCosts two_sided_costs() const { return {}; }

  /// What so many floating-point operations and bytes copied take the rank, not in whole nanoseconds, while the others
  /// of its node are as busy. Nothing if it is not known how fast the processors are.
  virtual std::optional<double> computation_ns(uint32_t /*rank*/, double /*operations*/, double /*bytes*/) const {
    return std::nullopt;
  }

  /// The node that a rank lies on; nodes are numbered from 0 in the order of their first ranks, without gaps.
  virtual uint32_t host_of(uint32_t rank) const = 0;

  /// In one line, for every result: the platform, and what has been fitted.
  virtual std::string describe() const = 0;
  /// The factor that has been fitted for what only buffers could show; 1: none.
  virtual double contention() const { return 1; }

  /// What went through it so far. Utilisation refers to the time from `from` to `until`; nothing was sent before.
  virtual Statistics statistics(Time from, Time until) const = 0;
};

}  // namespace weft::sim
