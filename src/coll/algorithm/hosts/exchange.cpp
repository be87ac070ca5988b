#include "coll/algorithm/hosts/composition.hpp"

namespace weft::coll::algorithm {
namespace {

using namespace hosts;

// One message from each host to each other. Leaders sort the blocks by host before and by member after.
StageShapes stages_of(const Shape& s) {
  return {{inside(s, Op::gather, s.members * s.size), between(s, Op::exchange, s.spread.most * s.spread.most * s.size),
           inside(s, Op::scatter, s.members * s.size)},
          3};
}
using Composed = Composition<stages_of>;
using Stage = Composed::Stage;

Task run(Call& call) {
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
        os::copy_data(sorted + by_host(groups.host_of(to), i, groups.inside_number(to)), gathered + by_member(i, to),
                      r.size);
    Request across = changed(r, Op::exchange, 0, gathered, sorted);
    across.size = to_host;
    Stage stage(call, groups.leaders(), across, 1);
    co_await stage.run();
    co_await call.sent();
    for (uint32_t j = 0; j < each; ++j)
      for (uint32_t from = 0; from < n; ++from)
        os::copy_data(sorted + by_member(j, from),
                      gathered + by_host(groups.host_of(from), groups.inside_number(from), j), r.size);
  }
  Request own = changed(r, Op::scatter, 0, r.destination, sorted);
  own.size = of_member;
  Stage stage(call, groups.inside(), own, 2);
  co_await stage.run();
}

// For messages that cost more than their bytes: a leader holds two copies of all that its host sends.
bool fits_exchange(const Shape& shape, const Plan& plan) {
  return fits_equal_hosts(shape, plan) && fits_blocks(shape, plan);
}

double cost_exchange(const Model& model, const Shape& shape, const Plan& plan) {
  const size_t of_host = size_t{shape.spread.most} * shape.members * shape.size;
  return Composed::cost(model, shape, plan) + model_of(model, between(shape, Op::exchange, 0)).copy(2 * of_host);
}

}  // namespace

extern constinit const Algorithm exchange_hosts = Composed::algorithm(Op::exchange, run, fits_exchange, cost_exchange);

}  // namespace weft::coll::algorithm
