#include "conduit/ip/ip_conduit.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <mutex>

#include "base/log.hpp"
#include "base/spin_lock.hpp"
#include "boot/fence_while.hpp"
#include "boot/hosts.hpp"
#include "conduit/cpu_atomic.hpp"
#include "conduit/give_up.hpp"
#include "conduit/ip/rails.hpp"
#include "conduit/ip/start.hpp"
#include "conduit/progress_thread.hpp"
#include "os/clock.hpp"
#include "os/processor.hpp"

namespace weft::conduit::ip {
namespace {

constexpr uint64_t millisecond = 1'000'000;
// Pauses between calls and the limits of handshakes need a look now and then.
constexpr uint64_t longest_sleep_ns = 10 * millisecond;
constexpr int deliver_batch = 32;

class IpConduit final : public Conduit {
 public:
  IpConduit(const Environment& environment, const base::Settings& settings)
      : boot_(*environment.boot),
        sink_(environment.sink),
        rank_(environment.boot->rank()),
        size_(environment.boot->size()),
        host_rank_(environment.hosts->host_rank(rank_)),
        host_size_(environment.hosts->host_size(rank_)),
        native_(settings.map_peers),
        refusals_level_(settings.stats ? base::LogLevel::warning : base::LogLevel::info),
        pack_pieces_(settings.progress == "poll" && settings.order != "strict"),
        rails_(rank_, size_,
               {.bounce_size = settings.bounce_size,
                .strict = settings.order == "strict",
                .datagrams = uses_datagrams(settings, crowded()),
                .encrypt = settings.ip_security == "encrypt"}) {}

  Status open(const Environment& environment, const base::Settings& settings);

  bool crowded() const { return host_size_ > os::processor_count(); }

  Capabilities capabilities() const override {
    return {.put_get = native_,
            .atomics = native_,
            .signals = native_,
            .pack_pieces = pack_pieces_,
            .max_medium = payload_max,
            .max_long = payload_max,
            .crowded = crowded()};
  }
  RankId rank() const override { return rank_; }
  RankId size() const override { return size_; }
  RankId host_rank() const override { return host_rank_; }
  RankId host_size() const override { return host_size_; }
  std::byte* segment() const override { return started_.segment; }
  size_t segment_size() const override { return started_.segment_size; }
  std::byte* mapped(RankId peer) const override { return peer == rank_ ? segment() : nullptr; }

  // ---- One-sided operations; those on this rank itself are done at once ----

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags,
             Completion* completion) override {
    if (peer == rank_ || size == 0) {
      if (size != 0) std::memcpy(segment() + offset, source, size);
      return Result::done;
    }
    std::lock_guard guard(lock_);
    return rails_.put(peer, offset, source, size, completion);
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    if (peer == rank_ || size == 0) {
      if (size != 0) std::memcpy(destination, segment() + offset, size);
      return Result::done;
    }
    std::lock_guard guard(lock_);
    return rails_.get(destination, peer, offset, size, completion);
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    if (peer == rank_ || size == 0) {
      if (size != 0) std::memset(segment() + offset, byte, size);
      return Result::done;
    }
    std::lock_guard guard(lock_);
    return rails_.primary(peer).fill(peer, offset, byte, size, completion);
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    if (peer == rank_) {
      run_atomic(segment() + offset, request);
      return Result::done;
    }
    std::lock_guard guard(lock_);
    return rails_.primary(peer).atomic(peer, offset, request, completion);
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    if (peer == rank_) {
      if (size != 0) std::memcpy(segment() + offset, source, size);
      apply_signal(segment() + signal_offset, value, op);
      return Result::done;
    }
    std::lock_guard guard(lock_);
    return rails_.put_signal(peer, offset, source, size, signal_offset, value, op, completion);
  }

  // ---- Messages ----

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    std::lock_guard guard(lock_);
    return rails_.primary(peer).message(peer, message_class, message);
  }
  Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) override {
    std::lock_guard guard(lock_);
    Arrival* prepared = rails_.primary(peer).prepare(peer, message_class, capacity);
    if (prepared == nullptr) return Result::retry;
    room = {prepared->data(), capacity};
    preparing() = prepared;
    return Result::done;
  }
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override {
    std::lock_guard guard(lock_);
    rails_.primary(peer).commit(peer, message_class, message, preparing());
  }
  void am_cancel(RankId peer, AmClass) override {
    std::lock_guard guard(lock_);
    rails_.primary(peer).cancel(peer, preparing());
  }

  // ---- Progress ----

  int poll() override {
    if (!poll_lock_.try_lock()) return 0;
    progress_thread_.rank_polls();
    const int handled = progress() + deliver_some();
    if (__builtin_expect(broken_.load(std::memory_order_relaxed), 0)) give_up();
    poll_lock_.unlock();
    return handled;
  }
  int poll_all() override {
    {
      std::lock_guard guard(lock_);
      rails_.look_around();
    }
    return poll();
  }
  void doze(uint64_t timeout_ns) override {
    const Rails::Bell on = bell();
    if (on.count != 0) wait_for(on, timeout_ns, -1);
  }
  void nudge(RankId) override {}  // peers' memory is not mapped
  Status finalize() override;

 private:
  // Between am_prepare() and am_commit() a thread makes no other call, so one per thread is enough.
  static Arrival*& preparing() {
    static thread_local Arrival* prepared;
    return prepared;
  }

  int progress() {
    std::lock_guard guard(lock_);
    const int handled = rails_.progress();
    if (!rails_.failure().text.empty()) broken_.store(true, std::memory_order_relaxed);
    return handled;
  }
  int deliver_some();
  void deliver(Arrival& arrival);
  void give_up();
  Rails::Bell bell() {
    std::lock_guard guard(lock_);
    return rails_.bell();
  }
  bool wait_for(const Rails::Bell& bell, uint64_t timeout_ns, int also);
  bool sleep_or_go_on(int also);

  boot::Boot& boot_;
  AmSink* sink_;
  RankId rank_, size_, host_rank_, host_size_;
  bool native_;
  base::LogLevel refusals_level_;  // of their count, at the end
  bool pack_pieces_;
  Started started_;
  base::SpinLock lock_;  // of rails_
  Rails rails_;
  std::atomic<bool> broken_{false};  // rails_.failure() has a text
  base::SpinLock poll_lock_;
  ProgressThread progress_thread_;  // ends before the rest
};

Status IpConduit::open(const Environment& environment, const base::Settings& settings) {
  const Status status = start(environment, settings, rails_, started_);
  if (!status.ok()) return status;
  if (settings.progress == "thread") {
    const auto take = [this] {
      (void)progress();
      return bell().count != 0;  // messages for the program are nothing to wake for
    };
    progress_thread_.start([this](int stop) { return sleep_or_go_on(stop); }, take);
  }
  return {};
}

int IpConduit::deliver_some() {
  int delivered = 0;
  for (; delivered < deliver_batch; ++delivered) {
    Arrival* arrival;
    {
      std::lock_guard guard(lock_);
      arrival = rails_.next_arrival();
    }
    if (arrival == nullptr) break;
    deliver(*arrival);
    std::lock_guard guard(lock_);
    rails_.delivered(arrival);
  }
  return delivered;
}

void IpConduit::deliver(Arrival& arrival) {
  AmDelivery delivery{};
  delivery.message_class = is_request(arrival.kind) ? AmClass::request : AmClass::reply;
  delivery.kind = am_kind(arrival.kind);
  delivery.handler = arrival.handler;
  delivery.arg_count = arrival.arg_count;
  delivery.source = arrival.source;
  delivery.args = arrival.args;
  delivery.size = arrival.size;
  if (delivery.kind != AmKind::short_) delivery.payload = arrival.payload;
  sink_->deliver(delivery);
}

void IpConduit::give_up() {
  Failure failure;
  {
    std::lock_guard guard(lock_);
    failure = rails_.failure();
  }
  conduit::give_up(boot_, failure);
}

// Sleeps until something has come, the descriptor `also` (if not -1) is readable, or the time is over. False if nothing
// came.
bool IpConduit::wait_for(const Rails::Bell& bell, uint64_t timeout_ns, int also) {
  std::array<pollfd, std::tuple_size_v<decltype(bell.descriptors)> + 1> descriptors;
  std::copy_n(bell.descriptors.begin(), bell.count, descriptors.begin());
  descriptors[bell.count] = {also, POLLIN, 0};  // poll() passes over -1
  const timespec timeout = os::timespec_of(std::min(timeout_ns, longest_sleep_ns));
  const bool came = ::ppoll(descriptors.data(), bell.count + 1, &timeout, nullptr) > 0;
  std::lock_guard guard(lock_);
  rails_.look_around();
  return came;
}

// Until something has come, the descriptor is readable, or a moment is over. While something of the rank's own is to be
// done at once it does not sleep.
bool IpConduit::sleep_or_go_on(int also) {
  const Rails::Bell on = bell();
  return on.count == 0 || wait_for(on, longest_sleep_ns, also);
}

// Until everything that this rank began is answered, then until all have come here: others may still need answers and
// credits of this one.
Status IpConduit::finalize() {
  const auto all_done = [&] {
    std::lock_guard guard(lock_);
    return rails_.all_done();
  };
  while (!all_done())
    if (poll() == 0) doze(millisecond);
  {
    std::lock_guard guard(lock_);
    rails_.ending();
  }
  const Status status = boot::fence_while(boot_, [&](int over) {
    (void)all_done();
    if (poll() == 0) (void)sleep_or_go_on(over);
  });
  progress_thread_.stop();
  if (const size_t refused = rails_.refused(); refused != 0)
    base::log(refusals_level_, "refused %zu connection%s of others than this job's ranks", refused,
              refused == 1 ? "" : "s");
  return status;
}

}  // namespace

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  auto made = std::make_unique<IpConduit>(environment, settings);
  const Status status = made->open(environment, settings);
  if (status.ok()) conduit = std::move(made);
  return status;
}

}  // namespace weft::conduit::ip
