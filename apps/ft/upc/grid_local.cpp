// The local work of the 2-D variants for the UPC program.
#include "apps/ft/upc/grid_local.h"

#include "apps/ft/checksum.hpp"
#include "apps/ft/evolve.hpp"
#include "apps/ft/upc/run.hpp"
#include "fft/grid_work.hpp"

namespace {

using weft::fft::Complex;
using weft::fft::Direction;
using weft::fft::GridRoute;
using weft::fft::GridTeam;

Complex* cpp(ft_complex* data) { return reinterpret_cast<Complex*>(data); }
const Complex* cpp(const ft_complex* data) { return reinterpret_cast<const Complex*>(data); }
Direction cpp(ft_direction direction) { return direction == FT_FORWARD ? Direction::forward : Direction::inverse; }

const ft::UpcRun& job_of(const ft_run* run) { return *static_cast<const ft::UpcRun*>(run); }

GridRoute route_of(const ft_run* run, ft_direction direction) {
  const ft::UpcRun& job = job_of(run);
  return weft::fft::make_grid_route(job.options->problem.shape, cpp(direction),
                                    *ft::chosen_grid(*job.options, job.threads), job.thread, job.options->pad);
}

ft_team team_of(const ft::UpcRun& job, const GridRoute::Member& member) {
  const std::size_t ty = static_cast<std::size_t>(ft::chosen_grid(*job.options, job.threads)->ty);
  const std::size_t step = member.team == GridTeam::plane ? 1 : ty;
  return {member.size, member.rank, static_cast<std::size_t>(job.thread) - member.rank * step, step};
}

// Runs the work and adds its times to those of the caller.
template <class Work>
void timed(double* seconds, Work work) {
  weft::fft::PhaseClock clock;
  clock.restart();
  work(clock);
  for (std::size_t phase = 0; phase < FT_PHASES; ++phase) seconds[phase] += clock.seconds()[phase];
}

}  // namespace

struct ft_grid_local {
  ft_grid_local(const ft_run* run, ft_direction direction, const ft_complex* source,
                const weft::fft::GridArrays& grid_arrays)
      : shape(job_of(run).options->problem.shape),
        route(route_of(run, direction)),
        arrays(grid_arrays),
        work(route, cpp(direction), *ft::grid_strategy(*job_of(run).options), arrays, job_of(run).options->planning),
        initial(shape, route.source(), route.source_first_y()),
        evolved(route.source(), cpp(source), route.source_first_y(), route.y),
        checksum(shape, route.target(), route.target_first_y()),
        input(source == nullptr ? static_cast<weft::fft::PlaneSource*>(&initial) : &evolved) {}

  weft::fft::Shape shape;
  GridRoute route;
  weft::fft::GridArrays arrays;
  weft::fft::GridWork work;
  ft::InitialField initial;
  ft::EvolvedField evolved;  // where there is a source
  ft::Checksum checksum;
  weft::fft::PlaneSource* input;
};

namespace {

ft_grid_round upc_round(const ft_grid_local& local, const weft::fft::GridRound& round) {
  const weft::fft::GridArrays& arrays = local.arrays;
  const Complex* to = round.destination;
  return {.count = round.count,
          .elements = round.elements,
          .source = reinterpret_cast<const ft_complex*>(round.source),
          .source_step = round.source_step,
          .destination = to == arrays.target  ? FT_TARGET
                         : to == arrays.stage ? FT_STAGE
                                              : FT_INBOX,
          .destination_step = round.destination_step,
          .distance = round.destination_distance};
}

}  // namespace

ft_grid_route ft_make_grid_route(const ft_run* run, ft_direction direction) {
  const GridRoute route = route_of(run, direction);
  return {team_of(job_of(run), route.first), team_of(job_of(run), route.second), route.b_local(), route.share(),
          route.target().target_elements()};
}

ft_grid_local* ft_grid_plan(const ft_run* run, ft_direction direction, const ft_complex* source, ft_complex* target,
                            ft_complex* stage, ft_complex* inbox) {
  return new ft_grid_local(run, direction, source, {cpp(target), cpp(stage), cpp(inbox)});
}

ft_grid_round ft_grid_first_round(const ft_grid_local* local) { return upc_round(*local, local->work.first_round()); }
ft_grid_round ft_grid_second_round(const ft_grid_local* local) { return upc_round(*local, local->work.second_round()); }

void ft_grid_unplan(ft_grid_local* local) { delete local; }

void ft_grid_set_time(ft_grid_local* local, int t) { local->evolved.set_iteration(t); }

void ft_grid_first_plane(ft_grid_local* local, std::size_t plane, double* seconds) {
  timed(seconds, [&](auto& clock) { local->work.first_plane(plane, *local->input, clock); });
}

void ft_grid_second_plane(ft_grid_local* local, std::size_t plane, double* seconds) {
  timed(seconds, [&](auto& clock) { local->work.second_plane(plane, clock); });
}

void ft_grid_finish(ft_grid_local* local, double* seconds) {
  timed(seconds, [&](auto& clock) { local->work.finish(clock); });
}

ft_complex ft_grid_checksum(const ft_grid_local* local) {
  const Complex sum = local->checksum.local(local->arrays.target);
  return {sum.real(), sum.imag()};
}
