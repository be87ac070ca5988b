// What communication costs: LogGP (Alexandrov, Ionescu, Schauser, Scheiman 1995) with more parameters, for combining,
// for ranks that share a processor, and for cache lines that change hands.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::coll {

struct Model {
  double latency_ns = 0;          // L: until a small message that was sent can be seen
  double overhead_ns = 0;         // o: of sending, and of receiving, one
  double byte_ns = 0;             // G: per byte of a large one
  double handover_byte_ns = 0;    // per byte that one member wrote into scratch space and another reads at once
  double copy_byte_ns = 0;        // per byte of a copy in a member's own memory
  double combine_byte_ns = 0;     // per byte of a reduction's operand
  bool one_link = true;           // what several send to one comes in one after the other; else they write at once
  double share = 1;               // ranks per processor of a host
  double switch_ns = 0;           // from one rank to another on a processor
  const Model* inside = nullptr;  // of a network: among the members of a host

  /// A message of this size.
  double message(size_t size) const { return overhead_ns + static_cast<double>(size) * byte_ns * share; }
  double handover(size_t size) const { return static_cast<double>(size) * handover_byte_ns * share; }
  /// A message through scratch space.
  double through(size_t size) const { return message(size) + handover(size); }
  /// As many messages to one member.
  double incoming(uint32_t count, size_t size) const { return (one_link ? count : 1) * message(size); }
  /// Until the next phase can begin: others have to get the processor first.
  double phase() const { return latency_ns + overhead_ns + (share - 1) * switch_ns; }
  double copy(size_t size) const { return static_cast<double>(size) * copy_byte_ns * share; }
  double combine(size_t size) const { return static_cast<double>(size) * combine_byte_ns * share; }
};

}  // namespace weft::coll
