// What the parts of the conduit share: rails, peers, pools, and the one lock that guards all of it and every call of
// libfabric. An operation costs microseconds on any network and the lock some nanoseconds, so it is taken always; this
// makes the progress thread and doze() of another thread safe by construction.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/spin_lock.hpp"
#include "boot/boot.hpp"
#include "conduit/conduit.hpp"
#include "conduit/give_up.hpp"
#include "conduit/ofi/pools.hpp"
#include "conduit/ofi/rail.hpp"
#include "conduit/ofi/registration.hpp"

namespace weft::conduit::ofi {

/// Credits bound the requests that may be under way to one peer. They come back when the peer has handled the request,
/// so they bound what a rank must have room for, and with it the replies that may be waiting to be sent. What is small
/// takes fewer: who sends many small ones and waits for none (the root of one broadcast after another) should not wait
/// for its peers' turns of the processor, and TCP puts what waits for the link into one packet.
inline constexpr uint32_t request_credits = 512;
inline constexpr size_t bytes_per_credit = 2048;
constexpr uint32_t credits_of(size_t message_bytes) {
  return static_cast<uint32_t>((message_bytes + bytes_per_credit - 1) / bytes_per_credit);
}

/// A transfer of large_least bytes or more goes as parts of part_size, of which at most large_window bytes are under
/// way to one peer on each rail: what the kernel queues for a socket then stays in the processor's cache.
inline constexpr size_t large_least = size_t{128} << 10;
inline constexpr size_t part_size = size_t{256} << 10;
inline constexpr size_t large_window = size_t{512} << 10;

/// Small operations of one kind on one peer that wait to share a message.
struct Gathering {
  Operation *first = nullptr, *last = nullptr;
  size_t pieces = 0, bytes = 0;
  bool listed = false;  // by Transfers
};

struct Peer {
  std::array<RemoteSegment, max_rails> rails;
  uint64_t send_token = 0, receive_token = 0;
  uint32_t credits = request_credits;  // requests that may still be sent
  uint32_t owed = 0;                   // credits of the peer to give back
  uint32_t pending = 0;                // messages to it in Messenger's list of those that must go
  uint64_t declined_in_flush = 0;      // the last Messenger::flush() in which one of them was declined
  // Messages under way; those without an answer only where Rail::datagrams().
  uint32_t writes = 0, reads = 0, services = 0, sends = 0;
  Gathering puts, gets;
  Operation *large_first = nullptr, *large_last = nullptr;  // of which parts have yet to begin
  size_t large_bytes = 0;                                   // of parts under way
  bool hungry = false;                                      // listed by Transfers
  uint32_t unannounced = 0;                                 // operations since the peer was last told to stay awake
  uint64_t announced_ns = 0;                                // when that was
};

struct State {
  explicit State(boot::Boot& job) : boot(&job), rank(job.rank()), size(job.size()) {}
  ~State() {
    for (auto& rail : rails) rail->close_endpoint();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  boot::Boot* boot;
  RankId rank, size;
  std::byte* segment = nullptr;
  size_t segment_size = 0;
  Order order = Order::standard;
  bool lossless = false;  // is_lossless() of the provider
  size_t bounce_size = 0;
  base::SpinLock lock;
  std::vector<Peer> peers;
  std::vector<std::unique_ptr<Rail>> rails;  // outlive all that is registered on them
  Pools pools;
  std::vector<std::unique_ptr<RegistrationCache>> caches;  // per rail; null where local memory needs no registration
  Failure failure;                                         // why communication broke off, once it has

  /// The rail of messages between this rank and the peer: the same in both directions, so that they share a connection.
  Rail& message_rail(RankId peer) { return *rails[(rank + peer) % rails.size()]; }
  size_t payload_max() const {
    size_t least = largest_payload;
    for (const auto& rail : rails) least = std::min(least, rail->payload_max());
    return least;
  }
  bool sends_follow_writes(const Rail& rail) const {
    return order != Order::relaxed && (rail.order() & FI_ORDER_SAW) != 0;
  }
  bool may_begin(const Peer& peer, const Rail& rail, bool is_read) const {
    return !rail.datagrams() || (is_read ? peer.writes + peer.sends == 0 : peer.reads == 0);
  }
  void fail(Failure why) {
    if (failure.text.empty()) failure = std::move(why);
  }
};

}  // namespace weft::conduit::ofi
