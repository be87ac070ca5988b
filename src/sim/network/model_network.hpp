// The network of a platform.
//
// A message waits for its node's interface, which injects it at its rate; its head goes from router to router, a link's
// latency each, and takes each link for as long as its bytes need there; its tail follows behind (cut-through). The
// interface of the target takes it in at its rate. So a message that meets no other takes
//
//     interface latency + hops * link latency + bytes / slowest rate of the way
//
// from where it leaves the processor. Where it meets others:
// - Messages wait in the order in which their heads come. Short ones wait for short ones only: small messages of a
// protocol
//   would otherwise wait behind megabytes, which real networks' arbitration per packet prevents.
// - Long ones travel in chunks, each an event per hop, so those that share a link share its rate. Of one message no
// more
//   than the window is under way; that is how a busy network slows its senders down.
// - A node sends `slots` long messages at once, chunk by chunk in turns; others wait until one has been injected.
// - `contention` says what part of its rate a link reaches while messages wait for it and the last few were of several
//   nodes. Buffers in routers are not modelled; the factor stands for what they lose, and is fitted to a measurement.
// - Messages of two sizes or routes may arrive in another order than they were sent in.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/network.hpp"
#include "sim/network/link.hpp"
#include "sim/network/placement.hpp"
#include "sim/network/platform.hpp"
#include "sim/network/statistics.hpp"
#include "sim/network/topology.hpp"
#include "sim/pool.hpp"

namespace weft::sim {

/// Processor time of messages.
struct Overhead {
  Picoseconds each;
  Pace pace;  // of the bytes
  Time of(uint64_t bytes) const { return to_time(each + pace.of(bytes)); }
};

/// What the interfaces promise of the order of a node's messages.
enum class Ordering : uint8_t { usual, strict, relaxed };

struct NetworkOptions {
  uint32_t ranks = 1;
  uint32_t ranks_per_node = 0;  // 0: as many as the platform's nodes have cores
  std::string map;              // see place_ranks(); "": the platform's
  uint64_t seed = 1;            // chooses among equally short fixed routes
  Ordering ordering = Ordering::usual;
};

class ModelNetwork final : public Network {
 public:
  /// Throws PlatformError if the job does not fit the platform or the map.
  ModelNetwork(Calendar& calendar, const Platform& platform, const NetworkOptions& options);
  ~ModelNetwork() override;

  void send(Time when, const Message& message, Delivery& delivery) override;
  Time send_overhead(const Message& message) const override;
  Time receive_overhead(const Message& message) const override;
  std::optional<Time> barrier_time() const override;
  std::optional<Time> tree_time(uint64_t bytes, uint32_t ways) const override;
  bool lossless() const override { return !platform_.topology.drops; }
  TwoSidedCosts two_sided_costs() const override;
  std::optional<double> computation_ns(uint32_t rank, double operations, double bytes) const override;
  uint32_t host_of(uint32_t rank) const override { return placement_.host_of[rank]; }
  std::string describe() const override;
  double contention() const override;
  Statistics statistics(Time from, Time until) const override;

  /// From send() to arrived(), where nothing else is under way. Chunks of a long message may part where routes are the
  /// least busy ones, and take less.
  Time idle_time(const Message& message) const;

  /// How long so many of these take their node's interface, if nothing else does, until the last one has left.
  double injection_ns(const Message& message, double count) const;

  /// A rank registers memory with its interface from `when` on; returns when that is done. Ranks of a node do it one by
  /// one.
  Time register_memory(Time when, uint32_t rank);

  const Topology& topology() const { return *topology_; }

 private:
  struct Transfer;
  struct Chunk;
  struct NodeInterface;
  struct NodeKind;

  void leave(Transfer& transfer, Time now);
  void leave_short(Transfer& transfer, NodeInterface& node, Time now);
  void leave_local(Transfer& transfer, NodeInterface& node, Time now);
  void tell_injected(Transfer& transfer, Picoseconds when);
  void start(NodeInterface& node, Transfer& transfer, Time now);
  void wake(NodeInterface& node, Time now);
  void inject_chunk(NodeInterface& node, Picoseconds at);
  void injected(Transfer& transfer, Time now);
  void advance(Chunk& chunk);
  void arrive(Chunk& chunk, Time now);
  Chunk& launch(Transfer& transfer, uint64_t bytes, const Link::Taken& taken, Picoseconds latency);
  Pace injection_pace(uint64_t bytes, bool is_fetched, const NodeKind& kind) const;
  Hop next_hop(const Chunk& chunk) const;
  bool stays_inside(const Message& message) const;
  bool has_room(const Transfer& transfer) const;

  Calendar& calendar_;
  const Platform platform_;
  const NetworkOptions options_;
  const uint32_t ranks_per_node_;
  const std::string map_;
  const std::unique_ptr<Topology> topology_;
  const Placement placement_;
  const std::vector<LinkKind> link_kinds_;  // by group
  std::vector<Link> links_;
  std::map<uint32_t, std::unique_ptr<NodeKind>> node_kinds_;  // by the number of ranks
  std::vector<std::unique_ptr<NodeInterface>> nodes_;         // by host_of()
  std::unique_ptr<Pool<Transfer>> transfers_;
  std::unique_ptr<Pool<Chunk>> chunks_;

  const uint64_t chunk_bytes_, slots_from_;
  const uint32_t slots_;
  uint64_t window_;
  const Overhead send_, receive_;
  const Overhead send_inside_, receive_inside_;  // from a rank of a node to another one of it
  Statistics totals_;                            // the counts alone
};

/// The network of a platform (find_platform()). Throws PlatformError.
std::unique_ptr<ModelNetwork> make_model_network(Calendar& calendar, const std::string& platform,
                                                 const NetworkOptions& options);

}  // namespace weft::sim
