#include "conduit/ofi/service.hpp"

#include <cstring>

#include "conduit/cpu_atomic.hpp"

namespace weft::conduit::ofi {
namespace {

uint64_t as_arg(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
template <class Object>
Object& from_arg(uint64_t arg) {
  return *reinterpret_cast<Object*>(arg);
}

}  // namespace

Service::Service(State& state, Messenger& messenger, Transfers& transfers)
    : state_(state), messenger_(messenger), transfers_(transfers) {
  messenger_.on_control([this](RankId source, const WireMessage& message) { handle(source, message); });
}

// ---- The requester ----

Result Service::request(RankId peer, Control what, uint8_t arg_count, const uint64_t* args, const void* payload,
                        size_t size, uint64_t offset) {
  if (!transfers_.may_serve(state_.peers[peer], state_.message_rail(peer))) return Result::retry;
  WireMessage message;
  message.description = {WireKind::control, AmClass::request, arg_count, size == 0};
  message.handler = static_cast<uint16_t>(what);
  message.args = args;
  message.payload = size == 0 ? nullptr : static_cast<const std::byte*>(payload);
  message.size = size;
  message.offset = offset;
  const Result result = messenger_.send(peer, message, false);
  if (result == Result::retry) return result;
  ++state_.peers[peer].services;
  return Result::posted;
}

Result Service::fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) {
  const uint64_t args[] = {as_arg(completion), offset, size, byte};
  const Result result = request(peer, Control::fill, 4, args, nullptr, 0, 0);
  if (result == Result::posted) completion->finish_local();
  return result;
}

Result Service::atomic(RankId peer, uint64_t offset, const AtomicRequest& what, Completion* completion) {
  const uint64_t args[] = {
      as_arg(completion), offset,       static_cast<uint64_t>(what.type) | static_cast<uint64_t>(what.op) << 8,
      what.operand,       what.compare, as_arg(what.result)};
  return request(peer, Control::atomic, 6, args, nullptr, 0, 0);
}

Result Service::put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                           uint64_t value, SignalOp op, Completion* completion) {
  const uint64_t args[] = {as_arg(completion), signal_offset, value, static_cast<uint64_t>(op), 0};
  const Result result = request(peer, Control::signal, 5, args, source, size, offset);
  if (result == Result::posted) completion->finish_local();
  return result;
}

// ---- The target, and back on the requester ----

void Service::answer(RankId to, Control what, uint8_t arg_count, const uint64_t* args) {
  WireMessage message;
  message.description = {WireKind::control, AmClass::reply, arg_count, true};
  message.handler = static_cast<uint16_t>(what);
  message.args = args;
  (void)messenger_.send(to, message, true);
}

// The arguments have been looked at: WireMessage::decode().
void Service::handle(RankId source, const WireMessage& message) {
  const uint64_t* args = message.args;
  switch (static_cast<Control>(message.handler)) {
    case Control::credits:
    case Control::stay_awake:
      return;  // the header has said it all, or that it came
    case Control::fill:
      std::memset(state_.segment + args[1], static_cast<int>(args[3]), args[2]);
      return answer(source, Control::acknowledge, 1, args);
    case Control::atomic: {
      uint64_t before = 0;
      const AtomicRequest what = {.type = static_cast<AtomicType>(args[2] & 0xff),
                                  .op = static_cast<AtomicOp>(args[2] >> 8),
                                  .operand = args[3],
                                  .compare = args[4],
                                  .result = &before};
      run_atomic(state_.segment + args[1], what);
      const uint64_t result[] = {args[0], args[5], before, atomic_size(what.type)};
      return answer(source, Control::atomic_result, 4, result);
    }
    case Control::signal: {
      if (message.payload != nullptr) std::memcpy(state_.segment + message.offset, message.payload, message.size);
      apply_signal(state_.segment + args[1], args[2], static_cast<SignalOp>(args[3]));
      const bool of_transfer = args[4] != 0;
      return answer(source, of_transfer ? Control::signal_acknowledge : Control::acknowledge, 1,
                    of_transfer ? args + 4 : args);
    }
    case Control::acknowledge:
      --state_.peers[source].services;
      return from_arg<Completion>(args[0]).finish_remote();
    case Control::atomic_result: {
      --state_.peers[source].services;
      if (args[1] != 0) std::memcpy(reinterpret_cast<void*>(args[1]), &args[2], args[3]);
      auto& completion = from_arg<Completion>(args[0]);
      completion.finish_local();
      return completion.finish_remote();
    }
    case Control::signal_acknowledge:
      return transfers_.signal_acknowledged(from_arg<Operation>(args[0]));
    case Control::end:
      return;
  }
}

}  // namespace weft::conduit::ofi
