/* One direction of the transform: two dimensions on this thread's planes, the transposition, the third dimension. */
#ifndef FT_UPC_TRANSPOSE_H
#define FT_UPC_TRANSPOSE_H

#include <upc.h>
#include <upc_nb.h>

#include "local.h"

/* An array of the transform: on every thread a part of the same size. */
typedef struct ft_array {
  shared void *memory;
  shared[] ft_complex **parts; /* parts[t]: thread t's */
} ft_array;

typedef struct ft_half {
  enum ft_variant variant;
  ft_route route;
  ft_local *local;
  ft_array target;
  size_t rows, rows_per_put;
  /* Rows stay in `stage` until they are sent: pencils and slabs use it as a ring of slots of `rows` rows, exchange
   * keeps everything there, ordered by destination. */
  ft_complex *stage;
  size_t slot_elements, slots, slot;
  upc_handle_t *under_way; /* the put of each slot behind a network; NULL where puts are copies, and for exchange */
} ft_half;

/* Collective. `source`: NULL for the random numbers with which the benchmark starts. */
ft_half ft_half_make(const ft_run *run, enum ft_direction direction, const ft_array *source, ft_array target);
void ft_half_free(ft_half *half);

/* Collective. From the source to the target. This thread's part of the target must no longer be in use by it. */
void ft_half_run(ft_half *half);

/* Starts to send `elements` to place `to` of the owner's part of an array; upc_synci() completes it. */
void ft_put(const ft_array *array, int owner, size_t to, const ft_complex *from, size_t elements);
/* Counts as sent what need not be moved. */
void ft_count_sent(size_t elements);
/* What this thread has sent, to itself too. */
ft_traffic ft_sent(void);

/* The stopwatch: the time since the last lap belongs to `phase`. */
void ft_clock_restart(void);
void ft_lap(enum ft_phase phase);
/* The same, with that time measured by somebody else. */
void ft_lap_with(const double seconds[FT_PHASES]);
double ft_clock_seconds(enum ft_phase phase);

#endif
