/* Measuring in MPI, or in plain C where no data move, what UPC programs do: what another thread's memory is to UPC is a
 * message here, and all ranks take part. twins_main.c measures what a program's own files define. */
#ifndef WEFT_BENCH_UPC_HOSTS_TWINS_H
#define WEFT_BENCH_UPC_HOSTS_TWINS_H
#include <mpi.h>

#include "problem.h"

typedef struct twin {
  const char* name;
  size_t elements; /* as in the UPC program */
  int calls;       /* in one timing; more than one only without messages */
  void (*prepare)(void), (*run)(void);
  const void* result; /* this rank's part of what is computed */
  size_t words;
  void (*finish)(void); /* after a turn, if not NULL: makes the result, not timed */
} twin;

extern int me, ranks; /* this rank, and how many there are */

void measure_twins(const twin* first, size_t count);

/* Of the program. */
extern const char twins_name[]; /* of the benchmark, in the JSON */
extern const int twins_ranks;   /* how many ranks it takes; 0: any number */
void run_twins(void);           /* prepares, and measures all */
#endif
