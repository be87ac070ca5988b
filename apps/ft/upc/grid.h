/* One direction of the 2-D variants: two rounds of exchanges on the teams of a grid of threads. */
#ifndef FT_UPC_GRID_H
#define FT_UPC_GRID_H

#include "grid_local.h"
#include "transpose.h"

typedef struct ft_grid_half {
  ft_grid_route route;
  ft_grid_local *local;
  ft_array arrays[3]; /* by ft_grid_array */
} ft_grid_half;

/* Collective. As ft_half_make(). inbox and stage may be those of the other direction. */
ft_grid_half ft_grid_half_make(const ft_run *run, enum ft_direction direction, const ft_array *source, ft_array target,
                               ft_array inbox, ft_array stage);
void ft_grid_half_free(ft_grid_half *half);

/* Collective. From the source to the target. */
void ft_grid_half_run(ft_grid_half *half);

#endif
