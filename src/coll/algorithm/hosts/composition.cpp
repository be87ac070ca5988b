#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm::hosts {

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

namespace {

// Hosts have different numbers of members; of leaders there are as many on all.
Plan plan_of(const Model& level, const Shape& stage) {
  return cheapest(level, stage, stage.spread.hosts == 1 ? stage.spread.least : stage.members);
}

}  // namespace

std::unique_ptr<const Stages> compose(const Model& model, const StageShapes& what) {
  auto stages = std::make_unique<Stages>();
  for (uint32_t i = 0; i < what.count; ++i) stages->plan[i] = plan_of(model_of(model, what.shape[i]), what.shape[i]);
  return stages;
}

double cost(const Model& model, const StageShapes& what) {
  double time = 0;
  for (uint32_t i = 0; i < what.count; ++i) {
    const Model level = model_of(model, what.shape[i]);
    const Plan plan = plan_of(level, what.shape[i]);
    time += plan.algorithm->cost(level, what.shape[i], plan);
  }
  return time;
}

StageLayouts::StageLayouts(uint32_t own_lines, const StageShapes& what, const Stages& stages) : lines_(own_lines) {
  for (uint32_t i = 0; i < what.count; ++i) {
    layout_[i] = Layout(stages.plan[i].algorithm->space(what.shape[i], stages.plan[i]), lines_, bulk_);
    lines_ += layout_[i].lines;
    bulk_ += layout_[i].bulk;
  }
}

Space StageLayouts::space() const {
  constexpr size_t unit = 4096;  // slots only carry the stages' bulk
  return {.lines = lines_, .slots = static_cast<uint32_t>((bulk_ + unit - 1) / unit), .slot_bytes = bulk_ ? unit : 0};
}

bool fits(const Shape& shape, const Plan&) {
  return shape.spread.has_levels(shape.members) && (shape.commutative || shape.spread.in_blocks);
}
bool fits_blocks(const Shape& shape, const Plan& plan) { return fits(shape, plan) && shape.size <= size_t{64} << 10; }
bool fits_equal_hosts(const Shape& shape, const Plan& plan) {
  return fits(shape, plan) && shape.spread.most == shape.spread.least;
}

Request changed(const Request& request, Op op, uint32_t root, std::byte* destination, const std::byte* source) {
  Request other = request;
  other.op = op;
  other.root = root;
  other.destination = destination;
  other.source = source;
  return other;
}

}  // namespace weft::coll::algorithm::hosts
