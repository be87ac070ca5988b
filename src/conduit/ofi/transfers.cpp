#include "conduit/ofi/transfers.hpp"

#include <algorithm>
#include <cstring>

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

Operation* Transfers::make(Operation::Kind kind, RankId peer, uint64_t offset, std::byte* local, size_t size,
                           Completion* completion) {
  Operation* operation = state_.pools.take_operation();
  if (operation == nullptr) return nullptr;
  operation->kind = kind;
  operation->peer = peer;
  operation->offset = offset;
  operation->local = local;
  operation->size = size;
  operation->completion = completion;
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
    state_.fail("memory outside the segment cannot be registered with the network");
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
    state_.fail("cannot reach the memory of rank " + std::to_string(operation.peer) + " through " +
                interface_of(rail.info()) + ": " + rail.library().error(result));
  return result;
}

Result Transfers::begin_or_decline(Operation& operation) {
  if (begin(operation) != 0) {
    release(operation);
    return Result::retry;
  }
  if (operation.local_counted && operation.completion != nullptr) operation.completion->finish_local();
  return Result::posted;
}

Result Transfers::put(RankId peer, uint64_t offset, const void* source, size_t size, Completion* completion) {
  Rail& rail = next_rail(peer);
  Peer& target = state_.peers[peer];
  if (!may_write(target, rail)) return Result::retry;
  auto* local = const_cast<std::byte*>(static_cast<const std::byte*>(source));
  Operation* operation = make(Operation::Kind::put, peer, offset, local, size, completion);
  if (operation == nullptr) return Result::retry;
  if (striped(size)) return begin_striped(*operation);
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
  if (striped(size)) return begin_striped(*operation);
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
  gathering.first = gathering.last = nullptr;
  gathering.pieces = gathering.bytes = 0;
  return true;
}

// One part per rail, each a whole number of pages but the last. If the network declines the first, it declines all.
Result Transfers::begin_striped(Operation& whole) {
  const size_t rails = state_.rails.size();
  const size_t part_size = (whole.size / rails + stripe_unit - 1) / stripe_unit * stripe_unit;
  std::array<Operation*, max_rails> parts{};
  size_t count_made = 0;
  bool good = true;
  for (size_t at = 0; at < whole.size && good; at += part_size) {
    Operation* part = make(whole.kind, whole.peer, whole.offset + at, whole.local + at,
                           std::min(part_size, whole.size - at), nullptr);
    good = part != nullptr && lend_local(*part, *state_.rails[count_made], true);
    if (part != nullptr) {
      part->whole = &whole;
      parts[count_made++] = part;
    }
  }
  if (!good || begin(*parts[0]) != 0) {
    for (size_t i = 0; i < count_made; ++i) release(*parts[i]);
    release(whole);
    return Result::retry;
  }
  whole.parts = static_cast<uint32_t>(count_made);
  for (size_t i = 1; i < count_made; ++i)
    if (begin(*parts[i]) != 0) waiting_.push_back(parts[i]);
  return Result::posted;
}

int Transfers::flush() {
  int done = 0;
  for (size_t left = waiting_.size(); left > 0 && begin(*waiting_.front()) == 0; --left) {
    waiting_.pop_front();
    ++done;
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
  if (operation == nullptr || !lend_local(*operation, rail, true)) {
    if (operation != nullptr) release(*operation);
    messenger_.return_credits(peer, signal_credits);
    return Result::retry;
  }
  operation->signal_offset = signal_offset;
  operation->signal_value = value;
  operation->signal_op = op;
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

void Transfers::finish_signal_put(Operation& operation) {
  if (!operation.write_finished || !operation.acknowledged) return;
  operation.completion->finish_remote();
  release(operation);
}

// ---- Ending ----

void Transfers::finished(Operation& operation) {
  count(operation, -1);
  if (operation.kind == Operation::Kind::signal_put) {
    operation.write_finished = true;
    operation.completion->finish_local();
    if (!state_.sends_follow_writes(*state_.rails[operation.rail])) send_signal(operation);
    return finish_signal_put(operation);
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
  if (whole != &operation) release(operation);
  if (--whole->parts != 0) return;
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
