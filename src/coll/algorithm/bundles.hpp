// gather_v and scatter_v, in which only the root knows the sizes of all blocks. Up and down a k-nomial tree goes one
// message per member, a bundle: the sizes of the blocks of a subtree, by position, and the data of those of them that
// are small. Each member tells from its own size, and the root from all, which blocks are large: they go straight
// between the root and their member.
//
// The algorithm must be chosen without knowing any size, so scratch space has a fixed room for each member.
#pragma once

#include <cstring>

#include "coll/algorithm/tree.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {

/// This member's part in a tree of bundles.
class BundleTree {
 public:
  explicit BundleTree(Call& call)
      : n_(call.size()),
        root_(call.request().root),
        position_(position_of(call.me(), root_, n_)),
        radix_(radix_of(n_, call.plan())),
        room_(room_of_all(n_) / n_ / sizeof(uint64_t) * sizeof(uint64_t)),
        tree_(n_, radix_) {}

  uint32_t position() const { return position_; }
  uint32_t member_at(uint32_t position) const { return algorithm::member_at(position, root_, n_); }
  uint32_t parent() const { return tree_.parent(position_); }
  uint32_t span(uint32_t position) const { return tree_.span(position); }
  uint32_t sibling() const { return tree_.sibling(position_); }
  KNomial::Children children(bool far_first) const { return tree_.children(position_, far_first); }

  /// A bundle's room in scratch space begins so far behind that of its parent.
  size_t room_from(uint32_t parent, uint32_t position) const { return (position - parent) * room_; }
  bool is_large(size_t size) const { return size > room_ - sizeof(uint64_t); }
  size_t in_bundle(size_t size) const { return is_large(size) ? 0 : size; }
  /// Bytes of a bundle with these sizes.
  size_t bundle_size(const uint64_t* sizes, uint32_t count) const {
    size_t bytes = count * sizeof(uint64_t);
    for (uint32_t i = 0; i < count; ++i) bytes += in_bundle(sizes[i]);
    return bytes;
  }

  /// The root: the members with large blocks, for (uint32_t member : tree.large(sizes)).
  class LargeMembers {
   public:
    class Iterator {
     public:
      Iterator(const LargeMembers& of, uint32_t member) : of_(of), member_(member) { settle(); }
      uint32_t operator*() const { return member_; }
      Iterator& operator++() {
        ++member_;
        settle();
        return *this;
      }
      bool operator!=(const Iterator& other) const { return member_ != other.member_; }

     private:
      void settle() {
        const BundleTree& tree = of_.tree_;
        while (member_ < tree.n_ && (member_ == tree.root_ || !tree.is_large(of_.sizes_[member_]))) ++member_;
      }
      const LargeMembers& of_;
      uint32_t member_;
    };
    LargeMembers(const BundleTree& tree, const size_t* sizes) : tree_(tree), sizes_(sizes) {}
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, tree_.n_}; }
    bool empty() const { return !(begin() != end()); }
    size_t bytes() const {
      size_t sum = 0;
      for (const uint32_t member : *this) sum += sizes_[member];
      return sum;
    }

   private:
    const BundleTree& tree_;
    const size_t* sizes_;
  };
  LargeMembers large(const size_t* sizes) const { return {*this, sizes}; }

  /// Children of the root.
  uint32_t fan() const { return fan_of(n_, radix_); }
  static uint32_t fan(const Shape& shape, const Plan& plan) {
    return fan_of(shape.members, radix_of(shape.members, plan));
  }
  /// Slot 0 is for all bundles. It grows with the members, as the stages of a composition expect.
  static Space space(const Shape& shape, uint32_t lines) { return {lines, 1, room_of_all(shape.members)}; }
  /// The plan of the algorithms with blocks of one size, whose costs are these ones'.
  static Plan with_radix(const Shape& shape, const Plan& plan) { return {.radix = radix_of(shape.members, plan)}; }
  static Shape typical(const Shape& shape) {
    constexpr size_t block = 64;
    Shape typical = shape;
    typical.size = block;
    return typical;
  }

 private:
  static uint32_t radix_of(uint32_t members, const Plan& plan) {
    return plan.radix != 0 ? plan.radix : std::max(2u, members);
  }
  static uint32_t fan_of(uint32_t members, uint32_t radix) { return std::max(1u, KNomial::fan(members, radix)); }
  static size_t room_of_all(uint32_t members) {
    constexpr size_t most = 4096, least = 64, together = size_t{16} << 10;
    return std::max(std::min(members * most, together), members * least);
  }

  uint32_t n_, root_, position_, radix_;
  size_t room_;
  KNomial tree_;
};

/// A bundle on its way to a member, `room_at` bytes behind the start of the bundles there.
struct Bundle {
  Bundle(Call& call, uint32_t to_, size_t room_at, size_t size_)
      : to(to_), offset(call.slot_offset(to, 0) + room_at), size(size_), draft(call.draft(to, offset, size)) {}
  uint32_t to;
  uint64_t offset;
  size_t size;
  std::byte* draft;
};

/// A bundle that has come: its sizes, and where to read next.
struct BundleReader {
  explicit BundleReader(const std::byte* bundle, uint32_t count)
      : sizes(reinterpret_cast<const uint64_t*>(bundle)), data(bundle + count * sizeof(uint64_t)) {}
  const uint64_t* sizes;
  const std::byte* data;
};

/// A bundle to be filled, block by block or with other bundles.
class BundleWriter {
 public:
  BundleWriter(std::byte* bundle, uint32_t count)
      : size_(reinterpret_cast<uint64_t*>(bundle)), data_(bundle + count * sizeof(uint64_t)) {}
  void add(const BundleTree& tree, uint64_t size, const std::byte* block) {
    *size_++ = size;
    append(block, tree.in_bundle(size));
  }
  /// Several, with their data one after another.
  void add(const BundleTree& tree, const uint64_t* sizes, uint32_t count, const std::byte* data) {
    size_ = std::copy(sizes, sizes + count, size_);
    append(data, tree.bundle_size(sizes, count) - count * sizeof(uint64_t));
  }

 private:
  void append(const std::byte* data, size_t size) {
    if (size != 0) std::memcpy(data_, data, size);
    data_ += size;
  }

  uint64_t* size_;
  std::byte* data_;
};

/// Large blocks: whether the other side waits until they have been moved travels with their size.
inline constexpr uint64_t nobody_waits = uint64_t{1} << 63;

}  // namespace weft::coll::algorithm
