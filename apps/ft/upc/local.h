/* What the UPC program takes from C++: the command line and the report of apps/ft, and the local transforms of fft/.
 * Everything between threads is UPC: transpose.upc and main.upc. Plain C, for both sides. */
#ifndef FT_UPC_LOCAL_H
#define FT_UPC_LOCAL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ft_complex {
  double re, im;
} ft_complex;

/* How much is transformed before it is sent: a row, a thread's part of a plane, everything; on a grid of threads
 * (grid.h) everything, or a slab. */
enum ft_variant { FT_PENCILS, FT_SLABS, FT_EXCHANGE, FT_PACKED_SLABS_2D, FT_SLABS_2D };
enum ft_direction { FT_FORWARD, FT_INVERSE };
/* Where the time goes; the order of weft::fft::Phase. */
enum ft_phase { FT_LOCAL_FFT, FT_MOVEMENT, FT_COMMUNICATION, FT_COMPLETION, FT_BARRIER, FT_OTHER, FT_PHASES };

typedef struct ft_traffic {
  size_t messages, bytes;
} ft_traffic;

/* What the command line asks for, and what this thread measured of the timed part. */
typedef struct ft_run {
  enum ft_variant variant;
  int iterations;
  int progress; /* print each iteration's checksum */
  double seconds, inverse_seconds;
  ft_traffic forward, total; /* sent in the forward transform, and in all */
  double phases[FT_PHASES];
} ft_run;

/* An array [a][b][y] of which each thread has a block of b becomes [b][a][y] of which each has a block of a
 * (docs/FFT.md). Strides are those of the slowest index, in elements, with the padding. */
typedef struct ft_route {
  size_t a, b, y, a_local, b_local, source_stride, target_stride;
} ft_route;

/* ---- Main program (program.cpp). Reads the command line, calls ft_benchmark(), reports; returns the exit status. ----
 */
int ft_drive(int argc, char** argv, int thread, int threads);
/* Compares the checksums of all iterations with the reference; the report tells. */
void ft_verify(ft_run* run, const ft_complex* checksums);
void ft_print_progress(int iteration, ft_complex checksum, double seconds);

/* Provided by the UPC program. Collective. */
void ft_benchmark(ft_run* run);
void ft_barrier(void);
void ft_sum(double* values, size_t count);
void ft_max(double* values, size_t count);

/* ---- Local work of one direction (local.cpp) ---- */
typedef struct ft_local ft_local;

ft_route ft_make_route(const ft_run* run, enum ft_direction direction);
/* source and target: this thread's parts of the arrays (the forward transform has no source: it starts from random
 * numbers). stage_elements: of the buffer for transformed rows. Overwrites the target. */
ft_local* ft_plan(const ft_run* run, enum ft_direction direction, const ft_complex* source, ft_complex* target,
                  size_t stage_elements);
void ft_unplan(ft_local* local);
ft_complex* ft_stage(ft_local* local);

/* Fills the work plane: random numbers, or plane b of the source evolved to time t. */
void ft_set_time(ft_local* local, int t);
void ft_load(ft_local* local, size_t b_local);
void ft_transform_a(ft_local* local);
/* `rows` rows of the work plane from the given one on go transformed to `out`, one after the other. */
void ft_transform_y(ft_local* local, size_t first, size_t rows, ft_complex* out);
/* In place in the target. */
void ft_transform_b(ft_local* local);
/* This thread's part of the checksum of the target. */
ft_complex ft_checksum(const ft_local* local);

#ifdef __cplusplus
}
#endif
#endif
