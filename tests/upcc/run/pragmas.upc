/* Pragmas for the C compiler keep their place, whatever becomes of the lines around them. */
#include "../check.h"
shared int before;
#pragma pack(push, 1)
struct packed { char c; int i; };
#pragma pack(pop)
shared int between;
struct plain { char c; int i; };
#pragma pack(1)
struct packed_pointer { char c; shared int *p; };
#pragma pack()
struct pointer { char c; shared int *p; };
shared int squares[20 * THREADS];

static void layouts(void) {
  struct packed a[2];
  struct packed_pointer b[2];
  CHECK((char *)&a[1] - (char *)&a[0] == 5 && sizeof(struct packed) == 5);
  CHECK((char *)&b[1] - (char *)&b[0] == (long)sizeof(struct packed_pointer));
  CHECK(sizeof(struct plain) == 8 && sizeof(struct pointer) > sizeof(struct packed_pointer));
  before = between = (int)sizeof(struct packed);
}

static void loops(void) {
  int private[10];
#pragma GCC ivdep
  for (int k = 0; k < 10; k++) private[k] = k;
#pragma GCC unroll 4
  upc_forall (int i = 0; i < 20 * THREADS; i++; &squares[i]) squares[i] = i * i;
  upc_barrier;
  long sum = 0;
  int i;
#pragma omp parallel for reduction(+ : sum)
  for (i = THREADS; i < 20 * THREADS; i++)
#pragma GCC diagnostic push
    sum += squares[i] == i * i;
#pragma GCC diagnostic pop
  CHECK_EQUAL(sum, 19 * THREADS);
#pragma GCC unroll 2
  for (int k = MYTHREAD; k < 10 * THREADS; k += THREADS)
#pragma GCC ivdep
    for (int j = 0; j < 2; j++) sum += squares[j];
  CHECK_EQUAL(sum, 19 * THREADS + 10 * (THREADS * 20 > 1));
  CHECK_EQUAL(private[9], 9);
}

int main(void) {
  RUN(layouts);
  RUN(loops);
  if (MYTHREAD == 0) puts("PASS");
}
