/* Sorting: each thread sorts its block with qsort, then blocks are merged by odd-even transposition: in THREADS rounds
 * neighbours compare, the left keeps the smaller half and the right the larger. Blocks travel by upc_memget. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upc.h>

#define BLOCK 500
shared [BLOCK] int keys[BLOCK * THREADS];

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void keep_half(int partner) {
  static int merged[2 * BLOCK], theirs[BLOCK];
  int *mine = (int *)&keys[(long)BLOCK * MYTHREAD];
  upc_memget(theirs, &keys[(long)BLOCK * partner], sizeof theirs);
  memcpy(merged, mine, sizeof theirs);
  memcpy(merged + BLOCK, theirs, sizeof theirs);
  qsort(merged, 2 * BLOCK, sizeof *merged, ascending);
  upc_barrier; /* the partner has read our block */
  memcpy(mine, merged + (MYTHREAD < partner ? 0 : BLOCK), sizeof theirs);
}

int main(void) {
  int *mine = (int *)&keys[(long)BLOCK * MYTHREAD];
  long sum = 0;
  for (int i = 0; i < BLOCK; i++) mine[i] = (int)((BLOCK * (long)MYTHREAD + i) * 7919 % 100003);
  upc_barrier;
  if (MYTHREAD == 0)
    for (long i = 0; i < BLOCK * THREADS; i++) sum += keys[i];
  upc_barrier;
  qsort(mine, BLOCK, sizeof *mine, ascending);
  for (int round = 0; round < THREADS; round++) {
    upc_barrier;
    int partner = (round + MYTHREAD) % 2 == 0 ? MYTHREAD + 1 : MYTHREAD - 1;
    if (partner >= 0 && partner < THREADS) keep_half(partner);
    else upc_barrier;
  }
  upc_barrier;
  if (MYTHREAD == 0) {
    int wrong = 0;
    for (long i = 0; i < BLOCK * THREADS; i++) {
      sum -= keys[i];
      wrong += i > 0 && keys[i - 1] > keys[i];
    }
    printf("%d keys in order: %s\n", BLOCK * THREADS, wrong == 0 && sum == 0 ? "ok" : "wrong");
  }
  return 0;
}
