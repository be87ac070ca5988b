// What communication costs: LogGP (Alexandrov, Ionescu, Schauser, Scheiman 1995) with more parameters, for combining,
// for ranks that share a processor, and for cache lines that change hands.
//
// A cost is what one of many calls takes that follow each other. Where data flows one way (from a root, to a root, to
// higher members) nobody waits for an answer, so calls overlap: the next one begins on the first member while the last
// member still has to get earlier ones. Then the members' work decides, not the way from the first to the last; how far
// they can be apart is a matter of scratch space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "coll/scratch.hpp"

namespace weft::coll {

/// What a call takes of processors, in nanoseconds of one that serves one member, and of links.
struct Work {
  double busiest = 0;  // the member with the most
  double total = 0;    // of all members
  size_t carried = 0;  // bytes one way through the link of the member with the most
};

struct Model {
  double latency_ns = 0;          // L: until a small message that was sent can be seen
  double overhead_ns = 0;         // o: of sending, and of receiving, one
  double byte_ns = 0;             // G: per byte of a large one
  double line_ns = 0;             // until data has come that does not fit into the line that announces it
  double handover_byte_ns = 0;    // per byte that one member wrote into scratch space and another reads at once
  double copy_byte_ns = 0;        // per byte of a copy in a member's own memory
  double combine_byte_ns = 0;     // per byte of a reduction's operand
  double crossing_ns = 0;         // per line from each other member, where all write to all or read all at once
  bool lossless = false;          // a network holds messages back where many meet; else it drops some
  bool one_link = true;           // a link moves bytes, one message after the other; else members do, all at once
  double share = 1;               // ranks per processor of a host
  double switch_ns = 0;           // from one rank to another on a processor
  double task_ns = 0;             // of making and resuming a call that has to be a coroutine
  size_t ahead_bytes = 0;         // of scratch space, for calls that follow each other; 0: they do not overlap
  double ahead_calls = 1;         // of these, at most
  const Model* inside = nullptr;  // of a network: among the members of a host

  /// A message of this size.
  double message(size_t size) const { return overhead_ns + static_cast<double>(size) * byte_ns * share; }
  /// For Work: what it takes of its sender.
  double sending(size_t size) const { return one_link ? overhead_ns : message(size); }
  double handover(size_t size) const { return static_cast<double>(size) * handover_byte_ns * share; }
  /// A message through scratch space.
  double through(size_t size) const { return message(size) + handover(size) + (size > line_payload ? line_ns : 0); }
  /// As many messages to one member.
  double incoming(uint32_t count, size_t size) const { return (one_link ? count : 1) * message(size); }
  /// What comes in behind another message, beside its overhead.
  double queued(uint32_t count, size_t size) const {
    return one_link ? count * static_cast<double>(size) * byte_ns * share : 0;
  }
  /// Until the next phase can begin: others have to get the processor first.
  double phase() const { return latency_ns + overhead_ns + (share - 1) * switch_ns; }
  /// What messages of others cost their receiver beside the last, which phase() has.
  double taking_in(uint32_t count) const { return one_link && count > 1 ? (count - 1) * overhead_ns : 0; }
  /// What is lost where all members get large messages of this size from so many others at once: a switch of Ethernet
  /// holds what comes in together as far as its memory reaches, and drops the rest.
  double incast(uint32_t senders, size_t size) const {
    constexpr size_t large = size_t{16} << 10;
    constexpr double lost = 0.3;
    return one_link && !lossless && senders > 2 && size > large ? lost * senders * message(size) : 0;
  }
  /// What it costs beside the first that all members get lines of all others at once, or read theirs.
  double crossing(uint32_t others) const { return others > 1 ? (others - 1) * crossing_ns : 0; }
  double copy(size_t size) const { return static_cast<double>(size) * copy_byte_ns * share; }
  double combine(size_t size) const { return static_cast<double>(size) * combine_byte_ns * share; }
  /// To get an operand through scratch space and combine it: lines come while others are combined.
  double combine_received(size_t size) const { return overhead_ns + std::max(combine(size), handover(size)); }
  /// For Work: a member has its processor for itself.
  Model unshared() const {
    Model model = *this;
    model.share = 1;
    return model;
  }
  /// A call whose data flows one way and takes `room` bytes of scratch space. `alone`: until the last member has it.
  double one_way(double alone, const Work& work, uint32_t members, size_t room) const {
    if (ahead_bytes == 0) return alone;
    const double calls = std::clamp(static_cast<double>(ahead_bytes) / static_cast<double>(room + 1), 1.0, ahead_calls);
    // Hosts have processors of their own.
    const double others = one_link ? static_cast<double>(work.carried) * byte_ns * share : work.total / members * share;
    const double busy = std::max(work.busiest, others);
    return busy + std::max(0.0, alone - busy) / calls;
  }
};

/// Members of a host, `share` of them per processor: with each other's memory mapped; through a conduit's queues in
/// shared memory; through sockets of the host.
Model mapped_memory(double share);
Model queues_in_memory(double share);
Model loopback(double share);
/// Hosts. `crowded`: ranks of one of them outnumber its processors. `lossless`: as in the conduit's capabilities.
Model network(bool crowded, bool lossless = false);

}  // namespace weft::coll
