#include "conduit/sim/collectives.hpp"

#include <algorithm>

#include "conduit/sim/fabric.hpp"
#include "os/dataless.hpp"

namespace weft::conduit::sim {

using weft::sim::Message;
using weft::sim::Time;

// One collective: as an event, the moment at which its result is everywhere.
struct Collectives::Round final : weft::sim::Event {
  explicit Round(Collectives& all) : owner(all) {}
  void happen(Time /*now*/) override { owner.finish(*this); }

  struct Waiting {
    RankId rank;
    void* destination;
    Completion* completion;
  };
  Collectives& owner;
  NativeRequest request;
  NativeRequest first;  // of the rank that came first
  RankId first_rank = 0;
  std::vector<Waiting> waiting;
  std::vector<std::byte> data;  // a broadcast's, or what has been combined so far
  RankId came = 0;
  Time last = 0;  // when the last of those came on whom the result depends
  bool is_over = false;
};

Collectives::Collectives(Fabric& fabric)
    : fabric_(fabric), simulation_(fabric.simulation()), next_(simulation_.ranks(), 0) {}

Collectives::~Collectives() = default;

namespace {

// The way of a result: from one to all, or from all together and back to all.
uint32_t ways(NativeOp op) { return op == NativeOp::reduce_all ? 2 : 1; }

}  // namespace

// The tree combines in the order in which operands come.
bool Collectives::offers(NativeOp op, bool commutative) const {
  const weft::sim::Network& network = simulation_.network();
  if (op == NativeOp::barrier) return network.barrier_time().has_value();
  return (op == NativeOp::broadcast || (op == NativeOp::reduce_all && commutative)) &&
         network.tree_time(0, ways(op)).has_value();
}

double Collectives::expected_ns(NativeOp op, size_t size) const {
  const weft::sim::Network& network = simulation_.network();
  const auto time = op == NativeOp::barrier ? network.barrier_time() : network.tree_time(size, ways(op));
  const Message message = Message::of(0, 0, 0);
  return static_cast<double>(time.value_or(0) + network.send_overhead(message) + network.receive_overhead(message));
}

namespace {

std::string text_of(const NativeRequest& request) {
  if (request.op == NativeOp::barrier) return "a barrier";
  const std::string bytes = " of " + std::to_string(request.size) + " bytes";
  if (request.op == NativeOp::broadcast) return "a broadcast" + bytes + " from rank " + std::to_string(request.root);
  return "a reduction" + bytes;
}

}  // namespace

std::string Collectives::mismatch(RankId rank, const NativeRequest& request) {
  Round& round = next_of(rank);
  if (round.came == 0) {
    round.first = request;
    round.first_rank = rank;
  }
  const NativeRequest& first = round.first;
  const bool roots_agree = request.op != NativeOp::broadcast || first.root == request.root;
  if (first.op == request.op && first.size == request.size && roots_agree) return {};
  return "rank " + std::to_string(round.first_rank) + " is in " + text_of(first) + ", rank " + std::to_string(rank) +
         " in " + text_of(request) +
         "; all ranks must call the same collectives in the same order (WEFT_CHECK=1 shows where)";
}

Collectives::Round& Collectives::next_of(RankId rank) {
  const uint64_t number = next_[rank];
  while (first_ + rounds_.size() <= number) rounds_.push_back(std::make_unique<Round>(*this));
  return *rounds_[number - first_];
}

Result Collectives::begin(RankId rank, const NativeRequest& request, Completion* completion) {
  const Message own = Message::of(rank, rank, 0);
  simulation_.spend(simulation_.network().send_overhead(own));
  Round& round = next_of(rank);
  ++next_[rank];
  const auto* source = static_cast<const std::byte*>(request.source);
  const bool is_root = request.op == NativeOp::broadcast && rank == request.root;
  const bool gives = is_root || request.op == NativeOp::reduce_all;
  const bool copies = request.size != 0 && !os::Dataless::holds(source);
  if (gives && copies && round.data.empty()) {
    round.data.assign(source, source + request.size);
  } else if (gives && copies) {
    const NativeFold& fold = request.fold;
    fold.combine(fold.context, round.data.data(), round.data.data(), source, request.size);
  }
  if (request.op != NativeOp::broadcast || is_root) {
    round.last = std::max(round.last, simulation_.time());
    round.request = request;
  }
  ++round.came;
  const RankId needed = request.op == NativeOp::broadcast ? 1 : simulation_.ranks();
  if (is_root || (round.came == needed && request.op != NativeOp::broadcast)) send(round);
  if (is_root || round.is_over) {
    if (!is_root && !round.data.empty()) os::copy_data(request.destination, round.data.data(), request.size);
    forget_finished();
    return Result::done;
  }
  Fabric::expect(*completion);
  round.waiting.push_back({rank, request.destination, completion});
  return Result::posted;
}

// One after the other, since the tree is one.
void Collectives::send(Round& round) {
  const weft::sim::Network& network = simulation_.network();
  const NativeRequest& request = round.request;
  if (request.op == NativeOp::barrier) return simulation_.calendar().at(round.last + *network.barrier_time(), round);
  const Time start = std::max(round.last, tree_free_);
  const Time end = start + *network.tree_time(request.size, ways(request.op));
  tree_free_ = end - *network.tree_time(0, ways(request.op));
  simulation_.calendar().at(end, round);
}

void Collectives::finish(Round& round) {
  for (const Round::Waiting& waiting : round.waiting) {
    if (!round.data.empty())
      os::copy_data(simulation_.memory_of(waiting.rank, waiting.destination), round.data.data(), round.data.size());
    fabric_.notify(waiting.rank, *waiting.completion, false);
    fabric_.notify(waiting.rank, *waiting.completion, true);
  }
  round.waiting.clear();
  round.is_over = true;
  forget_finished();
}

// The root of a broadcast may be far ahead of the others, who still want its data.
void Collectives::forget_finished() {
  while (!rounds_.empty() && rounds_.front()->is_over && rounds_.front()->came == simulation_.ranks()) {
    rounds_.pop_front();
    ++first_;
  }
}

}  // namespace weft::conduit::sim
