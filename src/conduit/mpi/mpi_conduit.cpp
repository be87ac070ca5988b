#include "conduit/mpi/mpi_conduit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "base/log.hpp"
#include "base/spin_lock.hpp"
#include "boot/boot.hpp"
#include "boot/fence_while.hpp"
#include "boot/hosts.hpp"
#include "conduit/mpi/library.hpp"
#include "conduit/native_collectives.hpp"
#include "conduit/segment_size.hpp"
#include "os/clock.hpp"
#include "os/processor.hpp"
#include "os/shared_memory.hpp"

namespace weft::conduit::mpi {
namespace {

constexpr size_t largest_payload = 65536;
constexpr int ring_length = 32;  // receives posted per class
constexpr int pool_size = 32;    // sends under way per class
constexpr uint32_t synchronous_interval = 32;
constexpr uint32_t requests_between_polls = 256;
constexpr int deliveries_per_poll = 64;

// What goes over the wire; the payload follows.
struct Header {
  uint16_t handler;
  uint8_t kind;
  uint8_t arg_count;
  uint8_t has_payload;  // a long message without one has its data in place already
  uint8_t unused[3];
  uint64_t size;
  uint64_t offset;
  uint64_t unused_too;
  uint64_t args[am_max_args];
};
static_assert(sizeof(Header) % 16 == 0, "the payload is aligned to 16");

struct alignas(64) Buffer {
  Header header;
  std::byte payload[largest_payload];
};

constexpr size_t class_index(AmClass message_class) { return message_class == AmClass::request ? 0 : 1; }

// Slots of the port: first the receives, then the sends, by class.
constexpr int receive_slot(size_t klass, int i) { return static_cast<int>(klass) * ring_length + i; }
constexpr int send_slot(size_t klass, int i) { return 2 * ring_length + static_cast<int>(klass) * pool_size + i; }
constexpr int native_slot(int i) { return 2 * (ring_length + pool_size) + i; }
constexpr int most_natives = WEFT_MPI_PORT_FOLDS;  // collectives under way
constexpr int buffer_count = 2 * ring_length + 2 * pool_size;
constexpr int slot_count = buffer_count + most_natives;

// What is counted as ints, and must not be too much in all.
constexpr size_t largest_native = size_t{64} << 20;

class MpiConduit final : public Conduit, private NativeCollectives {
 public:
  MpiConduit(const Environment& environment, const weft_mpi_port& port, os::Mapping own, bool map_self)
      : port_(port),
        boot_(*environment.boot),
        sink_(environment.sink),
        threads_multiple_(environment.threads_multiple),
        map_self_(map_self),
        host_rank_(environment.hosts->host_rank(boot_.rank())),
        host_size_(environment.hosts->host_size(boot_.rank())),
        own_(std::move(own)),
        segment_(environment.segment ? environment.segment : own_.address()),
        segment_size_(environment.segment ? environment.segment_size : own_.size()),
        buffers_(std::make_unique_for_overwrite<Buffer[]>(buffer_count)),
        peers_(boot_.size()) {
    for (auto& owners : free_)
      for (int i = pool_size; i-- > 0;) owners.push_back(i);
    for (size_t klass = 0; klass < 2; ++klass)
      for (int i = 0; i < ring_length; ++i) post(klass, i);
  }

  Capabilities capabilities() const override {
    Capabilities capabilities;
    capabilities.max_medium = largest_payload;
    capabilities.max_long = largest_payload;
    capabilities.crowded = host_size_ > os::processor_count();
    return capabilities;
  }
  RankId rank() const override { return boot_.rank(); }
  RankId size() const override { return boot_.size(); }
  RankId host_rank() const override { return host_rank_; }
  RankId host_size() const override { return host_size_; }
  std::byte* segment() const override { return segment_; }
  size_t segment_size() const override { return segment_size_; }
  std::byte* mapped(RankId peer) const override { return peer == rank() && map_self_ ? segment_ : nullptr; }

  // ---- One-sided operations: not here (capabilities) ----

  Result put(RankId, uint64_t, const void*, size_t, TransferFlags, Completion*) override { return Result::retry; }
  Result get(void*, RankId, uint64_t, size_t, Completion*) override { return Result::retry; }
  Result fill(RankId, uint64_t, uint8_t, size_t, Completion*) override { return Result::retry; }
  Result atomic(RankId, uint64_t, const AtomicRequest&, Completion*) override { return Result::retry; }
  Result put_signal(RankId, uint64_t, const void*, size_t, uint64_t, uint64_t, SignalOp, Completion*) override {
    return Result::retry;
  }

  // ---- Sending ----

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    base::OptionalGuard guard(lock_, threads_multiple_);
    const int slot = take_slot(peer, message_class);
    if (slot < 0) return Result::retry;
    if (message.kind != AmKind::short_ && message.payload && message.size != 0)
      std::memcpy(buffer_of(message_class, slot).payload, message.payload, message.size);
    start_sending(peer, message_class, slot, message);
    return Result::done;
  }

  Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) override {
    if (threads_multiple_) lock_.lock();  // held until commit or cancel
    prepared_slot_ = take_slot(peer, message_class);
    if (prepared_slot_ < 0) {
      if (threads_multiple_) lock_.unlock();
      return Result::retry;
    }
    room = {buffer_of(message_class, prepared_slot_).payload, capacity};
    return Result::done;
  }
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override {
    start_sending(peer, message_class, prepared_slot_, message);
    if (threads_multiple_) lock_.unlock();
  }
  void am_cancel(RankId, AmClass message_class) override {
    free_[class_index(message_class)].push_back(prepared_slot_);
    if (threads_multiple_) lock_.unlock();
  }

  // ---- MPI's collectives ----

  NativeCollectives* native_collectives() override { return this; }
  bool offers(NativeOp, size_t size, bool) const override { return size <= largest_native; }
  // Of MPI libraries' usual algorithms: rounds of messages, each of which costs its receiver a look at MPI; and bytes.
  double expected_ns(NativeOp op, size_t bytes) const override {
    constexpr double round_ns = 2'000, byte_ns = 0.3;
    const double rounds = std::bit_width(size() - 1);
    const double blocks = op == NativeOp::gather_all || op == NativeOp::exchange ? size() - 1.0 : rounds;
    return rounds * round_ns + blocks * static_cast<double>(bytes) * byte_ns;
  }
  Result begin(const NativeRequest& request, Completion* completion) override {
    base::OptionalGuard guard(lock_, threads_multiple_);
    int i = 0;
    while (i < most_natives && natives_[static_cast<size_t>(i)].completion != nullptr) ++i;
    if (i == most_natives) return Result::retry;
    must(start_native(i, request), "begin a collective");
    natives_[static_cast<size_t>(i)] = {completion, false};
    ++natives_under_way_;
    return Result::posted;
  }

  // ---- Progress ----

  int poll() override {
    if (threads_multiple_ && !poll_lock_.try_lock()) return 0;
    {
      base::OptionalGuard guard(lock_, threads_multiple_);
      requests_since_poll_ = 0;
      reap_sends();
    }
    int handled = take_natives();
    while (handled < deliveries_per_poll && (take(AmClass::reply) || take(AmClass::request))) ++handled;
    if (threads_multiple_) poll_lock_.unlock();
    return handled;
  }

  // MPI has no way to sleep until something comes: short sleeps between looks.
  void doze(uint64_t timeout_ns) override {
    const uint64_t end = os::now_ns() + timeout_ns;
    constexpr uint64_t shortest_nap_ns = 10'000, longest_nap_ns = 100'000;
    for (uint64_t nap_ns = shortest_nap_ns; os::now_ns() < end; nap_ns = std::min(2 * nap_ns, longest_nap_ns)) {
      // Another thread is at it, and may have lost the processor: it needs this one's. What this thread waits for may
      // come through that one, so it naps only once before the caller looks.
      if (threads_multiple_ && !poll_lock_.try_lock()) return os::sleep_ns(shortest_nap_ns);
      const bool waiting = message_waiting();
      if (threads_multiple_) poll_lock_.unlock();
      if (waiting) return;
      os::sleep_ns(std::min(nap_ns, end - std::min(end, os::now_ns())));
    }
  }
  void nudge(RankId) override {}

  Status finalize() override {
    while (under_way_ > 0) poll();
    // Until all have come here somebody's send may need this rank's MPI, and its receives.
    Status status = boot::fence_while(boot_, [this](int) {
      if (poll() == 0) os::sleep_ns(10'000);
    });
    // And together into MPI's own end: over UCX that of MPICH 4.0 may wait for ever if some are ahead of others.
    if (status.ok()) status = boot_.fence();
    for (size_t klass = 0; klass < 2; ++klass)
      for (int i = 0; i < ring_length; ++i) must(port_.cancel(receive_slot(klass, i)), "cancel a receive");
    must(port_.stop(), "free its communicator");
    return status;
  }

 private:
  struct Peer {
    uint32_t since_synchronous = 0;  // requests sent after the last synchronous one
    bool synchronous_under_way = false;
  };
  struct Native {
    Completion* completion = nullptr;  // null: none under way
    bool is_complete = false;          // and not told of
  };
  struct Sending {
    RankId peer = 0;
    bool under_way = false;
    bool synchronous = false;
  };

  Buffer& buffer_of(AmClass message_class, int i) {
    return buffers_[static_cast<size_t>(send_slot(class_index(message_class), i))];
  }

  /// An MPI error is the end: nobody knows what has arrived.
  void must(int error, const char* what) {
    if (error == 0) return;
    char text[512] = "";
    port_.error_text(error, text, sizeof text);
    base::log_error("MPI cannot %s: %s", what, text);
    boot_.abort(1, text);
  }

  void post(size_t klass, int i) {
    const int slot = receive_slot(klass, i);
    must(port_.receive(slot, static_cast<int>(klass), &buffers_[static_cast<size_t>(slot)], sizeof(Buffer)),
         "post a receive");
  }

  /// A buffer to send from; negative if there is none, or the peer must first take what was sent to it.
  int take_slot(RankId peer, AmClass message_class) {
    std::vector<int>& owners = free_[class_index(message_class)];
    if (owners.empty()) reap_sends();
    if (owners.empty()) return -1;
    if (message_class == AmClass::request) {
      const Peer& state = peers_[peer];
      if (state.since_synchronous >= synchronous_interval - 1 && state.synchronous_under_way) return -1;
      if (requests_since_poll_ >= requests_between_polls) return -1;
    }
    const int slot = owners.back();
    owners.pop_back();
    return slot;
  }

  void start_sending(RankId peer, AmClass message_class, int i, const AmMessage& message) {
    const size_t klass = class_index(message_class);
    Buffer& buffer = buffer_of(message_class, i);
    Header& header = buffer.header;
    header = {};
    header.handler = message.handler;
    header.kind = static_cast<uint8_t>(message.kind);
    header.arg_count = message.arg_count;
    header.has_payload = message.kind != AmKind::short_ && message.payload != nullptr;
    header.size = message.kind == AmKind::short_ ? 0 : message.size;
    header.offset = message.offset;
    for (uint32_t arg = 0; arg < message.arg_count; ++arg) header.args[arg] = message.args[arg];
    Sending& sending = sending_[klass][static_cast<size_t>(i)];
    sending = {peer, true, false};
    if (message_class == AmClass::request) {
      ++requests_since_poll_;
      Peer& state = peers_[peer];
      if (++state.since_synchronous >= synchronous_interval && !state.synchronous_under_way) {
        state = {0, true};
        sending.synchronous = true;
      }
    }
    const size_t bytes = sizeof(Header) + (header.has_payload ? header.size : 0);
    must(port_.send(send_slot(klass, i), sending.synchronous, static_cast<int>(peer), static_cast<int>(klass), &buffer,
                    bytes),
         "send");
    ++under_way_;
  }

  void reap_sends() {
    for (size_t klass = 0; klass < 2 && under_way_ > 0; ++klass)
      for (int i = 0; i < pool_size; ++i) {
        Sending& sending = sending_[klass][static_cast<size_t>(i)];
        if (!sending.under_way) continue;
        int done = 0;
        must(port_.test(send_slot(klass, i), &done, nullptr, nullptr), "send");
        if (!done) continue;
        if (sending.synchronous) peers_[sending.peer].synchronous_under_way = false;
        sending.under_way = false;
        --under_way_;
        free_[klass].push_back(i);
      }
  }

  int start_native(int i, const NativeRequest& r) {
    const int slot = native_slot(i);
    switch (r.op) {
      case NativeOp::barrier:
        return port_.barrier(slot);
      case NativeOp::broadcast:
        return port_.broadcast(slot, r.source != nullptr ? const_cast<void*>(r.source) : r.destination, r.size,
                               static_cast<int>(r.root));
      case NativeOp::gather_all:
        return port_.gather_all(slot, r.destination, r.source, r.size);
      case NativeOp::exchange:
        return port_.exchange(slot, r.destination, r.source, r.size);
      case NativeOp::reduce_all:
        break;
    }
    return port_.reduce_all(slot, i, r.destination, r.source, r.size, r.fold.element, r.fold.commutative,
                            r.fold.combine, r.fold.context);
  }

  /// Whether a collective is complete that take_natives() has not told of yet. The caller holds lock_ and poll_lock_.
  bool look_at_natives() {
    bool any = false;
    for (int i = 0; i < most_natives && natives_under_way_ > 0; ++i) {
      Native& native = natives_[static_cast<size_t>(i)];
      if (native.completion == nullptr) continue;
      int done = native.is_complete;
      if (!done) must(port_.test(native_slot(i), &done, nullptr, nullptr), "do a collective");
      native.is_complete = done != 0;
      any = any || native.is_complete;
    }
    return any;
  }

  int take_natives() {
    base::OptionalGuard guard(lock_, threads_multiple_);
    if (!look_at_natives()) return 0;
    int taken = 0;
    for (Native& native : natives_) {
      if (!native.is_complete) continue;
      Completion& completion = *native.completion;
      native = {};
      --natives_under_way_;
      ++taken;
      completion.finish_local();
      completion.finish_remote();
    }
    return taken;
  }

  /// Delivers the next message of a class, if it is there; a request only while its reply finds a buffer.
  bool take(AmClass message_class) {
    const size_t klass = class_index(message_class);
    const int i = next_[klass];
    int source = 0;
    {
      base::OptionalGuard guard(lock_, threads_multiple_);
      if (message_class == AmClass::request && free_[class_index(AmClass::reply)].empty()) {
        reap_sends();
        if (free_[class_index(AmClass::reply)].empty()) return false;
      }
      size_t bytes = 0;
      int done = 0;
      if (!seen_[klass]) must(port_.test(receive_slot(klass, i), &done, &source, &bytes), "receive");
      if (!done && !seen_[klass]) return false;
      if (seen_[klass]) source = seen_source_[klass];
      seen_[klass] = false;
    }
    deliver(message_class, static_cast<RankId>(source), buffers_[static_cast<size_t>(receive_slot(klass, i))]);
    base::OptionalGuard guard(lock_, threads_multiple_);
    post(klass, i);
    next_[klass] = (i + 1) % ring_length;
    return true;
  }

  void deliver(AmClass message_class, RankId source, Buffer& buffer) {
    const Header& header = buffer.header;
    AmDelivery delivery{};
    delivery.message_class = message_class;
    delivery.kind = static_cast<AmKind>(header.kind);
    delivery.handler = header.handler;
    delivery.arg_count = header.arg_count;
    delivery.source = source;
    delivery.args = header.args;
    delivery.size = header.size;
    if (delivery.kind == AmKind::medium) delivery.payload = buffer.payload;
    if (delivery.kind == AmKind::long_) {
      delivery.payload = segment_ + header.offset;
      if (header.has_payload && header.size != 0) std::memcpy(delivery.payload, buffer.payload, header.size);
    }
    sink_->deliver(delivery);
  }

  /// Looks, without delivering; what it finds is remembered, because a request can be found complete only once. The
  /// caller holds poll_lock_.
  bool message_waiting() {
    base::OptionalGuard guard(lock_, threads_multiple_);
    bool waiting = look_at_natives();
    for (size_t klass = 0; klass < 2; ++klass) {
      if (!seen_[klass]) {
        int done = 0;
        size_t bytes = 0;
        must(port_.test(receive_slot(klass, next_[klass]), &done, &seen_source_[klass], &bytes), "receive");
        seen_[klass] = done != 0;
      }
      waiting = waiting || seen_[klass];
    }
    reap_sends();
    return waiting;
  }

  const weft_mpi_port& port_;
  boot::Boot& boot_;
  AmSink* const sink_;
  const bool threads_multiple_;
  const bool map_self_;
  const RankId host_rank_;
  const RankId host_size_;
  const os::Mapping own_;
  std::byte* const segment_;
  const size_t segment_size_;

  // All below is guarded by lock_; next_ and the buffer of the receive it names by poll_lock_.
  std::unique_ptr<Buffer[]> buffers_;  // by slot
  std::vector<Peer> peers_;
  std::array<std::vector<int>, 2> free_;  // places in sending_, by class
  std::array<std::array<Sending, pool_size>, 2> sending_{};
  int under_way_ = 0;
  std::array<Native, most_natives> natives_{};
  int natives_under_way_ = 0;
  uint32_t requests_since_poll_ = 0;
  int prepared_slot_ = -1;
  std::array<int, 2> next_{};   // the oldest receive of each ring
  std::array<bool, 2> seen_{};  // it is complete
  std::array<int, 2> seen_source_{};
  base::SpinLock lock_;
  base::SpinLock poll_lock_;
};

/// The rank that MPI knows must be the launcher's.
Status check_same_job(const weft_mpi_port& port, boot::Boot& boot, const std::string& library, int rank, int size) {
  if (static_cast<uint32_t>(rank) == boot.rank() && static_cast<uint32_t>(size) == boot.size()) return {};
  char name[256] = "";
  port.library(name, sizeof name);
  base::log_error(
      "WEFT_CONDUIT=mpi: %s says that this is rank %d of %d, the launcher rank %u of %u: start with the launcher "
      "of that MPI, or name the launcher's with WEFT_MPI (now %s)",
      name, rank, size, boot.rank(), boot.size(), library.c_str());
  return WEFT_ERR_BOOT;
}

}  // namespace

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  boot::Boot& boot = *environment.boot;
  if (std::strcmp(boot.name(), "threads") == 0) {
    base::log_error("WEFT_CONDUIT=mpi needs ranks that are processes, not threads of one");
    return WEFT_ERR_UNSUPPORTED;
  }
  const std::string library = choose_library(settings.mpi);
  const weft_mpi_port* port = nullptr;
  Status status = open_port(library, port);
  if (!status.ok()) return status;
  int rank = 0;
  int size = 0;
  int threads_ok = 0;
  if (port->start(environment.threads_multiple, slot_count, &rank, &size, &threads_ok) != 0) {
    base::log_error("WEFT_CONDUIT=mpi: MPI (%s) does not start", library.c_str());
    return WEFT_ERR_BOOT;
  }
  status = check_same_job(*port, boot, library, rank, size);
  if (!status.ok()) return status;
  if (rank == 0) base::log(base::LogLevel::info, "conduit mpi goes through %s", library.c_str());
  if (!threads_ok) {
    base::log_error(
        "WEFT_CONDUIT=mpi: the program initialised MPI for one thread, but Weft for several: call "
        "MPI_Init_thread with MPI_THREAD_SERIALIZED or more");
    return WEFT_ERR_UNSUPPORTED;
  }
  os::Mapping own;
  if (!environment.segment) {
    const size_t segment_size = wanted_segment_size(settings, environment.hosts->host_size(boot.rank()));
    status = os::Mapping::make("weft-mpi", segment_size, own);
    if (!status.ok()) return status;
  }
  conduit = std::make_unique<MpiConduit>(environment, *port, std::move(own), settings.map_peers);
  // Every rank's receives are posted before anybody sends.
  return boot.fence();
}

}  // namespace weft::conduit::mpi
