// Trees over the members of a team, as seen from a root: position 0 is the root, position p member (root + p) mod n.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::coll::algorithm {

/// The k-nomial tree: a position's parent is the position with its lowest non-zero digit, in base k, cleared. The
/// subtree of a position is a run of positions that starts with it. With k = n it is flat.
class KNomial {
 public:
  KNomial(uint32_t members, uint32_t radix) : members_(members), radix_(radix) {}

  uint32_t parent(uint32_t position) const {
    if (position < radix_) return 0;
    return static_cast<uint32_t>(position - position % (weight(position) * radix_));
  }
  /// Positions in the subtree, at most.
  uint32_t span(uint32_t position) const {
    const uint64_t end = position == 0 ? members_ : uint64_t{position} + weight(position);
    return static_cast<uint32_t>((end < members_ ? end : members_) - position);
  }

  /// Visits the children: for (Children c = tree.children(p); c.valid(); c.next()) c.position()
  class Children {
   public:
    Children(const KNomial& tree, uint32_t position, bool far_first)
        : members_(tree.members_), radix_(tree.radix_), parent_(position), far_first_(far_first) {
      limit_ = position == 0 ? members_ : tree.weight(position);
      for (weight_ = 1; far_first && weight_ * radix_ < limit_;) weight_ *= radix_;
      digit_ = far_first ? radix_ - 1 : 1;
      settle();
    }
    bool valid() const { return valid_; }
    uint32_t position() const { return static_cast<uint32_t>(parent_ + digit_ * weight_); }
    void next() {
      step();
      settle();
    }

   private:
    void step() {
      if (far_first_) {
        if (--digit_ != 0) return;
        digit_ = radix_ - 1;
        weight_ /= radix_;
      } else {
        if (++digit_ != radix_) return;
        digit_ = 1;
        weight_ *= radix_;
      }
    }
    // Skips positions that do not exist.
    void settle() {
      while (weight_ != 0 && weight_ < limit_ && parent_ + digit_ * weight_ >= members_) step();
      valid_ = weight_ != 0 && weight_ < limit_;
    }

    uint64_t members_, radix_, parent_, limit_ = 0, weight_ = 1, digit_ = 1;
    bool far_first_, valid_ = false;
  };
  /// far_first: largest subtrees first, for spreading; else nearest first, which is the order of members, for
  /// collecting.
  Children children(uint32_t position, bool far_first) const { return Children(*this, position, far_first); }

  /// Which child of its parent a position is, nearest first.
  uint32_t sibling(uint32_t position) const {
    if (position < radix_) return position - 1;
    const uint32_t parent_position = parent(position);
    uint32_t index = 0;
    for (auto child = children(parent_position, false); child.position() != position; child.next()) ++index;
    return index;
  }

  /// Visits the levels, the root's first: visit(messages, blocks) is told how many messages go down the level, and to
  /// how many members one of them leads at most.
  template <class Visit>
  static void for_each_level(uint32_t members, uint32_t radix, Visit visit) {
    uint64_t senders = 1, blocks = members;
    for (uint32_t level = depth(members, radix); level > 0; --level, senders *= radix) {
      blocks = (blocks + radix - 1) / radix;
      visit(std::min<uint64_t>(senders * (radix - 1), members - senders), blocks);
    }
  }

  static uint32_t depth(uint32_t members, uint32_t radix) {
    uint32_t levels = 0;
    for (uint64_t reach = 1; reach < members; reach *= radix) ++levels;
    return levels;
  }
  /// Children that a position has on a level; that the root has in all; that one of these has at most.
  static uint32_t per_level(uint32_t radix) { return radix - 1; }
  static uint32_t fan(uint32_t members, uint32_t radix) {
    return std::min(depth(members, radix) * (radix - 1), members - 1);
  }
  static uint32_t fan_below(uint32_t members, uint32_t radix) {
    return (std::max(1u, depth(members, radix)) - 1) * (radix - 1);
  }

 private:
  // Of the lowest non-zero digit; position is not 0.
  uint32_t weight(uint32_t position) const {
    if (position < radix_) return 1;
    uint64_t weight = 1;
    while (position / weight % radix_ == 0) weight *= radix_;
    return static_cast<uint32_t>(weight);
  }

  uint64_t members_, radix_;
};

/// The k-ary tree in breadth-first order: position p has children kp + 1 to kp + k. With k = 1 it is a chain.
class KAry {
 public:
  KAry(uint32_t members, uint32_t arity) : members_(members), arity_(arity) {}

  uint32_t parent(uint32_t position) const { return (position - 1) / arity_; }

  class Children {
   public:
    Children(uint64_t next, uint64_t end) : next_(next), end_(end) {}
    bool valid() const { return next_ < end_; }
    uint32_t position() const { return static_cast<uint32_t>(next_); }
    void next() { ++next_; }

   private:
    uint64_t next_, end_;
  };
  Children children(uint32_t position, bool /*far_first*/) const {
    const uint64_t first = uint64_t{position} * arity_ + 1;
    return Children(first, std::min<uint64_t>(members_, first + arity_));
  }

  uint32_t sibling(uint32_t position) const { return (position - 1) % arity_; }

  static uint32_t depth(uint32_t members, uint32_t arity) {
    uint32_t levels = 0;
    for (uint32_t position = members - 1; position != 0; position = (position - 1) / arity) ++levels;
    return levels;
  }
  static uint32_t per_level(uint32_t arity) { return arity; }
  static uint32_t fan(uint32_t members, uint32_t arity) { return std::min(arity, members - 1); }
  static uint32_t fan_below(uint32_t members, uint32_t arity) {
    return std::min(arity, members - 1 - fan(members, arity));
  }

 private:
  uint32_t members_, arity_;
};

/// The part of `size` bytes, in units of `unit`, that comes to `index` of `parts`.
struct Slice {
  uint64_t begin = 0, end = 0;
  uint64_t size() const { return end - begin; }
};
inline Slice slice_of(uint64_t size, uint64_t unit, uint64_t parts, uint64_t index) {
  const uint64_t units = size / unit;
  const auto edge = [&](uint64_t i) { return (units / parts * i + (i < units % parts ? i : units % parts)) * unit; };
  return {edge(index), edge(index + 1)};
}

inline uint32_t member_at(uint32_t position, uint32_t root, uint32_t members) {
  const uint32_t member = position + root;
  return member >= members ? member - members : member;
}
inline uint32_t position_of(uint32_t member, uint32_t root, uint32_t members) {
  return member >= root ? member - root : member + members - root;
}

}  // namespace weft::coll::algorithm
