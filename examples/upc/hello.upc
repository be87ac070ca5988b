/* Hello: every thread runs main. MYTHREAD says which one this is, THREADS how many there are.
 *   upcc -o hello hello.upc && upcrun -n 4 ./hello */
#include <stdio.h>
#include <upc.h>

int main(void) {
  printf("Hello from thread %d of %d\n", MYTHREAD, THREADS);
  return 0;
}
