/* The exchanges of the 2-D variants, one-sided: blocks go straight from the stage to the members of this thread's row or
 * column of the grid. Every round ends with a barrier, which says that all has arrived. Another, split around the first
 * plane, says that inboxes and targets may be overwritten; packed slabs, whose second round is received in the inbox
 * too, need one more before it. */
#include "grid.h"

#include <upc_nb.h>

static int member_of(const ft_team *team, size_t m) { return (int)(team->first + m * team->step); }

static double elsewhere[FT_PHASES]; /* times of the local work since the last call of lap_work() */

static void lap_work(void) {
  ft_lap_with(elsewhere);
  for (int phase = 0; phase < FT_PHASES; phase++) elsewhere[phase] = 0;
}

/* Block m of the stage from `from` on to place `to` + m's distance at its owner: the blocks of all members come to lie
 * `distance` apart there, this thread's at its number. Members are visited from the next one on. */
static void put_blocks(const ft_team *team, const ft_array *to, size_t place, size_t distance, const ft_complex *from,
                       size_t elements) {
  for (size_t i = 1; i <= team->size; i++) {
    size_t m = (team->rank + i) % team->size;
    ft_put(to, member_of(team, m), place + team->rank * distance, from + m * elements, elements);
  }
}

/* After plane k of the first round: its slab's parts, or after the last plane everything. */
static void send_first(ft_grid_half *half, size_t k) {
  const ft_grid_route *r = &half->route;
  size_t part = r->first_part, all = r->planes * part, step = r->first.size * part;
  if (half->slabs) put_blocks(&r->first, &half->inbox, k * step, part, half->stage + k * step, part);
  else if (k == r->planes - 1) put_blocks(&r->first, &half->inbox, 0, all, half->stage, all);
}

/* The same in the second round; slabs go to their final place. */
static void send_second(ft_grid_half *half, size_t k) {
  const ft_grid_route *r = &half->route;
  size_t part = r->second_part, all = r->planes * part, stride = r->target_stride;
  if (half->slabs)
    put_blocks(&r->second, &half->target, k * stride, r->planes * stride, half->stage + k * r->second.size * part, part);
  else if (k == r->planes - 1) put_blocks(&r->second, &half->inbox, 0, all, half->stage, all);
}

static void complete_round(void) {
  upc_synci();
  ft_lap(FT_COMPLETION);
  upc_barrier;
  ft_lap(FT_BARRIER);
}

static void first_round(ft_grid_half *half) {
  upc_notify;
  for (size_t plane = 0; plane < half->route.planes; plane++) {
    ft_grid_first_plane(half->local, plane, elsewhere);
    lap_work();
    if (plane == 0) {
      upc_wait;
      ft_lap(FT_BARRIER);
    }
    send_first(half, plane);
    ft_lap(FT_COMMUNICATION);
  }
  complete_round();
}

static void second_round(ft_grid_half *half) {
  for (size_t plane = 0; plane < half->route.planes; plane++) {
    ft_grid_second_plane(half->local, plane, elsewhere);
    lap_work();
    if (!half->slabs && plane == half->route.planes - 1) {
      upc_barrier;
      ft_lap(FT_BARRIER);
    }
    send_second(half, plane);
    ft_lap(FT_COMMUNICATION);
  }
  complete_round();
}

void ft_grid_half_run(ft_grid_half *half) {
  first_round(half);
  second_round(half);
  ft_grid_finish(half->local, elsewhere);
  lap_work();
}

ft_grid_half ft_grid_half_make(const ft_run *run, enum ft_direction direction, const ft_array *source, ft_array target,
                               ft_array inbox, ft_array stage) {
  ft_grid_half half = {.slabs = run->variant == FT_SLABS_2D, .route = ft_make_grid_route(run, direction),
                       .target = target, .inbox = inbox, .stage = (ft_complex *)stage.parts[MYTHREAD]};
  half.local = ft_grid_plan(run, direction, source == NULL ? NULL : (const ft_complex *)source->parts[MYTHREAD],
                            (ft_complex *)target.parts[MYTHREAD], half.stage, (ft_complex *)inbox.parts[MYTHREAD]);
  return half;
}

void ft_grid_half_free(ft_grid_half *half) { ft_grid_unplan(half->local); }
