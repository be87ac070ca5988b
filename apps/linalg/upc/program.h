/* What the UPC programs have from C and C++: command line and report, as in Weft's other programs for linear algebra,
 * the elements of the problems, sums over all threads, and BLAS. */
#ifndef LINALG_UPC_PROGRAM_H
#define LINALG_UPC_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <weft/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

enum la_variant { LA_BROADCAST, LA_FLAT, LA_BLOCKING, LA_LIBRARY };

/* What the command line asks for. */
typedef struct la_problem {
  int64_t n, nb;
  weft_la_grid_t *grid;   /* of all threads; where it is made, BLAS gets its share of the processors */
  uint32_t rows, columns; /* of the grid */
  int repeat, progress;
  enum la_variant variant;
  void *options; /* la_tell()'s own */
} la_problem;

/* Reads the command line on all threads. Returns -1 to go on, else the program's exit code, after a message. */
int la_read(int argc, char **argv, const char *program, const char *description, la_problem *problem);

/* Tells the result on thread 0; all threads call. Returns the program's exit code: 0 only if the residual is below its
 * threshold. */
int la_tell(la_problem *problem, double seconds, double flops, double residual);

/* A number from -0.5 to 0.5 that depends on three others. */
double la_random(uint64_t matrix, int64_t row, int64_t column);

/* Seconds since some moment. */
double la_now(void);

/* The largest of the threads' values, and the sums of theirs, element by element; on all threads. */
double la_largest(double value);
void la_sum(double *values, size_t count);

/* Ends the job with a line if a status of Weft is an error, or a factorisation's info is not 0. */
void la_check(int status, const char *what);

/* Of a thread's own part. Sizes are those of one rank's part, and fit an int. */
/* c = alpha a op(b) + beta c, op a transposition or nothing. */
void la_gemm(int transposed_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
             const double *b, int64_t ldb, double beta, double *c, int64_t ldc);
/* c = c - a a^T in the lower triangle. */
void la_syrk(int64_t n, int64_t k, const double *a, int64_t lda, double *c, int64_t ldc);
/* The lower Cholesky factor of n x n in place; ends the job if there is none. */
void la_potrf(int64_t n, double *a, int64_t lda);
/* b = b l^-T for a lower triangle l. */
void la_trsm(int64_t m, int64_t n, const double *l, int64_t ldl, double *b, int64_t ldb);

#ifdef __cplusplus
}
#endif
#endif
