#include "conduit/node/node_conduit.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"
#include "boot/hosts.hpp"
#include "conduit/node/host_boot.hpp"
#include "conduit/node/watcher.hpp"
#include "conduit/segment_size.hpp"
#include "os/clock.hpp"

namespace weft::conduit::node {
namespace {

// A look at the network costs a system call, one at the neighbours some nanoseconds: the network's turn comes this long
// after its last one. A rank that polls less often looks at both each time.
constexpr uint64_t between_outer_polls_ns = 5000;

class NodeConduit final : public Conduit, public AmSink {
 public:
  explicit NodeConduit(const Environment& environment)
      : sink_(environment.sink),
        rank_(environment.boot->rank()),
        size_(environment.boot->size()),
        neighbours_(environment.hosts->ranks_of(environment.hosts->host_of(rank_))),
        host_rank_(environment.hosts->host_rank(rank_)),
        host_boot_(*environment.boot, neighbours_, host_rank_),
        host_rank_of_(size_, nowhere) {
    for (RankId i = 0; i < neighbours_.size(); ++i) host_rank_of_[neighbours_[i]] = i;
  }

  Status open(const Environment& environment, const base::Settings& settings, Make inner, Make outer);

  Capabilities capabilities() const override {
    const Capabilities near = inner_->capabilities(), far = outer_->capabilities();
    return {.put_get = near.put_get && far.put_get,
            .atomics = near.atomics && far.atomics,
            .signals = near.signals && far.signals,
            .pack_pieces = far.pack_pieces,
            .max_medium = std::min(near.max_medium, far.max_medium),
            .max_long = std::min(near.max_long, far.max_long),
            .crowded = near.crowded};
  }
  RankId rank() const override { return rank_; }
  RankId size() const override { return size_; }
  RankId host_rank() const override { return host_rank_; }
  RankId host_size() const override { return static_cast<RankId>(neighbours_.size()); }
  std::byte* segment() const override { return inner_->segment(); }
  size_t segment_size() const override { return inner_->segment_size(); }
  std::byte* mapped(RankId peer) const override { return near(peer) ? inner_->mapped(host_rank_of_[peer]) : nullptr; }

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
             Completion* completion) override {
    return route(peer).put(name(peer), offset, source, size, flags, completion);
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    return route(peer).get(destination, name(peer), offset, size, completion);
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    return route(peer).fill(name(peer), offset, byte, size, completion);
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    return route(peer).atomic(name(peer), offset, request, completion);
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    return route(peer).put_signal(name(peer), offset, source, size, signal_offset, value, op, completion);
  }

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    return route(peer).am_send(name(peer), message_class, message);
  }
  Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) override {
    return route(peer).am_prepare(name(peer), message_class, capacity, room);
  }
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override {
    route(peer).am_commit(name(peer), message_class, message);
  }
  void am_cancel(RankId peer, AmClass message_class) override { route(peer).am_cancel(name(peer), message_class); }

  int poll() override;
  int poll_all() override;
  void doze(uint64_t timeout_ns) override;
  void nudge(RankId peer) override { route(peer).nudge(name(peer)); }
  Status finalize() override;

  /// From a neighbour: the inner conduit knows it by another number.
  void deliver(const AmDelivery& message) override {
    AmDelivery renamed = message;
    renamed.source = neighbours_[message.source];
    sink_->deliver(renamed);
  }

 private:
  static constexpr RankId nowhere = UINT32_MAX;

  bool near(RankId peer) const { return host_rank_of_[peer] != nowhere; }
  Conduit& route(RankId peer) const { return near(peer) ? *inner_ : *outer_; }
  RankId name(RankId peer) const { return near(peer) ? host_rank_of_[peer] : peer; }
  Status agree_on_segment_size(const Environment& environment, const base::Settings& settings, size_t& size);

  AmSink* sink_;
  RankId rank_, size_;
  std::vector<RankId> neighbours_;  // the ranks of this host; the position is the inner conduit's number
  RankId host_rank_;
  HostBoot host_boot_;
  std::vector<RankId> host_rank_of_;
  std::unique_ptr<Conduit> inner_;
  std::unique_ptr<Conduit> outer_;
  std::unique_ptr<Watcher> watcher_;
  base::SpinLock poll_lock_;
  uint64_t last_outer_poll_ns_ = 0;  // under poll_lock_
};

Status NodeConduit::open(const Environment& environment, const base::Settings& settings, Make inner, Make outer) {
  base::Settings same_everywhere = settings;
  size_t segment_size = 0;
  Status status = agree_on_segment_size(environment, settings, segment_size);
  if (!status.ok()) return status;
  same_everywhere.segment_size = segment_size;

  Environment here = environment;
  here.boot = &host_boot_;
  here.sink = this;
  status = inner(here, same_everywhere, inner_);
  if (!status.ok()) return status;

  Environment everywhere = environment;
  everywhere.threads_multiple = true;
  everywhere.segment = inner_->segment();
  everywhere.segment_size = inner_->segment_size();
  status = outer(everywhere, same_everywhere, outer_);
  if (status.ok()) watcher_ = std::make_unique<Watcher>(*inner_, host_rank_, *outer_);
  return status;
}

// Hosts differ in memory, segments do not.
Status NodeConduit::agree_on_segment_size(const Environment& environment, const base::Settings& settings,
                                          size_t& size) {
  boot::Boot& boot = *environment.boot;
  size = wanted_segment_size(settings, neighbours_.size());
  Status status = boot.put("node-segment", std::to_string(size));
  const Status fenced = boot.fence();
  if (status.ok()) status = fenced;
  std::vector<std::string> wishes;
  if (status.ok()) status = boot.get_all("node-segment", wishes);
  for (const std::string& wish : wishes) {
    size_t theirs = 0;
    if (std::sscanf(wish.c_str(), "%zu", &theirs) != 1) status = WEFT_ERR_BOOT;
    size = std::min(size, theirs);
  }
  return status;
}

// Both conduits deliver, and deliveries never overlap: one thread at a time.
int NodeConduit::poll() {
  if (!poll_lock_.try_lock()) return 0;
  int handled = inner_->poll();
  const uint64_t now = neighbours_.size() == 1 ? 0 : os::now_ns();
  if (neighbours_.size() == 1 || now - last_outer_poll_ns_ >= between_outer_polls_ns) {
    last_outer_poll_ns_ = now;
    handled += outer_->poll();
  }
  poll_lock_.unlock();
  return handled;
}

int NodeConduit::poll_all() {
  const std::lock_guard guard(poll_lock_);
  const int handled = inner_->poll_all();
  return handled + outer_->poll_all();
}

void NodeConduit::doze(uint64_t timeout_ns) {
  if (neighbours_.size() == 1) return outer_->doze(timeout_ns);
  watcher_->arm();
  inner_->doze(timeout_ns);
}

Status NodeConduit::finalize() {
  watcher_->stop();
  const Status far = outer_->finalize();
  const Status near = inner_->finalize();
  return far.ok() ? near : far;
}

}  // namespace

Status make(const Environment& environment, const base::Settings& settings, Make inner, Make outer,
            std::unique_ptr<Conduit>& conduit) {
  auto made = std::make_unique<NodeConduit>(environment);
  const Status status = made->open(environment, settings, inner, outer);
  if (status.ok()) conduit = std::move(made);
  return status;
}

}  // namespace weft::conduit::node
