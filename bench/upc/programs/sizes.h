/* Sizes of the programs in this folder, of a thread, the same in UPC and MPI: such that a run takes milliseconds. */
#ifndef WEFT_BENCH_UPC_PROGRAMS_SIZES_H
#define WEFT_BENCH_UPC_PROGRAMS_SIZES_H

/* gups.upc */
#define WORDS_PER_THREAD (1L << 14)
#define UPDATES (1L << 16)

/* heat_forall.upc */
#define CELLS 16384
#define STEPS 50

/* matvec.upc */
#define MATRIX_ROWS 256
#define MATRIX_COLUMNS 256

/* histogram.upc */
#define HISTOGRAM_SAMPLES 20000
#define HISTOGRAM_BINS 64

/* cg.upc, is.upc: what counts as an element is one row in one product, one key in one ranking. */
#define CG_ELEMENTS(problem, threads) \
  ((size_t)(problem).rows * (size_t)(problem).iterations * (NPB_CG_STEPS + 1) / (size_t)(threads))
#define IS_ELEMENTS(keys, threads) ((size_t)(keys)*NPB_IS_ITERATIONS / (size_t)(threads))
#endif
