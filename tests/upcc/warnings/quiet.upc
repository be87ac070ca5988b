/* No warnings about this program, though what is made of it would give some. flags: -Wpedantic -Wshadow -Wcast-qual -O1 */
#include <assert.h>
#include <bupc.h>
#include <stdio.h>
#include <upc.h>
#include <upc_atomic.h>
#include <upc_castable.h>
#include <upc_collective.h>
#include <upc_nb.h>
#include <upc_team.h>

shared int cyclic[THREADS];
shared [*] int blocked[100 * THREADS];
shared [] double *shared list;
shared int large[10000 * THREADS];
#define BLOCK 0 /* an indefinite block */
typedef shared [4] int row[4 * THREADS];
row table;
static int count(void) { return 1; }
_Static_assert(sizeof(shared int *) == 16, "only pointers-to-shared have this size");

static int phase(shared [4] const int *p) { return (int)upc_phaseof(p); }

int main(void) {
  static shared [2] int inside[2 * THREADS];
  char buffer[upc_blocksizeof(table)] = "abc";
  upc_forall (int i = 0; i < THREADS; i++; &cyclic[i]) {
    cyclic[i]++;
    inside[2 * i] = 1;
  }
  upc_forall (int i = 0; i < 4 * THREADS; i++; continue) table[i] = i;
  upc_forall (int i = 0; (size_t)i < sizeof(large) / sizeof(large[0]); i++; &large[i]) large[i] = i;
  int sum = bupc_allv_reduce_all(int, cyclic[MYTHREAD], UPC_ADD);
  const int rest = BLOCK ? count() % (4 * BLOCK) : 0;
  size_t size = upc_localsizeof(table) + upc_elemsizeof(cyclic) + upc_localsizeof(blocked[count()]);
  assert(sum == THREADS && blocked[0] == rest);
  if (MYTHREAD == 0) list = NULL;
  if (MYTHREAD == 0) upc_barrier; else upc_barrier;
  while (cyclic[0] == 7) upc_fence;
  upc_barrier;
  strict shared int *flag = (strict shared int *)&cyclic[0];
  for (int i = 0; i < 3; i++) upc_fence;
  if (list != NULL) upc_free(list);
  printf("%d %zu %zu %s\n", sum, size, upc_threadof(&cyclic[1 % THREADS]), buffer);
  return *flag == count() + inside[0] ? phase(&table[1]) : 0;
}
