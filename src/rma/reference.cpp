#include "rma/reference.hpp"

#include <algorithm>
#include <cstring>

#include "conduit/cpu_atomic.hpp"

namespace weft::rma {
namespace {

using conduit::AmClass;
using conduit::AmDelivery;
using conduit::AmKind;
using conduit::AmMessage;
using core::Internal;
using core::number_of;

uint64_t as_arg(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
void* as_pointer(uint64_t arg) { return reinterpret_cast<void*>(arg); }

conduit::Completion& completion_of(uint64_t arg) { return *static_cast<conduit::Completion*>(as_pointer(arg)); }

// ---- On the target. args[0] is always the address of the requester's Completion. ----

void on_put_chunk(void* self, const AmDelivery& message) {
  static_cast<Reference*>(self)->acknowledge(message.source, message.args[0]);
}

// args: completion, destination, offset, size
void on_get_request(void* self, const AmDelivery& message) {
  auto& rank = *static_cast<core::Rank*>(self);
  const uint64_t args[] = {message.args[0], message.args[1]};
  rank.conduit().am_send(message.source, AmClass::reply,
                         {.kind = AmKind::medium,
                          .handler = number_of(Internal::get_reply),
                          .arg_count = 2,
                          .args = args,
                          .payload = rank.conduit().segment() + message.args[2],
                          .size = message.args[3]});
}

// args: completion, offset, size, byte
void on_fill_request(void* self, const AmDelivery& message) {
  auto& reference = *static_cast<Reference*>(self);
  std::memset(reference.segment() + message.args[1], static_cast<int>(message.args[3]), message.args[2]);
  reference.acknowledge(message.source, message.args[0]);
}

// args: completion, offset, type and op, operand, compare, result
void on_atomic_request(void* self, const AmDelivery& message) {
  auto& rank = *static_cast<core::Rank*>(self);
  uint64_t before = 0;
  const conduit::AtomicRequest request = {.type = static_cast<conduit::AtomicType>(message.args[2] & 0xff),
                                          .op = static_cast<conduit::AtomicOp>(message.args[2] >> 8),
                                          .operand = message.args[3],
                                          .compare = message.args[4],
                                          .result = &before};
  conduit::run_atomic(rank.conduit().segment() + message.args[1], request);
  const uint64_t args[] = {message.args[0], message.args[5], before, conduit::atomic_size(request.type)};
  rank.conduit().am_send(message.source, AmClass::reply,
                         {.handler = number_of(Internal::atomic_reply), .arg_count = 4, .args = args});
}

// The data is in place. args: completion, signal offset, value, op
void on_signal_request(void* self, const AmDelivery& message) {
  auto& reference = *static_cast<Reference*>(self);
  conduit::apply_signal(reference.segment() + message.args[1], message.args[2],
                        static_cast<conduit::SignalOp>(message.args[3]));
  reference.acknowledge(message.source, message.args[0]);
}

// ---- Back on the requester ----

void on_acknowledge(void*, const AmDelivery& message) { completion_of(message.args[0]).finish_remote(); }

// args: completion, destination; payload: the data
void on_get_reply(void*, const AmDelivery& message) {
  std::memcpy(as_pointer(message.args[1]), message.payload, message.size);
  completion_of(message.args[0]).finish_local();
  completion_of(message.args[0]).finish_remote();
}

// args: completion, result or null, value before, its size
void on_atomic_reply(void*, const AmDelivery& message) {
  if (message.args[1] != 0) std::memcpy(as_pointer(message.args[1]), &message.args[2], message.args[3]);
  completion_of(message.args[0]).finish_local();
  completion_of(message.args[0]).finish_remote();
}

}  // namespace

Reference::Reference(core::Rank& rank)
    : rank_(rank),
      conduit_(rank.conduit()),
      max_medium_(rank.capabilities().max_medium),
      max_long_(rank.capabilities().max_long) {
  core::AmRegistry& handlers = rank.handlers();
  handlers.add_internal(Internal::put_chunk, on_put_chunk, this);
  handlers.add_internal(Internal::get_request, on_get_request, &rank);
  handlers.add_internal(Internal::get_reply, on_get_reply, this);
  handlers.add_internal(Internal::fill_request, on_fill_request, this);
  handlers.add_internal(Internal::atomic_request, on_atomic_request, &rank);
  handlers.add_internal(Internal::atomic_reply, on_atomic_reply, this);
  handlers.add_internal(Internal::signal_request, on_signal_request, this);
  handlers.add_internal(Internal::acknowledge, on_acknowledge, this);
}

void Reference::acknowledge(RankId source, uint64_t completion) {
  conduit_.am_send(source, AmClass::reply,
                   {.handler = number_of(Internal::acknowledge), .arg_count = 1, .args = &completion});
}

Result Reference::send_piece(Operation& operation, RankId peer, const AmMessage& message, bool immediate) {
  ++operation.expected;
  Result result = conduit_.am_send(peer, AmClass::request, message);
  if (result == Result::retry && immediate) {
    --operation.expected;
    return Result::retry;
  }
  if (result == Result::retry)
    rank_.progress().wait([&] { return conduit_.am_send(peer, AmClass::request, message) != Result::retry; });
  return Result::posted;
}

Result Reference::put(Operation& operation, RankId peer, uint64_t offset, const void* source, size_t size,
                      bool immediate) {
  const auto* bytes = static_cast<const std::byte*>(source);
  const uint64_t args[] = {as_arg(&operation.completion)};
  for (size_t sent = 0; sent < size;) {
    const size_t piece = std::min(size - sent, max_long_);
    // Only the first piece can decline: after it the operation is under way.
    Result result = send_piece(operation, peer,
                               {.kind = AmKind::long_,
                                .handler = number_of(Internal::put_chunk),
                                .arg_count = 1,
                                .args = args,
                                .payload = bytes + sent,
                                .size = piece,
                                .offset = offset + sent},
                               immediate && sent == 0);
    if (result == Result::retry) return result;
    operation.completion.finish_local();
    sent += piece;
  }
  return Result::posted;
}

Result Reference::get(Operation& operation, void* destination, RankId peer, uint64_t offset, size_t size,
                      bool immediate) {
  auto* bytes = static_cast<std::byte*>(destination);
  for (size_t asked = 0; asked < size;) {
    const size_t piece = std::min(size - asked, max_medium_);
    const uint64_t args[] = {as_arg(&operation.completion), as_arg(bytes + asked), offset + asked, piece};
    Result result =
        send_piece(operation, peer, {.handler = number_of(Internal::get_request), .arg_count = 4, .args = args},
                   immediate && asked == 0);
    if (result == Result::retry) return result;
    asked += piece;
  }
  return Result::posted;
}

Result Reference::fill(Operation& operation, RankId peer, uint64_t offset, uint8_t byte, size_t size, bool immediate) {
  const uint64_t args[] = {as_arg(&operation.completion), offset, size, byte};
  Result result = send_piece(operation, peer,
                             {.handler = number_of(Internal::fill_request), .arg_count = 4, .args = args}, immediate);
  if (result == Result::posted) operation.completion.finish_local();
  return result;
}

Result Reference::atomic(Operation& operation, RankId peer, uint64_t offset, const conduit::AtomicRequest& request,
                         bool immediate) {
  const uint64_t args[] = {as_arg(&operation.completion),
                           offset,
                           static_cast<uint64_t>(request.type) | static_cast<uint64_t>(request.op) << 8,
                           request.operand,
                           request.compare,
                           as_arg(request.result)};
  return send_piece(operation, peer, {.handler = number_of(Internal::atomic_request), .arg_count = 6, .args = args},
                    immediate);
}

Result Reference::put_signal(Operation& operation, RankId peer, uint64_t offset, const void* source, size_t size,
                             uint64_t signal_offset, uint64_t value, conduit::SignalOp op, bool immediate) {
  const size_t first = size > max_long_ ? size - max_long_ : 0;
  if (first > 0 && put(operation, peer, offset, source, first, immediate) == Result::retry) return Result::retry;
  const uint64_t args[] = {as_arg(&operation.completion), signal_offset, value, static_cast<uint64_t>(op)};
  Result result = send_piece(operation, peer,
                             {.kind = size == 0 ? AmKind::short_ : AmKind::long_,
                              .handler = number_of(Internal::signal_request),
                              .arg_count = 4,
                              .args = args,
                              .payload = size == 0 ? nullptr : static_cast<const std::byte*>(source) + first,
                              .size = size - first,
                              .offset = offset + first},
                             immediate && first == 0);
  if (result == Result::posted) operation.completion.finish_local();
  return result;
}

}  // namespace weft::rma
