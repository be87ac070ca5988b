/* Pi as the integral of 4 / (1 + x*x) from 0 to 1. upc_forall deals the rectangles out to the threads; each sums its
 * own into a private variable, puts the sum into its element of a shared array, and thread 0 adds them up. */
#include <math.h>
#include <stdio.h>
#include <upc.h>

#define RECTANGLES 1000000
shared double part[THREADS];

int main(void) {
  double width = 1.0 / RECTANGLES, sum = 0;
  upc_forall (int i = 0; i < RECTANGLES; i++; i) {
    double x = (i + 0.5) * width;
    sum += 4 / (1 + x * x);
  }
  part[MYTHREAD] = sum * width;
  upc_barrier;
  if (MYTHREAD == 0) {
    double pi = 0;
    for (int t = 0; t < THREADS; t++) pi += part[t];
    printf("pi is about %.10f: %s\n", pi, fabs(pi - 3.14159265358979) < 1e-10 ? "ok" : "wrong");
  }
  return 0;
}
