// Hierarchical composition: a collective inside each host, one between the hosts' leaders, and so on. The leader of a
// host is its first member; where there is a root, that takes the place of its host's leader. The stages are whatever
// algorithms cost least at their level (Model::inside for those of a host); they run in parts of the call's region.
// Each byte crosses the network as often as there are hosts to get it, not members.
//
// Hosts may have different numbers of members: all stages inside are laid out and chosen for the largest host.
//
// Each collective is a file: it says what its stages are, and runs them.
#pragma once

#include "coll/call.hpp"

namespace weft::coll::algorithm::hosts {

// The shape of a stage inside a host, and of one between leaders; `shape` is the whole call's.
Shape inside(const Shape& shape, Op op, size_t size);
Shape between(const Shape& shape, Op op, size_t size);

// What each stage does.
struct StageShapes {
  std::array<Shape, 3> shape;
  uint32_t count = 0;
};
using StagesOf = StageShapes (*)(const Shape&);

// What the model expects at the level of a stage.
Model model_of(const Model& model, const Shape& stage);

std::unique_ptr<const Stages> compose(const Model& model, const StageShapes& what);
double cost(const Model& model, const StageShapes& what);

// The parts of the call's region: lines of the composition itself come first.
class StageLayouts {
 public:
  StageLayouts(uint32_t own_lines, const StageShapes& what, const Stages& stages);
  const Layout& operator[](uint32_t stage) const { return layout_[stage]; }
  Space space() const;

 private:
  std::array<Layout, 3> layout_;
  uint32_t lines_;
  size_t bulk_ = 0;
};

bool fits(const Shape& shape, const Plan& plan);
// For messages that cost more than their bytes: what a head passes on is copied once more.
bool fits_blocks(const Shape& shape, const Plan& plan);
// Leaders gather blocks of one size.
bool fits_equal_hosts(const Shape& shape, const Plan& plan);

// The composition of these stages: what an Algorithm is made of, and its stages as they run. `own_lines`: how many
// lines the collective has beside those of its stages.
template <StagesOf stages_of, uint32_t (*own_lines)(const Shape&) = nullptr>
struct Composition {
  static std::unique_ptr<const Stages> compose(const Model& model, const Shape& shape) {
    return hosts::compose(model, stages_of(shape));
  }
  static double cost(const Model& model, const Shape& shape, const Plan&) {
    return hosts::cost(model, stages_of(shape));
  }
  static Space space(const Shape& shape, const Plan& plan) { return layouts(shape, plan).space(); }

  static constexpr Algorithm algorithm(Op op, decltype(Algorithm::run) run, decltype(Algorithm::fits) fits,
                                       decltype(Algorithm::cost) cost = Composition::cost) {
    return {.op = op, .name = "hosts", .run = run, .space = space, .fits = fits, .cost = cost, .compose = compose};
  }

  // One stage of a call, as long as it runs.
  class Stage {
   public:
    Stage(Call& call, const Groups::Group& group, const Request& request, uint32_t stage)
        : part_(call, group, request, call.plan().stages->plan[stage], layouts(call.shape(), call.plan())[stage]) {}
    Task run() { return part_.plan().algorithm->run(part_); }

   private:
    Call part_;
  };

 private:
  static StageLayouts layouts(const Shape& shape, const Plan& plan) {
    uint32_t lines = 0;
    if constexpr (own_lines != nullptr) lines = own_lines(shape);
    return {lines, stages_of(shape), *plan.stages};
  }
};

// A stage's request: the call's with these changed.
Request changed(const Request& request, Op op, uint32_t root, std::byte* destination, const std::byte* source);

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
        alone(groups.alone()),
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

}  // namespace weft::coll::algorithm::hosts
