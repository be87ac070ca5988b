#include <numeric>
#include <vector>

#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

// As gather_all, but hosts may have different numbers of members.
StageShapes stages_of(const Shape& s) {
  return {{inside(s, Op::gather_v, 0), between(s, Op::gather_all_v, s.spread.most * s.size),
           inside(s, Op::broadcast, s.members * s.size)},
          3};
}
using Composed = Composition<stages_of>;
using Stage = Composed::Stage;

// Blocks of all members with a size each, host after host without gaps; and what the stages are told of them.
class ListedByHost {
 public:
  explicit ListedByHost(Call& call) : groups_(call.team().groups), list_(*call.request().sizes), n_(call.size()) {
    const uint32_t hosts = groups_.spread().hosts;
    of_host_.resize(hosts);
    host_at_.resize(hosts);
    inside_at_.resize(n_);
    for (uint32_t member = 0; member < n_; ++member) {
      size_t& host = of_host_[groups_.host_of(member)];
      inside_at_[member] = host;
      host += list_.to_size[member];
    }
    std::exclusive_scan(of_host_.begin(), of_host_.end(), host_at_.begin(), size_t{0});
    const auto& numbers = groups_.inside().numbers;
    for (uint32_t i = 0; i < numbers.size(); ++i) {
      const uint32_t member = numbers[i];
      own_sizes_.push_back(list_.to_size[member]);
      own_offsets_.push_back(inside_at_[member]);
    }
    inside_.to_size = own_sizes_.data();
    inside_.to_offset = own_offsets_.data();
    inside_.own = list_.own;
    between_.to_size = of_host_.data();
    between_.to_offset = host_at_.data();
    between_.own = of_host_[groups_.host_of(call.me())];
  }
  ListedByHost(const ListedByHost&) = delete;
  ListedByHost& operator=(const ListedByHost&) = delete;

  /// Of a gather inside this host; of a gather-all between hosts.
  const VectorSizes& inside() const { return inside_; }
  const VectorSizes& between() const { return between_; }
  size_t host_at(uint32_t host) const { return host_at_[host]; }
  size_t all() const { return host_at_.back() + of_host_.back(); }
  /// The destination has the blocks in this very order.
  bool in_order() const {
    for (uint32_t member = 0; member < n_; ++member)
      if (list_.to_size[member] != 0 && list_.to_offset[member] != place_of(member)) return false;
    return true;
  }
  void restore(std::byte* destination, const std::byte* by_host) const {
    for (uint32_t member = 0; member < n_; ++member)
      if (list_.to_size[member] != 0)
        os::copy_data(destination + list_.to_offset[member], by_host + place_of(member), list_.to_size[member]);
  }

 private:
  size_t place_of(uint32_t member) const { return host_at_[groups_.host_of(member)] + inside_at_[member]; }

  const Groups& groups_;
  const VectorSizes& list_;
  uint32_t n_;
  std::vector<size_t> of_host_, host_at_, inside_at_;  // by host; by host; by member, behind its host's
  std::vector<size_t> own_sizes_, own_offsets_;        // of this host's members
  VectorSizes inside_, between_;
};

Task run(Call& call) {
  const Request& r = call.request();
  const Groups& groups = call.team().groups;
  const ListedByHost blocks(call);
  if (blocks.all() == 0) co_return;
  const bool in_order = blocks.in_order();
  const bool alone = groups.alone();
  std::byte* whole = in_order ? r.destination : call.temporary(blocks.all()).at;
  std::byte* own = whole + blocks.host_at(groups.host_of(call.me()));
  if (!alone) {
    Request gather = changed(r, Op::gather_v, 0, groups.leads() ? own : nullptr, r.source);
    gather.size = 0;
    gather.sizes = &blocks.inside();
    Stage stage(call, groups.inside(), gather, 0);
    co_await stage.run();
  }
  if (groups.leads()) {
    Request across = changed(r, Op::gather_all_v, 0, whole, alone ? r.source : own);
    across.size = groups.spread().most * r.size;
    across.sizes = &blocks.between();
    Stage stage(call, groups.leaders(), across, 1);
    co_await stage.run();
  }
  if (!alone) {
    Request all = changed(r, Op::broadcast, 0, groups.leads() ? nullptr : whole, whole);
    all.size = blocks.all();
    Stage stage(call, groups.inside(), all, 2);
    co_await stage.run();
  }
  if (in_order) co_return;
  co_await call.sent();
  blocks.restore(r.destination, whole);
}

}  // namespace

extern constinit const Algorithm gather_all_v_hosts = Composed::algorithm(Op::gather_all_v, run, fits);

}  // namespace weft::coll::algorithm
