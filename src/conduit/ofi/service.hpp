// Operations that the target's processor carries out: fill, atomics, and signals. They are messages of the conduit
// itself, handled when the target polls (or its progress thread does), with the processor's own atomics; so they are
// coherent with what the target does to its memory. A network's atomics would not be.
//
// Arguments carry addresses of the requester there and back, as those of the reference implementation do
// (src/rma/reference.cpp); only messages with the job's secret get this far.
#pragma once

#include "conduit/ofi/messenger.hpp"
#include "conduit/ofi/state.hpp"
#include "conduit/ofi/transfers.hpp"

namespace weft::conduit::ofi {

class Service {
 public:
  Service(State& state, Messenger& messenger, Transfers& transfers);

  // Under the lock.
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion);
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion);
  /// Data of up to signal_payload_max bytes travels with the signal.
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion);
  static constexpr size_t signal_payload_max = 8192;

 private:
  Result request(RankId peer, Control what, uint8_t arg_count, const uint64_t* args, const void* payload, size_t size,
                 uint64_t offset);
  void handle(RankId source, const WireMessage& message);
  void answer(RankId to, Control what, uint8_t arg_count, const uint64_t* args);

  State& state_;
  Messenger& messenger_;
  Transfers& transfers_;
};

}  // namespace weft::conduit::ofi
