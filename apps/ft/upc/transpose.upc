/* The transposition, one-sided: what a thread has transformed it puts straight to where its next owner wants it. There
 * is no packing, and no receiver takes part. Two barriers order it. The first says that the targets may be
 * overwritten; it is split around the first plane, so it is rarely waited for. The second says that all has arrived.
 *
 * Pencils and slabs differ in two numbers, which ft_half_make() sets: rows per put, and rows transformed before they
 * are put. Exchange keeps all rows (keep_part) and puts them at the end (put_everything). */
#include "transpose.h"

#include <upc_castable.h>
#include <upc_nb.h>
#include <upc_tick.h>

#include <stdlib.h>

/* Rows transformed before they are put one by one: they stay in the first-level cache. */
enum { BURST = 4 };

/* Bytes of pencils or parts under way before a thread waits for their sources: little where a put is a copy and the
 * cache is what matters, more where it takes the time of a network. There pencils are gathered until a message is worth
 * its cost. */
enum { NEAR_BYTES = 64 << 10, FAR_BYTES = 16 << 20, FAR_MESSAGE_BYTES = 128 << 10 };

static ft_traffic traffic;
static upc_tick_t last_lap;
static upc_tick_t laps[FT_PHASES];
static double measured_elsewhere[FT_PHASES];

ft_traffic ft_sent(void) { return traffic; }

void ft_clock_restart(void) {
  for (int phase = 0; phase < FT_PHASES; phase++) {
    laps[phase] = 0;
    measured_elsewhere[phase] = 0;
  }
  last_lap = upc_ticks_now();
}

void ft_lap(enum ft_phase phase) {
  upc_tick_t now = upc_ticks_now();
  laps[phase] += now - last_lap;
  last_lap = now;
}

void ft_lap_with(const double seconds[FT_PHASES]) {
  for (int phase = 0; phase < FT_PHASES; phase++) measured_elsewhere[phase] += seconds[phase];
  last_lap = upc_ticks_now();
}

double ft_clock_seconds(enum ft_phase phase) {
  return 1e-9 * (double)upc_ticks_to_ns(laps[phase]) + measured_elsewhere[phase];
}

void ft_count_sent(size_t elements) {
  traffic.messages++;
  traffic.bytes += elements * sizeof(ft_complex);
}

void ft_put(const ft_array *array, int owner, size_t to, const ft_complex *from, size_t elements) {
  upc_memput_nbi(array->parts[owner] + to, from, elements * sizeof *from);
  ft_count_sent(elements);
}

/* The same from a slot of the ring. */
static void put_slot(const ft_half *half, int owner, size_t to, const ft_complex *from, size_t elements) {
  if (half->under_way == NULL) {
    ft_put(&half->target, owner, to, from, elements);
    return;
  }
  half->under_way[half->slot] = upc_memput_nb(half->target.parts[owner] + to, from, elements * sizeof *from);
  ft_count_sent(elements);
}

static void wait_for_slot(ft_half *half, size_t slot) {
  upc_sync(half->under_way[slot]);
  half->under_way[slot] = UPC_COMPLETE_HANDLE;
}

/* The next slot of the ring. Its own put is waited for; where puts are copies, once around all of them are. */
static ft_complex *next_slot(ft_half *half) {
  if (++half->slot == half->slots) half->slot = 0;
  if (half->under_way == NULL && half->slot != 0) return half->stage + half->slot * half->slot_elements;
  if (half->under_way != NULL) wait_for_slot(half, half->slot);
  else upc_synci();
  ft_lap(FT_COMPLETION);
  return half->stage + half->slot * half->slot_elements;
}

/* Pencils and slabs: rows are transformed a few at a time and go to their owner's part of the plane as soon as a
 * message of them is there. */
static void put_part(ft_half *half, size_t plane, int owner) {
  const ft_route *r = &half->route;
  for (size_t row = 0; row < r->a_local; row += half->rows) {
    ft_complex *rows = next_slot(half);
    ft_transform_y(half->local, (size_t)owner * r->a_local + row, half->rows, rows);
    ft_lap(FT_LOCAL_FFT);
    for (size_t k = 0; k < half->rows; k += half->rows_per_put)
      put_slot(half, owner, plane * r->target_stride + (row + k) * r->y, rows + k * r->y, half->rows_per_put * r->y);
    ft_lap(FT_COMMUNICATION);
  }
}

/* Exchange: the part of the plane waits for all others, where it will lie at its owner. */
static void keep_part(ft_half *half, size_t plane_local, int owner) {
  const ft_route *r = &half->route;
  ft_complex *part = half->stage + ((size_t)owner * r->b_local + plane_local) * r->target_stride;
  ft_transform_y(half->local, (size_t)owner * r->a_local, r->a_local, part);
  ft_lap(FT_LOCAL_FFT);
}

static void put_everything(ft_half *half) {
  size_t elements = half->route.b_local * half->route.target_stride;
  for (int i = 1; i <= THREADS; i++) {
    int owner = (MYTHREAD + i) % THREADS;
    ft_put(&half->target, owner, (size_t)MYTHREAD * elements, half->stage + (size_t)owner * elements, elements);
  }
}

/* Parts go round the threads from the next one on, so that at any time all put to different ones. */
static void send_plane(ft_half *half, size_t plane_local) {
  size_t plane = (size_t)MYTHREAD * half->route.b_local + plane_local;
  for (int i = 1; i <= THREADS; i++) {
    int owner = (MYTHREAD + i) % THREADS;
    if (half->variant == FT_EXCHANGE) keep_part(half, plane_local, owner);
    else put_part(half, plane, owner);
  }
}

void ft_half_run(ft_half *half) {
  upc_notify;
  for (size_t plane = 0; plane < half->route.b_local; plane++) {
    ft_load(half->local, plane);
    ft_lap(FT_OTHER);
    ft_transform_a(half->local);
    ft_lap(FT_LOCAL_FFT);
    if (plane == 0) {
      upc_wait;
      ft_lap(FT_BARRIER);
    }
    send_plane(half, plane);
  }
  if (half->variant == FT_EXCHANGE) put_everything(half);
  ft_lap(FT_COMMUNICATION);
  for (size_t slot = 0; half->under_way != NULL && slot < half->slots; slot++) wait_for_slot(half, slot);
  upc_synci();
  ft_lap(FT_COMPLETION);
  upc_barrier;
  ft_lap(FT_BARRIER);
  ft_transform_b(half->local);
  ft_lap(FT_LOCAL_FFT);
}

/* The fewest rows that make a message of FAR_MESSAGE_BYTES and divide the part of a plane; else all of the part. */
static size_t gathered_rows(const ft_route *r) {
  size_t rows = 1;
  while (rows < r->a_local && (rows * r->y * sizeof(ft_complex) < FAR_MESSAGE_BYTES || r->a_local % rows != 0)) rows++;
  return rows;
}

static int all_threads_are_near(void) {
  for (int t = 0; t < THREADS; t++)
    if (!upc_thread_info((size_t)t).guaranteedCastable) return 0;
  return 1;
}

ft_half ft_half_make(const ft_run *run, enum ft_direction direction, const ft_array *source, ft_array target) {
  ft_half half = {.variant = run->variant, .route = ft_make_route(run, direction), .target = target};
  const ft_route *r = &half.route;
  int near = all_threads_are_near();
  switch (run->variant) {
    case FT_PENCILS:
      half.rows_per_put = near ? 1 : gathered_rows(r);
      half.rows = near && r->a_local % BURST == 0 ? BURST : half.rows_per_put;
      break;
    case FT_SLABS: half.rows = half.rows_per_put = r->a_local; break;
    default: break;
  }
  half.slot_elements =
      run->variant == FT_EXCHANGE ? (size_t)THREADS * r->b_local * r->target_stride : half.rows * r->y;
  size_t fit = (size_t)(near ? NEAR_BYTES : FAR_BYTES) / (half.slot_elements * sizeof(ft_complex));
  half.slots = fit > 0 ? fit : 1;
  if (!near && run->variant != FT_EXCHANGE) half.under_way = calloc(half.slots, sizeof *half.under_way);
  half.local = ft_plan(run, direction, source == NULL ? NULL : (const ft_complex *)source->parts[MYTHREAD],
                       (ft_complex *)target.parts[MYTHREAD], half.slots * half.slot_elements);
  half.stage = ft_stage(half.local);
  return half;
}

void ft_half_free(ft_half *half) {
  ft_unplan(half->local);
  free(half->under_way);
}
