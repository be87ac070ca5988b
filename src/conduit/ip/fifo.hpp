// First in, first out, in one piece of memory that an empty one gives back when it is large.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::conduit::ip {

template <class T>
class Fifo {
 public:
  bool empty() const { return first_ == items_.size(); }
  size_t size() const { return items_.size() - first_; }
  T& front() { return items_[first_]; }
  void push(const T& item) { items_.push_back(item); }
  void pop() {
    if (++first_ == items_.size()) {
      items_.clear();
      first_ = 0;
      if (items_.capacity() > keep) items_.shrink_to_fit();
    } else if (first_ >= keep && 2 * first_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
  }

 private:
  static constexpr size_t keep = 64;

  std::vector<T> items_;
  size_t first_ = 0;
};

}  // namespace weft::conduit::ip
