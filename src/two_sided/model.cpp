#include "two_sided/model.hpp"

#include <algorithm>
#include <cstdio>

#include "os/dataless.hpp"
#include "weft/job.h"

namespace weft::two_sided {

using sim::header_bytes;
using sim::Message;
using sim::Simulation;

namespace {

// A test in vain.
constexpr Time time_of_look = 100;

std::weak_ptr<Model> current_model;

void copy_bytes(std::byte* to, const std::byte* from, size_t size) {
  if (size != 0) os::copy_data(to, from, size);
}

}  // namespace

struct Model::Packet final : sim::Delivery {
  void injected(Time) override {
    if (kind != Kind::data) return;
    // Nobody may look at the destination before all of it has come, but the source may change now.
    const sim::Simulation& simulation = model->simulation_;
    copy_bytes(simulation.memory_of(to, receiver->destination), simulation.memory_of(from, sender->source), size);
    sender->is_complete = true;
    model->simulation_.wake(from);
  }
  void arrived(Time) override {
    kind == Kind::eager || kind == Kind::announcement ? model->in_order(*this) : model->come(*this);
  }

  uint64_t bytes() const { return header_bytes + (kind == Kind::eager || kind == Kind::data ? size : 0); }

  Model* model = nullptr;
  Kind kind = Kind::eager;
  uint32_t from = 0, to = 0;
  uint64_t number = 0;    // of those that are matched
  bool is_empty = false;  // of eager ones and announcements: the message has a size and no data
  Envelope envelope;
  size_t size = 0;
  std::vector<std::byte> payload;  // eager
  Request* sender = nullptr;       // of the other kinds
  Request* receiver = nullptr;     // answer, data
};

// Messages from one rank to another are matched in the order in which they were sent, though short ones may pass
// others.
struct Model::Channel {
  uint64_t sent = 0;
  uint64_t next = 0;  // the one that comes next
  std::vector<Packet*> early;
};

Model::Model(Simulation& simulation)
    : simulation_(simulation),
      costs_(simulation.network().two_sided_costs()),
      ranks_(simulation.ranks()),
      packets_(std::make_unique<sim::Pool<Packet>>()) {}

Model& Model::current() {
  if (const auto model = current_model.lock()) return *model;
  const std::shared_ptr<Model> made(new Model(*Simulation::current()));
  Simulation::current()->keep(made);
  current_model = made;
  return *made;
}

// ---- Costs ----

bool Model::stays_inside(const sim::Network& network, const Packet& packet) {
  return network.host_of(packet.from) == network.host_of(packet.to);
}

// Of the processor: for each message, and for the bytes where it moves them itself.
Time Model::time_to_send(const Packet& packet) const {
  const sim::Network& network = simulation_.network();
  if (costs_.node_send_overhead != 0 && stays_inside(network, packet)) return costs_.node_send_overhead;
  return costs_.send_overhead + network.send_overhead(Message::of(0, 0, packet.bytes())) -
         network.send_overhead(Message::of(0, 0, 0));
}
Time Model::time_to_take(const Packet& packet) const {
  const sim::Network& network = simulation_.network();
  if (costs_.node_receive_overhead != 0 && stays_inside(network, packet)) return costs_.node_receive_overhead;
  return costs_.receive_overhead + network.receive_overhead(Message::of(0, 0, packet.bytes())) -
         network.receive_overhead(Message::of(0, 0, 0));
}
void Model::copy(size_t bytes) {
  simulation_.spend(static_cast<Time>(static_cast<double>(bytes) * costs_.copy_ns_per_byte));
}
void Model::look_at(uint64_t entries) {
  ranks_[rank()].looks += entries;
  simulation_.spend(static_cast<Time>(static_cast<double>(entries) * costs_.match_ns));
}

// ---- Packets ----

Model::Packet& Model::make(Kind kind, uint32_t from, uint32_t to) {
  Packet& packet = packets_->take();
  packet.model = this;
  packet.kind = kind;
  packet.from = from;
  packet.to = to;
  packet.sender = packet.receiver = nullptr;
  return packet;
}

Model::Channel& Model::channel_of(const Packet& packet) { return channels_[uint64_t{packet.from} << 32 | packet.to]; }

// The rank that runs sends it.
void Model::dispatch(Packet& packet) {
  simulation_.spend(time_to_send(packet));
  if (packet.kind == Kind::eager || packet.kind == Kind::announcement) packet.number = channel_of(packet).sent++;
  if (packet.from != packet.to)
    return simulation_.send_at(simulation_.time(), Message::of(packet.from, packet.to, packet.bytes()), packet);
  packet.injected(simulation_.time());
  packet.arrived(simulation_.time());
}

void Model::in_order(Packet& packet) {
  Channel& channel = channel_of(packet);
  if (packet.number != channel.next) return channel.early.push_back(&packet);
  for (Packet* next = &packet; next != nullptr;) {
    come(*next);
    ++channel.next;
    const auto found = std::ranges::find(channel.early, channel.next, &Packet::number);
    next = found == channel.early.end() ? nullptr : *found;
    if (next != nullptr) channel.early.erase(found);
  }
}

void Model::come(Packet& packet) {
  ranks_[packet.to].arrived.push_back(&packet);
  if (packet.from != packet.to) simulation_.wake(packet.to);
}

// ---- Sending and receiving ----

void Model::send(uint32_t to, int tag, uint32_t context, const void* source, size_t size, Request& request) {
  const Simulation::Inside inside(simulation_);
  const bool is_eager = size <= costs_.eager_limit;
  request = {.source = static_cast<const std::byte*>(source), .peer = to};
  Packet& packet = make(is_eager ? Kind::eager : Kind::announcement, rank(), to);
  packet.envelope = {rank(), tag, context};
  packet.size = size;
  packet.sender = &request;
  packet.is_empty = os::Dataless::holds(source);
  if (is_eager) {
    if (!packet.is_empty) packet.payload.assign(request.source, request.source + size);
    copy(size);
    request.is_complete = true;
  }
  dispatch(packet);
}

void Model::receive(const Envelope& wanted, void* destination, size_t room, Request& request) {
  const Simulation::Inside inside(simulation_);
  request = {.envelope = wanted, .size = room, .destination = static_cast<std::byte*>(destination)};
  progress();
  std::deque<Packet*>& unexpected = ranks_[rank()].unexpected;
  const auto found =
      std::ranges::find_if(unexpected, [&](const Packet* packet) { return packet->envelope.fits(wanted); });
  look_at(static_cast<uint64_t>(found - unexpected.begin()) + (found != unexpected.end()));
  if (found == unexpected.end()) return ranks_[rank()].posted.push_back(&request);
  Packet& packet = **found;
  unexpected.erase(found);
  match(packet, request);
}

Request* Model::find_posted(const Envelope& envelope) {
  std::deque<Request*>& posted = ranks_[rank()].posted;
  const auto found = std::ranges::find_if(posted, [&](const Request* one) { return envelope.fits(one->envelope); });
  look_at(static_cast<uint64_t>(found - posted.begin()) + (found != posted.end()));
  if (found == posted.end()) return nullptr;
  Request* const request = *found;
  posted.erase(found);
  return request;
}

// Of an eager message the data is here; of another one it is asked for.
void Model::match(Packet& packet, Request& request) {
  if (packet.size > request.size) {
    std::fprintf(stderr,
                 "weft: rank %u: a message of %zu bytes from rank %u has tag %d, whose receive has room for %zu\n",
                 rank(), packet.size, packet.from, packet.envelope.tag, request.size);
    weft_exit(1);
  }
  if (packet.is_empty && packet.size != 0 && !os::Dataless::holds(request.destination)) {
    std::fprintf(
        stderr,
        "weft: rank %u: a message from rank %u with tag %d has no data, as large arrays under --sim-data none, and "
        "its receive wants some\n",
        rank(), packet.from, packet.envelope.tag);
    weft_exit(1);
  }
  request.envelope = packet.envelope;
  request.size = packet.size;
  if (packet.kind == Kind::eager) {
    copy(packet.size);
    if (!packet.is_empty) copy_bytes(request.destination, packet.payload.data(), packet.size);
    request.is_complete = true;
    return packets_->give_back(packet);
  }
  Packet& answer = make(Kind::answer, rank(), packet.from);
  answer.sender = packet.sender;
  answer.receiver = &request;
  answer.size = packet.size;
  packets_->give_back(packet);
  dispatch(answer);
}

void Model::take(Packet& packet) {
  simulation_.spend(time_to_take(packet));
  if (packet.kind == Kind::data) {
    packet.receiver->is_complete = true;
    return packets_->give_back(packet);
  }
  if (packet.kind == Kind::answer) {
    Packet& data = make(Kind::data, rank(), packet.from);
    data.sender = packet.sender;
    data.receiver = packet.receiver;
    data.size = packet.size;
    packets_->give_back(packet);
    return dispatch(data);
  }
  if (Request* const request = find_posted(packet.envelope)) return match(packet, *request);
  if (packet.kind == Kind::eager) copy(packet.size);  // out of the network's buffers
  ranks_[rank()].unexpected.push_back(&packet);
}

void Model::progress() {
  std::deque<Packet*>& arrived = ranks_[rank()].arrived;
  for (;;) {
    simulation_.catch_up();
    if (arrived.empty()) return;
    Packet& packet = *arrived.front();
    arrived.pop_front();
    take(packet);
  }
}

bool Model::test(const Request& request) {
  const Simulation::Inside inside(simulation_);
  progress();
  if (!request.is_complete) simulation_.spend(time_of_look);
  return request.is_complete;
}

void Model::wait(const Request& request, const char* call) {
  const Simulation::Inside inside(simulation_);
  for (progress(); !request.is_complete; progress()) simulation_.rest(call, sim::never, true);
}

}  // namespace weft::two_sided
