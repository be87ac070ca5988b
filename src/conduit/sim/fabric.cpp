#include "conduit/sim/fabric.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "conduit/cpu_atomic.hpp"
#include "conduit/segment_size.hpp"
#include "os/dataless.hpp"
#include "sim/mixed.hpp"

namespace weft::conduit::sim {
namespace {

using weft::sim::acknowledgement_bytes;
using weft::sim::Flow;
using weft::sim::header_bytes;
using weft::sim::Message;

// Buffers of objects that are used again keep their memory up to this size.
constexpr size_t most_kept = 1024;

void copy_bytes(std::byte* to, const void* from, size_t size) {
  if (size != 0) std::memcpy(to, from, size);
}

void drop_if_large(std::vector<std::byte>& buffer) {
  buffer.clear();
  if (buffer.capacity() > most_kept) buffer.shrink_to_fit();
}

void fill_from(std::vector<std::byte>& buffer, const void* from, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(from);
  buffer.assign(bytes, bytes + size);
}

uint64_t bytes_out(const Transfer& transfer) {
  const bool carries = transfer.kind == Transfer::Kind::put;
  return header_bytes + (carries ? transfer.size : 0);
}

uint64_t bytes_back(const Transfer& transfer) {
  return transfer.kind == Transfer::Kind::get ? header_bytes + transfer.size : acknowledgement_bytes;
}

// The running simulation's, and gone with it.
std::weak_ptr<Fabric> current_fabric;

}  // namespace

// ---- Transfers ----

void Transfer::injected(Time) {
  if (fetches()) return;
  const auto& simulation = fabric->simulation();
  if (kind == Kind::put && source != nullptr) fill_from(data, simulation.memory_of(from, source), size);
  fabric->notify(from, *completion, false);
}

void Transfer::arrived(Time now) {
  if (!comes_back) return fabric->reach(*this, now);
  const auto& simulation = fabric->simulation();
  if (kind == Kind::get && destination != nullptr)
    copy_bytes(simulation.memory_of(from, destination), data.data(), size);
  if (kind == Kind::atomic && request.result != nullptr)
    std::memcpy(simulation.memory_of(from, request.result), &before, atomic_size(request.type));
  if (fetches()) fabric->notify(from, *completion, false);
  fabric->notify(from, *completion, true);
  fabric->finish(*this);
}

void Transfer::take_effect(Time now) {
  act(fabric->segment(to));
  if (kind != Kind::get) fabric->changed(*this, now);
  fabric->come_back(*this, now);
}

void Transfer::act(std::byte* segment) {
  switch (kind) {
    case Kind::put:
      if (source != nullptr) copy_bytes(segment + offset, data.data(), size);
      if (has_signal) apply_signal(segment + signal_offset, signal_value, signal_op);
      break;
    case Kind::get:
      if (destination != nullptr) fill_from(data, segment + offset, size);
      break;
    case Kind::fill:
      if (!os::Dataless::holds(segment + offset)) std::memset(segment + offset, byte, size);
      break;
    case Kind::atomic: {
      AtomicRequest here = request;
      here.result = &before;
      run_atomic(segment + offset, here);
      break;
    }
  }
}

// By a fault, as a network does that has no room for a moment. Asked only where there is room: who finds none is told
// when some comes, and need not try again before, with all that waits.
bool Fabric::declines(RankId from, RankId to, Flow flow) {
  constexpr Time moment = 1'000;
  const weft::sim::FaultPlan& faults = simulation_.faults();
  if (faults.retry == 0) return false;
  const uint64_t stream = weft::sim::stream_of(from, to, flow);
  const uint64_t number = tries_[stream]++;
  if (number < faults.first || number > faults.last) return false;
  if (!weft::sim::yes(weft::sim::roll(faults.seed, weft::sim::Die::retry, stream, number), faults.retry)) return false;
  if (std::exchange(ports_[from].tries_again, true)) return true;  // all at once
  SecondTry& again = second_tries_.take();
  again.fabric = this;
  again.rank = from;
  simulation_.calendar().at(simulation_.time() + moment, again);
  return true;
}

void SecondTry::happen(Time now) {
  fabric->ports_[rank].tries_again = false;
  fabric->second_tries_.give_back(*this);
  fabric->touch(rank, now);
}

Transfer* Fabric::begin(RankId from, RankId to, Transfer::Kind kind, Completion* completion) {
  Port& port = ports_[from];
  if (port.outstanding >= most_under_way) port.starved = true;
  if (port.starved || declines(from, to, Flow::transfer)) return nullptr;
  ++port.outstanding;
  expect(*completion);
  Transfer& transfer = transfers_.take();
  transfer.fabric = this;
  transfer.completion = completion;
  transfer.kind = kind;
  transfer.comes_back = false;
  transfer.has_signal = false;
  transfer.from = from;
  transfer.to = to;
  return &transfer;
}

// Copied early, the data is where it belongs before anybody may look for it: a program that reads memory before it has
// been told that it may, or changes a source before it is free, shows nothing of that. Not in strict order: a fill
// or an atomic operation before it is still under way.
void Fabric::issue(Transfer& transfer) {
  if (early_ && transfer.kind == Transfer::Kind::put && transfer.source != nullptr) {
    copy_bytes(segment(transfer.to) + transfer.offset, transfer.source, transfer.size);
    transfer.source = nullptr;
  } else if (early_ && transfer.kind == Transfer::Kind::get) {
    copy_bytes(static_cast<std::byte*>(transfer.destination), segment(transfer.to) + transfer.offset, transfer.size);
    transfer.destination = nullptr;
  }
  if (strict_) transfer.number = line_of(transfer).issued++;
  simulation_.send(Message::of(transfer.from, transfer.to, bytes_out(transfer)), transfer);
}

void Fabric::reach(Transfer& transfer, Time now) {
  if (!strict_) return transfer.take_effect(now);
  line_of(transfer).arrivals.arrived(transfer, [now](Transfer& next) { next.take_effect(now); });
}

// Of a transfer there, and of its acknowledgement here.
Time Fabric::taking_in(const Transfer& transfer) const {
  return 2 * simulation_.network().receive_overhead(Message::of(transfer.to, transfer.from, 0));
}

void Fabric::come_back(Transfer& transfer, Time now) {
  if (transfer.kind == Transfer::Kind::put && transfer.source != nullptr) drop_if_large(transfer.data);
  transfer.comes_back = true;
  Message back = Message::of(transfer.to, transfer.from, bytes_back(transfer), Flow::answer);
  back.is_fetched = transfer.kind == Transfer::Kind::get;
  // Who has several under way does not wait for each.
  const bool is_alone = ports_[transfer.from].outstanding == 1;
  simulation_.send_at(is_alone ? now + taking_in(transfer) : now, back, transfer);
}

void Fabric::finish(Transfer& transfer) {
  Port& port = ports_[transfer.from];
  --port.outstanding;
  if (std::exchange(port.starved, false)) simulation_.wake(transfer.from);
  if (transfer.kind == Transfer::Kind::get) drop_if_large(transfer.data);
  transfers_.give_back(transfer);
}

void Fabric::expect(Completion& completion) {
  ++completion.local_to_come;
  ++completion.remote_to_come;
}

// In a large job half of all turns would be for completions that end no wait.
void Fabric::notify(RankId rank, Completion& completion, bool remote) {
  ports_[rank].notices.push_back({&completion, remote});
  const bool is_last = --(remote ? completion.remote_to_come : completion.local_to_come) == 0;
  if (is_last || !simulation_.rests_surely(rank)) simulation_.wake(rank);
}

void Fabric::touch(RankId peer, Time when) {
  ports_[peer].touched = true;
  simulation_.wake(peer, when);
}

// ---- Ranks that need not be woken ----

// In a large job half of all turns would be for what nobody waits for yet: each member of an exchange hears of all
// others, and waits for them one after the other. Virtual times are those of these turns: this is for ranks that would
// have them at once.
bool Fabric::dozes(RankId rank) const { return ports_[rank].dozing != nullptr && simulation_.is_idle(rank); }

bool Fabric::concerns_dozer(const Packet& packet) const {
  const AmSink& sink = *ports_[packet.to].dozing;
  const std::byte* const word = sink.only_sets(packet.delivery());
  if (word == nullptr || sink.concerns(word, sizeof(uint64_t))) return true;
  return packet.kind == AmKind::long_ && sink.concerns(segment(packet.to) + packet.offset, packet.size);
}

// All messages that have come at once, or none.
bool Fabric::take_in_doze(RankId rank) {
  if (!dozes(rank)) return false;
  Port& port = ports_[rank];
  for (const Packet* packet = port.first; packet != nullptr; packet = packet->next)
    if (concerns_dozer(*packet)) return false;
  for (Packet* packet = std::exchange(port.first, nullptr); packet != nullptr;) {
    Packet& taken_now = *std::exchange(packet, packet->next);
    const Time now = simulation_.receive_at_rest(rank, taken_now.message());
    port.dozing->deliver(taken_now.delivery());
    taken(taken_now, now);
  }
  return true;
}

// By a transfer, of memory of its target.
void Fabric::changed(const Transfer& transfer, Time now) {
  const auto concerns = [&](uint64_t offset, size_t size) {
    return ports_[transfer.to].dozing->concerns(segment(transfer.to) + offset, size);
  };
  if (!dozes(transfer.to) || concerns(transfer.offset, transfer.size) ||
      (transfer.has_signal && concerns(transfer.signal_offset, sizeof(uint64_t))))
    touch(transfer.to, now);
}

// ---- Messages ----

size_t Channels::slot_of(uint64_t key) const {
  size_t i = weft::sim::mixed(key) & (slots_.size() - 1);
  while (slots_[i].channel != nullptr && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
  return i;
}

Channel* Channels::find(RankId to, AmClass message_class) const {
  return slots_.empty() ? nullptr : slots_[slot_of(key_of(to, message_class))].channel;
}

void Channels::add(RankId to, AmClass message_class, Channel& channel) {
  constexpr size_t fewest = 4;
  if (2 * ++used_ > slots_.size()) {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(std::max(fewest, 2 * slots_.size())));
    for (const Slot& slot : before)
      if (slot.channel != nullptr) slots_[slot_of(slot.key)] = slot;
  }
  const uint64_t key = key_of(to, message_class);
  slots_[slot_of(key)] = {key, &channel};
}

Channel& Fabric::channel(RankId from, RankId to, AmClass message_class) {
  Channels& own = ports_[from].channels;
  if (Channel* const known = own.find(to, message_class)) return *known;
  Channel& added = channels_.emplace_back();
  own.add(to, message_class, added);
  return added;
}

Packet* Fabric::prepare(RankId from, RankId to, AmClass message_class) {
  // Most who wait for room try in vain, and to find the channel takes two cache misses in a large job.
  if (message_class == AmClass::request && ports_[from].requests >= most_under_way) return nullptr;
  Channel& channel = this->channel(from, to, message_class);
  // Replies always find room: who asked has room for the answer.
  if (message_class == AmClass::request && channel.sent - channel.known_taken >= most_requests) {
    if (!channel.starved && from != to) {
      channel.starved = true;
      if (channel.taken != channel.known_taken) tell_taken(channel, from, to, simulation_.time());
    }
    return nullptr;
  }
  if (message_class == AmClass::request && declines(from, to, Flow::request)) return nullptr;
  Packet& packet = packets_.take();
  packet.fabric = this;
  packet.channel = &channel;
  packet.from = from;
  packet.to = to;
  packet.message_class = message_class;
  return &packet;
}

void Fabric::send(Packet& packet) {
  packet.number = packet.channel->sent++;
  if (packet.from == packet.to) return deliver(packet);
  if (packet.message_class == AmClass::request) ++ports_[packet.from].requests;
  ++ports_[packet.to].coming;
  simulation_.send(packet.message(), packet);
}

void Fabric::cancel(Packet& packet) {
  drop_if_large(packet.payload);
  packets_.give_back(packet);
}

Message Packet::message() const {
  return Message::of(from, to, header_bytes + 8 * uint64_t{arg_count} + (carries ? size : 0),
                     message_class == AmClass::request ? Flow::request : Flow::reply);
}

AmDelivery Packet::delivery() const {
  void* const data = kind == AmKind::medium  ? const_cast<std::byte*>(payload.data())
                     : kind == AmKind::long_ ? fabric->segment(to) + offset
                                             : nullptr;
  return {.message_class = message_class,
          .kind = kind,
          .handler = handler,
          .arg_count = arg_count,
          .source = from,
          .args = args,
          .payload = data,
          .size = size};
}

void Packet::arrived(Time) { fabric->deliver(*this); }

void Fabric::deliver(Packet& packet) {
  const RankId to = packet.to;
  const bool any = packet.channel->arrivals.arrived(packet, [this](Packet& next) {
    if (next.kind == AmKind::long_ && next.carries && !next.is_empty)
      copy_bytes(segment(next.to) + next.offset, next.payload.data(), next.size);
    Port& port = ports_[next.to];
    next.next = nullptr;
    (port.first == nullptr ? port.first : port.last->next) = &next;
    port.last = &next;
    if (next.from == next.to) return;
    --port.coming;
    if (next.message_class == AmClass::request && ports_[next.from].requests-- == most_under_way)
      simulation_.wake(next.from);
  });
  if (any && !take_in_doze(to)) simulation_.wake(to);
}

void Fabric::taken(Packet& packet, Time now) {
  Channel& channel = *packet.channel;
  ++channel.taken;
  // Messages back tell it by the way; only who can send no more needs one for it.
  if (packet.from == packet.to)
    channel.known_taken = channel.taken;
  else if (channel.starved && channel.taken - channel.known_taken >= most_requests / 2)
    tell_taken(channel, packet.from, packet.to, now);
  drop_if_large(packet.payload);
  packets_.give_back(packet);
}

void Fabric::tell_taken(Channel& channel, RankId sender, RankId receiver, Time now) {
  Credit& credit = credits_.take();
  credit.fabric = this;
  credit.channel = &channel;
  credit.sender = sender;
  credit.taken = channel.taken;
  channel.known_taken = channel.taken;
  channel.starved = false;
  simulation_.send_at(now, Message::of(receiver, sender, acknowledgement_bytes, Flow::credit), credit);
}

void Credit::arrived(Time) {
  channel->known_taken = std::max(channel->known_taken, taken);
  fabric->simulation().wake(sender);
  fabric->credits_.give_back(*this);
}

// ---- Start and end ----

Fabric::Fabric(Simulation& simulation, const base::Settings& settings)
    : simulation_(simulation),
      strict_(settings.order == "strict"),
      early_(settings.sim_data == "early" && !strict_),
      shared_hosts_(settings.sim_share && settings.map_peers),
      ports_(simulation.ranks()) {
  for (RankId rank = 0; rank < simulation.ranks(); ++rank) host_of_.push_back(simulation.network().host_of(rank));
}

Fabric::~Fabric() = default;

Status Fabric::join(const base::Settings& settings, std::shared_ptr<Fabric>& fabric) {
  fabric = current_fabric.lock();
  if (fabric) return {};
  Simulation& simulation = *Simulation::current();
  std::shared_ptr<Fabric> made(new Fabric(simulation, settings));
  made->segment_size_ = wanted_segment_size(settings, simulation.ranks());
  made->stride_ = std::bit_ceil(made->segment_size_);
  const Status status = os::Mapping::reserve(made->stride_ * simulation.ranks(), "the segments of simulated ranks",
                                             "lower WEFT_SEGMENT_SIZE or raise ulimit -v", made->segments_);
  if (!status.ok()) return status;
  current_fabric = made;
  simulation.keep(made);
  fabric = std::move(made);
  return {};
}

}  // namespace weft::conduit::sim
