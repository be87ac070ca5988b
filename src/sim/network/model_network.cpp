#include "sim/network/model_network.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include "sim/mixed.hpp"
#include "sim/network/platform_file.hpp"

namespace weft::sim {
namespace {

uint32_t per_node(const Platform& platform, const NetworkOptions& options) {
  const auto cores = static_cast<uint32_t>(platform.cores.value());
  if (options.ranks_per_node > cores)
    throw PlatformError(called(platform) + " has " + std::to_string(cores) + (cores == 1 ? " core" : " cores") +
                        " per node, too few for " + std::to_string(options.ranks_per_node) + " ranks");
  return options.ranks_per_node == 0 ? cores : options.ranks_per_node;
}

// How many times slower an interface is that keeps the messages of so many ranks in order: it grows evenly from
// strict_ranks on to strict_factor for all cores.
double strict_slowdown(const Platform& platform, uint32_t ranks) {
  const double from = platform.strict_ranks.value(), all = platform.cores.value();
  if (from == 0 || ranks <= from || all <= from) return 1;
  return 1 + (platform.strict_factor.value() - 1) * (ranks - from) / (all - from);
}

std::vector<LinkKind> kinds_of(const Topology& topology, const Platform& platform) {
  std::vector<LinkKind> kinds;
  for (const LinkGroup& group : topology.groups())
    kinds.emplace_back(group.bytes_per_second, platform.contention.value(), to_picoseconds(group.latency_ns),
                       static_cast<uint64_t>(platform.burst.value()));
  return kinds;
}

std::vector<Link> make_links(const Topology& topology, const std::vector<LinkKind>& kinds) {
  std::vector<Link> links;
  links.reserve(topology.link_numbers());
  for (size_t group = 0; group < kinds.size(); ++group)
    links.insert(links.end(), topology.groups()[group].count(), Link(kinds[group]));
  return links;
}

// Enough to keep the slowest part of the longest route busy, twice.
uint64_t window_of(const Platform& platform, const Topology& topology) {
  if (platform.window.value() > 0) return static_cast<uint64_t>(platform.window.value());
  double latency = 0, rate = std::min(platform.injection_rate.value(), platform.ejection_rate.value());
  for (const LinkGroup& group : topology.groups()) latency = std::max(latency, group.latency_ns);
  latency = latency * topology.diameter() + platform.interface_latency.value();
  return static_cast<uint64_t>(std::max(4 * platform.chunk.value(), 2 * latency * 1e-9 * rate));
}

Overhead overhead_of(const Number& each, const Number& rate) {
  return {to_picoseconds(each.value()), Pace(rate.value())};
}

// The node's memory moves the bytes. Without a number of the node's own it is as elsewhere.
Overhead inside_or(const Number& each, const Overhead& elsewhere) {
  return each.value() > 0 ? Overhead{to_picoseconds(each.value()), Pace()} : elsewhere;
}

}  // namespace

// A message, in one cache line. It is an event when it leaves its processor, and when it has been injected, if anybody
// waits for that.
struct alignas(64) ModelNetwork::Transfer final : Event {
  explicit Transfer(ModelNetwork& owner) : network(owner) {}
  void happen(Time now) override { has_left ? network.injected(*this, now) : network.leave(*this, now); }

  ModelNetwork& network;
  Delivery* delivery = nullptr;
  uint64_t bytes = 0;
  uint64_t to_inject = 0;  // of these
  uint64_t to_arrive = 0;
  uint32_t from_node = 0;  // hosts, not places
  uint32_t to_node = 0;
  uint32_t to_place = 0;
  uint16_t spread = 0;  // chooses among routes
  bool is_short : 1 = false;
  bool is_fetched : 1 = false;
  bool tells_injected : 1 = false;
  bool has_left : 1 = false;
  bool has_slot : 1 = false;
  bool is_parked : 1 = false;  // its window is full
};

// What travels as one: a short message, or a part of a long one. It is an event when its head reaches a router, and
// when its tail is there. What a router asks for lies in one cache line: it has left those of the processor by then.
struct alignas(64) ModelNetwork::Chunk final : Event {
  explicit Chunk(ModelNetwork& owner) : network(owner) {}
  void happen(Time now) override { has_arrived ? network.arrive(*this, now) : network.advance(*this); }

  ModelNetwork& network;
  Transfer* transfer = nullptr;
  uint64_t bytes = 0;
  Picoseconds head = 0, tail = 0;  // when they reach the vertex
  uint32_t vertex = 0;
  uint32_t from_node = 0, to_place = 0;  // of the transfer, and the next two as well
  uint16_t spread = 0;
  bool is_short = false;
  bool has_arrived = false;
};

// What nodes with so many ranks have in common.
struct ModelNetwork::NodeKind {
  NodeKind(const Platform& platform, double slowdown)
      : injection(platform.injection_rate.value() / slowdown, 1, to_picoseconds(platform.interface_latency.value())),
        ejection(platform.ejection_rate.value(), 1, 0),
        memory(platform.memory_rate.value(), 1, to_picoseconds(platform.memory_latency.value())),
        gap(to_picoseconds(platform.message_gap.value() * slowdown)),
        put_pace(platform.injection_rate.value() * platform.put_share.value() / slowdown),
        relaxed_pace(platform.injection_rate.value() * platform.relaxed_factor.value()),
        relaxed_put_pace(platform.injection_rate.value() * platform.put_share.value() *
                         platform.relaxed_factor.value()) {}

  LinkKind injection, ejection, memory;
  Picoseconds gap;
  Pace put_pace;
  Pace relaxed_pace, relaxed_put_pace;  // of the sizes that relaxed ordering helps
};

// A node's network interface and memory. It is an event when the interface can inject the next chunk.
struct ModelNetwork::NodeInterface final : Event {
  NodeInterface(ModelNetwork& owner, const NodeKind& kind_, uint32_t home_)
      : network(owner),
        kind(kind_),
        injection(kind_.injection),
        ejection(kind_.ejection),
        memory(kind_.memory),
        home(home_) {}
  void happen(Time) override {
    is_awake = false;
    if (!ready.empty()) network.inject_chunk(*this, injection.free(false));
  }

  ModelNetwork& network;
  const NodeKind& kind;
  Link injection, ejection, memory;
  std::deque<Transfer*> ready;    // have a slot, and room in their window
  std::deque<Transfer*> waiting;  // for a slot
  uint32_t slots_taken = 0;
  bool is_awake = false;  // the event is in the calendar
  const uint32_t home;    // vertex
  Time registering_until = 0;
};

ModelNetwork::ModelNetwork(Calendar& calendar, const Platform& platform, const NetworkOptions& options)
    : calendar_(calendar),
      platform_(platform),
      options_(options),
      ranks_per_node_(per_node(platform, options)),
      map_(options.map.empty() ? platform.mapping : options.map),
      topology_(make_topology(platform, nodes_for(options.ranks, ranks_per_node_), options.ranks, ranks_per_node_)),
      placement_(place_ranks(*topology_, options.ranks, ranks_per_node_, map_)),
      link_kinds_(kinds_of(*topology_, platform)),
      links_(make_links(*topology_, link_kinds_)),
      transfers_(std::make_unique<Pool<Transfer>>()),
      chunks_(std::make_unique<Pool<Chunk>>()),
      chunk_bytes_(static_cast<uint64_t>(platform.chunk.value())),
      slots_from_(static_cast<uint64_t>(platform.slots_from.value())),
      slots_(static_cast<uint32_t>(platform.slots.value())),
      window_(window_of(platform, *topology_)),
      send_(overhead_of(platform.send_overhead, platform.send_rate)),
      receive_(overhead_of(platform.receive_overhead, platform.receive_rate)),
      send_inside_(inside_or(platform.node_send, send_)),
      receive_inside_(inside_or(platform.node_receive, receive_)) {
  std::vector<uint32_t> ranks_on(placement_.place_of_host.size(), 0);
  for (const uint32_t host : placement_.host_of) ++ranks_on[host];
  for (size_t host = 0; host < ranks_on.size(); ++host) {
    const double slowdown = options.ordering == Ordering::strict ? strict_slowdown(platform, ranks_on[host]) : 1;
    const NodeKind& kind =
        *node_kinds_.try_emplace(ranks_on[host], std::make_unique<NodeKind>(platform, slowdown)).first->second;
    nodes_.push_back(std::make_unique<NodeInterface>(*this, kind, topology_->home(placement_.place_of_host[host])));
  }
}

ModelNetwork::~ModelNetwork() = default;

std::string ModelNetwork::describe() const {
  const uint32_t most = placement_.most_on_a_node;
  const bool alike = std::ranges::count(placement_.ranks_on, most) == std::ssize(nodes_);
  std::string text = platform_.name + ": " + std::to_string(nodes_.size()) + (nodes_.size() == 1 ? " node" : " nodes") +
                     (alike ? " with " : " with up to ") + std::to_string(most) + (most == 1 ? " rank" : " ranks") +
                     " on a " + topology_->describe() + ", map " + map_ + ", contention " +
                     quantity_text(Unit::factor, platform_.contention.value());
  if (options_.ordering != Ordering::usual)
    text += options_.ordering == Ordering::strict ? ", strict ordering" : ", relaxed ordering";
  return text;
}

double ModelNetwork::contention() const { return platform_.contention.value(); }

bool ModelNetwork::stays_inside(const Message& message) const {
  return message.from != message.to && placement_.host_of[message.from] == placement_.host_of[message.to];
}

Time ModelNetwork::send_overhead(const Message& message) const {
  return (stays_inside(message) ? send_inside_ : send_).of(message.bytes);
}

Time ModelNetwork::receive_overhead(const Message& message) const {
  return (stays_inside(message) ? receive_inside_ : receive_).of(message.bytes);
}

void ModelNetwork::send(Time when, const Message& message, Delivery& delivery) {
  Transfer& transfer = transfers_->take(*this);
  transfer.delivery = &delivery;
  transfer.spread = static_cast<uint16_t>(mixed(options_.seed + mixed(totals_.messages + golden) + golden));
  transfer.bytes = transfer.to_inject = transfer.to_arrive = message.bytes;
  transfer.from_node = placement_.host_of[message.from];
  transfer.to_node = placement_.host_of[message.to];
  transfer.to_place = placement_.place_of[message.to];
  transfer.is_short = message.is_short;
  transfer.is_fetched = message.is_fetched;
  transfer.tells_injected = message.tells_injected;
  transfer.has_left = transfer.has_slot = transfer.is_parked = false;
  ++totals_.messages;
  totals_.short_messages += message.is_short;
  totals_.local_messages += transfer.from_node == transfer.to_node;
  totals_.bytes += message.bytes;
  calendar_.at(when, transfer);
}

// ---- Leaving the node ----

void ModelNetwork::leave(Transfer& transfer, Time now) {
  transfer.has_left = true;
  NodeInterface& node = *nodes_[transfer.from_node];
  if (transfer.from_node == transfer.to_node) return leave_local(transfer, node, now);
  if (transfer.is_short) return leave_short(transfer, node, now);
  if (transfer.bytes > slots_from_) {
    if (node.slots_taken == slots_) return node.waiting.push_back(&transfer);
    transfer.has_slot = true;
    ++node.slots_taken;
  }
  start(node, transfer, now);
}

void ModelNetwork::leave_local(Transfer& transfer, NodeInterface& node, Time now) {
  const uint64_t bytes = transfer.bytes;
  const Link::Taken taken = node.memory.take(now * 1000, bytes, transfer.is_short, transfer.from_node);
  tell_injected(transfer, taken.end);
  Chunk& chunk = launch(transfer, bytes, taken, node.kind.memory.latency);
  chunk.has_arrived = true;
  calendar_.at(to_time(chunk.tail), chunk);
}

void ModelNetwork::leave_short(Transfer& transfer, NodeInterface& node, Time now) {
  const uint64_t bytes = transfer.bytes;
  const Link::Taken taken = node.injection.take(now * 1000, bytes, true, transfer.from_node, node.kind.gap,
                                                injection_pace(transfer.bytes, transfer.is_fetched, node.kind));
  tell_injected(transfer, taken.end);
  Chunk& chunk = launch(transfer, bytes, taken, node.kind.injection.latency);
  calendar_.at(to_time(chunk.head), chunk);
}

// All at once.
void ModelNetwork::tell_injected(Transfer& transfer, Picoseconds when) {
  transfer.to_inject = 0;
  if (transfer.tells_injected) calendar_.at(to_time(when), transfer);
}

void ModelNetwork::start(NodeInterface& node, Transfer& transfer, Time now) {
  node.ready.push_back(&transfer);
  wake(node, now);
}

void ModelNetwork::wake(NodeInterface& node, Time now) {
  if (!node.is_awake) inject_chunk(node, std::max<Picoseconds>(now * 1000, node.injection.free(false)));
}

// The next chunk of the message whose turn it is.
void ModelNetwork::inject_chunk(NodeInterface& node, Picoseconds at) {
  Transfer& transfer = *node.ready.front();
  node.ready.pop_front();
  const uint64_t bytes = std::min(transfer.to_inject, chunk_bytes_);
  transfer.to_inject -= bytes;
  // The gap is between messages: one alone does not wait for it.
  const Link::Taken taken =
      node.injection.take(at, bytes, false, transfer.from_node, transfer.to_inject == 0 ? node.kind.gap : 0,
                          injection_pace(transfer.bytes, transfer.is_fetched, node.kind));
  Chunk& chunk = launch(transfer, bytes, taken, node.kind.injection.latency);
  if (transfer.to_inject != 0 && has_room(transfer))
    node.ready.push_back(&transfer);
  else if (transfer.to_inject != 0)
    transfer.is_parked = true;
  else if (transfer.tells_injected || transfer.has_slot)
    calendar_.at(to_time(taken.end), transfer);
  calendar_.at(to_time(chunk.head), chunk);
  node.is_awake = true;
  calendar_.at(to_time(node.injection.free(false)), node);
}

Pace ModelNetwork::injection_pace(uint64_t bytes, bool is_fetched, const NodeKind& kind) const {
  const auto size = static_cast<double>(bytes);
  if (options_.ordering == Ordering::relaxed && size >= platform_.relaxed_from.value() &&
      size <= platform_.relaxed_to.value())
    return is_fetched ? kind.relaxed_pace : kind.relaxed_put_pace;
  return is_fetched ? kind.injection.pace : kind.put_pace;
}

bool ModelNetwork::has_room(const Transfer& transfer) const {
  const uint64_t under_way = transfer.to_arrive - transfer.to_inject;
  return under_way == 0 || under_way + std::min(transfer.to_inject, chunk_bytes_) <= window_;
}

void ModelNetwork::injected(Transfer& transfer, Time now) {
  if (transfer.has_slot) {
    NodeInterface& node = *nodes_[transfer.from_node];
    if (node.waiting.empty()) {
      --node.slots_taken;
    } else {
      Transfer& next = *node.waiting.front();
      node.waiting.pop_front();
      next.has_slot = true;
      start(node, next, now);
    }
  }
  if (transfer.tells_injected) transfer.delivery->injected(now);
}

// ---- On the way ----

ModelNetwork::Chunk& ModelNetwork::launch(Transfer& transfer, uint64_t bytes, const Link::Taken& taken,
                                          Picoseconds latency) {
  Chunk& chunk = chunks_->take(*this);
  chunk.transfer = &transfer;
  chunk.bytes = bytes;
  chunk.head = taken.start + latency;
  chunk.tail = taken.end + latency;
  chunk.vertex = nodes_[transfer.from_node]->home;
  chunk.from_node = transfer.from_node;
  chunk.to_place = transfer.to_place;
  chunk.spread = transfer.spread;
  chunk.is_short = transfer.is_short;
  chunk.has_arrived = false;
  return chunk;
}

void ModelNetwork::advance(Chunk& chunk) {
  if (chunk.vertex == topology_->home(chunk.to_place)) {
    const Transfer& transfer = *chunk.transfer;
    __builtin_prefetch(transfer.delivery);  // for its arrival
    Link& ejection = nodes_[transfer.to_node]->ejection;
    const Link::Taken taken = ejection.take(chunk.head, chunk.bytes, chunk.is_short, chunk.from_node);
    chunk.tail = std::max(chunk.tail, taken.end);
    chunk.has_arrived = true;
    return calendar_.at(to_time(chunk.tail), chunk);
  }
  const Hop hop = next_hop(chunk);
  Link& link = links_[hop.link];
  const Link::Taken taken = link.take(chunk.head, chunk.bytes, chunk.is_short, chunk.from_node);
  chunk.head = taken.start + link.kind().latency;
  chunk.tail = std::max(chunk.tail, taken.end) + link.kind().latency;
  chunk.vertex = hop.vertex;
  ++totals_.hops;
  calendar_.at(to_time(chunk.head), chunk);
}

Hop ModelNetwork::next_hop(const Chunk& chunk) const {
  if (!platform_.topology.least_busy) return topology_->fixed_hop(chunk.vertex, chunk.to_place, chunk.spread);
  Topology::Choices choices;
  const unsigned count = topology_->shortest_hops(chunk.vertex, chunk.to_place, choices);
  if (count == 1) return choices[0];
  unsigned best = chunk.spread % count;
  for (unsigned step = 1, i = best + 1; step < count; ++step, ++i) {
    const unsigned other = i < count ? i : i - count;
    // Ways that are free now are alike, however long they have been.
    if (std::max(links_[choices[other].link].free(chunk.is_short), chunk.head) <
        std::max(links_[choices[best].link].free(chunk.is_short), chunk.head))
      best = other;
  }
  return choices[best];
}

void ModelNetwork::arrive(Chunk& chunk, Time now) {
  Transfer& transfer = *chunk.transfer;
  transfer.to_arrive -= chunk.bytes;
  chunks_->give_back(chunk);
  if (transfer.to_arrive == 0) {
    Delivery& delivery = *transfer.delivery;
    transfers_->give_back(transfer);
    return delivery.arrived(now);
  }
  if (transfer.is_parked && has_room(transfer)) {
    transfer.is_parked = false;
    start(*nodes_[transfer.from_node], transfer, now);
  }
}

// ---- Networks for collectives ----

// Ranks of a node meet in its memory first.
std::optional<Time> ModelNetwork::barrier_time() const {
  if (platform_.barrier_latency.value() == 0) return std::nullopt;
  const double inside = placement_.most_on_a_node > 1 ? 2 * platform_.memory_latency.value() : 0;
  return to_time(to_picoseconds(platform_.barrier_latency.value() + inside));
}

// Bytes come through the tree and are handed on in the node's memory at the same time; the slower of the two counts.
std::optional<Time> ModelNetwork::tree_time(uint64_t bytes, uint32_t ways) const {
  if (platform_.tree_rate.value() == 0) return std::nullopt;
  const double others = placement_.most_on_a_node - 1.0;
  double latency = platform_.tree_latency.value(), rate = platform_.tree_rate.value();
  if (others > 0)
    latency += platform_.memory_latency.value(), rate = std::min(rate, platform_.memory_rate.value() / others);
  return to_time(to_picoseconds(latency * ways) + Pace(rate).of(bytes));
}

// ---- Beside messages ----

TwoSidedCosts ModelNetwork::two_sided_costs() const {
  const auto or_else = [](const Number& number, const Number& other) {
    return to_time(to_picoseconds((number.value() > 0 ? number : other).value()));
  };
  const double copy_rate =
      (platform_.two_sided_copy.value() > 0 ? platform_.two_sided_copy : platform_.memory_rate).value();
  const double others = placement_.most_on_a_node - 1.0;
  return {.eager_limit = static_cast<uint64_t>(platform_.two_sided_eager.value()),
          .send_overhead = or_else(platform_.two_sided_send, platform_.send_overhead),
          .receive_overhead = or_else(platform_.two_sided_receive, platform_.receive_overhead),
          .node_send_overhead = to_time(to_picoseconds(platform_.node_send.value())),
          .node_receive_overhead = to_time(to_picoseconds(platform_.node_receive.value())),
          .match_ns = platform_.two_sided_match.value() * (1 + platform_.two_sided_crowd.value() * others),
          .copy_ns_per_byte = 1e9 / copy_rate};
}

// All ranks of a node copy at the same time.
std::optional<double> ModelNetwork::computation_ns(uint32_t rank, double operations, double bytes) const {
  if (platform_.flop_rate.value() == 0) return std::nullopt;
  const double copies = bytes * placement_.ranks_on[placement_.host_of[rank]] / platform_.memory_rate.value();
  return (operations / platform_.flop_rate.value() + copies) * 1e9;
}

Time ModelNetwork::idle_time(const Message& message) const {
  const uint32_t from = placement_.host_of[message.from], to = placement_.host_of[message.to];
  const NodeKind &source = nodes_[from]->kind, &target = nodes_[to]->kind;
  if (from == to) return to_time(source.memory.latency + source.memory.pace.of(message.bytes));
  Picoseconds latency = source.injection.latency;
  Picoseconds slowest =
      std::max(message.is_fetched ? source.injection.pace : source.put_pace, target.ejection.pace).of(message.bytes);
  const uint32_t place = placement_.place_of[message.to];
  for (uint32_t vertex = nodes_[from]->home; vertex != nodes_[to]->home;) {
    const Hop hop = topology_->fixed_hop(vertex, place, 0);
    const LinkKind& kind = links_[hop.link].kind();
    latency += kind.latency;
    slowest = std::max(slowest, kind.pace.of(message.bytes - std::min(message.bytes, kind.burst_bytes)));
    vertex = hop.vertex;
  }
  return to_time(latency + slowest);
}

double ModelNetwork::injection_ns(const Message& message, double count) const {
  const NodeKind& kind = nodes_[placement_.host_of[message.from]]->kind;
  const auto gap = static_cast<double>(kind.gap);
  const auto bytes = static_cast<double>(injection_pace(message.bytes, message.is_fetched, kind).of(message.bytes));
  return (count * (gap + bytes) - gap) / 1000;
}

Time ModelNetwork::register_memory(Time when, uint32_t rank) {
  NodeInterface& node = *nodes_[placement_.host_of[rank]];
  const bool crowded = node.registering_until > when && platform_.registration_crowded.value() > 0;
  const double ns = (crowded ? platform_.registration_crowded : platform_.registration).value();
  node.registering_until = std::max(node.registering_until, when) + to_time(to_picoseconds(ns));
  return node.registering_until;
}

Statistics ModelNetwork::statistics(Time from, Time until) const {
  Statistics all = totals_;
  all.network = describe();
  all.elapsed = until - from;
  const auto use_of = [until](const Link& link) {
    return LinkUse{link.bytes(), static_cast<double>(link.busy(until * 1000)) / 1000};
  };
  for (const LinkGroup& group : topology_->groups()) {
    all.links.push_back({group.name, group.shape, {}});
    for (uint32_t link = group.first; link < group.first + group.count(); ++link)
      all.links.back().links.push_back(topology_->has_link(link) ? std::optional(use_of(links_[link])) : std::nullopt);
  }
  const std::vector<uint32_t> shape = {static_cast<uint32_t>(nodes_.size())};
  all.interfaces = {{"injection", shape, {}}, {"ejection", shape, {}}, {"memory", shape, {}}};
  for (const auto& node : nodes_) {
    all.interfaces[0].links.emplace_back(use_of(node->injection));
    all.interfaces[1].links.emplace_back(use_of(node->ejection));
    all.interfaces[2].links.emplace_back(use_of(node->memory));
  }
  return all;
}

std::unique_ptr<ModelNetwork> make_model_network(Calendar& calendar, const std::string& platform,
                                                 const NetworkOptions& options) {
  return std::make_unique<ModelNetwork>(calendar, find_platform(platform), options);
}

}  // namespace weft::sim
