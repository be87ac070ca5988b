/* ft-upc: the NAS FT benchmark in UPC. */
#include <bupc.h>
#include <stdio.h>
#include <stdlib.h>
#include <upc.h>
#include <upc_tick.h>
#include <weft/segment.h>

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

static void run_inverse(ft_half *inverse, int t) {
  ft_set_time(inverse->local, t);
  ft_half_run(inverse);
}

static void show(const ft_run *run, int t, ft_complex part, upc_tick_t start) {
  double sum[2] = {part.re, part.im};
  if (!run->progress) return;
  ft_sum(sum, 2);
  if (MYTHREAD == 0) ft_print_progress(t, (ft_complex){sum[0], sum[1]}, seconds_since(start));
}

/* Timed: the initial field and its forward transform; then all iterations and their verification. */
static void measure(ft_run *run, ft_half *forward, ft_half *inverse, ft_complex *checksums) {
  ft_traffic before = ft_sent();
  upc_tick_t start = upc_ticks_now();
  ft_clock_restart();
  ft_half_run(forward);
  run->forward = (ft_traffic){ft_sent().messages - before.messages, ft_sent().bytes - before.bytes};
  run->inverse_seconds = 0;
  for (int t = 1; t <= run->iterations; t++) {
    upc_tick_t begin = upc_ticks_now();
    run_inverse(inverse, t);
    run->inverse_seconds += seconds_since(begin);
    checksums[t - 1] = ft_checksum(inverse->local);
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

void ft_benchmark(ft_run *run) {
  ft_route there = ft_make_route(run, FT_FORWARD), back = ft_make_route(run, FT_INVERSE);
  ft_array spatial = make_array(back.b * back.target_stride), spectral = make_array(there.b * there.target_stride);
  ft_half forward = ft_half_make(run, FT_FORWARD, NULL, spectral);
  ft_half inverse = ft_half_make(run, FT_INVERSE, &spectral, spatial);
  ft_complex *checksums = malloc((size_t)run->iterations * sizeof *checksums);
  if (checksums == NULL) upc_global_exit(2);

  /* Warm-up, not timed: touches all memory and all code. */
  ft_half_run(&forward);
  run_inverse(&inverse, 1);
  upc_barrier;
  measure(run, &forward, &inverse, checksums);

  free(checksums);
  ft_half_free(&forward);
  ft_half_free(&inverse);
  free_array(spatial);
  free_array(spectral);
}

int main(int argc, char **argv) { return ft_drive(argc, argv, MYTHREAD, THREADS); }
