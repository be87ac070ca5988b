/* Types whose C spelling surrounds the name, and types that C does not let one name, in shared memory: pointers to
 * functions and to arrays, enumerations and structures without a tag, vectors; compound literals as arguments. */
#include <upc.h>
#include <stdio.h>

typedef int (*function_p)(int);
typedef int function_t(int);
typedef int v4 __attribute__((vector_size(16)));
int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }

shared function_p table[THREADS];
int (*shared one)(int);
shared struct { function_t *f; int (*op)(int, int); int (*rows)[4]; } holder;
int (*shared to_array)[5];
strict shared function_p strict_one;

shared struct { int a; enum { RED, GREEN, BLUE } colour; } untagged;
struct outer {
  enum { U1, U2 } e;
  struct { int v; enum { W1, W2 } deep; } inner;
  union { enum { X1, X2 } w; int i; } u;
  struct { int direct; enum { Y1, Y2 } y; };
};
shared struct outer outers[THREADS];
shared v4 vectors[2 * THREADS];
shared [2] int blocks[2 * THREADS];
shared int counter;
typedef struct { int x, y; } pair;

int add(int a, int b) { return a + b; }

#define EXPECT(condition)                                \
  do {                                                   \
    if (!(condition)) {                                  \
      printf("line %d: %s\n", __LINE__, #condition);     \
      upc_global_exit(1);                                \
    }                                                    \
  } while (0)

void functions(void) {
  table[MYTHREAD] = MYTHREAD % 2 ? thrice : twice;
  if (MYTHREAD == 0) {
    one = thrice;
    strict_one = twice;
    holder.f = twice;
    holder.op = add;
    static int rows[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    holder.rows = rows;
    static int array[5] = {9, 8, 7, 6, 5};
    to_array = &array;
    int (*local)[5] = to_array;
    EXPECT((*to_array)[1] == 8 && (*local)[4] == 5 && holder.rows[1][2] == 7);
    int (*f)(int) = one;
    EXPECT(f(3) == 9 && one(1) == 3 && (*one)(2) == 6 && strict_one(2) == 4);
    EXPECT(holder.f(5) == 10 && holder.op(2, 3) == 5);
    holder.op = 0;
    EXPECT(!holder.op && holder.f != 0);
  }
  upc_barrier;
  EXPECT(table[MYTHREAD](5) == (MYTHREAD % 2 ? 15 : 10));
  upc_forall (int i = 0; i < THREADS; i++; &table[i]) EXPECT(table[i](1) == (i % 2 ? 3 : 2));
}

void untagged_types(void) {
  struct local { int n; enum { L1, L2 } l; struct { int k; } in; };
  shared [] struct local *p = upc_alloc(sizeof(struct local));
  p->l = L2;
  p->in.k = 7;
  EXPECT(p->l == L2 && p->in.k == 7);
  upc_free(p);
  if (MYTHREAD == 0) untagged.colour = BLUE;
  outers[MYTHREAD].e = U2;
  outers[MYTHREAD].inner.deep = W2;
  outers[MYTHREAD].u.w = X2;
  outers[MYTHREAD].y = Y2;
  upc_barrier;
  struct outer copy = outers[(MYTHREAD + 1) % THREADS];
  EXPECT(untagged.colour == BLUE && copy.e == U2 && copy.inner.deep == W2 && copy.u.i == X2 && copy.y == Y2);
  __typeof__(copy.inner) part = outers[MYTHREAD].inner;
  EXPECT(part.deep == W2);
}

void vector_elements(void) {
  v4 start = {1, 2, 3, 4};
  vectors[MYTHREAD] = start;
  vectors[MYTHREAD][2] = 30;
  vectors[MYTHREAD][0] += 9;
  vectors[MYTHREAD][1]++;
  upc_barrier;
  int other = (MYTHREAD + 1) % THREADS, sum = 0;
  for (int i = 0; i < 4; i++) sum += vectors[other][i];
  EXPECT(sum == 10 + 3 + 30 + 4 && vectors[other][2] == 30);
  shared v4 *p = &vectors[THREADS + other];
  upc_barrier;
  for (int i = 0; i < 4; i++) (*p)[i] = i;
  for (int i = 0; i < 4; i++) EXPECT(p[0][i] == i);
  upc_barrier;
}

void literals(void) {
  pair read;
  upc_memput(&blocks[2 * MYTHREAD], (int[2]){MYTHREAD, 2}, 2 * sizeof(int));
  EXPECT(blocks[2 * MYTHREAD] == MYTHREAD && blocks[2 * MYTHREAD + 1] == 2);
  upc_memput(&blocks[2 * MYTHREAD], &(pair){5, 6}, sizeof(pair));
  upc_memget(&read, (shared [2] int *[2]){0, &blocks[2 * MYTHREAD]}[1], sizeof read);
  EXPECT(read.x == 5 && read.y == 6);
  upc_memset(((shared [2] int *[]){&blocks[0], &blocks[2 * MYTHREAD]})[1], 0, sizeof(pair));
  EXPECT(blocks[2 * MYTHREAD] == 0);
  upc_lock_t *locks[2] = {upc_global_lock_alloc(), 0};
  upc_lock((upc_lock_t *[]){locks[0], locks[1]}[0]);
  upc_unlock(locks[0]);
  upc_lock_free(locks[0]);
  EXPECT(upc_threadof((shared [2] int *[2]){&blocks[2 * MYTHREAD], 0}[0]) == MYTHREAD);
  upc_barrier;
}

/* The functions of <upc.h> are functions also where no call follows. */
void as_functions(void) {
  void (*get)(void *restrict, shared const void *restrict, size_t) = upc_memget;
  size_t (*thread_of)(shared const void *) = upc_threadof;
  void (*release)(shared void *) = upc_free;
  shared [] int *p = (shared [] int *)(upc_alloc)(sizeof(int));
  int value = 0;
  *p = 17;
  get(&value, p, sizeof value);
  EXPECT(value == 17 && thread_of(p) == MYTHREAD && (upc_threadof)(p) == MYTHREAD);
  release(p);
}

int main(void) {
  functions();
  untagged_types();
  vector_elements();
  literals();
  as_functions();
  upc_barrier;
  if (MYTHREAD == 0) printf("PASS\n");
  return 0;
}
