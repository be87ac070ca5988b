// The contract between Weft and a transport. docs/ADDING-A-CONDUIT.md takes a reader through implementing it, and
// tests/conformance runs the same suite on every conduit and every decorator.
//
// A Conduit belongs to one rank. It moves bytes between segments, carries active messages, and makes progress only
// inside poll(). It knows ranks, offsets and opaque arguments: no handles, no regions, no handler functions.
//
// Back-pressure is a result, not an error: `retry` means nothing happened, call poll() and try again. A conduit never
// waits inside an operation. It allocates nothing and makes no system call on these paths, except to wake a sleeper.
//
// Threads. `threads_multiple` of Environment says whether calls may come from several threads at once. poll() may
// always be called concurrently with operations then; a second concurrent poll() returns 0 at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/settings.hpp"
#include "base/status.hpp"

namespace weft::boot {
class Boot;
class Hosts;
}  // namespace weft::boot

namespace weft::conduit {

using RankId = uint32_t;

class NativeCollectives;

namespace hook {
class Recorder;
}  // namespace hook

/// Where an operation reports. The caller owns it and keeps it alive until `remote` has been counted. Counts go up by
/// one, first local (source reusable), then remote (data in place; for a get or a fetching atomic: result in place).
/// Whoever observes a count with acquire order sees the effects it announces. Several operations may report to one;
/// whoever waits for it waits until all of them have.
struct Completion {
  std::atomic<uint64_t> local{0};
  std::atomic<uint64_t> remote{0};
  // For the conduit alone: so many operations are still to be counted.
  uint32_t local_to_come = 0;
  uint32_t remote_to_come = 0;

  void finish_local() { local.fetch_add(1, std::memory_order_release); }
  void finish_remote() { remote.fetch_add(1, std::memory_order_release); }
};

enum class Result : uint8_t {
  done,    ///< complete on return, locally and remotely; the Completion was not touched
  posted,  ///< under way; the Completion will be counted from poll()
  retry    ///< declined, nothing happened: poll() and try again
};

/// Hints and constraints of one transfer.
struct TransferFlags {
  bool stream = false;  ///< the data will not be read soon: avoid filling caches
};

enum class SignalOp : uint8_t { set, add };

enum class AtomicOp : uint8_t { get, set, swap, cswap, add, sub, inc, dec, min, max, bit_and, bit_or, bit_xor };
enum class AtomicType : uint8_t { i32, u32, i64, u64, f32, f64 };

/// Operands in the low bytes, as the type is stored in memory.
struct AtomicRequest {
  AtomicType type;
  AtomicOp op;
  uint64_t operand = 0;
  uint64_t compare = 0;
  void* result = nullptr;  ///< where the value before goes; null: do not fetch
};

/// Requests may be answered by one reply; replies by nothing. They travel separately, so that replies always get
/// through however many requests are waiting.
enum class AmClass : uint8_t { request, reply };
enum class AmKind : uint8_t { short_, medium, long_ };

inline constexpr uint32_t am_max_args = 8;
inline constexpr uint32_t am_program_handlers = 256;

/// A message to send. The payload may be reused when am_send() has returned `done`.
struct AmMessage {
  AmKind kind = AmKind::short_;
  uint16_t handler = 0;  ///< opaque to the conduit, but that numbers from am_program_handlers on are not the program's
  uint8_t arg_count = 0;
  const uint64_t* args = nullptr;
  const void* payload = nullptr;  ///< null with a long message: its data is in place already
  size_t size = 0;
  uint64_t offset = 0;  ///< long: where the payload goes in the target's segment
};

/// A message that arrived. Valid during deliver().
struct AmDelivery {
  AmClass message_class;
  AmKind kind;
  uint16_t handler;
  uint8_t arg_count;
  RankId source;
  const uint64_t* args;
  void* payload;  ///< medium: conduit's buffer, aligned to 16; long: in the segment
  size_t size;
  mutable bool replied = false;  ///< for the layer above: a request is answered once
};

/// Takes arrived messages, from inside poll(), one at a time. It may call am_send() and am_prepare()/am_commit() with
/// AmClass::reply to the source of a request, once; the conduit has made sure that this does not return `retry`.
class AmSink {
 public:
  virtual void deliver(const AmDelivery& message) = 0;

  // For a conduit that would rather not wake a rank in vain. Asked while the rank is in doze(), in anybody's place.
  /// The word in the segment that deliver() would set, if it would do nothing else; it may be called then, too.
  virtual const std::byte* only_sets(const AmDelivery& /*message*/) const { return nullptr; }
  /// Whether what the rank waits for may depend on this memory.
  virtual bool concerns(const std::byte* /*begin*/, size_t /*size*/) const { return true; }

 protected:
  ~AmSink() = default;
};

/// Room for a payload that the caller writes in place.
struct AmRoom {
  void* data = nullptr;
  size_t capacity = 0;
};

struct Capabilities {
  bool put_get = false;  ///< put, get and fill are native; else the layer above builds them from messages
  bool atomics = false;  ///< atomic is native, and coherent with the owner's own processor atomics
  bool signals = false;  ///< put_signal is native
  /// A put or get is a message that the target's calls take in, so small ones are better sent together in one.
  bool pack_pieces = false;
  size_t max_medium = 0;    ///< bytes of a medium payload; at least 4096
  size_t max_long = 0;      ///< bytes of a long payload; at least max_medium
  bool may_forbid = false;  ///< parts of a segment may be made inaccessible: no network has registered it
  /// Mapped memory may be used past the conduit. Not where a decorator must see every operation.
  bool may_bypass = true;
  /// The program's operations on mapped memory are for the conduit, too: it knows what happens there before them.
  bool orders_accesses = false;
  /// Whatever may end a rank's wait ends its doze, so that waits sleep at once, and sleep until then. An operation's
  /// completion need not, while others are under way that report to the same Completion; nor need what does not concern
  /// the rank (AmSink).
  bool sure_dozes = false;
  /// The network's links hold messages back where many meet. Else, as on Ethernet, they drop some.
  bool lossless = false;
  bool crowded = false;  ///< the ranks of this host outnumber the processors they may use
};

/// What a conduit is made from.
struct Environment {
  boot::Boot* boot = nullptr;
  const boot::Hosts* hosts = nullptr;  ///< which ranks share a host; null: make() finds out
  AmSink* sink = nullptr;
  hook::Recorder* recorder = nullptr;  ///< is told of every operation, and outlives the conduit; null: nobody is
  bool threads_multiple = false;
  /// Zeroed, page-aligned memory to be this rank's segment, as large on every rank; null: the conduit makes its own.
  std::byte* segment = nullptr;
  size_t segment_size = 0;
};

class Conduit {
 public:
  virtual ~Conduit() = default;

  virtual Capabilities capabilities() const = 0;
  virtual RankId rank() const = 0;
  virtual RankId size() const = 0;
  virtual RankId host_rank() const = 0;
  virtual RankId host_size() const = 0;

  /// This rank's own segment; zero-filled at start, page aligned.
  virtual std::byte* segment() const = 0;
  virtual size_t segment_size() const = 0;
  /// The peer's segment if this rank may load and store it directly, else null. Constant after construction.
  virtual std::byte* mapped(RankId peer) const = 0;

  // One-sided operations: only if capabilities().put_get. Ranges lie in the segment; size may be 0. Concurrent
  // operations are unordered.
  virtual Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
                     Completion* completion) = 0;
  virtual Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) = 0;
  virtual Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) = 0;
  /// Only if capabilities().atomics. The location is naturally aligned.
  virtual Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) = 0;

  /// Only if capabilities().signals: puts, then applies `op` with `value` to the aligned 64-bit word at signal_offset
  /// of the same segment, visible in this order, and wakes the peer if it sleeps.
  virtual Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                            uint64_t value, SignalOp op, Completion* completion) = 0;

  /// Sends; `done` or `retry`. Messages of one class from one thread to one peer are delivered in order. Memory written
  /// before by `done` puts to the same peer is visible to the handler.
  virtual Result am_send(RankId peer, AmClass message_class, const AmMessage& message) = 0;
  /// Reserves room for a payload of up to `capacity` <= max_medium bytes; `done` or `retry`. Until am_commit() or
  /// am_cancel() the calling thread makes no other call.
  virtual Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) = 0;
  /// Sends the prepared message: medium, or long to a peer that is not mapped. message.payload is the room's data and
  /// message.size <= capacity.
  virtual void am_commit(RankId peer, AmClass message_class, const AmMessage& message) = 0;
  virtual void am_cancel(RankId peer, AmClass message_class) = 0;

  /// Delivers arrived messages and counts completions. Returns how many events it handled. Where others' puts and gets
  /// need this rank's polls, some of these polls (at least one per 8 operations or 400 us, whichever is more) return
  /// more than 0 while they come, so that the rank does not take itself for idle.
  virtual int poll() = 0;
  /// A poll that looks at everybody: 0 says that no message from anybody was there to be handled. For the end of a job;
  /// other polls may look at some peers only.
  virtual int poll_all() { return poll(); }

  // Waiting. A rank that has polled in vain long enough sleeps in doze() until a message arrives, nudge() is called on
  // another rank for it, or the time is over; so a waker that misses the sleeper costs time, never progress.
  virtual void doze(uint64_t timeout_ns) = 0;
  /// The peer's memory was changed directly (through mapped()); wake it if it sleeps. A few nanoseconds if not.
  virtual void nudge(RankId peer) = 0;

  /// Collectives of all ranks that the transport carries out itself (native_collectives.hpp); null if it has none.
  virtual NativeCollectives* native_collectives() { return nullptr; }

  /// Ends communication. Collective, after a barrier; no call may follow.
  virtual Status finalize() = 0;
};

/// A transport's name and maker. make.cpp holds the list, to which a new transport adds its row.
struct Registration {
  const char* name;
  const char* description;
  Status (*make)(const Environment&, const base::Settings&, std::unique_ptr<Conduit>&);
  bool encrypts = false;  ///< what it sends to other hosts, if WEFT_IP_SECURITY asks for that
  bool one_host = false;  ///< it joins no hosts
};
std::span<const Registration> registered();

/// Lines about what jobs across hosts would use here, for weft-info. False if such a job would not start.
bool describe_network(const base::Settings& settings, std::string& text);

/// Makes the conduit that setting `conduit` names, wrapped in the decorators that settings and environment ask for.
/// `name`, if not null, is set to the transport's.
Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit,
            std::string* name = nullptr);

}  // namespace weft::conduit
