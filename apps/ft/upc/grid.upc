/* The exchanges of the 2-D variants, one-sided: blocks go straight from the stage to the members of this thread's row
 * or column of the grid. Every round ends with a barrier, which says that all has arrived. Another, split around the
 * first plane, says that inboxes and targets may be overwritten; packed slabs, whose second round is received where the
 * first was or was packed, need one more before it. */
#include "grid.h"

#include <upc_nb.h>

static int member_of(const ft_team *team, size_t m) { return (int)(team->first + m * team->step); }

static double elsewhere[FT_PHASES]; /* times of the local work since the last call of lap_work() */

static void lap_work(void) {
  ft_lap_with(elsewhere);
  for (int phase = 0; phase < FT_PHASES; phase++) elsewhere[phase] = 0;
}

/* Exchange k of a round, member by member from the next one on. On a team of one there is nothing to move. */
static void put_blocks(ft_grid_half *half, const ft_team *team, const ft_grid_round *round, size_t k) {
  const ft_complex *blocks = round->source + k * round->source_step;
  size_t place = k * round->destination_step + team->rank * round->distance;
  if (team->size == 1) {
    ft_count_sent(round->elements);
    return;
  }
  for (size_t i = 1; i <= team->size; i++) {
    size_t m = (team->rank + i) % team->size;
    ft_put(&half->arrays[round->destination], member_of(team, m), place, blocks + m * round->elements, round->elements);
  }
}

/* What can be sent after a plane: slabs are, packed slabs wait for the last one. */
static void send_after(ft_grid_half *half, const ft_team *team, const ft_grid_round *round, size_t plane) {
  if (round->count > 1) put_blocks(half, team, round, plane);
  else if (plane == half->route.planes - 1) put_blocks(half, team, round, 0);
  ft_lap(FT_COMMUNICATION);
}

static void complete_round(void) {
  upc_synci();
  ft_lap(FT_COMPLETION);
  upc_barrier;
  ft_lap(FT_BARRIER);
}

static void first_round(ft_grid_half *half) {
  ft_grid_round round = ft_grid_first_round(half->local);
  upc_notify;
  for (size_t plane = 0; plane < half->route.planes; plane++) {
    ft_grid_first_plane(half->local, plane, elsewhere);
    lap_work();
    if (plane == 0) {
      upc_wait;
      ft_lap(FT_BARRIER);
    }
    send_after(half, &half->route.first, &round, plane);
  }
  complete_round();
}

static void second_round(ft_grid_half *half) {
  ft_grid_round round = ft_grid_second_round(half->local);
  for (size_t plane = 0; plane < half->route.planes; plane++) {
    ft_grid_second_plane(half->local, plane, elsewhere);
    lap_work();
    if (round.destination != FT_TARGET && plane == half->route.planes - 1) {
      upc_barrier;
      ft_lap(FT_BARRIER);
    }
    send_after(half, &half->route.second, &round, plane);
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
  ft_grid_half half = {.route = ft_make_grid_route(run, direction)};
  half.arrays[FT_TARGET] = target;
  half.arrays[FT_STAGE] = stage;
  half.arrays[FT_INBOX] = inbox;
  half.local = ft_grid_plan(run, direction, source == NULL ? NULL : (const ft_complex *)source->parts[MYTHREAD],
                            (ft_complex *)target.parts[MYTHREAD], (ft_complex *)stage.parts[MYTHREAD],
                            (ft_complex *)inbox.parts[MYTHREAD]);
  return half;
}

void ft_grid_half_free(ft_grid_half *half) { ft_grid_unplan(half->local); }
