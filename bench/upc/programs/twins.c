/* upc-programs-mpi: the programs of this folder in MPI, but for CG and IS (twins_npb.c). */
#include "../hosts/twins.h"

#include <stdlib.h>

#include "sizes.h"
#include "twins_npb.h"

const char twins_name[] = "upc_programs_mpi";
const int twins_ranks = 0;

/* Random updates: lists of a chunk for each owner are exchanged, the owners carry them out. */
enum { CHUNK = 8192 };
static unsigned long table[WORDS_PER_THREAD], *outgoing, *incoming;
static int *out_count, *out_at, *in_count, *in_at;
static long restored[1];

static unsigned long word_of(unsigned long number) {
  return number % ((unsigned long)WORDS_PER_THREAD * (unsigned)ranks);
}

static void prepare_gups(void) {
  for (long i = 0; i < WORDS_PER_THREAD; i++) table[i] = (unsigned long)(i * ranks + me);
}

static unsigned long number_after(unsigned long x) {
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return x;
}

static unsigned long first_number(int rank) { return 88172645463325252UL + (unsigned long)rank; }

static void exchange_lists(int chunk) {
  int total = 0;
  MPI_Alltoall(out_count, 1, MPI_INT, in_count, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; r++) {
    in_at[r] = total;
    out_at[r] = r * chunk;
    total += in_count[r];
  }
  MPI_Alltoallv(outgoing, out_count, out_at, MPI_UNSIGNED_LONG, incoming, in_count, in_at, MPI_UNSIGNED_LONG,
                MPI_COMM_WORLD);
  for (int i = 0; i < total; i++) table[word_of(incoming[i]) / (unsigned)ranks] ^= incoming[i];
}

static void gups(void) {
  unsigned long number = first_number(me);
  for (long done = 0; done < UPDATES; done += CHUNK) {
    memset(out_count, 0, (size_t)ranks * sizeof *out_count);
    for (long k = done; k < done + CHUNK && k < UPDATES; k++) {
      number = number_after(number);
      const int owner = (int)(word_of(number) % (unsigned)ranks);
      outgoing[owner * CHUNK + out_count[owner]++] = number;
    }
    exchange_lists(CHUNK);
  }
}

static void undo_gups(void) {
  for (int r = 0; r < ranks; r++) {
    unsigned long number = first_number(r);
    for (long k = 0; k < UPDATES; k++) {
      number = number_after(number);
      if ((int)(word_of(number) % (unsigned)ranks) == me) table[word_of(number) / (unsigned)ranks] ^= number;
    }
  }
  restored[0] = 1;
  for (long i = 0; i < WORDS_PER_THREAD; i++) restored[0] &= table[i] == (unsigned long)(i * ranks + me);
}

/* Heat in a rod: end cells go to the neighbours while the inside is computed. */
static double rod[2][CELLS + 2];
static double* last_cells = &rod[STEPS % 2][1];

static void prepare_heat(void) {
  memset(rod, 0, sizeof rod);
  if (me == 0) rod[0][CELLS / 2 + 1] = 1;
}

static double next(const double* u, int i) { return u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]); }

static void heat(void) {
  const int left = me > 0 ? me - 1 : MPI_PROC_NULL, right = me < ranks - 1 ? me + 1 : MPI_PROC_NULL;
  for (int step = 0; step < STEPS; step++) {
    double* restrict u = rod[step % 2], * restrict v = rod[1 - step % 2];
    MPI_Request requests[4];
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&u[CELLS + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&u[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    for (int i = 2; i < CELLS; i++) v[i] = next(u, i);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (left != MPI_PROC_NULL) v[1] = next(u, 1);
    if (right != MPI_PROC_NULL) v[CELLS] = next(u, CELLS);
  }
}

/* The histogram: counts are added up where the bins are. Rank r has bins r, r + ranks, ... */
static long bins[HISTOGRAM_BINS], *by_owner;
static int* bins_of;

static void prepare_histogram(void) { memset(bins, 0, sizeof bins); }

static void histogram(void) {
  long counts[HISTOGRAM_BINS] = {0}, mine[HISTOGRAM_BINS];
  unsigned long state = 12345 + (unsigned long)me;
  for (int k = 0; k < HISTOGRAM_SAMPLES; k++) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    counts[(state >> 33) % HISTOGRAM_BINS]++;
  }
  for (int r = 0, at = 0; r < ranks; r++) {
    const int begin = at;
    for (int b = r; b < HISTOGRAM_BINS; b += ranks) by_owner[at++] = counts[b];
    bins_of[r] = at - begin;
  }
  MPI_Reduce_scatter(by_owner, mine, bins_of, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  for (int b = 0; b < bins_of[me]; b++) bins[b] += mine[b];
}

/* Matrix times vector. Elements r, r + ranks, ... of the vector are rank r's, and so are results. */
static double matrix[MATRIX_ROWS][MATRIX_COLUMNS], vector_part[MATRIX_COLUMNS], results[MATRIX_ROWS];
static double *all_parts, *all; /* of the matrix of all ranks, and that in order */
static int *part_count, *part_at;

static void fetch_vector(double* whole) {
  static double parts[MATRIX_COLUMNS];
  for (int r = 0, at = 0; r < ranks; r++) {
    part_count[r] = (MATRIX_COLUMNS - r + ranks - 1) / ranks;
    part_at[r] = at;
    at += part_count[r];
  }
  MPI_Allgatherv(vector_part, part_count[me], MPI_DOUBLE, parts, part_count, part_at, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; r++)
    for (int k = 0; k < part_count[r]; k++) whole[k * ranks + r] = parts[part_at[r] + k];
}

static double product(const double* row, const double* whole) {
  double sum = 0;
  for (int j = 0; j < MATRIX_COLUMNS; j++) sum += row[j] * whole[j];
  return sum;
}

static void prepare_vector(void) {
  for (int k = 0; k < MATRIX_COLUMNS; k++) vector_part[k] = k * ranks + me + 1;
  memset(results, 0, sizeof results);
}

/* Elements me, me + ranks, ... of the matrix. All rows begin on rank 0, which computes them. */
static void prepare_elements(void) {
  prepare_vector();
  for (int k = 0; k < MATRIX_ROWS * MATRIX_COLUMNS; k++) (&matrix[0][0])[k] = (k * ranks + me) / MATRIX_COLUMNS;
}

static void by_element(void) {
  double whole[MATRIX_COLUMNS];
  fetch_vector(whole);
  MPI_Gather(matrix, MATRIX_ROWS * MATRIX_COLUMNS, MPI_DOUBLE, all_parts, MATRIX_ROWS * MATRIX_COLUMNS, MPI_DOUBLE, 0,
             MPI_COMM_WORLD);
  if (me == 0) {
    for (int r = 0; r < ranks; r++)
      for (int k = 0; k < MATRIX_ROWS * MATRIX_COLUMNS; k++)
        all[(long)k * ranks + r] = all_parts[(long)r * MATRIX_ROWS * MATRIX_COLUMNS + k];
    for (int r = 0; r < ranks; r++)
      for (int k = 0; k < MATRIX_ROWS; k++)
        all_parts[r * MATRIX_ROWS + k] = product(all + (long)(k * ranks + r) * MATRIX_COLUMNS, whole);
  }
  MPI_Scatter(all_parts, MATRIX_ROWS, MPI_DOUBLE, results, MATRIX_ROWS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void prepare_rows(void) { /* row me, me + ranks, ... */
  prepare_vector();
  for (int k = 0; k < MATRIX_ROWS; k++)
    for (int j = 0; j < MATRIX_COLUMNS; j++) matrix[k][j] = k * ranks + me;
}

static void by_row(void) {
  double whole[MATRIX_COLUMNS];
  fetch_vector(whole);
  for (int k = 0; k < MATRIX_ROWS; k++) results[k] = product(matrix[k], whole);
}

static void prepare_block(void) { /* rows from me * MATRIX_ROWS on */
  prepare_vector();
  for (int k = 0; k < MATRIX_ROWS; k++)
    for (int j = 0; j < MATRIX_COLUMNS; j++) matrix[k][j] = me * MATRIX_ROWS + k;
}

/* Result i goes to rank i modulo ranks, after those of the ranks before. */
static void by_block(void) {
  double whole[MATRIX_COLUMNS], mine[MATRIX_ROWS], sorted[MATRIX_ROWS];
  int send_count[ranks], send_at[ranks], receive_count[ranks], receive_at[ranks];
  fetch_vector(whole);
  for (int k = 0; k < MATRIX_ROWS; k++) mine[k] = product(matrix[k], whole);
  for (int r = 0, at = 0, to = 0; r < ranks; r++) {
    send_at[r] = at;
    for (int k = 0; k < MATRIX_ROWS; k++)
      if ((me * MATRIX_ROWS + k) % ranks == r) sorted[at++] = mine[k];
    send_count[r] = at - send_at[r];
    receive_at[r] = to;
    for (int k = 0; k < MATRIX_ROWS; k++) to += (r * MATRIX_ROWS + k) % ranks == me;
    receive_count[r] = to - receive_at[r];
  }
  MPI_Alltoallv(sorted, send_count, send_at, MPI_DOUBLE, results, receive_count, receive_at, MPI_DOUBLE,
                MPI_COMM_WORLD);
}

static void* memory(size_t bytes) {
  void* block = malloc(bytes);
  if (block == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return block;
}

static int* count_per_rank(void) { return memory((size_t)ranks * sizeof(int)); }

void run_twins(void) {
  out_count = count_per_rank();
  out_at = count_per_rank();
  in_count = count_per_rank();
  in_at = count_per_rank();
  bins_of = count_per_rank();
  part_count = count_per_rank();
  part_at = count_per_rank();
  outgoing = memory((size_t)ranks * CHUNK * sizeof *outgoing);
  incoming = memory((size_t)ranks * CHUNK * sizeof *incoming);
  by_owner = memory(sizeof bins);
  all = memory((size_t)ranks * sizeof matrix);
  all_parts = memory((size_t)ranks * sizeof matrix);
  const twin twins[] = {
      {"gups", UPDATES, 1, prepare_gups, gups, restored, 1, undo_gups},
      {"heat", (size_t)CELLS * STEPS, 1, prepare_heat, heat, last_cells, CELLS, NULL},
      {"count_atomic", HISTOGRAM_SAMPLES, 1, prepare_histogram, histogram, bins, HISTOGRAM_BINS, NULL},
      {"matvec_by_element", (size_t)MATRIX_ROWS * MATRIX_COLUMNS, 1, prepare_elements, by_element, results, MATRIX_ROWS,
       NULL},
      {"matvec_by_row", (size_t)MATRIX_ROWS * MATRIX_COLUMNS, 1, prepare_rows, by_row, results, MATRIX_ROWS, NULL},
      {"matvec_by_block", (size_t)MATRIX_ROWS * MATRIX_COLUMNS, 1, prepare_block, by_block, results, MATRIX_ROWS, NULL},
  };
  measure_twins(twins, sizeof twins / sizeof *twins);
  run_npb_twins_S();
  run_npb_twins_W();
}
