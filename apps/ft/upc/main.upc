/* ft-upc: the NAS FT benchmark in UPC. */
#include <bupc.h>
#include <stdio.h>
#include <stdlib.h>
#include <upc.h>
#include <upc_tick.h>
#include <weft/segment.h>

#include "grid.h"
#include "local.h"
#include "transpose.h"

static double seconds_since(upc_tick_t start) { return 1e-9 * (double)upc_ticks_to_ns(upc_ticks_now() - start); }

void ft_barrier(void) { upc_barrier; }

void ft_sum(double *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = bupc_allv_reduce_all(double, values[i], UPC_ADD);
}

void ft_max(double *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = bupc_allv_reduce_all(double, values[i], UPC_MAX);
}

static ft_array make_array(size_t elements) {
  ft_array array = {.memory = upc_all_alloc((size_t)THREADS, elements * sizeof(ft_complex)),
                    .parts = malloc((size_t)THREADS * sizeof *array.parts)};
  if (array.memory == NULL || array.parts == NULL) upc_global_exit(2);
  for (int t = 0; t < THREADS; t++) array.parts[t] = (shared[] ft_complex *)((shared char *)array.memory + t);
  /* Columns lie many pages apart: huge pages save time. */
  weft_segment_commit(upc_addrfield(array.memory), elements * sizeof(ft_complex));
  return array;
}

static void free_array(ft_array array) {
  free(array.parts);
  upc_all_free(array.memory);
}

/* Both directions, of the decomposition that the variant wants. */
typedef struct transforms {
  int on_grid;
  ft_array spatial, spectral;
  ft_half forward, inverse;
  ft_array inbox, stage; /* these and the following: on a grid */
  ft_grid_half grid_forward, grid_inverse;
} transforms;

static void run_forward(transforms *t) {
  if (t->on_grid) ft_grid_half_run(&t->grid_forward);
  else ft_half_run(&t->forward);
}

static void run_inverse(transforms *t, int time) {
  if (t->on_grid) {
    ft_grid_set_time(t->grid_inverse.local, time);
    ft_grid_half_run(&t->grid_inverse);
  } else {
    ft_set_time(t->inverse.local, time);
    ft_half_run(&t->inverse);
  }
}

static ft_complex checksum(const transforms *t) {
  return t->on_grid ? ft_grid_checksum(t->grid_inverse.local) : ft_checksum(t->inverse.local);
}

static void show(const ft_run *run, int t, ft_complex part, upc_tick_t start) {
  double sum[2] = {part.re, part.im};
  if (!run->progress) return;
  ft_sum(sum, 2);
  if (MYTHREAD == 0) ft_print_progress(t, (ft_complex){sum[0], sum[1]}, seconds_since(start));
}

/* Timed: the initial field and its forward transform; then all iterations and their verification. */
static void measure(ft_run *run, transforms *both, ft_complex *checksums) {
  ft_traffic before = ft_sent();
  upc_tick_t start = upc_ticks_now();
  ft_clock_restart();
  run_forward(both);
  run->forward = (ft_traffic){ft_sent().messages - before.messages, ft_sent().bytes - before.bytes};
  run->inverse_seconds = 0;
  for (int t = 1; t <= run->iterations; t++) {
    upc_tick_t begin = upc_ticks_now();
    run_inverse(both, t);
    run->inverse_seconds += seconds_since(begin);
    checksums[t - 1] = checksum(both);
    show(run, t, checksums[t - 1], start);
    ft_lap(FT_OTHER);
  }
  ft_sum((double *)checksums, 2 * (size_t)run->iterations);
  ft_verify(run, checksums);
  ft_lap(FT_OTHER);
  run->seconds = seconds_since(start);
  run->total = (ft_traffic){ft_sent().messages - before.messages, ft_sent().bytes - before.bytes};
  for (int phase = 0; phase < FT_PHASES; phase++) run->phases[phase] = ft_clock_seconds((enum ft_phase)phase);
}

static transforms make_transforms(const ft_run *run) {
  ft_route there = ft_make_route(run, FT_FORWARD), back = ft_make_route(run, FT_INVERSE);
  transforms t = {.spatial = make_array(back.b * back.target_stride),
                  .spectral = make_array(there.b * there.target_stride)};
  t.forward = ft_half_make(run, FT_FORWARD, NULL, t.spectral);
  t.inverse = ft_half_make(run, FT_INVERSE, &t.spectral, t.spatial);
  return t;
}

static transforms make_transforms_on_grid(const ft_run *run) {
  ft_grid_route there = ft_make_grid_route(run, FT_FORWARD), back = ft_make_grid_route(run, FT_INVERSE);
  transforms t = {.on_grid = 1,
                  .spatial = make_array(back.target_elements),
                  .spectral = make_array(there.target_elements),
                  .inbox = make_array(there.share),
                  .stage = make_array(there.share)};
  t.grid_forward = ft_grid_half_make(run, FT_FORWARD, NULL, t.spectral, t.inbox, t.stage);
  t.grid_inverse = ft_grid_half_make(run, FT_INVERSE, &t.spectral, t.spatial, t.inbox, t.stage);
  return t;
}

static void free_transforms(transforms *t) {
  if (t->on_grid) {
    ft_grid_half_free(&t->grid_forward);
    ft_grid_half_free(&t->grid_inverse);
    free_array(t->inbox);
    free_array(t->stage);
  } else {
    ft_half_free(&t->forward);
    ft_half_free(&t->inverse);
  }
  free_array(t->spatial);
  free_array(t->spectral);
}

void ft_benchmark(ft_run *run) {
  int on_grid = run->variant == FT_PACKED_SLABS_2D || run->variant == FT_SLABS_2D;
  transforms t = on_grid ? make_transforms_on_grid(run) : make_transforms(run);
  ft_complex *checksums = malloc((size_t)run->iterations * sizeof *checksums);
  if (checksums == NULL) upc_global_exit(2);

  /* Warm-up, not timed: touches all memory and all code. */
  run_forward(&t);
  run_inverse(&t, 1);
  upc_barrier;
  measure(run, &t, checksums);

  free(checksums);
  free_transforms(&t);
}

int main(int argc, char **argv) { return ft_drive(argc, argv, MYTHREAD, THREADS); }
