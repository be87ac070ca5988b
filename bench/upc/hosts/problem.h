/* What the UPC programs and their MPI twins have in common: sizes, inputs, and the words that are compared. All inputs
 * are small whole numbers, so that sums are exact in any order and every version must leave the same words. */
#ifndef WEFT_BENCH_UPC_HOSTS_PROBLEM_H
#define WEFT_BENCH_UPC_HOSTS_PROBLEM_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  RANKS = 2,      /* the programs refuse any other number of threads */
  OWNER = 0,      /* has what is remote */
  WORKER = 1,     /* reads and writes it */
  N = 2048,       /* elements of one thread */
  FEW = 64,       /* of a loop over a thread's own elements: one block, its start is what it takes */
  MANY = 16384,   /* of one whose start does not count */
  OWN_ELEMENTS = 1 << 19, /* that such a loop handles in one timing, so that reading the clock does not count */
  ROWS = 32,      /* of a matrix, of one thread; COLUMNS * ROWS is N */
  COLUMNS = ROWS * RANKS,
  THE_COLUMN = 5,
  COLUMN_LENGTH = 64, /* rows of the matrix one column of which is read */
  TERMS = N / RANKS,  /* of the cyclic sum, of one thread */
  BINS = 128,         /* of the histogram, of one thread */
  BODIES = 256,
  NODES = 256,
  FAR = 1 << 20, /* elements of one thread, read here and there */
  READS = 256,   /* of them, at random */
  NEAR = 16      /* of them, again and again */
};
#define SCALE 50.0 /* the shared scalar; about half of the inputs are greater */

struct body {
  double x, y, z, vx, vy, vz, mass;
};

static inline double input(long i) { return (double)(i * 37 % 101 + 1); }

/* Numbers in 0 .. below - 1, the same for all. */
static inline int random_below(unsigned long *state, int below) {
  *state = *state * 6364136223846793005UL + 1442695040888963407UL;
  return (int)((*state >> 33) % (unsigned long)below);
}

static inline void random_indices(int *index, int count, int below) {
  unsigned long state = 17;
  for (int i = 0; i < count; i++) index[i] = random_below(&state, below);
}

static inline void random_permutation(int *index, int count) {
  unsigned long state = 18;
  for (int i = 0; i < count; i++) index[i] = i;
  for (int i = count - 1; i > 0; i--) {
    const int other = random_below(&state, i + 1), kept = index[i];
    index[i] = index[other];
    index[other] = kept;
  }
}

static inline struct body body_of(long i) {
  return (struct body){input(i), input(i + 1), input(i + 2), input(i + 3), input(i + 4), input(i + 5), input(i + 6)};
}

/* One thread's part of a checksum: `count` words of 8 bytes, the place of each counts. */
static inline uint64_t checksum_of(const void *words, size_t count, size_t first) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t word;
    memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
    sum += (word ^ word >> 32) * (2 * (first + i) + 1);
  }
  return sum;
}
#define CHECKSUM_BITS ((UINT64_C(1) << 48) - 1) /* what any JSON reader takes for a whole number */
#endif
