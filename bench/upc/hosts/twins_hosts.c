/* upc-hosts-mpi: the twins of the kernels. */
#include "twins_hosts.h"

const char twins_name[] = "upc_hosts_mpi";
const int twins_ranks = RANKS;

void run_twins(void) {
  run_dense_twins();
  run_irregular_twins();
}
