/* Elements that a loop finds by an index from elsewhere: cyclic arrays through pointers and by name, indices of each
 * type and sign, and rows of arrays that lie in one block. Each element holds its number. */
#include "../check.h"
#include <stddef.h>

#define EACH 12 /* elements that a thread has */
#define ALL (EACH * THREADS)
struct odd {
  char bytes[3];
};
shared long longs[ALL];
shared char chars[ALL];
shared struct odd odds[ALL];

static int wanted(int k) { return (11 * k + 3) % ALL; }

static void cyclic(void) {
  for (int k = 0; k < EACH; k++) {
    const int e = k * THREADS + MYTHREAD;
    ((long *)&longs[MYTHREAD])[k] = e;
    ((char *)&chars[MYTHREAD])[k] = (char)e;
    ((struct odd *)&odds[MYTHREAD])[k] = (struct odd){{(char)e, (char)(e + 1), (char)(e + 2)}};
  }
  upc_barrier;
  int ints[ALL], down[ALL];
  unsigned unsigneds[ALL];
  long wide[ALL];
  signed char narrow[ALL];
  const int middle = ALL / 2 + 1;
  for (int k = 0; k < ALL; k++) {
    ints[k] = wanted(k);
    unsigneds[k] = (unsigned)wanted(k);
    wide[k] = wanted(k) - middle;
    narrow[k] = (signed char)(wanted(k) - middle);
    down[k] = -wanted(k);
  }
  shared long *const p = &longs[middle];
  shared char *const last = &chars[ALL - 1];
  unsigned long by_name = 0, by_pointer = 0, by_narrow = 0, by_unsigned = 0;
  unsigned long of_odds = 0, downwards = 0, found = 0, backwards = 0;
  for (int k = 0; k < ALL; k++) by_name = 3 * by_name + longs[ints[k]];
  for (int k = 0; k < ALL; k++) by_unsigned = 3 * by_unsigned + longs[unsigneds[k]];
  for (int k = 0; k < ALL; k++) by_pointer = 3 * by_pointer + p[wide[k]];
  for (int k = 0; k < ALL; k++) by_narrow = 3 * by_narrow + *(p + narrow[k]);
  for (int k = 0; k < ALL; k++) of_odds = 3 * of_odds + odds[ints[k]].bytes[2];
  for (int k = 0; k < ALL; k++) downwards = 3 * downwards + longs[ALL - 1 + down[k]];
  for (int k = 0; k < ALL; k++) found = 3 * found + wanted(k);
  for (int k = 0; k < ALL; k++) backwards = 3 * backwards + last[down[k]];
  unsigned long expected = 0, expected_down = 0;
  for (int k = 0; k < ALL; k++) expected = 3 * expected + wanted(k);
  for (int k = 0; k < ALL; k++) expected_down = 3 * expected_down + ALL - 1 - wanted(k);
  CHECK_EQUAL(by_name, expected);
  CHECK_EQUAL(by_unsigned, expected);
  CHECK_EQUAL(by_pointer, expected);
  CHECK_EQUAL(by_narrow, expected);
  CHECK_EQUAL(found, expected);
  CHECK_EQUAL(downwards, expected_down);
  CHECK_EQUAL(backwards, expected_down);
  unsigned long of_third_bytes = 0;
  for (int k = 0; k < ALL; k++) of_third_bytes = 3 * of_third_bytes + wanted(k) + 2;
  CHECK_EQUAL(of_odds, of_third_bytes);
  upc_barrier;
  /* Written, each element by one thread. */
  for (int k = 0; k < ALL; k++)
    if (wanted(k) % THREADS == (MYTHREAD + 1) % THREADS) {
      longs[ints[k]] = 2 * wanted(k);
      p[wide[k]] += 1;
      odds[ints[k]].bytes[1] = (char)k;
    }
  upc_barrier;
  for (int k = 0; k < ALL; k++) {
    CHECK_EQUAL(longs[ints[k]], 2 * wanted(k) + 1);
    CHECK_EQUAL(odds[ints[k]].bytes[1], (char)k);
    CHECK_EQUAL(odds[ints[k]].bytes[0], (char)wanted(k));
  }
}

#define ROW 5
shared [ROW] int rows[2 * THREADS][ROW];          /* a row a block */
shared [2 * ROW] int pairs[2 * THREADS][ROW];     /* two */
shared [3 * 4 * ROW] short cubes[THREADS][3][4][ROW]; /* a plane of rows */
shared [ROW + 1] int torn[2 * THREADS][ROW];      /* rows lie where they like */
shared [*] int parts[2 * THREADS][ROW];

#define FILL(array)                                                                          \
  for (int e = 0; e < 2 * THREADS * ROW; e++)                                                \
    if (upc_threadof(&array[0][0] + e) == MYTHREAD) *((shared [] int *)(&array[0][0] + e)) = e
#define LOOK(array)                                                                          \
  do {                                                                                       \
    long threads = 0, phases = 0;                                                            \
    unsigned long sum = 0, own = 0, beyond = 0;                                              \
    for (int k = 0; k < 2 * THREADS * ROW; k++) sum = 3 * sum + array[i[k]][j[k]];           \
    for (int k = 0; k < ROW; k++) own = 3 * own + array[MYTHREAD][j[k]];                     \
    for (int k = 0; k < 2 * THREADS * ROW; k++) beyond = 3 * beyond + array[1][out[k]];      \
    for (int k = 0; k < ROW; k++) threads += (long)upc_threadof(&array[i[k]][j[k]]);         \
    for (int k = 0; k < ROW; k++) phases += (long)upc_phaseof(&array[i[k]][j[k]]);           \
    for (int k = 0; k < ROW; k++) threads -= (long)upc_threadof(&array[0][0] + i[k] * ROW + j[k]); \
    for (int k = 0; k < ROW; k++) phases -= (long)upc_phaseof(&array[0][0] + i[k] * ROW + j[k]);   \
    CHECK_EQUAL(sum, all);                                                                   \
    CHECK_EQUAL(beyond, all);                                                                \
    CHECK_EQUAL(own, own_row);                                                               \
    CHECK_EQUAL(threads, 0);                                                                 \
    CHECK_EQUAL(phases, 0);                                                                  \
  } while (0)

static void rows_in_blocks(void) {
  FILL(rows);
  FILL(pairs);
  FILL(torn);
  FILL(parts);
  upc_barrier;
  const int count = 2 * THREADS * ROW;
  int i[count], j[count], out[count];
  unsigned long all = 0, own_row = 0;
  for (int k = 0; k < count; k++) {
    const int e = (11 * k + 1) % count;
    i[k] = e / ROW;
    j[k] = e % ROW;
    out[k] = e - ROW; /* of row 1; mostly in other rows */
    all = 3 * all + e;
  }
  for (int k = 0; k < ROW; k++) own_row = 3 * own_row + MYTHREAD * ROW + j[k];
  LOOK(rows);
  LOOK(pairs);
  LOOK(torn);
  LOOK(parts);
}

static void planes_in_blocks(void) {
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 4; b++)
      for (int c = 0; c < ROW; c++) cubes[MYTHREAD][a][b][c] = (short)(1000 * MYTHREAD + 100 * a + 10 * b + c);
  upc_barrier;
  int where[60];
  for (int k = 0; k < 60; k++) where[k] = (7 * k + 2) % 60;
  for (int t = 0; t < THREADS; t++) {
    unsigned long sum = 0, expected = 0;
    for (int k = 0; k < 60; k++) sum = 3 * sum + cubes[t][where[k] / 20][where[k] / 5 % 4][where[k] % 5];
    for (int k = 0; k < 60; k++)
      expected = 3 * expected + 1000 * t + 100 * (where[k] / 20) + 10 * (where[k] / 5 % 4) + where[k] % 5;
    CHECK_EQUAL(sum, expected);
  }
  upc_barrier;
  for (int k = 0; k < 60; k++) cubes[(MYTHREAD + 1) % THREADS][where[k] / 20][where[k] / 5 % 4][where[k] % 5]++;
  upc_barrier;
  for (int k = 0; k < 60; k++)
    CHECK_EQUAL(cubes[MYTHREAD][k / 20][k / 5 % 4][k % 5],
                1000 * MYTHREAD + 100 * (k / 20) + 10 * (k / 5 % 4) + k % 5 + 1);
}

int main(void) {
  RUN(cyclic);
  RUN(rows_in_blocks);
  RUN(planes_in_blocks);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
