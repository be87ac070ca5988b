// The local transforms for the UPC program.
#include "apps/ft/upc/local.h"

#include <memory>

#include "apps/ft/checksum.hpp"
#include "apps/ft/evolve.hpp"
#include "apps/ft/upc/run.hpp"
#include "fft/columns.hpp"
#include "fft/kernel.hpp"

namespace {

using weft::fft::Complex;
using weft::fft::Direction;
using weft::fft::Route;

Complex* cpp(ft_complex* data) { return reinterpret_cast<Complex*>(data); }
const Complex* cpp(const ft_complex* data) { return reinterpret_cast<const Complex*>(data); }

Direction cpp(ft_direction direction) { return direction == FT_FORWARD ? Direction::forward : Direction::inverse; }

Route route_of(const ft_run* run, ft_direction direction) {
  const auto& job = *static_cast<const ft::UpcRun*>(run);
  return weft::fft::make_route(job.options->problem.shape, cpp(direction), job.threads, job.thread, job.options->pad);
}

}  // namespace

struct ft_local {
  Route route;
  Complex* target;
  std::size_t work_stride;
  weft::fft::AlignedArray work;  // one plane [a][y]
  weft::fft::AlignedArray stage;
  weft::fft::Columns along_a;
  weft::fft::Batch along_y;
  weft::fft::Columns along_b;
  std::unique_ptr<ft::EvolvedField> evolved;
  ft::InitialField initial;
  ft::Checksum checksum;
};

ft_route ft_make_route(const ft_run* run, ft_direction direction) {
  const Route route = route_of(run, direction);
  return {route.a, route.b, route.y, route.a_local(), route.b_local(), route.source_stride(), route.target_stride()};
}

ft_local* ft_plan(const ft_run* run, ft_direction direction, const ft_complex* source, ft_complex* target,
                  std::size_t stage_elements) {
  const ft::Options& options = *static_cast<const ft::UpcRun*>(run)->options;
  const Route route = route_of(run, direction);
  const weft::fft::Planning& planning = options.planning;
  // As in fft/half_transform.cpp: rows a cache line further apart than they are long.
  const std::size_t stride = route.y + 4;
  weft::fft::AlignedArray work(route.a * stride);
  weft::fft::AlignedArray stage(stage_elements);
  weft::fft::Columns along_a(route.a, route.y, stride, cpp(direction), work.data(), planning);
  weft::fft::Batch along_y({route.y, 1, 1, route.y, 1, route.y}, cpp(direction), work.data(), stage.data(), planning);
  weft::fft::Columns along_b(route.b, route.y, route.target_stride(), cpp(direction), cpp(target), planning);
  return new ft_local{.route = route,
                      .target = cpp(target),
                      .work_stride = stride,
                      .work = std::move(work),
                      .stage = std::move(stage),
                      .along_a = std::move(along_a),
                      .along_y = std::move(along_y),
                      .along_b = std::move(along_b),
                      .evolved = source == nullptr ? nullptr : std::make_unique<ft::EvolvedField>(route, cpp(source)),
                      .initial{options.problem.shape, route},
                      .checksum{options.problem.shape, route}};
}

void ft_unplan(ft_local* local) { delete local; }
ft_complex* ft_stage(ft_local* local) { return reinterpret_cast<ft_complex*>(local->stage.data()); }

void ft_set_time(ft_local* local, int t) { local->evolved->set_iteration(t); }

void ft_load(ft_local* local, std::size_t b_local) {
  if (local->evolved) {
    local->evolved->load(b_local, local->work.data(), local->work_stride);
  } else {
    local->initial.load(b_local, local->work.data(), local->work_stride);
  }
}

void ft_transform_a(ft_local* local) { local->along_a.run(local->work.data()); }

void ft_transform_y(ft_local* local, std::size_t first, std::size_t rows, ft_complex* out) {
  Complex* in = local->work.data() + first * local->work_stride;
  for (std::size_t k = 0; k < rows; ++k) {
    local->along_y.run(in + k * local->work_stride, cpp(out) + k * local->route.y);
  }
}

void ft_transform_b(ft_local* local) {
  for (std::size_t a = 0; a < local->route.a_local(); ++a) local->along_b.run(local->target + a * local->route.y);
}

ft_complex ft_checksum(const ft_local* local) {
  const Complex sum = local->checksum.local(local->target);
  return {sum.real(), sum.imag()};
}
