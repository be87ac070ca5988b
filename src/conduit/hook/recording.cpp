#include "conduit/hook/recording.hpp"

#include <utility>

#include "conduit/hook/forwarding.hpp"
#include "conduit/hook/recorder.hpp"
#include "os/clock.hpp"

namespace weft::conduit::hook {
namespace {

class Recording final : public Forwarding {
 public:
  Recording(std::unique_ptr<Conduit> inner_conduit, Recorder& recorder)
      : Forwarding(std::move(inner_conduit)), statistics_(recorder.statistics()), trace_(recorder.trace()) {}

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
             Completion* completion) override {
    const Result result =
        timed("put", peer, size, [&] { return inner().put(peer, offset, source, size, flags, completion); });
    if (statistics_) statistics_->put(result, size);
    return result;
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    const Result result =
        timed("get", peer, size, [&] { return inner().get(destination, peer, offset, size, completion); });
    if (statistics_) statistics_->get(result, size);
    return result;
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    const Result result =
        timed("memset", peer, size, [&] { return inner().fill(peer, offset, byte, size, completion); });
    if (statistics_) statistics_->fill(result, size);
    return result;
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    const Result result = timed("atomic", peer, 0, [&] { return inner().atomic(peer, offset, request, completion); });
    if (statistics_) statistics_->atomic(result, request.type);
    return result;
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    const Result result = timed("put with signal", peer, size, [&] {
      return inner().put_signal(peer, offset, source, size, signal_offset, value, op, completion);
    });
    if (statistics_) statistics_->put_signal(result, size);
    return result;
  }

  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    const Result result = timed(message_class == AmClass::request ? "am request" : "am reply", peer, message.size,
                                [&] { return inner().am_send(peer, message_class, message); });
    if (statistics_) statistics_->message(result, message_class, message);
    return result;
  }
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override {
    const Result result = timed("am commit", peer, message.size, [&] {
      inner().am_commit(peer, message_class, message);
      return Result::done;
    });
    if (statistics_) statistics_->message(result, message_class, message);
  }

  int poll() override {
    const uint64_t start = trace_ ? os::now_ns() : 0;
    const int handled = inner().poll();
    if (statistics_) statistics_->poll(handled);
    if (trace_) trace_poll(handled, start);
    return handled;
  }
  void doze(uint64_t timeout_ns) override {
    const uint64_t start = os::now_ns();
    inner().doze(timeout_ns);
    const uint64_t end = os::now_ns();
    if (statistics_) statistics_->doze(end - start);
    if (trace_) trace_->add("sleep", start, end);
  }

  Status finalize() override {
    const Status written = trace_ ? trace_->write() : Status();
    const Status ended = inner().finalize();
    return written.ok() ? ended : written;
  }

 private:
  // Does the operation; it is in the trace unless it was declined, since attempts would drown the rest.
  template <class Operation>
  Result timed(const char* name, RankId peer, size_t size, Operation operation) {
    const uint64_t start = trace_ ? os::now_ns() : 0;
    const Result result = operation();
    if (trace_ && result != Result::retry) trace_->add(name, start, os::now_ns(), peer, size);
    return result;
  }

  // Polls that find nothing would drown the rest; long ones are the network's work, and one event as long as nothing
  // else happens: a loop that polls for a second would make a million.
  void trace_poll(int handled, uint64_t start_ns) {
    constexpr uint64_t notable_ns = 2000;
    const uint64_t end_ns = os::now_ns();
    if (handled > 0)
      trace_->add("progress", start_ns, end_ns);
    else if (end_ns - start_ns >= notable_ns)
      trace_->add_vain_poll("progress", start_ns, end_ns);
  }

  Statistics* statistics_;
  Trace* trace_;
};

}  // namespace

void wrap_recording(Recorder& recorder, std::unique_ptr<Conduit>& conduit) {
  conduit = std::make_unique<Recording>(std::move(conduit), recorder);
}

}  // namespace weft::conduit::hook
