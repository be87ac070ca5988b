// Objects that come and go in great numbers, at fixed addresses.
#pragma once

#include <deque>
#include <vector>

namespace weft::sim {

template <class T>
class Pool {
 public:
  /// One that is not in use, as it was left; made with the arguments if there is none.
  template <class... Arguments>
  T& take(Arguments&... arguments) {
    if (free_.empty()) return all_.emplace_back(arguments...);
    T& object = *free_.back();
    free_.pop_back();
    return object;
  }
  void give_back(T& object) { free_.push_back(&object); }
  size_t in_use() const { return all_.size() - free_.size(); }

 private:
  std::deque<T> all_;
  std::vector<T*> free_;
};

}  // namespace weft::sim
