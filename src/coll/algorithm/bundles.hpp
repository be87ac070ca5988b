// gather_v and scatter_v, in which only the root knows the sizes of all blocks. Up and down a k-nomial tree goes one
// message per member, a bundle: the sizes of the blocks of a subtree, by position, and the data of those of them that
// are small. Each member tells from its own size, and the root from all, which blocks are large: they go straight
// between the root and their member.
//
// The algorithm must be chosen without knowing any size, so scratch space has a fixed room for each member.
#pragma once

#include <bit>

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
        room_(room_of(n_)),
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
  /// Bytes of data in a bundle with these sizes.
  size_t data_size(const uint64_t* sizes, uint32_t count) const {
    size_t bytes = 0;
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
  /// Slot 0 is for all bundles. It grows with the members, as the stages of a composition expect. The places of calls
  /// that follow each other are not a power of two apart, which would put all into the same sets of the caches.
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
  static constexpr size_t most = 8192, least = 64, together = size_t{32} << 10;
  static size_t room_of(uint32_t members) { return std::clamp(together >> std::bit_width(members - 1), least, most); }
  static size_t room_of_all(uint32_t members) { return std::max(std::min(members * most, together), members * least); }

  uint32_t n_, root_, position_, radix_;
  size_t room_;
  KNomial tree_;
};

/// Where memory is mapped, a bundle for one member has its size in the line that announces it, and up to so much data
/// beside it.
inline bool has_size_in_line(Call& call, uint32_t count) { return count == 1 && call.members().all_direct(); }
inline constexpr size_t most_in_line = line_payload - sizeof(uint64_t);

/// A bundle on its way to a member, `room_at` bytes behind the start of the bundles there, to be filled block by block
/// or with other bundles.
class Bundle {
 public:
  Bundle(Call& call, uint32_t to, size_t room_at, uint32_t line, uint32_t count, size_t data_size)
      : to_(to), line_(line), offset_(call.slot_offset(to, 0) + room_at), size_(count * sizeof(uint64_t) + data_size) {
    const bool in_line = has_size_in_line(call, count);
    draft_ = in_line ? call.payload_of(to, line) : call.draft(to, offset_, size_);
    next_size_ = reinterpret_cast<uint64_t*>(draft_);
    next_data_ =
        in_line && data_size > most_in_line ? call.draft(to, offset_, data_size) : draft_ + count * sizeof(uint64_t);
  }
  void add(const BundleTree& tree, uint64_t size, const std::byte* block) {
    *next_size_++ = size;
    append(block, tree.in_bundle(size));
  }
  /// Several blocks, with their data one after another.
  void add(const BundleTree& tree, const uint64_t* sizes, uint32_t count, const std::byte* data) {
    next_size_ = std::copy(sizes, sizes + count, next_size_);
    append(data, tree.data_size(sizes, count));
  }
  Call::Put dispatch(Call& call) const { return call.dispatch(to_, offset_, draft_, size_, line_); }
  void post(Call& call) const { call.post_drafted(to_, line_); }

 private:
  void append(const std::byte* data, size_t size) {
    if (size != 0) os::copy_data(next_data_, data, size);
    next_data_ += size;
  }

  uint32_t to_, line_;
  uint64_t offset_;
  size_t size_;
  std::byte* draft_;
  uint64_t* next_size_;
  std::byte* next_data_;
};

/// A bundle that has come: its sizes, and where to read next.
struct BundleReader {
  BundleReader(Call& call, size_t room_at, uint32_t line, uint32_t count) {
    const std::byte* const room = call.slot(0) + room_at;
    const bool in_line = has_size_in_line(call, count);
    const std::byte* const start = in_line ? call.payload(line) : room;
    sizes = reinterpret_cast<const uint64_t*>(start);
    data = in_line && sizes[0] > most_in_line ? room : start + count * sizeof(uint64_t);
  }
  const uint64_t* sizes;
  const std::byte* data;
};

/// Large blocks: whether the other side waits until they have been moved travels with their size.
inline constexpr uint64_t nobody_waits = uint64_t{1} << 63;

}  // namespace weft::coll::algorithm
