/* Subscripts that leave a row count on to the next one and back, in loops over the whole array and at places that only
 * the run knows; a thread's own row is one of several. Also with WEFT_MAP_PEERS=0. */
#include "../check.h"
#define ROWS 6
#define LENGTH 16
shared [2 * LENGTH] int table[THREADS * ROWS][LENGTH];
shared [LENGTH] int row_each[THREADS][LENGTH];
static int places[200];

int main(void) {
  const int all = THREADS * ROWS * LENGTH;
  upc_forall (int r = 0; r < THREADS * ROWS; r++; &table[r][0])
    for (int k = 0; k < LENGTH; k++) table[r][k] = r * LENGTH + k;
  for (int i = 0; i < 200; i++) places[i] = i * 37 % all;
  upc_barrier;
  for (int i = 0; i < 200; i++) CHECK_EQUAL(table[0][places[i]], places[i]);
  int last = THREADS * ROWS - 1, sum = 0;
  for (int i = 0; i < 200; i++) sum += table[last][places[i] - last * LENGTH] - places[i];
  CHECK_EQUAL(sum, 0);
  upc_barrier;
  for (int k = 0; k < LENGTH; k++) row_each[MYTHREAD][k] = 0;
  for (int i = 0; i < 200; i++) row_each[MYTHREAD][places[i] % LENGTH]++;
  upc_barrier;
  for (int t = 0; t < THREADS; t++) {
    int counted = 0;
    for (int k = 0; k < LENGTH; k++) counted += row_each[t][k];
    CHECK_EQUAL(counted, 200);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
