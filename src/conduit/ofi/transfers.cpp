#include "conduit/ofi/transfers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "os/clock.hpp"

namespace weft::conduit::ofi {

// Of the signal that follows a put's data.
constexpr uint32_t signal_credits = credits_of(front_max);

// ---- Order. Within one endpoint libfabric tells which kinds of operation overtake each other; for the others a strict
// order means to wait for those before. Operations that the target's processor carries out are ordered by nobody. ----

bool Transfers::may_write(const Peer& peer, const Rail& rail) const {
  if (state_.order != Order::strict) return true;
  return peer.services == 0 && (peer.writes == 0 || (rail.order() & FI_ORDER_WAW) != 0) &&
         (peer.reads == 0 || (rail.order() & FI_ORDER_WAR) != 0);
}

bool Transfers::may_read(const Peer& peer, const Rail& rail) const {
  if (state_.order != Order::strict) return true;
  return peer.services == 0 && (peer.writes == 0 || (rail.order() & FI_ORDER_RAW) != 0);
}

bool Transfers::may_serve(const Peer& peer, const Rail& rail) const {
  if (state_.order != Order::strict) return true;
  return (peer.writes == 0 || (rail.order() & FI_ORDER_SAW) != 0) &&
         (peer.reads == 0 || (rail.order() & FI_ORDER_SAR) != 0);
}

void Transfers::count(const Operation& operation, int change) {
  Peer& peer = state_.peers[operation.peer];
  uint32_t& counter = operation.kind == Operation::Kind::get ? peer.reads : peer.writes;
  counter += static_cast<uint32_t>(change);
}

// ---- Beginning ----

Rail& Transfers::next_rail(RankId peer) {
  if (state_.rails.size() == 1 || state_.order == Order::strict) return state_.message_rail(peer);
  turn_ = turn_ + 1 == state_.rails.size() ? 0 : turn_ + 1;
  return *state_.rails[turn_];
}

void Transfers::fill_in(Operation& operation, Operation::Kind kind, RankId peer, uint64_t offset, std::byte* local,
                        size_t size, Completion* completion) {
  operation.kind = kind;
  operation.peer = peer;
  operation.offset = offset;
  operation.local = local;
  operation.size = size;
  operation.completion = completion;
}

Operation* Transfers::make(Operation::Kind kind, RankId peer, uint64_t offset, std::byte* local, size_t size,
                           Completion* completion) {
  Operation* operation = state_.pools.take_operation();
  if (operation != nullptr) fill_in(*operation, kind, peer, offset, local, size, completion);
  return operation;
}

// Makes local memory fit for the rail: a descriptor, or a pooled buffer in its place. What does not go at once cannot
// be injected.
bool Transfers::lend_local(Operation& operation, Rail& rail, bool at_once) {
  operation.rail = static_cast<uint8_t>(rail.index());
  const bool is_get = operation.kind == Operation::Kind::get;
  const bool registers = rail.registers_local_memory();
  const bool in_segment = operation.local >= state_.segment && operation.local < state_.segment + state_.segment_size;
  const bool small = operation.size <= state_.bounce_size;
  if (at_once && !is_get && operation.size <= rail.inject_size() && operation.kind == Operation::Kind::put) {
    operation.flags = FI_INJECT | FI_DELIVERY_COMPLETE;
    operation.local_counted = true;
    return true;
  }
  if (!is_get) operation.flags = FI_DELIVERY_COMPLETE;
  if (small && (is_get ? registers && !in_segment : operation.kind == Operation::Kind::put)) {
    operation.buffer = state_.pools.take_buffer(false);
    if (operation.buffer == nullptr) return false;
    if (is_get) {
      operation.destination = operation.local;
    } else {
      std::memcpy(operation.buffer->data, operation.local, operation.size);
      operation.local_counted = true;
    }
    operation.local = operation.buffer->data;
    operation.descriptor = operation.buffer->descriptor[rail.index()];
    return true;
  }
  if (!registers) return true;
  if (in_segment) {
    operation.descriptor = rail.segment_descriptor();
    return true;
  }
  RegistrationCache& cache = *state_.caches[rail.index()];
  operation.registration = cache.use(operation.local, operation.size);
  if (operation.registration == nullptr) {
    state_.fail({"memory outside the segment cannot be registered with the network"});
    return false;
  }
  operation.descriptor = fi_mr_desc(static_cast<fid_mr*>(operation.registration->object));
  return true;
}

ssize_t Transfers::begin(Operation& operation) {
  Rail& rail = *state_.rails[operation.rail];
  const Peer& peer = state_.peers[operation.peer];
  const RemoteSegment& remote = peer.rails[operation.rail];
  const bool is_read = operation.kind == Operation::Kind::get;
  if (!state_.may_begin(peer, rail, is_read)) return -FI_EAGAIN;
  const ssize_t result = is_read ? rail.read(remote, operation) : rail.write(remote, operation);
  if (result == 0) count(operation, 1);
  if (result != 0 && result != -FI_EAGAIN)
    state_.fail({"cannot reach the memory of rank " + std::to_string(operation.peer) + " through " +
                     interface_of(rail.info()) + ": " + rail.library().error(result),
                 true});
  return result;
}

Result Transfers::begin_or_decline(Operation& operation) {
  if (begin(operation) != 0) {
    release(operation);
    return Result::retry;
  }
  if (operation.local_counted && operation.completion != nullptr) operation.completion->finish_local();
  keep_awake(operation.peer, 1);
  return Result::posted;
}

void Transfers::keep_awake(RankId target, uint32_t operations) {
  Peer& peer = state_.peers[target];
  peer.unannounced += operations;
  const Rail& rail = state_.message_rail(target);
  if (peer.unannounced < announce_operations || !rail.target_polls() || rail.datagrams()) return;
  const uint64_t now = os::now_ns();
  if (now - peer.announced_ns < announce_ns) return;
  WireMessage message;
  message.description = {WireKind::control, AmClass::reply, 0, true};
  message.handler = static_cast<uint16_t>(Control::stay_awake);
  if (messenger_.send(target, message, false) == Result::retry) return;
  peer.unannounced = 0;
  peer.announced_ns = now;
}

Result Transfers::put(RankId peer, uint64_t offset, const void* source, size_t size, Completion* completion) {
  Rail& rail = next_rail(peer);
  Peer& target = state_.peers[peer];
  if (!may_write(target, rail)) return Result::retry;
  auto* local = const_cast<std::byte*>(static_cast<const std::byte*>(source));
  Operation* operation = make(Operation::Kind::put, peer, offset, local, size, completion);
  if (operation == nullptr) return Result::retry;
  if (large(size)) return begin_large(*operation);
  if (gathers(size, target.writes)) return gather(target.puts, *operation, rail);
  if (lend_local(*operation, rail, true)) return begin_or_decline(*operation);
  release(*operation);
  return Result::retry;
}

Result Transfers::get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) {
  Rail& rail = next_rail(peer);
  Peer& target = state_.peers[peer];
  if (!may_read(target, rail)) return Result::retry;
  Operation* operation =
      make(Operation::Kind::get, peer, offset, static_cast<std::byte*>(destination), size, completion);
  if (operation == nullptr) return Result::retry;
  if (large(size)) return begin_large(*operation);
  if (gathers(size, target.reads)) return gather(target.gets, *operation, rail);
  if (lend_local(*operation, rail, true)) return begin_or_decline(*operation);
  release(*operation);
  return Result::retry;
}

// ---- Operations that share a message ----

// The first decides on the rail. A full message that the network declines stays, and later operations are declined.
Result Transfers::gather(Gathering& gathering, Operation& operation, Rail& next) {
  Rail& rail = gathering.first == nullptr ? next : *state_.rails[gathering.first->rail];
  const auto full = [&] { return gathering.pieces >= rail.pieces() || gathering.bytes >= gather_bytes; };
  if ((full() && !send_gathered(gathering)) || !lend_local(operation, rail, false)) {
    release(operation);
    return Result::retry;
  }
  if (operation.local_counted && operation.completion != nullptr) operation.completion->finish_local();
  if (gathering.first == nullptr || !Rail::adjoin(*gathering.last, operation)) ++gathering.pieces;
  (gathering.first == nullptr ? gathering.first : gathering.last->behind) = &operation;
  gathering.last = &operation;
  gathering.bytes += operation.size;
  if (full()) send_gathered(gathering);
  if (gathering.first != nullptr && !gathering.listed) {
    gatherings_.push_back(&gathering);
    gathering.listed = true;
  }
  return Result::posted;
}

// False if the network declines it.
bool Transfers::send_gathered(Gathering& gathering) {
  if (begin(*gathering.first) != 0) return false;
  keep_awake(gathering.first->peer, announce_operations);
  gathering.first = gathering.last = nullptr;
  gathering.pieces = gathering.bytes = 0;
  return true;
}

// ---- Large transfers ----

// Whole pages, and something for each rail.
size_t Transfers::size_of_parts(const Operation& whole) const {
  const size_t even = (whole.size / state_.rails.size() + part_unit - 1) / part_unit * part_unit;
  return std::min(part_size, even);
}

Result Transfers::begin_large(Operation& whole) {
  Peer& peer = state_.peers[whole.peer];
  const size_t size = size_of_parts(whole);
  whole.parts = static_cast<uint32_t>((whole.size + size - 1) / size);
  (peer.large_first == nullptr ? peer.large_first : peer.large_last->behind) = &whole;
  peer.large_last = &whole;
  feed(whole.peer);
  return Result::posted;
}

// False if the network declines it.
bool Transfers::begin_part(Operation& whole) {
  Operation* part = state_.pools.take_operation_grow();
  if (part == nullptr) return false;
  const size_t size = std::min(size_of_parts(whole), whole.size - whole.begun);
  const auto kind = whole.kind == Operation::Kind::get ? Operation::Kind::get : Operation::Kind::put;
  fill_in(*part, kind, whole.peer, whole.offset + whole.begun, whole.local + whole.begun, size, nullptr);
  part->whole = &whole;
  if (!lend_local(*part, next_rail(whole.peer), true) || begin(*part) != 0) {
    release(*part);
    return false;
  }
  whole.begun += size;
  state_.peers[whole.peer].large_bytes += size;
  keep_awake(whole.peer, announce_operations);
  return true;
}

// Begins what the window has room for.
void Transfers::feed(RankId to) {
  Peer& peer = state_.peers[to];
  while (peer.large_first != nullptr && peer.large_bytes < large_window * state_.rails.size()) {
    Operation& whole = *peer.large_first;
    if (!begin_part(whole)) {
      if (!std::exchange(peer.hungry, true)) hungry_.push_back(to);
      return;
    }
    if (whole.begun == whole.size) peer.large_first = std::exchange(whole.behind, nullptr);
  }
}

int Transfers::flush() {
  int done = 0;
  for (const RankId to : std::exchange(hungry_, {})) {
    state_.peers[to].hungry = false;
    feed(to);
    if (!state_.peers[to].hungry) ++done;
  }
  std::erase_if(gatherings_, [&](Gathering* gathering) {
    if (gathering->first != nullptr) {
      if (!send_gathered(*gathering)) return false;
      ++done;
    }
    gathering->listed = false;
    return true;
  });
  return done;
}

// ---- A put and its signal ----

Result Transfers::put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                             uint64_t value, SignalOp op, Completion* completion) {
  Rail& rail = state_.message_rail(peer);
  const Peer& target = state_.peers[peer];
  if (!may_write(target, rail) || target.pending != 0) return Result::retry;
  if (!messenger_.take_credits(peer, signal_credits)) return Result::retry;
  auto* local = const_cast<std::byte*>(static_cast<const std::byte*>(source));
  Operation* operation = make(Operation::Kind::signal_put, peer, offset, local, size, completion);
  if (operation != nullptr) {
    operation->signal_offset = signal_offset;
    operation->signal_value = value;
    operation->signal_op = op;
    if (large(size, state_.rails.size() > 1 ? large_least : large_window)) return begin_large(*operation);
  }
  if (operation == nullptr || !lend_local(*operation, rail, true)) {
    if (operation != nullptr) release(*operation);
    messenger_.return_credits(peer, signal_credits);
    return Result::retry;
  }
  const bool ordered = state_.sends_follow_writes(rail);
  // Nobody waits for the data alone then: the signal's answer tells of both.
  if (ordered) operation->flags = 0;
  if (begin_or_decline(*operation) == Result::retry) {
    messenger_.return_credits(peer, signal_credits);
    return Result::retry;
  }
  if (ordered) send_signal(*operation);
  return Result::posted;
}

void Transfers::send_signal(Operation& operation) {
  const uint64_t args[] = {0, operation.signal_offset, operation.signal_value,
                           static_cast<uint64_t>(operation.signal_op), reinterpret_cast<uint64_t>(&operation)};
  WireMessage message;
  message.description = {WireKind::control, AmClass::request, 5, true};
  message.handler = static_cast<uint16_t>(Control::signal);
  message.args = args;
  (void)messenger_.send(operation.peer, message, true, true);
  ++state_.peers[operation.peer].services;
}

void Transfers::signal_acknowledged(Operation& operation) {
  --state_.peers[operation.peer].services;
  operation.acknowledged = true;
  finish_signal_put(operation);
}

void Transfers::signal_data_written(Operation& operation) {
  operation.write_finished = true;
  operation.completion->finish_local();
  finish_signal_put(operation);
}

void Transfers::finish_signal_put(Operation& operation) {
  if (!operation.write_finished || !operation.acknowledged) return;
  operation.completion->finish_remote();
  release(operation);
}

// ---- Ending ----

void Transfers::finished(Operation& operation) {
  count(operation, -1);
  if (operation.kind == Operation::Kind::signal_put) {
    if (!state_.sends_follow_writes(*state_.rails[operation.rail])) send_signal(operation);
    return signal_data_written(operation);
  }
  for (Operation* each = &operation; each != nullptr;) {
    Operation* behind = each->behind;
    finish(*each);
    each = behind;
  }
}

void Transfers::finish(Operation& operation) {
  if (operation.destination != nullptr) std::memcpy(operation.destination, operation.local, operation.size);
  Operation* whole = operation.whole != nullptr ? operation.whole : &operation;
  if (whole != &operation) {
    state_.peers[whole->peer].large_bytes -= operation.size;
    release(operation);
    feed(whole->peer);
  }
  if (--whole->parts != 0) return;
  if (whole->kind == Operation::Kind::signal_put) {
    send_signal(*whole);
    return signal_data_written(*whole);
  }
  if (!whole->local_counted) whole->completion->finish_local();
  whole->completion->finish_remote();
  release(*whole);
}

void Transfers::release(Operation& operation) {
  if (operation.buffer != nullptr) state_.pools.give_back(operation.buffer);
  if (operation.registration != nullptr) state_.caches[operation.rail]->drop(operation.registration);
  state_.pools.give_back(&operation);
}

}  // namespace weft::conduit::ofi
