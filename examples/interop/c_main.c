/* A C program with its own main that uses UPC code. Each UPC thread is a process and runs this main.
 *
 *   upcc -O2 -o c_main c_main.c sums.upc && upcrun -n 4 ./c_main 1000
 *
 * The other file, sums.upc, is UPC. What the two share is declared in plain C: private data, and functions. */
#include <stdio.h>
#include <stdlib.h>
#include <weft/upcrt.h>

/* In sums.upc. Collective: all threads call it. */
double sum_of_squares(long count);

int main(int argc, char** argv) {
  /* Joins the job. Before it no UPC function may be called, and arguments are the launcher's business, too. */
  upcr_start(&argc, &argv);
  const long count = argc > 1 ? atol(argv[1]) : 1000;
  const double sum = sum_of_squares(count);
  if (upcr_mythread() == 0) printf("%d threads: squares below %ld add up to %.0f\n", upcr_threads(), count, sum);
  fflush(stdout);
  /* Leaves it: all threads call it, and no UPC function after it. The job's exit code is main's. */
  upcr_finish();
  return 0;
}
