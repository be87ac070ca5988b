// Scatter with a size for each member: small blocks go down a k-nomial tree in bundles, or straight to their members
// (flat). Large ones members fetch at the same time where all memory is mapped; elsewhere members say where they want
// them, and the root puts them there.
#include <optional>

#include "coll/algorithm/bundles.hpp"

namespace weft::coll::algorithm {

extern const Algorithm scatter_tree;

namespace {

// Lines: the bundle; the large block is there, or, if it is fetched, where it is; on the root, by member: where it
// goes, or that it has been fetched.
constexpr uint32_t bundle_line = 0, block_line = 1;
constexpr uint32_t member_line(uint32_t member) { return 2 + member; }

// The root: the bundle of a subtree.
Bundle make_bundle(Call& call, const BundleTree& tree, uint32_t position) {
  const Request& r = call.request();
  const VectorSizes& v = *r.sizes;
  const uint32_t span = tree.span(position);
  size_t data = 0;
  for (uint32_t i = 0; i < span; ++i) data += tree.in_bundle(v.from_size[tree.member_at(position + i)]);
  Bundle bundle(call, tree.member_at(position), 0, bundle_line, span, data);
  for (uint32_t i = 0; i < span; ++i) {
    const uint32_t member = tree.member_at(position + i);
    const size_t block = v.from_size[member];
    bundle.add(tree, block, block == 0 ? nullptr : r.source + v.from_offset[member]);
  }
  return bundle;
}

// A member in between: that part of its own bundle.
Bundle pass_bundle(Call& call, const BundleTree& tree, uint32_t position) {
  const BundleReader whole(call, 0, bundle_line, tree.span(tree.position()));
  const uint32_t before = position - tree.position();
  const uint32_t span = tree.span(position);
  const uint64_t* const sizes = whole.sizes + before;
  Bundle bundle(call, tree.member_at(position), 0, bundle_line, span, tree.data_size(sizes, span));
  bundle.add(tree, sizes, span, whole.data + tree.data_size(whole.sizes, before));
  return bundle;
}

Bundle bundle_down(Call& call, const BundleTree& tree, uint32_t position) {
  return tree.position() == 0 ? make_bundle(call, tree, position) : pass_bundle(call, tree, position);
}

// A member whose bundle has come. True: its block is there.
bool unbundle(Call& call, const BundleTree& tree) {
  const Request& r = call.request();
  const BundleReader bundle(call, 0, bundle_line, tree.span(tree.position()));
  const size_t size = bundle.sizes[0];
  if (size != r.sizes->own) call.refuse_sizes(r.root, size, call.me(), r.sizes->own);
  if (tree.is_large(size)) return false;
  if (size != 0) os::copy_data(r.destination, bundle.data, size);
  return true;
}

// Where the large block is. True: nobody asks whether it has been fetched.
bool fetch(Call& call, const uint64_t* words) {
  const Request& r = call.request();
  os::copy_data(r.destination, call.members().direct(r.root) + words[0], r.sizes->own);
  return words[1] == nobody_waits;
}

void own_block(const Request& r, uint32_t me) {
  if (r.sizes->own == 0 || r.destination == nullptr) return;
  const std::byte* const own = r.source + r.sizes->from_offset[me];
  if (r.destination != own) os::copy_data(r.destination, own, r.sizes->own);
}

// Where large blocks can be fetched: in the root's source, or in a bounce buffer without gaps.
class LargePlaces {
 public:
  LargePlaces(Call& call, const BundleTree::LargeMembers& large) : r_(call.request()) {
    const size_t bytes = large.bytes();
    if (bytes == 0) return;
    window_ = call.window(r_.source, bytes);
    asks_ = window_.bounced || !call.unsynchronized();
    if (!window_.bounced) return;
    std::byte* at = window_.at;
    for (const uint32_t member : large) {
      const size_t size = r_.sizes->from_size[member];
      os::copy_data(at, r_.source + r_.sizes->from_offset[member], size);
      at += size;
    }
  }
  /// To be called for one member after another.
  uint64_t place(uint32_t member) {
    if (!window_.bounced) return window_.offset + r_.sizes->from_offset[member];
    return window_.offset + std::exchange(told_, told_ + r_.sizes->from_size[member]);
  }
  uint64_t how() const { return asks_ ? 0 : nobody_waits; }
  /// Members say when they have fetched theirs.
  bool asks() const { return asks_; }

 private:
  const Request& r_;
  Call::Window window_;
  size_t told_ = 0;
  bool asks_ = false;
};

Task run_root(Call& call, const BundleTree& tree) {
  const Request& r = call.request();
  const auto large = tree.large(r.sizes->from_size);
  const bool fetched = call.members().all_direct();
  std::optional<LargePlaces> places;
  if (fetched) {
    places.emplace(call, large);
    for (const uint32_t member : large) {
      const uint64_t place = places->place(member);
      co_await call.tell(member, block_line, place, places->how());
    }
  }
  for (auto child = tree.children(true); child.valid(); child.next()) {
    co_await bundle_down(call, tree, child.position()).dispatch(call);
  }
  own_block(r, call.me());
  if (fetched && !places->asks()) co_return;
  for (const uint32_t member : large) {
    const uint64_t* words = co_await call.arrived(member_line(member));
    if (fetched) continue;
    const size_t size = r.sizes->from_size[member];
    if (words[1] != size) call.refuse_sizes(call.me(), size, member, words[1]);
    co_await call.put(member, words[0], r.source + r.sizes->from_offset[member], size, block_line);
  }
}

Task run_member(Call& call, const BundleTree& tree) {
  const Request& r = call.request();
  const bool fetches = call.members().all_direct();
  Call::Window window;
  if (tree.is_large(r.sizes->own) && !fetches) {
    window = call.window(r.destination, r.sizes->own);
    co_await call.tell(r.root, member_line(call.me()), window.offset, r.sizes->own);
  }
  co_await call.arrived(bundle_line);
  for (auto child = tree.children(true); child.valid(); child.next()) {
    co_await bundle_down(call, tree, child.position()).dispatch(call);
  }
  if (unbundle(call, tree)) co_return;
  const uint64_t* words = co_await call.arrived(block_line);
  if (window.bounced) os::copy_data(r.destination, window.at, r.sizes->own);
  if (!fetches || fetch(call, words)) co_return;
  co_await call.signal(r.root, member_line(call.me()));
}

Task run(Call& call) {
  const BundleTree tree(call);
  if (tree.position() == 0)
    co_await run_root(call, tree);
  else
    co_await run_member(call, tree);
}

void at_once(Call& call) {
  const Request& r = call.request();
  const BundleTree tree(call);
  const bool is_root = tree.position() == 0;
  const auto large = tree.large(r.sizes->from_size);
  std::optional<LargePlaces> places;
  if (is_root) {
    places.emplace(call, large);
    for (const uint32_t member : large) call.post_tell(member, block_line, places->place(member), places->how());
  } else {
    call.wait(bundle_line);
  }
  for (auto child = tree.children(true); child.valid(); child.next())
    bundle_down(call, tree, child.position()).post(call);
  if (!is_root) {
    if (!unbundle(call, tree) && !fetch(call, call.wait(block_line))) call.post_drafted(r.root, member_line(call.me()));
    return;
  }
  own_block(r, call.me());
  if (!places->asks()) return;
  for (const uint32_t member : large) call.wait(member_line(member));
}

// The bundle is here, and no large block has to be waited for.
bool ready(Call& call) {
  const VectorSizes& v = *call.request().sizes;
  const BundleTree tree(call);
  if (tree.position() != 0) return !tree.is_large(v.own) && call.here(bundle_line);
  return tree.large(v.from_size).empty();
}

Space space(const Shape& shape, const Plan&) { return BundleTree::space(shape, 2 + shape.members); }

bool fits_flat(const Shape&, const Plan&) { return true; }
bool fits_tree(const Shape& shape, const Plan& plan) { return shape.members > 2 && plan.radix < shape.members; }
double cost(const Model& model, const Shape& shape, const Plan& plan) {
  return scatter_tree.cost(model, BundleTree::typical(shape), BundleTree::with_radix(shape, plan));
}

constexpr uint32_t radices[] = {2, 3, 4, 8, 16, 32};

}  // namespace

extern const Algorithm scatter_v_flat{.op = Op::scatter_v,
                                      .name = "flat",
                                      .run = run,
                                      .space = space,
                                      .fits = fits_flat,
                                      .cost = cost,
                                      .at_once = at_once,
                                      .ready = ready};
extern const Algorithm scatter_v_tree{.op = Op::scatter_v,
                                      .name = "tree",
                                      .run = run,
                                      .space = space,
                                      .fits = fits_tree,
                                      .cost = cost,
                                      .radices = radices,
                                      .at_once = at_once,
                                      .ready = ready};

}  // namespace weft::coll::algorithm
