// Hierarchical composition: a collective inside each host, one between the hosts' leaders, and so on. The leader of a
// host is its first member; where there is a root, that takes the place of its host's leader. The stages are whatever
// algorithms cost least at their level (Model::inside for those of a host); they run in parts of the call's region.
// Each byte crosses the network as often as there are hosts to get it, not members.
//
// Hosts may have different numbers of members: all stages inside are laid out and chosen for the largest host.
#include <numeric>

#include "coll/barrier_phase.hpp"
#include "coll/call.hpp"

namespace weft::coll::algorithm {
namespace {

// ---- Choosing the stages ----

Shape inside(const Shape& shape, Op op, size_t size) {
  return {.op = op,
          .members = shape.spread.most,
          .size = size,
          .element = shape.element,
          .commutative = shape.commutative,
          .direct = shape.spread.direct,
          .spread = {.most = shape.spread.most, .least = std::max(2u, shape.spread.least)}};
}

Shape between(const Shape& shape, Op op, size_t size) {
  return {.op = op,
          .members = shape.spread.hosts,
          .size = size,
          .element = shape.element,
          .commutative = shape.commutative,
          .spread = {.hosts = shape.spread.hosts}};
}

// What each stage does.
struct StageShapes {
  std::array<Shape, 3> shape;
  uint32_t count = 0;
};
StageShapes stages_of(const Shape& s) {
  switch (s.op) {
    case Op::broadcast:
      return {{inside(s, Op::broadcast, s.size), between(s, Op::broadcast, s.size)}, 2};
    case Op::reduce:
      return {{inside(s, Op::reduce, s.size), between(s, Op::reduce, s.size)}, 2};
    case Op::reduce_all:
      return {{inside(s, Op::reduce, s.size), between(s, Op::reduce_all, s.size), inside(s, Op::broadcast, s.size)}, 3};
    case Op::gather:
    case Op::scatter:
      return {{inside(s, s.op, s.size), between(s, s.op, s.spread.most * s.size)}, 2};
    case Op::gather_all:
      return {{inside(s, Op::gather, s.size), between(s, Op::gather_all, s.spread.most * s.size),
               inside(s, Op::broadcast, s.members * s.size)},
              3};
    case Op::gather_all_v:
      return {{inside(s, Op::gather_v, 0), between(s, Op::gather_all_v, s.spread.most * s.size),
               inside(s, Op::broadcast, s.members * s.size)},
              3};
    case Op::exchange:
      return {
          {inside(s, Op::gather, s.members * s.size), between(s, Op::exchange, s.spread.most * s.spread.most * s.size),
           inside(s, Op::scatter, s.members * s.size)},
          3};
    default:
      return {{between(s, Op::barrier, 0)}, 1};
  }
}

Model model_of(const Model& model, const Shape& stage) {
  if (stage.spread.hosts == 1) {
    Model inside = *model.inside;
    inside.ahead_bytes = 0;  // a stage waits for the one before it
    inside.task_ns = 0;      // and is part of a coroutine anyway
    return inside;
  }
  Model leaders = model;
  leaders.share = 1;  // each has its host's link for itself
  return leaders;
}

// Hosts have different numbers of members; of leaders there are as many on all.
Plan plan_of(const Model& level, const Shape& stage) {
  return cheapest(level, stage, stage.spread.hosts == 1 ? stage.spread.least : stage.members);
}

std::unique_ptr<const Stages> compose(const Model& model, const Shape& shape) {
  auto stages = std::make_unique<Stages>();
  const StageShapes what = stages_of(shape);
  for (uint32_t i = 0; i < what.count; ++i) stages->plan[i] = plan_of(model_of(model, what.shape[i]), what.shape[i]);
  return stages;
}

double cost(const Model& model, const Shape& shape, const Plan&) {
  const StageShapes what = stages_of(shape);
  double time = 0;
  for (uint32_t i = 0; i < what.count; ++i) {
    const Model level = model_of(model, what.shape[i]);
    const Plan plan = plan_of(level, what.shape[i]);
    time += plan.algorithm->cost(level, what.shape[i], plan);
  }
  return time;
}

// ---- Their places ----

// Lines of the composition itself come first.
uint32_t own_lines(const Shape& shape) { return shape.op == Op::barrier ? gather_lines(shape.spread) : 0; }

class StageLayouts {
 public:
  StageLayouts(const Shape& shape, const Stages& stages) : lines_(own_lines(shape)) {
    const StageShapes what = stages_of(shape);
    for (uint32_t i = 0; i < what.count; ++i) {
      layout_[i] = Layout(stages.plan[i].algorithm->space(what.shape[i], stages.plan[i]), lines_, bulk_);
      lines_ += layout_[i].lines;
      bulk_ += layout_[i].bulk;
    }
  }
  const Layout& operator[](uint32_t stage) const { return layout_[stage]; }
  Space space() const {
    constexpr size_t unit = 4096;  // slots only carry the stages' bulk
    return {.lines = lines_, .slots = static_cast<uint32_t>((bulk_ + unit - 1) / unit), .slot_bytes = bulk_ ? unit : 0};
  }

 private:
  std::array<Layout, 3> layout_;
  uint32_t lines_;
  size_t bulk_ = 0;
};

Space space(const Shape& shape, const Plan& plan) { return StageLayouts(shape, *plan.stages).space(); }

bool fits(const Shape& shape, const Plan&) {
  return shape.spread.has_levels(shape.members) && (shape.commutative || shape.spread.in_blocks);
}
// For messages that cost more than their bytes: what a head passes on is copied once more.
bool fits_blocks(const Shape& shape, const Plan& plan) { return fits(shape, plan) && shape.size <= size_t{64} << 10; }
// Leaders gather blocks of one size.
bool fits_gather_all(const Shape& shape, const Plan& plan) {
  return fits(shape, plan) && shape.spread.most == shape.spread.least;
}
// For messages that cost more than their bytes: a leader holds two copies of all that its host sends.
bool fits_exchange(const Shape& shape, const Plan& plan) {
  return fits_gather_all(shape, plan) && fits_blocks(shape, plan);
}

// ---- Running them ----

// One stage of a call, as long as it runs.
class Stage {
 public:
  Stage(Call& call, const Groups::Group& group, const Request& request, uint32_t stage)
      : part_(call, group, request, call.plan().stages->plan[stage],
              StageLayouts(call.shape(), *call.plan().stages)[stage]) {}
  Task run() { return part_.plan().algorithm->run(part_); }

 private:
  Call part_;
};

Request changed(const Request& request, Op op, uint32_t root, std::byte* destination, const std::byte* source) {
  Request other = request;
  other.op = op;
  other.root = root;
  other.destination = destination;
  other.source = source;
  return other;
}

// What this member is in a call that has a root. Heads are the root and the leaders of other hosts.
struct Role {
  explicit Role(Call& call) : Role(call.team().groups, call.me(), call.request().root) {}
  Role(const Groups& of, uint32_t me, uint32_t root)
      : groups(of),
        host(groups.host_of(me)),
        home(groups.host_of(root)),
        head(groups.inside_number(host == home ? root : groups.leader_of(host))),
        is_root(me == root),
        is_head(groups.inside_number(me) == head),
        alone(groups.inside().numbers.size() == 1),
        made(is_head && groups.leader_of(home) != root ? groups.heads(root) : Groups::Group()),
        heads(made.members == nullptr ? groups.leaders() : made) {}

  Role(const Role&) = delete;
  Role& operator=(const Role&) = delete;

  const Groups& groups;
  uint32_t host, home;  // this member's and the root's
  uint32_t head;        // of this host, by its number inside
  bool is_root, is_head;
  bool alone;                  // on its host
  Groups::Group made;          // allocated for this call, if the root does not lead
  const Groups::Group& heads;  // for heads alone
};

// Stages: inside, between.
Task run_broadcast(Call& call) {
  const Request& r = call.request();
  const Role role(call);
  const std::byte* source = role.is_root ? r.source : r.destination;
  if (role.is_head) {
    std::byte* destination = role.is_root && !role.alone ? nullptr : r.destination;
    Stage stage(call, role.heads, changed(r, Op::broadcast, role.home, destination, source), 1);
    co_await stage.run();
  }
  if (!role.alone) {
    std::byte* destination = role.is_head && !role.is_root ? nullptr : r.destination;
    Stage stage(call, role.groups.inside(), changed(r, Op::broadcast, role.head, destination, source), 0);
    co_await stage.run();
  }
}

// Stages: inside, between.
Task run_reduce(Call& call) {
  const Request& r = call.request();
  const Role role(call);
  std::byte* result = r.destination;
  if (role.is_head && !role.is_root && !role.alone) result = call.temporary(r.size).at;
  if (!role.alone) {
    Stage stage(call, role.groups.inside(), changed(r, Op::reduce, role.head, result, r.source), 0);
    co_await stage.run();
  }
  if (role.is_head) {
    Stage stage(call, role.heads, changed(r, Op::reduce, role.home, result, role.alone ? r.source : result), 1);
    co_await stage.run();
  }
}

// Stages: reduce inside, reduce-all between, broadcast inside.
Task run_reduce_all(Call& call) {
  const Request& r = call.request();
  const Groups& groups = call.team().groups;
  const bool alone = groups.inside().numbers.size() == 1;
  std::byte* result = groups.leads() ? r.destination : nullptr;
  if (!alone) {
    Stage stage(call, groups.inside(), changed(r, Op::reduce, 0, result, r.source), 0);
    co_await stage.run();
  }
  if (groups.leads()) {
    Stage stage(call, groups.leaders(), changed(r, Op::reduce_all, 0, result, alone ? r.source : result), 1);
    co_await stage.run();
  }
  if (!alone) {
    Stage stage(call, groups.inside(),
                changed(r, Op::broadcast, 0, groups.leads() ? nullptr : r.destination, r.destination), 2);
    co_await stage.run();
  }
}

// Blocks of all members, host after host and as many for each as the largest has.
class ByHost {
 public:
  explicit ByHost(Call& call) : groups_(call.team().groups), members_(call.size()), size_(call.request().size) {}
  size_t of_host() const { return groups_.spread().most * size_; }
  size_t all() const { return groups_.spread().hosts * of_host(); }
  /// From the order of members, and back. sort() returns where it has put them.
  const std::byte* sort(std::byte* by_host, const std::byte* by_member) const {
    for (uint32_t member = 0; member < members_; ++member)
      std::memcpy(by_host + place_of(member), by_member + member * size_, size_);
    return by_host;
  }
  void restore(std::byte* by_member, const std::byte* by_host) const {
    for (uint32_t member = 0; member < members_; ++member)
      std::memcpy(by_member + member * size_, by_host + place_of(member), size_);
  }

 private:
  size_t place_of(uint32_t member) const {
    return groups_.host_of(member) * of_host() + groups_.inside_number(member) * size_;
  }

  const Groups& groups_;
  uint32_t members_;
  size_t size_;
};

// Stages: inside, between.
Task run_gather(Call& call) {
  const Request& r = call.request();
  const Role role(call);
  const ByHost blocks(call);
  const bool in_order = role.groups.spread().in_equal_blocks();
  std::byte* whole = nullptr;  // on the root
  std::byte* own = nullptr;    // of this host, on its head
  if (role.is_root) {
    whole = in_order ? r.destination : call.temporary(blocks.all()).at;
    own = whole + role.host * blocks.of_host();
  } else if (role.is_head) {
    own = call.temporary(blocks.of_host()).at;
  }
  if (role.alone) {
    std::memcpy(own, r.source, r.size);
  } else {
    Stage stage(call, role.groups.inside(), changed(r, Op::gather, role.head, own, r.source), 0);
    co_await stage.run();
  }
  if (role.is_head) {
    Request across = changed(r, Op::gather, role.home, whole, own);
    across.size = blocks.of_host();
    Stage stage(call, role.heads, across, 1);
    co_await stage.run();
  }
  if (role.is_root && !in_order) blocks.restore(r.destination, whole);
}

// Stages: inside, between.
Task run_scatter(Call& call) {
  const Request& r = call.request();
  const Role role(call);
  const ByHost blocks(call);
  const std::byte* whole = nullptr;  // on the root
  const std::byte* own = nullptr;    // of this host, on its head
  std::byte* received = nullptr;     // the same, on heads that have to get it
  if (role.is_root) {
    whole = role.groups.spread().in_equal_blocks() ? r.source : blocks.sort(call.temporary(blocks.all()).at, r.source);
    own = whole + role.host * blocks.of_host();
  } else if (role.is_head) {
    own = received = call.temporary(blocks.of_host()).at;
  }
  if (role.is_head) {
    Request across = changed(r, Op::scatter, role.home, received, whole);
    across.size = blocks.of_host();
    Stage stage(call, role.heads, across, 1);
    co_await stage.run();
  }
  if (!role.alone) {
    Stage stage(call, role.groups.inside(), changed(r, Op::scatter, role.head, r.destination, own), 0);
    co_await stage.run();
  } else if (r.destination != nullptr) {
    std::memcpy(r.destination, own, r.size);
  }
}

// The root sorts blocks.
double cost_blocks(const Model& model, const Shape& shape, const Plan& plan) {
  const double time = cost(model, shape, plan);
  if (shape.spread.in_equal_blocks()) return time;
  return time + model_of(model, between(shape, shape.op, 0)).copy(shape.members * shape.size);
}

// Stages: gather inside, gather-all between, broadcast inside; blocks in the order of hosts. Where that is not the
// order of members, each member puts them right.
Task run_gather_all(Call& call) {
  const Request& r = call.request();
  const Groups& groups = call.team().groups;
  const ByHost blocks(call);
  const bool in_order = groups.spread().in_equal_blocks();
  std::byte* whole = in_order ? r.destination : call.temporary(blocks.all()).at;
  std::byte* own = whole + groups.host_of(call.me()) * blocks.of_host();
  {
    Stage stage(call, groups.inside(), changed(r, Op::gather, 0, groups.leads() ? own : nullptr, r.source), 0);
    co_await stage.run();
  }
  if (groups.leads()) {
    Request across = changed(r, Op::gather_all, 0, whole, own);
    across.size = blocks.of_host();
    Stage stage(call, groups.leaders(), across, 1);
    co_await stage.run();
  }
  {
    Request all = changed(r, Op::broadcast, 0, groups.leads() ? nullptr : whole, whole);
    all.size = blocks.all();
    Stage stage(call, groups.inside(), all, 2);
    co_await stage.run();
  }
  if (in_order) co_return;
  co_await call.sent();
  blocks.restore(r.destination, whole);
}

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
    for (const uint32_t member : groups_.inside().numbers) {
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
        std::memcpy(destination + list_.to_offset[member], by_host + place_of(member), list_.to_size[member]);
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

// As run_gather_all, but hosts may have different numbers of members.
Task run_gather_all_v(Call& call) {
  const Request& r = call.request();
  const Groups& groups = call.team().groups;
  const ListedByHost blocks(call);
  if (blocks.all() == 0) co_return;
  const bool in_order = blocks.in_order();
  const bool alone = groups.inside().numbers.size() == 1;
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

// Stages: gather inside, exchange between, scatter inside: one message from each host to each other. Leaders sort the
// blocks by host before and by member after.
Task run_exchange(Call& call) {
  const Request& r = call.request();
  const Groups& groups = call.team().groups;
  const uint32_t n = call.size();
  const uint32_t each = groups.spread().most;
  const size_t of_member = n * r.size;
  const size_t to_host = size_t{each} * each * r.size;
  const bool leads = groups.leads();
  std::byte* gathered = leads ? call.temporary(each * of_member).at : nullptr;
  std::byte* sorted = leads ? call.temporary(each * of_member).at : nullptr;
  // Blocks of member i of one host for member j of another: by i and the other's number in the team; by host, i and j.
  const auto by_member = [&](uint32_t i, uint32_t other) { return i * of_member + other * r.size; };
  const auto by_host = [&](uint32_t host, uint32_t i, uint32_t j) { return host * to_host + (i * each + j) * r.size; };
  {
    Request all = changed(r, Op::gather, 0, gathered, r.source);
    all.size = of_member;
    Stage stage(call, groups.inside(), all, 0);
    co_await stage.run();
  }
  if (leads) {
    for (uint32_t i = 0; i < each; ++i)
      for (uint32_t to = 0; to < n; ++to)
        std::memcpy(sorted + by_host(groups.host_of(to), i, groups.inside_number(to)), gathered + by_member(i, to),
                    r.size);
    Request across = changed(r, Op::exchange, 0, gathered, sorted);
    across.size = to_host;
    Stage stage(call, groups.leaders(), across, 1);
    co_await stage.run();
    co_await call.sent();
    for (uint32_t j = 0; j < each; ++j)
      for (uint32_t from = 0; from < n; ++from)
        std::memcpy(sorted + by_member(j, from),
                    gathered + by_host(groups.host_of(from), groups.inside_number(from), j), r.size);
  }
  Request own = changed(r, Op::scatter, 0, r.destination, sorted);
  own.size = of_member;
  Stage stage(call, groups.inside(), own, 2);
  co_await stage.run();
}

double cost_exchange(const Model& model, const Shape& shape, const Plan& plan) {
  const size_t of_host = size_t{shape.spread.most} * shape.members * shape.size;
  return cost(model, shape, plan) + model_of(model, between(shape, Op::exchange, 0)).copy(2 * of_host);
}

// Stage: between.
Task leaders_meet(Call& call, uint32_t) {
  Stage stage(call, call.team().groups.leaders(), call.request(), 0);
  co_await stage.run();
}
Task run_barrier(Call& call) { return meet_by_hosts(call, 0, leaders_meet); }

// Two steps inside beside the stage between.
double cost_barrier(const Model& model, const Shape& shape, const Plan& plan) {
  return cost(model, shape, plan) + 2 * model.inside->phase() + 2 * shape.spread.most * model.inside->overhead_ns;
}

}  // namespace

extern const Algorithm broadcast_hosts{.op = Op::broadcast,
                                       .name = "hosts",
                                       .run = run_broadcast,
                                       .space = space,
                                       .fits = fits,
                                       .cost = cost,
                                       .compose = compose};
extern const Algorithm reduce_hosts{.op = Op::reduce,
                                    .name = "hosts",
                                    .run = run_reduce,
                                    .space = space,
                                    .fits = fits,
                                    .cost = cost,
                                    .compose = compose};
extern const Algorithm reduce_all_hosts{.op = Op::reduce_all,
                                        .name = "hosts",
                                        .run = run_reduce_all,
                                        .space = space,
                                        .fits = fits,
                                        .cost = cost,
                                        .compose = compose};
extern const Algorithm scatter_hosts{.op = Op::scatter,
                                     .name = "hosts",
                                     .run = run_scatter,
                                     .space = space,
                                     .fits = fits_blocks,
                                     .cost = cost_blocks,
                                     .compose = compose};
extern const Algorithm gather_hosts{.op = Op::gather,
                                    .name = "hosts",
                                    .run = run_gather,
                                    .space = space,
                                    .fits = fits_blocks,
                                    .cost = cost_blocks,
                                    .compose = compose};
extern const Algorithm gather_all_hosts{.op = Op::gather_all,
                                        .name = "hosts",
                                        .run = run_gather_all,
                                        .space = space,
                                        .fits = fits_gather_all,
                                        .cost = cost,
                                        .compose = compose};
extern const Algorithm gather_all_v_hosts{.op = Op::gather_all_v,
                                          .name = "hosts",
                                          .run = run_gather_all_v,
                                          .space = space,
                                          .fits = fits,
                                          .cost = cost,
                                          .compose = compose};
extern const Algorithm exchange_hosts{.op = Op::exchange,
                                      .name = "hosts",
                                      .run = run_exchange,
                                      .space = space,
                                      .fits = fits_exchange,
                                      .cost = cost_exchange,
                                      .compose = compose};
extern const Algorithm barrier_hosts{.op = Op::barrier,
                                     .name = "hosts",
                                     .run = run_barrier,
                                     .space = space,
                                     .fits = fits,
                                     .cost = cost_barrier,
                                     .compose = compose};

}  // namespace weft::coll::algorithm
