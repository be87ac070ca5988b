/* The local work of one direction of the 2-D variants (grid_local.cpp): weft::fft::GridWork for UPC. As local.h. */
#ifndef FT_UPC_GRID_LOCAL_H
#define FT_UPC_GRID_LOCAL_H

#include "local.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of this thread's two teams: its member m is thread first + m * step. */
typedef struct ft_team {
  size_t size, rank, first, step;
} ft_team;

/* One direction (fft/grid.hpp). share: elements of the stage and the inbox. */
typedef struct ft_grid_route {
  ft_team first, second;
  size_t planes, share, target_elements;
} ft_grid_route;

/* The exchanges of one round, as weft::fft::GridRound. Exchange k sends blocks in the order of members from source + k
 * * source_step; they come to lie at k * destination_step + m * distance of an array at their destination, m the member
 * that they come from. */
enum ft_grid_array { FT_TARGET, FT_STAGE, FT_INBOX };
typedef struct ft_grid_round {
  size_t count, elements;
  const ft_complex* source;
  size_t source_step;
  enum ft_grid_array destination;
  size_t destination_step, distance;
} ft_grid_round;

typedef struct ft_grid_local ft_grid_local;

ft_grid_route ft_make_grid_route(const ft_run* run, enum ft_direction direction);
/* Arrays are this thread's parts. source: NULL for the random numbers. Overwrites all but the source. */
ft_grid_local* ft_grid_plan(const ft_run* run, enum ft_direction direction, const ft_complex* source,
                            ft_complex* target, ft_complex* stage, ft_complex* inbox);
ft_grid_round ft_grid_first_round(const ft_grid_local* local);
ft_grid_round ft_grid_second_round(const ft_grid_local* local);
void ft_grid_unplan(ft_grid_local* local);
void ft_grid_set_time(ft_grid_local* local, int t);

/* The three parts of a transform, to be called in this order with a round of exchanges after each of the first two.
 * They add the time they take to `seconds`, by phase. */
void ft_grid_first_plane(ft_grid_local* local, size_t plane, double seconds[FT_PHASES]);
void ft_grid_second_plane(ft_grid_local* local, size_t plane, double seconds[FT_PHASES]);
void ft_grid_finish(ft_grid_local* local, double seconds[FT_PHASES]);

ft_complex ft_grid_checksum(const ft_grid_local* local);

#ifdef __cplusplus
}
#endif
#endif
