// Rabenseifner's reductions (2004): recursive halving leaves each member the result for a part of the vector; recursive
// doubling gathers the parts everywhere, or puts bring them to the root. Each byte moves about twice. Members beyond a
// power of two pair up before. Neighbours combine first and blocks stay in order, so the operation need not commute.
//
// Members tell each other where they want their data; between hosts, where a message costs more than a copy, what is
// not large goes through scratch space instead, whose place all know.
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
        addresses(after + 1),
        count(addresses + members) {}
  uint32_t doubling, parts, before, after, addresses, count;
};

// Where messages go. The inbox takes what comes in round after round; nothing overlaps: half, a quarter, ... and the
// operand of a paired member. Then the member's result; and the root's, which others fill while it still combines.
struct Room {
  Room(size_t size, size_t element)
      : inbox(2 * size + 64 * element), result(round_up(inbox)), whole(result + round_up(size)), all(whole + size) {}
  static size_t round_up(size_t bytes) { return (bytes + line_bytes - 1) / line_bytes * line_bytes; }
  size_t inbox;  // bytes of it
  size_t result, whole, all;
};

bool through_scratch(bool direct, size_t size) { return !direct && size <= size_t{64} << 10; }

class State {
 public:
  explicit State(Call& call_)
      : call(call_),
        r(call_.request()),
        g(call_.size()),
        lines(g, call_.size()),
        room(r.size, r.fold.element),
        in_scratch(call_.has_slots()) {}

  Scheduler& scheduler() { return call.scheduler(); }

  Call& call;
  const Request& r;
  Geometry g;
  Lines lines;
  Room room;
  bool in_scratch;
  Call::Window inbox, result;
  uint32_t index = 0;
  bool paired = false;
  uint64_t low = 0, high = 0;  // parts, of g.core, that this member has the result of

  Slice part(uint64_t from, uint64_t to) const {
    return {slice_of(r.size, r.fold.element, g.core, from).begin, slice_of(r.size, r.fold.element, g.core, to - 1).end};
  }
  uint32_t partner(uint32_t round) const { return g.member(index ^ 1u << round); }
  Call::Window scratch(size_t at, size_t size) const {
    return {.at = call.slot(0) + at, .offset = call.slot_offset(call.me(), 0) + at, .bounced = true, .size = size};
  }
};

// Where a member wants something: the address that it told, or the place in its scratch space.
class Destination {
 public:
  Destination(State& state, uint32_t member, size_t in_scratch, uint32_t line, uint32_t word = 0)
      : state_(state), arrival_(state.call.arrived(line)), word_(word) {
    if (state.in_scratch) offset_ = state.call.slot_offset(member, 0) + in_scratch;
  }
  bool await_ready() { return state_.in_scratch || arrival_.await_ready(); }
  void await_suspend(std::coroutine_handle<> awaiting) { arrival_.await_suspend(awaiting); }
  uint64_t await_resume() const { return state_.in_scratch ? offset_ : arrival_.await_resume()[word_]; }

 private:
  State& state_;
  Call::Arrival arrival_;
  uint32_t word_;
  uint64_t offset_ = 0;
};
// Of the inbox, of the result (of run_all), and of the root's whole result.
Destination inbox_of(State& s, uint32_t member) { return {s, member, 0, s.lines.addresses + member}; }
Destination result_of(State& s, uint32_t member) { return {s, member, s.room.result, s.lines.addresses + member, 1}; }
Destination whole_of(State& s, uint32_t root) { return {s, root, s.room.whole, s.lines.after}; }

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
    const uint64_t theirs = co_await inbox_of(s, partner);
    co_await call.put(partner, theirs + at, partial + give.begin, give.size(), round);
    co_await call.arrived(round);
    const std::byte* came = s.inbox.at + at;
    std::byte* out = s.result.at + keep.begin;
    if (lower)
      r.fold(out, partial + keep.begin, came, keep.size());
    else
      r.fold(out, came, partial + keep.begin, keep.size());
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
  s.inbox = s.in_scratch ? s.scratch(0, s.room.inbox) : call.temporary(s.room.inbox);
  if (s.in_scratch) co_return;
  for (uint32_t round = 0; round < s.g.rounds; ++round)
    co_await call.tell(s.partner(round), s.lines.addresses + me, s.inbox.offset, s.result.offset);
  if (s.paired) co_await call.tell(me + 1, s.lines.addresses + me, s.inbox.offset);
}

// The second of a pair gives its operand away. True if this member is one.
bool stays_out(const Call& call) { return call.me() < 2 * Geometry(call.size()).extra && call.me() % 2 == 1; }

Task give_operand(State& s) {
  Call& call = s.call;
  const uint64_t inbox = co_await inbox_of(s, call.me() - 1);
  co_await call.put(call.me() - 1, inbox, s.r.source, s.r.size, s.lines.before);
}

Task run_all(Call& call) {
  State s(call);
  const Request& r = s.r;
  const uint32_t me = call.me();
  s.result = s.in_scratch ? s.scratch(s.room.result, r.size) : call.window(r.destination, r.size);
  if (stays_out(call)) {
    co_await give_operand(s);
    co_await call.sent();
    if (!s.in_scratch) co_await call.tell(me - 1, s.lines.addresses + me, 0, s.result.offset);
    co_await call.arrived(s.lines.after);
  } else {
    co_await introduce(s);
    co_await halve(s);
    // Backwards: partners of the last halving have neighbouring parts.
    for (uint32_t round = s.g.rounds; round-- > 0;) {
      const uint32_t partner = s.partner(round);
      const Slice mine = s.part(s.low, s.high);
      const uint64_t theirs = co_await result_of(s, partner);
      co_await call.put(partner, theirs + mine.begin, s.result.at + mine.begin, mine.size(), s.lines.doubling + round);
      co_await call.arrived(s.lines.doubling + round);
      const uint64_t width = s.high - s.low;
      if ((s.index >> round & 1) == 0)
        s.high += width;
      else
        s.low -= width;
    }
    if (s.paired) {
      const uint64_t theirs = co_await result_of(s, me + 1);
      co_await call.put(me + 1, theirs, s.result.at, r.size, s.lines.after);
    }
  }
  if (s.result.bounced) os::copy_data(r.destination, s.result.at, r.size);
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
    whole = s.in_scratch ? s.scratch(s.room.whole, r.size) : call.temporary(r.size);
    for (uint32_t i = 0; i < s.g.core && !s.in_scratch; ++i)
      if (s.g.member(i) != me) co_await call.tell(s.g.member(i), s.lines.after, whole.offset);
  }
  if (stays_out(call)) {
    co_await give_operand(s);
  } else {
    s.result = s.in_scratch ? s.scratch(s.room.result, r.size) : call.temporary(r.size);
    co_await introduce(s);
    co_await halve(s);
    const Slice mine = s.part(s.low, s.high);
    if (is_root) {
      os::copy_data(whole.at + mine.begin, s.result.at + mine.begin, mine.size());
    } else {
      const uint64_t roots = co_await whole_of(s, r.root);
      co_await call.put(r.root, roots + mine.begin, s.result.at + mine.begin, mine.size(), s.lines.parts + me);
    }
  }
  if (!is_root) co_return;
  for (uint32_t i = 0; i < s.g.core; ++i)
    if (s.g.member(i) != me) co_await call.arrived(s.lines.parts + s.g.member(i));
  os::copy_data(r.destination, whole.at, r.size);
}

Space space(const Shape& shape, const Plan&) {
  const uint32_t lines = Lines(Geometry(shape.members), shape.members).count;
  if (!through_scratch(shape.direct, shape.size)) return {.lines = lines};
  return {.lines = lines, .slots = 1, .slot_bytes = std::max(line_bytes, Room(shape.size, shape.element).all)};
}

bool fits(const Shape& shape, const Plan&) {
  return shape.members > 1 && shape.size >= 64 * shape.element * shape.members;
}

double rounds_of(const Shape& shape) {
  const Geometry g(shape.members);
  return g.rounds + (g.extra != 0 ? 1 : 0);
}
size_t all_but_one(const Shape& shape) { return shape.size / shape.members * (shape.members - 1); }
// A phase more where members tell places, and a copy where they need not.
double cost_of(const Model& model, const Shape& shape, double phases) {
  const bool scratch = through_scratch(shape.direct, shape.size);
  return (phases + (scratch ? 0 : 1)) * (model.phase() + 2 * model.overhead_ns) +
         2 * model.message(all_but_one(shape)) + (scratch ? model.copy(shape.size) : 0) + model.combine(shape.size);
}
double cost_all(const Model& model, const Shape& shape, const Plan&) {
  return cost_of(model, shape, 2 * rounds_of(shape));
}
double cost_reduce(const Model& model, const Shape& shape, const Plan&) {
  return cost_of(model, shape, rounds_of(shape) + 1) + model.copy(shape.size);
}

}  // namespace

extern const Algorithm reduce_all_halving{
    .op = Op::reduce_all, .name = "halving", .run = run_all, .space = space, .fits = fits, .cost = cost_all};
extern const Algorithm reduce_halving{
    .op = Op::reduce, .name = "halving", .run = run_reduce, .space = space, .fits = fits, .cost = cost_reduce};

}  // namespace weft::coll::algorithm
