/* The UPC code of c_main.c: each thread adds up its share, and all get the sum of the shares. */
#include <upc.h>
#include <upc_collective.h>

static shared double shares[THREADS];
static shared double total;

double sum_of_squares(long count) {
  double share = 0;
  upc_forall (long i = 0; i < count; i++; i) share += (double)i * (double)i;
  shares[MYTHREAD] = share;
  upc_all_reduceD(&total, shares, UPC_ADD, THREADS, 1, NULL, UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
  return total;
}
