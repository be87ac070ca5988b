#include "rma/one_sided.hpp"

namespace weft::rma {

OneSided::OneSided(core::Rank& rank)
    : rank_(rank),
      conduit_(rank.conduit()),
      capabilities_(rank.capabilities()),
      handles_(rank.threads_multiple()),
      reference_(rank) {}

template <class Attempt>
Result OneSided::issue(Operation& operation, bool immediate, Attempt attempt) {
  // Counted before the attempt: another thread's poll may complete it before the attempt returns.
  ++operation.expected;
  Result result = attempt();
  if (result == Result::retry && !immediate)
    rank_.progress().wait([&] { return (result = attempt()) != Result::retry; });
  if (result != Result::posted) --operation.expected;
  return result;
}

Result OneSided::put(Operation& operation, RankId peer, uint64_t offset, const void* source, size_t size, Flags flags) {
  if (size == 0) return Result::done;
  if (!capabilities_.put_get) return reference_.put(operation, peer, offset, source, size, flags.immediate);
  return issue(operation, flags.immediate, [=, this, &operation] {
    return conduit_.put(peer, offset, source, size, {.stream = flags.stream}, &operation.completion);
  });
}

Result OneSided::get(Operation& operation, void* destination, RankId peer, uint64_t offset, size_t size, Flags flags) {
  if (size == 0) return Result::done;
  if (!capabilities_.put_get) return reference_.get(operation, destination, peer, offset, size, flags.immediate);
  return issue(operation, flags.immediate,
               [&] { return conduit_.get(destination, peer, offset, size, &operation.completion); });
}

Result OneSided::fill(Operation& operation, RankId peer, uint64_t offset, uint8_t byte, size_t size, Flags flags) {
  if (size == 0) return Result::done;
  if (!capabilities_.put_get) return reference_.fill(operation, peer, offset, byte, size, flags.immediate);
  return issue(operation, flags.immediate,
               [&] { return conduit_.fill(peer, offset, byte, size, &operation.completion); });
}

Result OneSided::atomic(Operation& operation, RankId peer, uint64_t offset, const conduit::AtomicRequest& request,
                        Flags flags) {
  if (!capabilities_.atomics) return reference_.atomic(operation, peer, offset, request, flags.immediate);
  return issue(operation, flags.immediate,
               [&] { return conduit_.atomic(peer, offset, request, &operation.completion); });
}

Result OneSided::put_signal(Operation& operation, RankId peer, uint64_t offset, const void* source, size_t size,
                            uint64_t signal_offset, uint64_t value, conduit::SignalOp op, Flags flags) {
  if (!capabilities_.signals)
    return reference_.put_signal(operation, peer, offset, source, size, signal_offset, value, op, flags.immediate);
  return issue(operation, flags.immediate, [&] {
    return conduit_.put_signal(peer, offset, source, size, signal_offset, value, op, &operation.completion);
  });
}

void OneSided::wait_remote(const Operation& operation) {
  rank_.progress().wait(core::ByCompletion{[&] { return operation.remote_done(); }});
}

void OneSided::wait_local(const Operation& operation) {
  rank_.progress().wait(core::ByCompletion{[&] { return operation.local_done(); }});
}

}  // namespace weft::rma
