/* Inputs and known answers of two NAS Parallel Benchmarks, CG (conjugate gradients) and IS (integer sort), made as
 * their specification says: plain C, the same for every thread. cc -DCLASS=W takes the next larger problem: S, W, A or
 * B. */
#ifndef NPB_H
#define NPB_H
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CLASS
#define CLASS S
#endif
#define NPB_JOINED(a, b) a##b
#define NPB_OF_CLASS(name, class) NPB_JOINED(name, class)
#define NPB_QUOTED(text) #text
#define NPB_NAME_OF(class) NPB_QUOTED(class)

/* Random numbers: x becomes a x mod 2^46, and x / 2^46 is in 0 .. 1. */
#define NPB_SEED UINT64_C(314159265)
#define NPB_FACTOR UINT64_C(1220703125)
#define NPB_LOW_BITS ((UINT64_C(1) << 46) - 1)

static inline double npb_random(uint64_t* x) {
  *x = *x * NPB_FACTOR & NPB_LOW_BITS;
  return (double)*x * 0x1p-46;
}

/* What npb_random makes of x in `steps` calls. */
static inline uint64_t npb_random_after(uint64_t x, uint64_t steps) {
  for (uint64_t factor = NPB_FACTOR; steps > 0; steps /= 2) {
    if (steps % 2 == 1) x = x * factor & NPB_LOW_BITS;
    factor = factor * factor & NPB_LOW_BITS;
  }
  return x;
}

static inline void* npb_memory(size_t bytes) {
  void* memory = malloc(bytes);
  if (memory != NULL || bytes == 0) return memory;
  fprintf(stderr, "no memory for %zu bytes\n", bytes);
  exit(1);
}

/* CG: the smallest eigenvalue of a sparse symmetric matrix. */
typedef struct npb_cg {
  int rows, nonzeros, iterations;
  double shift, zeta; /* the answer */
} npb_cg;

enum { NPB_CG_STEPS = 25 }; /* of conjugate gradients in an iteration */
static const npb_cg npb_cg_S = {1400, 7, 15, 10, 8.5971775078648};
static const npb_cg npb_cg_W = {7000, 8, 15, 12, 10.362595087124};
static const npb_cg npb_cg_A = {14000, 11, 15, 20, 17.130235054029};
static const npb_cg npb_cg_B = {75000, 13, 75, 60, 22.712745482631};

static inline int npb_cg_verified(const npb_cg* c, double zeta) { return fabs(zeta - c->zeta) <= 1e-10 * c->zeta; }

/* Some rows of the matrix: entries begin[k] .. begin[k + 1] - 1 are those of the k-th row, by column. */
typedef struct npb_matrix {
  int rows, *begin, *column;
  double* value;
} npb_matrix;

/* Sparse vectors: the i-th has `nonzeros` entries at random places, and 0.5 at i. */
typedef struct npb_vectors {
  int *count, *place; /* of each up to nonzeros + 1 entries */
  double* value;
} npb_vectors;

static inline int npb_find(const int* places, int count, int place) {
  int k = 0;
  while (k < count && places[k] != place) k++;
  return k;
}

static inline npb_vectors npb_cg_vectors(const npb_cg* c) {
  const size_t rows = (size_t)c->rows, most = (size_t)c->nonzeros + 1;
  npb_vectors v = {npb_memory(rows * sizeof(int)), npb_memory(rows * most * sizeof(int)),
                   npb_memory(rows * most * sizeof(double))};
  int range = 1;
  while (range < c->rows) range *= 2;
  uint64_t state = npb_random_after(NPB_SEED, 1);
  for (int i = 0; i < c->rows; i++) {
    int *place = v.place + (size_t)i * most, count = 0;
    double* value = v.value + (size_t)i * most;
    while (count < c->nonzeros) {
      const double entry = npb_random(&state);
      const int at = (int)(range * npb_random(&state));
      if (at >= c->rows || npb_find(place, count, at) < count) continue;
      place[count] = at;
      value[count++] = entry;
    }
    const int own = npb_find(place, count, i);
    place[own] = i;
    value[own] = 0.5;
    v.count[i] = own == count ? count + 1 : count;
  }
  return v;
}

static inline int npb_ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

/* Adds up what the entries of each row have in one column, and sorts them. */
static inline void npb_join_entries(npb_matrix* m, int columns) {
  double* sum = npb_memory((size_t)columns * sizeof *sum);
  int *row_of = npb_memory((size_t)columns * sizeof *row_of), joined = 0;
  for (int k = 0; k < columns; k++) row_of[k] = -1;
  for (int row = 0; row < m->rows; row++) {
    const int first = joined, begin = m->begin[row];
    for (int k = begin; k < m->begin[row + 1]; k++) {
      const int at = m->column[k];
      sum[at] = row_of[at] == row ? sum[at] + m->value[k] : m->value[k];
      if (row_of[at] != row) m->column[joined++] = at;
      row_of[at] = row;
    }
    qsort(m->column + first, (size_t)(joined - first), sizeof(int), npb_ascending);
    for (int k = first; k < joined; k++) m->value[k] = sum[m->column[k]];
    m->begin[row] = first;
  }
  m->begin[m->rows] = joined;
  free(sum);
  free(row_of);
}

/* Rows first, first + step, ... before `end` of the matrix: the sum of size_i v_i v_i^T over all vectors, size_i from 1
 * down to 0.1, with 0.1 - shift added to the diagonal for each. */
static inline npb_matrix npb_cg_matrix(const npb_cg* c, int first, int step, int end) {
  const double smallest = 0.1, ratio = pow(smallest, 1.0 / c->rows);
  const int most = c->nonzeros + 1;
  npb_vectors v = npb_cg_vectors(c);
  npb_matrix m = {.rows = first < end ? (end - first + step - 1) / step : 0};
  m.begin = npb_memory(((size_t)m.rows + 1) * sizeof(int));
  for (int row = 0; row <= m.rows; row++) m.begin[row] = 0;
#define NPB_EACH_OWN_ENTRY(i, k)                           \
  for (int i = 0; i < c->rows; i++)                        \
    for (int k = i * most; k < i * most + v.count[i]; k++) \
      if (v.place[k] >= first && v.place[k] < end && (v.place[k] - first) % step == 0)
  NPB_EACH_OWN_ENTRY(i, k) m.begin[(v.place[k] - first) / step + 1] += v.count[i];
  for (int row = 0; row < m.rows; row++) m.begin[row + 1] += m.begin[row];
  m.column = npb_memory((size_t)m.begin[m.rows] * sizeof(int));
  m.value = npb_memory((size_t)m.begin[m.rows] * sizeof(double));
  int *next = npb_memory(((size_t)m.rows + 1) * sizeof(int)), last = 0;
  for (int row = 0; row < m.rows; row++) next[row] = m.begin[row];
  double size = 1;
  NPB_EACH_OWN_ENTRY(i, k) {
    for (; last < i; last++) size *= ratio;
    for (int other = i * most; other < i * most + v.count[i]; other++) {
      const int at = next[(v.place[k] - first) / step]++, diagonal = v.place[k] == i && v.place[other] == i;
      m.column[at] = v.place[other];
      m.value[at] = size * v.value[k] * v.value[other] + (diagonal ? smallest - c->shift : 0);
    }
  }
#undef NPB_EACH_OWN_ENTRY
  npb_join_entries(&m, c->rows);
  free(next);
  free(v.count);
  free(v.place);
  free(v.value);
  return m;
}

/* IS: ranks of random keys, ten times; each time two of the keys change. */
enum {
  NPB_IS_ITERATIONS = 10,
  NPB_IS_TESTS = 5,
  NPB_IS_KEYS_S = 1 << 16,
  NPB_IS_KEYS_W = 1 << 20,
  NPB_IS_KEYS_A = 1 << 23,
  NPB_IS_KEYS_B = 1 << 25,
  NPB_IS_VALUES_S = 1 << 11,
  NPB_IS_VALUES_W = 1 << 16,
  NPB_IS_VALUES_A = 1 << 19,
  NPB_IS_VALUES_B = 1 << 21
};

/* Key index[k] has rank[k] + step[k] * iteration. */
typedef struct npb_is {
  int index[NPB_IS_TESTS], rank[NPB_IS_TESTS], step[NPB_IS_TESTS];
} npb_is;

static const npb_is npb_is_S = {{48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, {1, 1, 1, -1, -1}};
static const npb_is npb_is_W = {
    {357773, 934767, 875723, 898999, 404505}, {1247, 11696, 1039987, 1043896, 1048018}, {1, 1, -1, -1, -1}};
static const npb_is npb_is_A = {
    {2112377, 662041, 5336171, 3642833, 4250760}, {103, 17522, 123927, 8288933, 8388265}, {1, 1, 1, -1, -1}};
static const npb_is npb_is_B = {
    {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99}, {-1, 1, 1, -1, 1}};

/* Keys first .. first + count - 1, each the sum of four random numbers. */
static inline void npb_is_keys(int* keys, int first, int count, int values) {
  uint64_t state = npb_random_after(NPB_SEED, 4 * (uint64_t)first);
  for (int i = 0; i < count; i++) {
    double sum = npb_random(&state);
    for (int k = 1; k < 4; k++) sum += npb_random(&state);
    keys[i] = (int)(values / 4 * sum);
  }
}

/* The same keys as this iteration changes them. */
static inline void npb_is_change(int* keys, int first, int count, int values, int iteration) {
  const int other = iteration + NPB_IS_ITERATIONS;
  if (iteration >= first && iteration < first + count) keys[iteration - first] = iteration;
  if (other >= first && other < first + count) keys[other - first] = values - iteration;
}
#endif
