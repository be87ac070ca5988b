#include "conduit/ofi/messenger.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "base/log.hpp"

namespace weft::conduit::ofi {
namespace {

// Refusals beyond these are counted, not logged.
constexpr uint64_t refusals_logged = 10;

}  // namespace

Status Messenger::open() {
  control_scratch_ = aligned_bytes(message_max);
  deliver_scratch_ = aligned_bytes(message_max);
  if (!control_scratch_ || !deliver_scratch_) return WEFT_ERR_NO_MEMORY;
  for (auto& rail : state_.rails) {
    const size_t count = receive_buffers(*rail);
    for (size_t i = 0; i < count; ++i) {
      const Status status = add_receive_buffer(*rail);
      if (!status.ok()) return status;
    }
  }
  return {};
}

size_t Messenger::receive_buffers(const Rail& rail) const {
  if (rail.datagrams()) return std::min(datagrams_per_look + state_.size, rail.receive_limit());
  return rail.each_buffer_frees_one_sender() ? std::max<size_t>(shared_buffers, state_.size - 1) : shared_buffers;
}

size_t Messenger::receive_bytes(const Rail& rail) const {
  if (rail.datagrams()) return single_bytes;
  const size_t share = shared_buffers * shared_bytes / receive_buffers(rail);
  return std::max(share / wire_unit * wire_unit, least_shared_bytes);
}

Status Messenger::add_receive_buffer(Rail& rail) {
  auto buffer = std::make_unique<ReceiveBuffer>();
  buffer->size = receive_bytes(rail);
  buffer->memory = aligned_bytes(buffer->size);
  buffer->rail = &rail;
  buffer->operation.kind = Operation::Kind::receive;
  buffer->operation.local = reinterpret_cast<std::byte*>(buffer.get());
  if (!buffer->memory) return WEFT_ERR_NO_MEMORY;
  if (rail.registers_local_memory()) {
    const Status status = rail.register_memory(buffer->memory.get(), buffer->size, local_access, buffer->registration);
    if (!status.ok()) return status;
  }
  buffers_.push_back(std::move(buffer));
  return post(*buffers_.back());
}

Status Messenger::post(ReceiveBuffer& buffer) {
  buffer.used_up = false;
  buffer.complete = buffer.total = 0;
  void* descriptor = buffer.registration ? fi_mr_desc(buffer.registration.get()) : nullptr;
  const ssize_t result = buffer.rail->post_receive(buffer.memory.get(), buffer.size, descriptor, buffer.operation);
  if (result == 0) return {};
  base::log_error("libfabric takes no receive buffer on %s: %s", interface_of(buffer.rail->info()).c_str(),
                  buffer.rail->library().error(result));
  return WEFT_ERR_SYSTEM;
}

bool Messenger::any_posted(const Rail& rail) const {
  return std::ranges::any_of(buffers_, [&](const auto& each) { return each->rail == &rail && !each->used_up; });
}

// libfabric's layers for TCP say that a buffer is used up when the last message in it is complete, though messages of
// other peers before it may not be: their bytes still come in, one by one where the network is slow. So the bytes are
// counted. What a peer that has gone has left incomplete stays so, and the buffer with it; another takes its place.
void Messenger::give_back(ReceiveBuffer& buffer, size_t total) {
  buffer.used_up = true;
  buffer.total = total;
  const bool incomplete = buffer.complete != total;
  if (incomplete && !any_posted(*buffer.rail) && !add_receive_buffer(*buffer.rail).ok())
    state_.fail({"no message can be received"});
}

void Messenger::release(ReceiveBuffer& buffer) {
  if (!buffer.used_up || buffer.undelivered != 0 || buffer.complete != buffer.total) return;
  if (!post(buffer).ok()) state_.fail({"no message can be received"});
}

// ---- Sending ----

uint8_t Messenger::credits_for(Peer& peer) const { return static_cast<uint8_t>(std::min(peer.owed, 255u)); }

bool Messenger::take_credits(RankId to, uint32_t count) {
  Peer& peer = state_.peers[to];
  if (peer.credits < count) return false;
  peer.credits -= count;
  return true;
}

Result Messenger::send(RankId to, const WireMessage& message, bool must, bool credits_taken) {
  Peer& peer = state_.peers[to];
  const size_t size = message.bytes();
  const bool takes_credits = message.description.message_class == AmClass::request && !credits_taken;
  const uint32_t taken = takes_credits ? credits_of(size) : 0;
  if (!must && peer.pending != 0) return Result::retry;
  if (!take_credits(to, taken)) return Result::retry;
  const auto decline = [&] {
    return_credits(to, taken);
    return Result::retry;
  };
  const uint8_t credits = credits_for(peer);
  // Small ones go from the stack; if the network declines one that must go, it moves to a buffer below.
  Rail& rail = state_.message_rail(to);
  constexpr size_t small_max = 256;
  if (to != state_.rank && peer.pending == 0 && size <= std::min(rail.inject_message_size(), small_max)) {
    alignas(wire_unit) std::byte small[small_max];
    message.encode_front(small, peer.send_token, state_.rank, credits);
    if (message.payload_bytes() != 0) std::memcpy(small + message.front_bytes(), message.payload, message.size);
    const ssize_t result = rail.inject(peer.rails[rail.index()].address, small, size);
    if (result == 0) {
      peer.owed -= credits;
      return Result::done;
    }
    if (result != -FI_EAGAIN) send_failed(to, rail, result);
    if (!must) return decline();
  }
  Buffer* buffer = state_.pools.take_buffer(must);
  if (buffer == nullptr) return decline();
  message.encode_front(buffer->data, peer.send_token, state_.rank, credits);
  if (message.payload != nullptr && message.size != 0)
    std::memcpy(buffer->data + message.front_bytes(), message.payload, message.size);
  const Result result = dispatch(to, buffer, buffer->data, size, must);
  if (result == Result::retry) {
    state_.pools.give_back(buffer);
    return decline();
  }
  peer.owed -= credits;
  return result;
}

bool Messenger::may_go(const Peer& peer, const Rail& rail) const {
  return !rail.datagrams() || (state_.may_begin(peer, rail, false) && sends_ < rail.send_limit());
}

void Messenger::count(const Operation& operation, int change) {
  state_.peers[operation.peer].sends += static_cast<uint32_t>(change);
  sends_ += static_cast<size_t>(change);
}

// Hands an encoded message to the network, or lists it if it must go. On retry the buffer is still the caller's.
Result Messenger::dispatch(RankId to, Buffer* buffer, std::byte* start, size_t size, bool must) {
  Peer& peer = state_.peers[to];
  if (to == state_.rank) {
    push({start, size, to, nullptr, buffer});
    return Result::done;
  }
  if (peer.pending == 0) {
    Rail& rail = state_.message_rail(to);
    Operation* operation = nullptr;
    if (may_go(peer, rail)) operation = must ? state_.pools.take_operation_grow() : state_.pools.take_operation();
    if (operation == nullptr && !must) return Result::retry;
    if (operation != nullptr) {
      operation->kind = Operation::Kind::send;
      operation->peer = to;
      operation->buffer = buffer;
      const ssize_t result =
          rail.send(peer.rails[rail.index()].address, start, size, buffer->descriptor[rail.index()], operation);
      if (result == 0) {
        count(*operation, 1);
        return Result::done;
      }
      state_.pools.give_back(operation);
      if (result != -FI_EAGAIN) send_failed(to, rail, result);
    }
    if (!must) return Result::retry;
  }
  pending_.push_back({to, buffer, start, size});
  ++peer.pending;
  return Result::done;
}

void Messenger::send_failed(RankId to, Rail& rail, ssize_t result) {
  state_.fail({"cannot send to rank " + std::to_string(to) + " through " + interface_of(rail.info()) + ": " +
                   rail.library().error(result),
               true});
}

bool Messenger::prepare(RankId to, AmClass message_class, size_t capacity, Prepared& prepared) {
  const bool must = message_class == AmClass::reply;
  prepared.credits = must ? 0 : credits_of(front_max + round_to_unit(capacity));
  if (!must && (state_.peers[to].pending != 0 || !take_credits(to, prepared.credits))) return false;
  prepared.buffer = state_.pools.take_buffer(must);
  if (prepared.buffer == nullptr) return_credits(to, prepared.credits);
  return prepared.buffer != nullptr;
}

void Messenger::commit(RankId to, WireMessage message, const Prepared& prepared) {
  Peer& peer = state_.peers[to];
  const uint8_t credits = credits_for(peer);
  message.payload = prepared.payload();
  // Header and words end where the payload begins.
  std::byte* start = prepared.payload() - message.front_bytes();
  message.encode_front(start, peer.send_token, state_.rank, credits);
  peer.owed -= credits;
  if (prepared.credits != 0) return_credits(to, prepared.credits - credits_of(message.bytes()));
  (void)dispatch(to, prepared.buffer, start, message.bytes(), true);
}

void Messenger::cancel(RankId to, const Prepared& prepared) {
  return_credits(to, prepared.credits);
  state_.pools.give_back(prepared.buffer);
}

void Messenger::sent(Operation& operation) {
  count(operation, -1);
  state_.pools.give_back(operation.buffer);
  state_.pools.give_back(&operation);
}

int Messenger::flush() {
  int done = 0;
  ++flush_number_;
  for (size_t left = pending_.size(); left > 0; --left) {
    const Pending next = pending_.front();
    pending_.pop_front();
    Peer& peer = state_.peers[next.to];
    // After the first that is declined, the peer's later ones keep their order: they wait for the next time.
    if (peer.declined_in_flush != flush_number_) {
      const uint32_t others = std::exchange(peer.pending, 0);
      const Result result = dispatch(next.to, next.buffer, next.start, next.size, false);
      peer.pending = others;
      if (result == Result::done) {
        --peer.pending;
        ++done;
        continue;
      }
      peer.declined_in_flush = flush_number_;
    }
    pending_.push_back(next);
  }
  for (RankId to : owing_) give_credits_back(to);
  owing_.clear();
  return done;
}

bool Messenger::give_all_credits_back() {
  bool all_back = true;
  for (RankId peer = 0; peer < state_.size; ++peer) {
    give_credits_back(peer, 1);
    all_back = all_back && state_.peers[peer].credits == request_credits;
  }
  return all_back;
}

// A request of the peer has been handled.
void Messenger::owe(RankId to, uint32_t credits) {
  uint32_t& owed = state_.peers[to].owed;
  const bool enough_before = owed >= enough_owed;
  owed += credits;
  if (!enough_before && owed >= enough_owed) owing_.push_back(to);
}

// Unless another message has taken them along. One carries no more than its header can count.
void Messenger::give_credits_back(RankId to, uint32_t least) {
  WireMessage message;
  message.description = {WireKind::control, AmClass::reply, 0, true};
  message.handler = static_cast<uint16_t>(Control::credits);
  while (state_.peers[to].owed >= least)
    if (send(to, message, true) == Result::retry) return;
}

// ---- Receiving ----

void Messenger::take_in(Rail& rail, Operation& operation, const fi_cq_data_entry& entry) {
  auto& buffer = *reinterpret_cast<ReceiveBuffer*>(operation.local);
  const bool single = rail.datagrams();
  const std::byte* data = single ? buffer.memory.get() : static_cast<const std::byte*>(entry.buf);
  const bool message = (entry.flags & FI_RECV) != 0;
  if (message) buffer.complete += entry.len;
  if (single || (entry.flags & FI_MULTI_RECV) != 0) {
    const bool may_be_early = message && rail.gives_buffers_back_early();
    give_back(buffer, may_be_early ? static_cast<size_t>(data - buffer.memory.get()) + entry.len : buffer.complete);
  }
  if (message) accept(buffer, data, entry.len);
  release(buffer);
}

void Messenger::take_unplaced(Rail& rail, Operation& operation, const fi_cq_err_entry& entry) {
  auto& buffer = *reinterpret_cast<ReceiveBuffer*>(operation.local);
  if (entry.err == FI_ETRUNC)
    refuse("is longer than any message of this job", state_.size);
  else
    base::log_warning("a receive through %s failed: %s", interface_of(rail.info()).c_str(),
                      rail.error_text(entry).c_str());
  // Where it lies, and so what else is in the buffer, is not known.
  if (rail.datagrams() || (entry.flags & FI_MULTI_RECV) != 0)
    give_back(buffer, rail.gives_buffers_back_early() ? std::numeric_limits<size_t>::max() : buffer.complete);
  release(buffer);
}

void Messenger::refuse(const char* what, RankId claimed) {
  if (++refused_ > refusals_logged) return;
  const std::string from = claimed < state_.size ? " and claims to be from rank " + std::to_string(claimed) : "";
  base::log_warning("refused a message that %s%s: it is from outside the job%s", what, from.c_str(),
                    refused_ == refusals_logged ? "; more will not be reported" : "");
}

// It carries the job's secret.
void Messenger::fail_on(RankId source) {
  state_.fail(
      {"rank " + std::to_string(source) + " sent a message that makes no sense: is Weft the same on all hosts?"});
}

void Messenger::accept(ReceiveBuffer& buffer, const std::byte* data, size_t size) {
  Header header;
  if (size < sizeof header) return refuse("is shorter than any message of this job", state_.size);
  std::memcpy(&header, data, sizeof header);
  if (header.source >= state_.size || header.token != state_.peers[header.source].receive_token)
    return refuse("does not carry this job's secret", header.source);
  const Description description = Description::decode(header.description);
  state_.peers[header.source].credits += header.credits;
  if (description.kind != WireKind::control) {
    Buffer* copy = buffer.rail->datagrams() && size <= message_max ? state_.pools.take_buffer(true) : nullptr;
    if (copy != nullptr)
      return push({static_cast<std::byte*>(std::memcpy(copy->data, data, size)), size, header.source, nullptr, copy});
    ++buffer.undelivered;
    return push({data, size, header.source, &buffer, nullptr});
  }
  if (reinterpret_cast<uintptr_t>(data) % wire_unit != 0 && size <= message_max)
    data = static_cast<const std::byte*>(std::memcpy(control_scratch_.get(), data, size));
  WireMessage message;
  if (!WireMessage::decode(data, size, header, state_.segment_size, message)) return fail_on(header.source);
  on_control_(header.source, message);
  if (description.message_class == AmClass::request) owe(header.source, credits_of(size));
}

void Messenger::push(const Arrival& arrival) {
  if (arrived_count_ == arrivals_.size()) {
    std::vector<Arrival> larger(2 * arrivals_.size());
    for (size_t i = 0; i < arrived_count_; ++i) larger[i] = arrivals_[(arrived_first_ + i) & (arrivals_.size() - 1)];
    arrivals_ = std::move(larger);
    arrived_first_ = 0;
  }
  arrivals_[(arrived_first_ + arrived_count_++) & (arrivals_.size() - 1)] = arrival;
}

int Messenger::deliver_some() {
  int delivered = 0;
  for (; delivered < deliver_batch; ++delivered) {
    Arrival arrival;
    {
      std::lock_guard guard(state_.lock);
      if (arrived_count_ == 0) break;
      arrival = arrivals_[arrived_first_];
      arrived_first_ = (arrived_first_ + 1) & (arrivals_.size() - 1);
      --arrived_count_;
    }
    deliver(arrival);
  }
  return delivered;
}

void Messenger::deliver(const Arrival& arrival) {
  Header header;
  std::memcpy(&header, arrival.data, sizeof header);
  const std::byte* data = arrival.data;
  // Senders keep arrivals aligned; a provider that adds bytes of its own may still shift them.
  if (reinterpret_cast<uintptr_t>(data) % wire_unit != 0 && arrival.size <= message_max)
    data = static_cast<const std::byte*>(std::memcpy(deliver_scratch_.get(), data, arrival.size));
  WireMessage message;
  const bool good = WireMessage::decode(data, arrival.size, header, state_.segment_size, message);
  if (good) {
    AmDelivery delivery{};
    delivery.message_class = message.description.message_class;
    delivery.kind = static_cast<AmKind>(message.description.kind);
    delivery.handler = message.handler;
    delivery.arg_count = message.description.arg_count;
    delivery.source = arrival.source;
    delivery.args = message.args;
    delivery.size = message.size;
    if (delivery.kind == AmKind::medium) delivery.payload = const_cast<std::byte*>(message.payload);
    if (delivery.kind == AmKind::long_) {
      delivery.payload = state_.segment + message.offset;
      if (message.payload != nullptr && message.size != 0) std::memcpy(delivery.payload, message.payload, message.size);
    }
    sink_->deliver(delivery);
  }
  std::lock_guard guard(state_.lock);
  if (!good) fail_on(arrival.source);
  if (arrival.buffer != nullptr) state_.pools.give_back(arrival.buffer);
  if (arrival.receive_buffer != nullptr) {
    --arrival.receive_buffer->undelivered;
    release(*arrival.receive_buffer);
  }
  if (Description::decode(header.description).message_class == AmClass::reply) return;
  if (arrival.source == state_.rank)
    return_credits(arrival.source, credits_of(arrival.size));
  else
    owe(arrival.source, credits_of(arrival.size));
}

}  // namespace weft::conduit::ofi
