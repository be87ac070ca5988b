// Gather with a size for each member: small blocks go up a k-nomial tree in bundles, or straight to the root (flat).
// For large ones the root says where it wants them, and each member puts its own there.
#include "coll/algorithm/bundles.hpp"

namespace weft::coll::algorithm {

extern const Algorithm gather_flat, gather_tree;

namespace {

// Lines: a child's bundle, as many as there may be; where the root wants this member's large block; on the root, by
// member: it is there.
uint32_t place_line(const BundleTree& tree) { return tree.fan(); }
uint32_t there_line(const BundleTree& tree, uint32_t member) { return tree.fan() + 1 + member; }

BundleReader bundle_of(Call& call, const BundleTree& tree, uint32_t child, uint32_t line) {
  return {call, tree.room_from(tree.position(), child), line, tree.span(child)};
}

// The bundles of the children have come: this member's, for its parent.
Bundle bundle_up(Call& call, const BundleTree& tree) {
  const Request& r = call.request();
  const uint32_t me = tree.position();
  const size_t own = r.sizes->own;
  size_t data = tree.in_bundle(own);
  uint32_t line = 0;
  for (auto child = tree.children(false); child.valid(); child.next())
    data += tree.data_size(bundle_of(call, tree, child.position(), line++).sizes, tree.span(child.position()));
  Bundle up(call, tree.member_at(tree.parent()), tree.room_from(tree.parent(), me), tree.sibling(), tree.span(me),
            data);
  up.add(tree, own, r.source);
  line = 0;
  for (auto child = tree.children(false); child.valid(); child.next()) {
    const BundleReader bundle = bundle_of(call, tree, child.position(), line++);
    up.add(tree, bundle.sizes, tree.span(child.position()), bundle.data);
  }
  return up;
}

// The root: from a child's bundle to the destination.
void unbundle(Call& call, const BundleTree& tree, uint32_t child, uint32_t line) {
  const Request& r = call.request();
  const VectorSizes& v = *r.sizes;
  const uint32_t span = tree.span(child);
  BundleReader bundle = bundle_of(call, tree, child, line);
  for (uint32_t i = 0; i < span; ++i) {
    const uint32_t member = tree.member_at(child + i);
    const size_t size = bundle.sizes[i];
    if (size != v.to_size[member]) call.refuse_sizes(member, size, call.me(), v.to_size[member]);
    if (size == 0 || tree.is_large(size)) continue;
    os::copy_data(r.destination + v.to_offset[member], bundle.data, size);
    bundle.data += size;
  }
}

void own_block(const Request& r, uint32_t me) {
  if (r.sizes->own == 0) return;
  std::byte* const place = r.destination + r.sizes->to_offset[me];
  if (r.source != place) os::copy_data(place, r.source, r.sizes->own);
}

// Where the root wants large blocks: in its destination, or in a bounce buffer without gaps.
class LargePlaces {
 public:
  LargePlaces(Call& call, size_t bytes) : r_(call.request()) {
    if (bytes != 0) window_ = call.window(r_.destination, bytes);
    waits_ = window_.bounced || !call.unsynchronized();
  }
  /// To be called for one member after another.
  uint64_t place(uint32_t member) {
    if (!window_.bounced) return window_.offset + r_.sizes->to_offset[member];
    return window_.offset + std::exchange(announced_, announced_ + r_.sizes->to_size[member]);
  }
  uint64_t what(uint32_t member) const { return r_.sizes->to_size[member] | (waits_ ? 0 : nobody_waits); }
  bool waits() const { return waits_; }
  /// It has come; in the same order.
  void settle(uint32_t member) {
    if (!window_.bounced) return;
    const size_t size = r_.sizes->to_size[member];
    os::copy_data(r_.destination + r_.sizes->to_offset[member], window_.at + settled_, size);
    settled_ += size;
  }

 private:
  const Request& r_;
  Call::Window window_;
  size_t announced_ = 0, settled_ = 0;
  bool waits_ = false;
};

// A member has been told where its large block goes. True: it has been moved, and nobody asks.
bool moved(Call& call, const uint64_t* words) {
  const Request& r = call.request();
  const size_t expected = words[1] & ~nobody_waits;
  if (expected != r.sizes->own) call.refuse_sizes(call.me(), r.sizes->own, r.root, expected);
  if ((words[1] & nobody_waits) == 0) return false;
  os::copy_data(call.members().direct(r.root) + words[0], r.source, r.sizes->own);
  return true;
}

Task run(Call& call) {
  const Request& r = call.request();
  const BundleTree tree(call);
  uint32_t line = 0;
  if (tree.position() != 0) {
    for (auto child = tree.children(false); child.valid(); child.next()) co_await call.arrived(line++);
    co_await bundle_up(call, tree).dispatch(call);
    if (!tree.is_large(r.sizes->own)) co_return;
    const uint64_t* words = co_await call.arrived(place_line(tree));
    if (moved(call, words)) co_return;
    co_await call.put(r.root, words[0], r.source, r.sizes->own, there_line(tree, call.me()));
    co_return;
  }
  const auto large = tree.large(r.sizes->to_size);
  LargePlaces places(call, large.bytes());
  for (const uint32_t member : large) {
    const uint64_t place = places.place(member);
    co_await call.tell(member, place_line(tree), place, places.what(member));
  }
  own_block(r, call.me());
  for (auto child = tree.children(false); child.valid(); child.next()) {
    co_await call.arrived(line);
    unbundle(call, tree, child.position(), line++);
  }
  if (!places.waits()) co_return;
  for (const uint32_t member : large) {
    co_await call.arrived(there_line(tree, member));
    places.settle(member);
  }
}

void at_once(Call& call) {
  const Request& r = call.request();
  const BundleTree tree(call);
  uint32_t line = 0;
  if (tree.position() != 0) {
    for (auto child = tree.children(false); child.valid(); child.next()) call.wait(line++);
    bundle_up(call, tree).post(call);
    if (!tree.is_large(r.sizes->own)) return;
    const uint64_t* words = call.wait(place_line(tree));
    if (!moved(call, words)) call.post_at(r.root, words[0], r.source, r.sizes->own, there_line(tree, call.me()));
    return;
  }
  const auto large = tree.large(r.sizes->to_size);
  LargePlaces places(call, large.bytes());
  for (const uint32_t member : large)
    call.post_tell(member, place_line(tree), places.place(member), places.what(member));
  own_block(r, call.me());
  for (auto child = tree.children(false); child.valid(); child.next()) {
    call.wait(line);
    unbundle(call, tree, child.position(), line++);
  }
  if (!places.waits()) return;
  for (const uint32_t member : large) {
    call.wait(there_line(tree, member));
    places.settle(member);
  }
}

// All bundles of children are here, and no large block has to be waited for.
bool ready(Call& call) {
  const VectorSizes& v = *call.request().sizes;
  const BundleTree tree(call);
  bool all = tree.position() == 0 ? tree.large(v.to_size).empty() : !tree.is_large(v.own);
  uint32_t line = 0;
  for (auto child = tree.children(false); child.valid() && all; child.next()) all = call.here(line++);
  return all;
}

Space space(const Shape& shape, const Plan& plan) {
  return BundleTree::space(shape, BundleTree::fan(shape, plan) + 1 + shape.members);
}

bool fits_flat(const Shape&, const Plan&) { return true; }
double cost_flat(const Model& model, const Shape& shape, const Plan& plan) {
  return gather_flat.cost(model, BundleTree::typical(shape), plan);
}

bool fits_tree(const Shape& shape, const Plan& plan) { return shape.members > 2 && plan.radix < shape.members; }
double cost_tree(const Model& model, const Shape& shape, const Plan& plan) {
  return gather_tree.cost(model, BundleTree::typical(shape), plan);
}

constexpr uint32_t radices[] = {2, 3, 4, 8, 16, 32};

}  // namespace

extern const Algorithm gather_v_flat{.op = Op::gather_v,
                                     .name = "flat",
                                     .run = run,
                                     .space = space,
                                     .fits = fits_flat,
                                     .cost = cost_flat,
                                     .at_once = at_once,
                                     .ready = ready};
extern const Algorithm gather_v_tree{.op = Op::gather_v,
                                     .name = "tree",
                                     .run = run,
                                     .space = space,
                                     .fits = fits_tree,
                                     .cost = cost_tree,
                                     .radices = radices,
                                     .at_once = at_once,
                                     .ready = ready};

}  // namespace weft::coll::algorithm
