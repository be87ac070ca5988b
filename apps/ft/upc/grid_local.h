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

/* One direction (fft/grid.hpp). Parts are elements of one slab for one member of a team, share those of all that a
 * thread sends in one round. */
typedef struct ft_grid_route {
  ft_team first, second;
  size_t planes, first_part, second_part, share, target_stride, target_elements;
} ft_grid_route;

typedef struct ft_grid_local ft_grid_local;

ft_grid_route ft_make_grid_route(const ft_run* run, enum ft_direction direction);
/* Arrays are this thread's parts. The stage, with share elements, is the caller's; received is what lies in the inbox,
 * or for the second round of slabs in the target. source: NULL for the random numbers. Overwrites all but the source.
 */
ft_grid_local* ft_grid_plan(const ft_run* run, enum ft_direction direction, const ft_complex* source,
                            ft_complex* target, ft_complex* stage, ft_complex* inbox);
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
