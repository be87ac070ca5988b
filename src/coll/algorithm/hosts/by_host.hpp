#pragma once

#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm::hosts {

// Blocks of all members, host after host and as many for each as the largest has.
class ByHost {
 public:
  explicit ByHost(Call& call) : groups_(call.team().groups), members_(call.size()), size_(call.request().size) {}
  size_t of_host() const { return groups_.spread().most * size_; }
  size_t all() const { return groups_.spread().hosts * of_host(); }
  /// From the order of members, and back. sort() returns where it has put them.
  const std::byte* sort(std::byte* by_host, const std::byte* by_member) const {
    for (uint32_t member = 0; member < members_; ++member)
      os::copy_data(by_host + place_of(member), by_member + member * size_, size_);
    return by_host;
  }
  void restore(std::byte* by_member, const std::byte* by_host) const {
    for (uint32_t member = 0; member < members_; ++member)
      os::copy_data(by_member + member * size_, by_host + place_of(member), size_);
  }

 private:
  size_t place_of(uint32_t member) const {
    return groups_.host_of(member) * of_host() + groups_.inside_number(member) * size_;
  }

  const Groups& groups_;
  uint32_t members_;
  size_t size_;
};

// The root sorts blocks: gather and scatter.
template <class Composed>
double cost_blocks(const Model& model, const Shape& shape, const Plan& plan) {
  const double time = Composed::cost(model, shape, plan);
  if (shape.spread.in_equal_blocks()) return time;
  return time + model_of(model, between(shape, shape.op, 0)).copy(shape.members * shape.size);
}

}  // namespace weft::coll::algorithm::hosts
