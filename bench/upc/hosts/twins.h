/* The kernels of this folder's UPC programs in MPI, or in plain C where no data move: what another thread's memory is
 * to UPC is a message here, and both ranks take part. */
#ifndef WEFT_BENCH_UPC_HOSTS_TWINS_H
#define WEFT_BENCH_UPC_HOSTS_TWINS_H
#include <mpi.h>

#include "problem.h"

typedef struct twin {
  const char *name;
  size_t elements; /* as in the UPC program */
  int calls;       /* in one timing; more than one only without messages */
  void (*prepare)(void), (*run)(void);
  const void *result; /* this rank's part of what is computed */
  size_t words;
} twin;

extern int me; /* this rank; the other one is 1 - me */
extern const twin dense_twins[], irregular_twins[];
extern const size_t dense_twin_count, irregular_twin_count;
void fill_irregular(void); /* once, before the kernels */
#endif
