#include "conduit/sim/sim_conduit.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "boot/boot.hpp"
#include "boot/hosts.hpp"
#include "conduit/cpu_atomic.hpp"
#include "conduit/sim/fabric.hpp"
#include "os/dataless.hpp"
#include "weft/detail/context.h"

namespace weft::conduit::sim {
namespace {

constexpr size_t largest_medium = 16384;
constexpr size_t largest_long = size_t{1} << 20;

// A poll that finds nothing takes this time. After some in a row a rank waits: the next one ends when something comes,
// or after a part of the time that it has waited so far, because it may wait by the clock.
constexpr Time time_of_poll = 100;
constexpr uint32_t quick_polls = 4;
constexpr Time shortest_wait = 1'000;
constexpr Time longest_wait = 100'000;
constexpr Time part_of_wait = 8;

// An operation on memory that the rank reaches itself. Time must pass, or who looks there again and again would wait
// for ever.
constexpr Time time_of_access = 10;

// The kernel allows 65,530 mappings; a forbidden range makes two more.
constexpr RankId most_that_forbid = 4096;

class SimConduit final : public Conduit, private NativeCollectives {
 public:
  SimConduit(const Environment& environment, const base::Settings& settings, std::shared_ptr<Fabric> fabric)
      : fabric_(std::move(fabric)),
        simulation_(fabric_->simulation()),
        sink_(environment.sink),
        boot_(*environment.boot),
        rank_(environment.boot->rank()),
        native_(settings.map_peers),
        sure_(settings.fault.empty() && !fabric_->shared_hosts()),
        host_rank_(environment.hosts->host_rank(rank_)),
        host_size_(environment.hosts->host_size(rank_)) {}

  Capabilities capabilities() const override {
    return {.put_get = native_,
            .atomics = native_,
            .signals = native_,
            .max_medium = largest_medium,
            .max_long = native_ ? largest_long : largest_medium,
            .may_forbid = size() <= most_that_forbid,
            .orders_accesses = true,
            .sure_dozes = sure_,
            .lossless = simulation_.network().lossless()};
  }
  RankId rank() const override { return rank_; }
  RankId size() const override { return simulation_.ranks(); }
  RankId host_rank() const override { return host_rank_; }
  RankId host_size() const override { return host_size_; }
  std::byte* segment() const override { return fabric_->segment(rank_); }
  size_t segment_size() const override { return fabric_->segment_size(); }
  std::byte* mapped(RankId peer) const override { return is_direct(peer) ? fabric_->segment(peer) : nullptr; }

  // ---- One-sided operations ----

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags,
             Completion* completion) override {
    return begin_put(peer, offset, source, size, completion, [](Transfer&) {});
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    const Result result = begin_put(peer, offset, source, size, completion, [&](Transfer& transfer) {
      transfer.has_signal = true;
      transfer.signal_offset = signal_offset;
      transfer.signal_value = value;
      transfer.signal_op = op;
    });
    if (result == Result::done) {
      apply_signal(fabric_->segment(peer) + signal_offset, value, op);
      nudge(peer);
    }
    return result;
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    const bool moves = moves_data(fabric_->segment(peer) + offset, destination, size);
    return run(
        peer, Transfer::Kind::get, completion, offset, size,
        [&](std::byte* at) {
          if (moves) std::memcpy(destination, at, size);
        },
        [&](Transfer& transfer) { transfer.destination = moves ? destination : nullptr; });
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    return run(
        peer, Transfer::Kind::fill, completion, offset, size,
        [&](std::byte* at) {
          if (!os::Dataless::holds(at)) std::memset(at, byte, size);
        },
        [&](Transfer& transfer) { transfer.byte = byte; });
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    if (os::Dataless::holds(fabric_->segment(peer) + offset)) refuse_dataless("an atomic operation on memory");
    return run(
        peer, Transfer::Kind::atomic, completion, offset, atomic_size(request.type),
        [&](std::byte* at) { run_atomic(at, request); }, [&](Transfer& transfer) { transfer.request = request; });
  }

  // ---- Messages ----

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    const Simulation::Inside inside(simulation_);
    Packet* const packet = fabric_->prepare(rank_, peer, message_class);
    if (packet == nullptr) return Result::retry;
    packet->carries = message.kind != AmKind::short_ && message.payload != nullptr;
    packet->is_empty = packet->carries && is_dataless(peer, message);
    if (packet->carries && !packet->is_empty) {
      const auto* bytes = static_cast<const std::byte*>(message.payload);
      packet->payload.assign(bytes, bytes + message.size);
    }
    send(*packet, message);
    return Result::done;
  }
  Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) override {
    const Simulation::Inside inside(simulation_);
    prepared_ = fabric_->prepare(rank_, peer, message_class);
    if (prepared_ == nullptr) return Result::retry;
    prepared_->payload.resize(capacity);
    room = {prepared_->payload.data(), capacity};
    return Result::done;
  }
  void am_commit(RankId peer, AmClass, const AmMessage& message) override {
    const Simulation::Inside inside(simulation_);
    prepared_->carries = true;
    prepared_->is_empty = message.kind == AmKind::long_ && os::Dataless::holds(fabric_->segment(peer) + message.offset);
    send(*std::exchange(prepared_, nullptr), message);
  }
  void am_cancel(RankId, AmClass) override { fabric_->cancel(*std::exchange(prepared_, nullptr)); }

  // ---- Collectives ----

  NativeCollectives* native_collectives() override { return this; }
  bool offers(NativeOp op, size_t, bool commutative) const override {
    return fabric_->collectives().offers(op, commutative);
  }
  double expected_ns(NativeOp op, size_t size) const override { return fabric_->collectives().expected_ns(op, size); }
  Result begin(const NativeRequest& request, Completion* completion) override {
    const Simulation::Inside inside(simulation_);
    if (const std::string wrong = fabric_->collectives().mismatch(rank_, request); !wrong.empty()) end_job(wrong);
    return fabric_->collectives().begin(rank_, request, completion);
  }

  // ---- Progress and waiting ----

  int poll() override {
    const Simulation::Inside inside(simulation_);
    Port& port = fabric_->port(rank_);
    const Time called = simulation_.time();
    // Where a doze follows that misses nothing, time need not pass here.
    if (!port.has_any() && waits_surely()) return 0;
    if (!port.has_any()) simulation_.catch_up();
    if (const int handled = take_all()) return handled;
    wait_a_little(called);
    return take_all();
  }

  void doze(uint64_t timeout_ns) override {
    const Simulation::Inside inside(simulation_);
    Port& port = fabric_->port(rank_);
    if (port.has_any()) return;
    const bool surely = waits_surely();
    port.dozing = surely ? sink_ : nullptr;
    simulation_.rest(call(), surely ? weft::sim::never : simulation_.time() + timeout_ns, in_library());
    port.dozing = nullptr;
  }

  void nudge(RankId peer) override {
    if (peer != rank_) fabric_->touch(peer, simulation_.time());
  }

  Status finalize() override { return {}; }

 private:
  // Whether the rank reaches the peer's memory itself.
  bool is_direct(RankId peer) const {
    return peer == rank_ || (fabric_->shared_hosts() && fabric_->same_host(rank_, peer));
  }

  static bool in_library() { return weft_detail_current != nullptr && weft_detail_current->waiting != 0; }
  bool waits_surely() const { return sure_ && in_library(); }
  static const char* call() {
    const char* const name = weft_detail_current != nullptr ? weft_detail_current->call : nullptr;
    return name != nullptr ? name : "weft_init";
  }

  void end_job(const std::string& line) {
    base::log_error("%s", line.c_str());
    std::fflush(nullptr);
    boot_.abort(1, line);
  }

  // ---- Memory without data ----

  // What a program does with data where there is none. The library moves parts of a program's data to and from memory
  // of its own, where nobody looks at them.
  void refuse_dataless(const char* what) {
    end_job("rank " + std::to_string(rank_) + " in " + call() + ": " + what +
            " that has no data, as large arrays under --sim-data none");
  }
  static bool for_program() {
    return weft_detail_current == nullptr || weft_detail_current->behalf == WEFT_DETAIL_PROGRAM;
  }
  // Whether a transfer copies anything.
  bool moves_data(const void* from, const void* to, size_t size) {
    if (!os::Dataless::any() || size == 0) return true;
    const bool to_dataless = os::Dataless::holds(to);
    if (!os::Dataless::holds(from)) return !to_dataless;
    if (!to_dataless && for_program()) refuse_dataless("data is wanted of memory");
    return false;
  }
  bool is_dataless(RankId peer, const AmMessage& message) {
    const bool has_source = !os::Dataless::holds(message.payload);
    if (message.kind == AmKind::long_)
      return !has_source || os::Dataless::holds(fabric_->segment(peer) + message.offset);
    if (!has_source) refuse_dataless("an active message has a payload in memory");
    return false;
  }

  template <class Direct, class Set>
  Result run(RankId peer, Transfer::Kind kind, Completion* completion, uint64_t offset, size_t size, Direct direct,
             Set set) {
    const Simulation::Inside inside(simulation_);
    if (is_direct(peer)) {
      simulation_.spend(time_of_access);
      simulation_.catch_up();
      direct(fabric_->segment(peer) + offset);
      if (kind != Transfer::Kind::get) simulation_.act();
      nudge(peer);
      return Result::done;
    }
    Transfer* const transfer = fabric_->begin(rank_, peer, kind, completion);
    if (transfer == nullptr) return Result::retry;
    transfer->offset = offset;
    transfer->size = size;
    set(*transfer);
    fabric_->issue(*transfer);
    return Result::posted;
  }

  template <class Set>
  Result begin_put(RankId peer, uint64_t offset, const void* source, size_t size, Completion* completion, Set set) {
    const bool moves = moves_data(source, fabric_->segment(peer) + offset, size);
    return run(
        peer, Transfer::Kind::put, completion, offset, size,
        [&](std::byte* at) {
          if (moves && size != 0) std::memcpy(at, source, size);
        },
        [&](Transfer& transfer) {
          transfer.source = moves ? source : nullptr;
          set(transfer);
        });
  }

  void send(Packet& packet, const AmMessage& message) {
    packet.kind = message.kind;
    packet.handler = message.handler;
    packet.arg_count = message.arg_count;
    std::copy_n(message.args, message.arg_count, packet.args);
    packet.size = message.size;
    packet.offset = message.offset;
    fabric_->send(packet);
  }

  // A poll, which was called then, has found nothing. What a schedule took of its time since is no computation.
  void wait_a_little(Time called) {
    if (called != last_vain_) vain_polls_ = 0;
    if (vain_polls_++ == 0) vain_since_ = simulation_.time();
    if (vain_polls_ > 1 && fabric_->port(rank_).coming != 0) {
      // Who looks again without having computed waits, and something will come: at a job's end all of it must.
      simulation_.rest(call(), weft::sim::never, false);
    } else if (vain_polls_ <= quick_polls) {
      simulation_.spend(time_of_poll);
      simulation_.catch_up();
    } else {
      const Time waited = simulation_.time() - vain_since_;
      const Time wait = std::clamp(waited / part_of_wait, shortest_wait, longest_wait);
      simulation_.rest(call(), simulation_.time() + wait, in_library());
    }
    last_vain_ = simulation_.time();
  }

  int take_all() {
    Port& port = fabric_->port(rank_);
    int handled = std::exchange(port.touched, false) ? 1 : 0;
    // Handlers only record and reply, so nothing is added meanwhile but by messages to this rank itself.
    for (const Port::Notice& notice : port.notices) {
      if (notice.remote)
        notice.completion->finish_remote();
      else
        notice.completion->finish_local();
      ++handled;
    }
    port.notices.clear();
    for (Packet* packet = std::exchange(port.first, nullptr); packet != nullptr; ++handled)
      deliver(*std::exchange(packet, packet->next));
    if (handled != 0) vain_polls_ = 0;
    return handled;
  }

  void deliver(Packet& packet) {
    if (packet.from != rank_) simulation_.receive(packet.message());
    sink_->deliver(packet.delivery());
    fabric_->taken(packet, simulation_.time());
  }

  const std::shared_ptr<Fabric> fabric_;
  Simulation& simulation_;
  AmSink* const sink_;
  boot::Boot& boot_;
  const RankId rank_;
  const bool native_;  // offers puts, gets, atomics and signals of its own
  const bool sure_;    // whatever changes for the rank wakes it
  const RankId host_rank_;
  const RankId host_size_;
  Packet* prepared_ = nullptr;
  uint32_t vain_polls_ = 0;  // in a row
  Time vain_since_ = 0;
  Time last_vain_ = 0;
};

}  // namespace

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  if (!Simulation::on_this_thread()) {
    base::log_error("WEFT_CONDUIT=sim is for simulated jobs: start with weftrun --sim PLATFORM");
    return WEFT_ERR_BOOT;
  }
  if (environment.threads_multiple) {
    base::log_error(
        "simulated ranks have no threads of their own: start without WEFT_PROGRESS=thread, with a thread mode "
        "up to WEFT_THREAD_SERIALIZED");
    return WEFT_ERR_UNSUPPORTED;
  }
  std::shared_ptr<Fabric> fabric;
  const Status status = Fabric::join(settings, fabric);
  if (!status.ok()) return status;
  conduit = std::make_unique<SimConduit>(environment, settings, std::move(fabric));
  return {};
}

}  // namespace weft::conduit::sim
