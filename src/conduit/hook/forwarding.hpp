// The base of all decorators: a conduit that passes every call on. A decorator overrides what it is about.
#pragma once

#include <memory>
#include <utility>

#include "conduit/conduit.hpp"

namespace weft::conduit::hook {

class Forwarding : public Conduit {
 public:
  explicit Forwarding(std::unique_ptr<Conduit> inner) : inner_(std::move(inner)) {}

  Capabilities capabilities() const override {
    Capabilities capabilities = inner_->capabilities();
    capabilities.may_bypass = false;
    return capabilities;
  }
  RankId rank() const override { return inner_->rank(); }
  RankId size() const override { return inner_->size(); }
  RankId host_rank() const override { return inner_->host_rank(); }
  RankId host_size() const override { return inner_->host_size(); }
  std::byte* segment() const override { return inner_->segment(); }
  size_t segment_size() const override { return inner_->segment_size(); }
  std::byte* mapped(RankId peer) const override { return inner_->mapped(peer); }

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
             Completion* completion) override {
    return inner_->put(peer, offset, source, size, flags, completion);
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    return inner_->get(destination, peer, offset, size, completion);
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    return inner_->fill(peer, offset, byte, size, completion);
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    return inner_->atomic(peer, offset, request, completion);
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    return inner_->put_signal(peer, offset, source, size, signal_offset, value, op, completion);
  }

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    return inner_->am_send(peer, message_class, message);
  }
  Result am_prepare(RankId peer, AmClass message_class, size_t capacity, AmRoom& room) override {
    return inner_->am_prepare(peer, message_class, capacity, room);
  }
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override {
    inner_->am_commit(peer, message_class, message);
  }
  void am_cancel(RankId peer, AmClass message_class) override { inner_->am_cancel(peer, message_class); }

  int poll() override { return inner_->poll(); }
  int poll_all() override { return inner_->poll_all(); }
  void doze(uint64_t timeout_ns) override { inner_->doze(timeout_ns); }
  void nudge(RankId peer) override { inner_->nudge(peer); }

  NativeCollectives* native_collectives() override { return inner_->native_collectives(); }

  Status finalize() override { return inner_->finalize(); }

 protected:
  Conduit& inner() const { return *inner_; }

 private:
  std::unique_ptr<Conduit> inner_;
};

}  // namespace weft::conduit::hook
