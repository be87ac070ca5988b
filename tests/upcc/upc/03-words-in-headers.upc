// Predefined macros and C headers under UPC; members may be called like UPC keywords.
struct third;
int get(struct third *t);
#if !defined(__UPC__) || __UPC_VERSION__ != 201311L || !defined(UPC_MAX_BLOCK_SIZE) || UPC_MAX_BLOCK_SIZE < 1000
#error predefined macros
#endif
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <complex.h>
#include <pthread.h>
shared double _Complex z[THREADS];
int main(void) { return (int)creal(z[0]) + abs(-1) + (int)strlen("x"); }
