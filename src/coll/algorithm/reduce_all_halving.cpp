// Rabenseifner's reductions (2004): recursive halving leaves each member the result for a part of the vector; recursive
// doubling gathers the parts everywhere, or puts bring them to the root. Each byte moves about twice. Members beyond a
// power of two pair up before. Neighbours combine first and blocks stay in order, so the operation need not commute.
#include <bit>

#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

struct Geometry {
  explicit Geometry(uint32_t members)
      : core(std::bit_floor(members)), extra(members - core), rounds(static_cast<uint32_t>(std::bit_width(core) - 1)) {}
  uint32_t member(uint32_t index) const { return index < extra ? 2 * index : index + extra; }
  uint32_t core, extra, rounds;
};

// Lines: [0, rounds) halving; [rounds, 2 rounds) doubling, or parts for the root; then `before`, `after`, and `told`,
// by which member m says where its inbox and its result are.
struct Lines {
  explicit Lines(const Geometry& g, uint32_t members)
      : doubling(g.rounds),
        parts(2 * g.rounds),
        before(parts + members),
        after(before + 1),
        told(after + 1),
        count(told + members) {}
  uint32_t doubling, parts, before, after, told, count;
};

// The inbox takes what comes in round after round; nothing overlaps: half, a quarter, ... and the operand of a paired
// member.
size_t inbox_bytes(const Request& r) { return 2 * r.size + 64 * r.fold.element; }

class State {
 public:
  explicit State(Call& call_) : call(call_), r(call_.request()), g(call_.size()), lines(g, call_.size()) {}

  Scheduler& scheduler() { return call.scheduler(); }

  Call& call;
  const Request& r;
  Geometry g;
  Lines lines;
  Call::Window inbox, result;
  uint32_t index = 0;
  bool paired = false;
  uint64_t low = 0, high = 0;  // parts, of g.core, that this member has the result of

  Slice part(uint64_t from, uint64_t to) const {
    return {slice_of(r.size, r.fold.element, g.core, from).begin, slice_of(r.size, r.fold.element, g.core, to - 1).end};
  }
  uint32_t partner(uint32_t round) const { return g.member(index ^ 1u << round); }
};

// Partners are at a distance of 1 first: the lower of two takes the lower half of what both have.
Task halve(State& s) {
  const Request& r = s.r;
  Call& call = s.call;
  const std::byte* partial = r.source;
  if (s.paired) {
    co_await call.arrived(s.lines.before);
    r.fold(s.result.at, r.source, s.inbox.at, r.size);
    partial = s.result.at;
  }
  s.low = 0;
  s.high = s.g.core;
  uint64_t at = r.size;  // in everybody's inbox
  for (uint32_t round = 0; round < s.g.rounds; ++round) {
    const bool lower = (s.index >> round & 1) == 0;
    const uint64_t middle = (s.low + s.high) / 2;
    const Slice keep = lower ? s.part(s.low, middle) : s.part(middle, s.high);
    const Slice give = lower ? s.part(middle, s.high) : s.part(s.low, middle);
    const uint32_t partner = s.partner(round);
    const uint64_t* told = co_await call.arrived(s.lines.told + partner);
    co_await call.put(partner, told[0] + at, partial + give.begin, give.size(), round);
    co_await call.arrived(round);
    const std::byte* theirs = s.inbox.at + at;
    std::byte* out = s.result.at + keep.begin;
    if (lower)
      r.fold(out, partial + keep.begin, theirs, keep.size());
    else
      r.fold(out, theirs, partial + keep.begin, keep.size());
    partial = s.result.at;
    (lower ? s.high : s.low) = middle;
    // The larger of the two halves, so that all members agree.
    at += std::max(keep.size(), give.size()) + r.fold.element;
  }
}

// Tells the partners where to put; everything that follows needs it.
Task introduce(State& s) {
  Call& call = s.call;
  const uint32_t me = call.me();
  s.paired = me < 2 * s.g.extra;
  s.index = s.paired ? me / 2 : me - s.g.extra;
  s.inbox = call.temporary(inbox_bytes(s.r));
  for (uint32_t round = 0; round < s.g.rounds; ++round)
    co_await call.tell(s.partner(round), s.lines.told + me, s.inbox.offset, s.result.offset);
  if (s.paired) co_await call.tell(me + 1, s.lines.told + me, s.inbox.offset);
}

// The second of a pair gives its operand away. True if this member is one.
bool stays_out(const Call& call) { return call.me() < 2 * Geometry(call.size()).extra && call.me() % 2 == 1; }

Task give_operand(State& s) {
  Call& call = s.call;
  const uint64_t* told = co_await call.arrived(s.lines.told + call.me() - 1);
  co_await call.put(call.me() - 1, told[0], s.r.source, s.r.size, s.lines.before);
}

Task run_all(Call& call) {
  State s(call);
  const Request& r = s.r;
  const uint32_t me = call.me();
  s.result = call.window(r.destination, r.size);
  if (stays_out(call)) {
    co_await give_operand(s);
    co_await call.sent();
    co_await call.tell(me - 1, s.lines.told + me, s.result.offset);
    co_await call.arrived(s.lines.after);
  } else {
    co_await introduce(s);
    co_await halve(s);
    // Backwards: partners of the last halving have neighbouring parts.
    for (uint32_t round = s.g.rounds; round-- > 0;) {
      const uint32_t partner = s.partner(round);
      const Slice mine = s.part(s.low, s.high);
      const uint64_t* told = co_await call.arrived(s.lines.told + partner);
      co_await call.put(partner, told[1] + mine.begin, s.result.at + mine.begin, mine.size(), s.lines.doubling + round);
      co_await call.arrived(s.lines.doubling + round);
      const uint64_t width = s.high - s.low;
      if ((s.index >> round & 1) == 0)
        s.high += width;
      else
        s.low -= width;
    }
    if (s.paired) {
      const uint64_t* told = co_await call.arrived(s.lines.told + me + 1);
      co_await call.put(me + 1, told[0], s.result.at, r.size, s.lines.after);
    }
  }
  if (s.result.stand_in) std::memcpy(r.destination, s.result.at, r.size);
}

// Each member puts its part into the root's result.
Task run_reduce(Call& call) {
  State s(call);
  const Request& r = s.r;
  const uint32_t me = call.me();
  const bool is_root = me == r.root;
  // The root's own result may be filled by others while it still combines, so it combines elsewhere.
  Call::Window whole;
  if (is_root) {
    whole = call.temporary(r.size);
    for (uint32_t i = 0; i < s.g.core; ++i)
      if (s.g.member(i) != me) co_await call.tell(s.g.member(i), s.lines.after, whole.offset);
  }
  if (stays_out(call)) {
    co_await give_operand(s);
  } else {
    s.result = call.temporary(r.size);
    co_await introduce(s);
    co_await halve(s);
    const Slice mine = s.part(s.low, s.high);
    if (is_root) {
      std::memcpy(whole.at + mine.begin, s.result.at + mine.begin, mine.size());
    } else {
      const uint64_t* told = co_await call.arrived(s.lines.after);
      co_await call.put(r.root, told[0] + mine.begin, s.result.at + mine.begin, mine.size(), s.lines.parts + me);
    }
  }
  if (!is_root) co_return;
  for (uint32_t i = 0; i < s.g.core; ++i)
    if (s.g.member(i) != me) co_await call.arrived(s.lines.parts + s.g.member(i));
  std::memcpy(r.destination, whole.at, r.size);
}

Space space(const Shape& shape, const Plan&) { return {.lines = Lines(Geometry(shape.members), shape.members).count}; }

bool fits(const Shape& shape, const Plan&) {
  return shape.members > 1 && shape.size >= 64 * shape.element * shape.members;
}

double rounds_of(const Shape& shape) {
  const Geometry g(shape.members);
  return g.rounds + (g.extra != 0 ? 2 : 0);
}
size_t all_but_one(const Shape& shape) { return shape.size / shape.members * (shape.members - 1); }
double cost_all(const Model& model, const Shape& shape, const Plan&) {
  return (2 * rounds_of(shape) + 1) * (model.phase() + 2 * model.overhead_ns) + 2 * model.message(all_but_one(shape)) +
         model.combine(shape.size);
}
double cost_reduce(const Model& model, const Shape& shape, const Plan&) {
  return (rounds_of(shape) + 2) * (model.phase() + 2 * model.overhead_ns) + 2 * model.message(all_but_one(shape)) +
         model.copy(shape.size) + model.combine(shape.size);
}

}  // namespace

extern const Algorithm reduce_all_halving{
    .op = Op::reduce_all, .name = "halving", .run = run_all, .space = space, .fits = fits, .cost = cost_all};
extern const Algorithm reduce_halving{
    .op = Op::reduce, .name = "halving", .run = run_reduce, .space = space, .fits = fits, .cost = cost_reduce};

}  // namespace weft::coll::algorithm
