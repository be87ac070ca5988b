// Reductions in shared memory: each member takes one slice of the vectors, reads it from all members and writes it to
// all that want it, so that every line of every operand is read once, by one processor. Operands are combined in order.
// In place is safe, because what a member writes over it has read before and nobody else reads.
#include <vector>

#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

constexpr uint64_t must_wait = uint64_t{1} << 63;

// So much is combined at a time that it stays in the first-level cache with its operands.
constexpr size_t block_bytes = 4096;

// Where an operand is, and where a result is wanted: a line for each member says it, and its answer that the member is
// done, if anybody has to wait for that.
struct Places {
  const std::byte* source;
  std::byte* destination;
};

class Table {
 public:
  explicit Table(Call& call)
      : pool_(call.scheduler().frames()), places_(static_cast<Places*>(pool_.allocate(call.size() * sizeof(Places)))) {}
  ~Table() { FramePool::release(places_); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  Places& operator[](uint32_t member) { return places_[member]; }
  bool waited_for = false;  // some member's memory must not be used again before all are done

 private:
  FramePool& pool_;
  Places* places_;
};

Task tell_places(Call& call, Table& table, size_t source_bytes, bool wants, Call::Window& result) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  Call::Window operand = call.window(r.source, source_bytes);
  if (operand.bounced) os::copy_data(operand.at, r.source, source_bytes);
  if (wants) result = r.destination == r.source ? operand : call.window(r.destination, r.size);
  table[me] = {operand.at, result.at};
  const bool waits = operand.bounced || result.bounced || !call.unsynchronized();
  const uint64_t told_operand = operand.offset | (waits ? must_wait : 0);
  table.waited_for = waits;
  for (uint32_t i = 1; i < n; ++i) co_await call.tell((me + i) % n, me, told_operand, result.offset);
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t member = (me + i) % n;
    const uint64_t* words = co_await call.arrived(member);
    std::byte* base = call.members().direct(member);
    table[member] = {base + (words[0] & ~must_wait), base + words[1]};
    table.waited_for = table.waited_for || (words[0] & must_wait) != 0;
  }
}

Task all_done(Call& call, const Table& table) {
  const uint32_t n = table.waited_for ? call.size() : 0;
  const uint32_t me = call.me();
  for (uint32_t i = 1; i < n; ++i) co_await call.answer((me + i) % n, 0, nullptr, 0, me);
  for (uint32_t i = 1; i < n; ++i) co_await call.answered((me + i) % n);
}

template <class Visit>
void for_each_block(Slice slice, size_t element, Visit visit) {
  const size_t step = std::max(element, block_bytes / element * element);
  for (uint64_t at = slice.begin; at < slice.end; at += step) visit(at, std::min<uint64_t>(step, slice.end - at));
}

// Room for `count` blocks: on the stack unless elements are larger than a block.
template <size_t count>
class Blocks {
 public:
  explicit Blocks(size_t element) {
    if (element <= block_bytes) return;
    large_.resize(count * element);
    size_ = element;
  }
  std::byte* operator[](size_t index) { return (large_.empty() ? small_ : large_.data()) + index * size_; }

 private:
  alignas(64) std::byte small_[count * block_bytes];
  std::vector<std::byte> large_;
  size_t size_ = block_bytes;
};

// out = operand of member 0 op ... op operand of the last.
void combine_all(const Fold& fold, Table& table, uint32_t n, uint64_t at, size_t size, std::byte* out) {
  fold(out, table[0].source + at, table[1].source + at, size);
  for (uint32_t member = 2; member < n; ++member) fold(out, out, table[member].source + at, size);
}

// Combined aside: a destination may be the operand of a member that comes later.
void reduce_slice(Call& call, Table& table, uint32_t first, uint32_t end) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  Blocks<1> blocks(r.fold.element);
  for_each_block(slice_of(r.size, r.fold.element, n, call.me()), r.fold.element, [&](uint64_t at, size_t size) {
    combine_all(r.fold, table, n, at, size, blocks[0]);
    for (uint32_t member = first; member < end; ++member)
      os::copy_data(table[member].destination + at, blocks[0], size);
  });
}

void prefix_slice(Call& call, Table& table) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  Blocks<2> blocks(r.fold.element);
  for_each_block(slice_of(r.size, r.fold.element, n, call.me()), r.fold.element, [&](uint64_t at, size_t size) {
    std::byte* sum = blocks[0];
    std::byte* next = blocks[1];
    os::copy_data(sum, table[0].source + at, size);
    if (!r.exclusive) os::copy_data(table[0].destination + at, sum, size);
    for (uint32_t member = 1; member < n; ++member) {
      r.fold(next, sum, table[member].source + at, size);
      os::copy_data(table[member].destination + at, r.exclusive ? sum : next, size);
      std::swap(sum, next);
    }
  });
}

Task run_all(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  Table table(call);
  Call::Window result;
  co_await tell_places(call, table, r.size, true, result);
  reduce_slice(call, table, 0, n);
  co_await all_done(call, table);
  if (result.bounced) os::copy_data(r.destination, result.at, r.size);
}

Task run_reduce(Call& call) {
  const Request& r = call.request();
  Table table(call);
  Call::Window result;
  co_await tell_places(call, table, r.size, call.me() == r.root, result);
  reduce_slice(call, table, r.root, r.root + 1);
  co_await all_done(call, table);
  if (call.me() == r.root && result.bounced) os::copy_data(r.destination, result.at, r.size);
}

Task run_scatter(Call& call) {
  const Request& r = call.request();
  const uint32_t n = call.size();
  const uint32_t me = call.me();
  Table table(call);
  Call::Window result;
  co_await tell_places(call, table, n * r.size, false, result);
  for_each_block({0, r.size}, r.fold.element, [&](uint64_t at, size_t size) {
    combine_all(r.fold, table, n, me * r.size + at, size, r.destination + at);
  });
  co_await all_done(call, table);
}

Task run_prefix(Call& call) {
  const Request& r = call.request();
  Table table(call);
  Call::Window result;
  co_await tell_places(call, table, r.size, true, result);
  prefix_slice(call, table);
  co_await all_done(call, table);
  if (result.bounced && !(r.exclusive && call.me() == 0)) os::copy_data(r.destination, result.at, r.size);
}

Space space(const Shape& shape, const Plan&) { return {.lines = shape.members}; }
bool fits(const Shape& shape, const Plan&) { return shape.direct && shape.members > 1; }

// All members meet twice; in between each reads its slice from all others, and may write it to all.
double cost_of_meeting(const Model& model, const Shape& shape, bool all_written) {
  const uint32_t others = shape.members - 1;
  return 2 * model.phase() + 2 * others * model.overhead_ns + (all_written ? 4 : 3) * model.crossing(others);
}

double cost_all(const Model& model, const Shape& shape, const Plan&) {
  const double slice = static_cast<double>(shape.size) / shape.members;
  return cost_of_meeting(model, shape, true) + model.combine(static_cast<size_t>(slice * (shape.members - 1))) +
         model.message(shape.size / 2);
}
double cost_one(const Model& model, const Shape& shape, const Plan&) {
  const double slice = static_cast<double>(shape.size) / shape.members;
  return cost_of_meeting(model, shape, false) + model.combine(static_cast<size_t>(slice * (shape.members - 1))) +
         model.message(static_cast<size_t>(slice));
}
double cost_scatter(const Model& model, const Shape& shape, const Plan&) {
  return cost_of_meeting(model, shape, false) + (shape.members - 1) * model.combine(shape.size);
}

}  // namespace

extern const Algorithm reduce_shared{
    .op = Op::reduce, .name = "shared", .run = run_reduce, .space = space, .fits = fits, .cost = cost_one};
extern const Algorithm reduce_all_shared{
    .op = Op::reduce_all, .name = "shared", .run = run_all, .space = space, .fits = fits, .cost = cost_all};
extern const Algorithm reduce_scatter_shared{
    .op = Op::reduce_scatter, .name = "shared", .run = run_scatter, .space = space, .fits = fits, .cost = cost_scatter};
extern const Algorithm prefix_shared{
    .op = Op::prefix, .name = "shared", .run = run_prefix, .space = space, .fits = fits, .cost = cost_all};

}  // namespace weft::coll::algorithm
