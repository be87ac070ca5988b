/* The kernels of this folder's UPC programs, for two ranks. */
#ifndef WEFT_BENCH_UPC_HOSTS_TWINS_HOSTS_H
#define WEFT_BENCH_UPC_HOSTS_TWINS_HOSTS_H
#include "twins.h"

void run_dense_twins(void);
void run_irregular_twins(void);
#endif
