#include "coll/model.hpp"

namespace weft::coll {

namespace {

// What was measured on shared memory and on a network of 1 Gbit/s; weft-tune measures the machine at hand.
constexpr Model mapped = {.latency_ns = 125,
                          .overhead_ns = 25,
                          .byte_ns = 0.04,
                          .line_ns = 60,
                          .handover_byte_ns = 0.08,
                          .copy_byte_ns = 0.03,
                          .combine_byte_ns = 0.03,
                          .crossing_ns = 85,
                          .one_link = false,
                          .task_ns = 90,
                          .ahead_bytes = size_t{1} << 20,
                          .ahead_calls = 32};
constexpr Model queues = {
    .latency_ns = 500, .overhead_ns = 200, .byte_ns = 0.3, .copy_byte_ns = 0.06, .combine_byte_ns = 0.1};
constexpr Model sockets = {
    .latency_ns = 4'000, .overhead_ns = 6'000, .byte_ns = 0.5, .copy_byte_ns = 0.06, .combine_byte_ns = 0.1};
constexpr Model wire = {.latency_ns = 4'000,
                        .overhead_ns = 6'000,
                        .byte_ns = 8.3,
                        .copy_byte_ns = 0.06,
                        .combine_byte_ns = 0.1,
                        .ahead_bytes = size_t{1} << 20,
                        .ahead_calls = 8};
// A rank that waits for messages looks at its conduit before it gives its processor away.
constexpr double mapped_switch_ns = 2'600, polling_switch_ns = 6'000;

Model shared_among(double ranks, double switch_ns, Model model) {
  if (ranks <= 1) return model;
  model.share = ranks;
  model.crossing_ns = 0;  // members take turns, so few lines are on their way at once
  model.switch_ns = switch_ns;
  return model;
}

}  // namespace

Model mapped_memory(double share) { return shared_among(share, mapped_switch_ns, mapped); }
Model queues_in_memory(double share) { return shared_among(share, polling_switch_ns, queues); }
Model loopback(double share) { return shared_among(share, polling_switch_ns, sockets); }
Model network(bool crowded, bool lossless) {
  Model model = wire;
  model.lossless = lossless;
  model.switch_ns = crowded ? polling_switch_ns : 0;
  return model;
}

}  // namespace weft::coll
