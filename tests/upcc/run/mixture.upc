/* Declarations and expressions that mix C and UPC in every way: typedefs of structs with pointers-to-shared,
 * directories, function pointers, complex numbers, packed structs, pointers to rows, nested control. */
#include <upc.h>
#include <stdio.h>
#include <stdlib.h>
#include <complex.h>
typedef shared [] struct tree *tree_p;
struct tree { tree_p left, right; int key; double complex z; char name[8]; };
typedef struct { shared int *p[3]; int n; } table_t;
static table_t tables[2];
shared [] double *shared dir[THREADS];
shared struct { int a, b; } anon[THREADS];
enum e { A, B2 };
shared enum e en;
shared double complex zc;
shared int *fp(shared int *q, int n) { return q + n; }
static shared int *(*fptr)(shared int *, int) = fp;
shared int arr[4*THREADS];
int *shared lp[THREADS];
struct S { unsigned x:4; shared int *p; } __attribute__((packed));
static inline double get(shared [] const double *p, size_t i) { return p[i]; }
static double mat(int n, shared [] double (*m)[n], int i, int j) { return m[i][j]; }
int cmp(const void *a, const void *b) { return 0; }
static tree_p mk(int k) {
  tree_p t = upc_alloc(sizeof(struct tree));
  t->key = k; t->left = t->right = NULL; t->name[0] = 'x'; t->z = 1 + 2*I;
  return t;
}
void vf(int n, ...) { }
int main(int argc, char **argv) {
  tree_p t = mk(3); t->left = mk(2); t->left->right = mk(9);
  struct tree copy = *t; struct tree *pc = &copy;
  CHK: ;
  if (pc->left->right->key != 9 || copy.left->key != 2) return 1;
  t->left->key += 5; t->left->name[3] = 'q'; if (creal(t->z) != 1 || cimag(t->left->z) != 2) return 2;
  tables[1].p[2] = &arr[1]; tables[1].p[2]++; *tables[1].p[2] = 7;
  upc_barrier;
  if (arr[2] != 7) return 3;
  dir[MYTHREAD] = upc_alloc(10 * sizeof(double));
  for (int i = 0; i < 10; i++) dir[MYTHREAD][i] = i;
  upc_barrier;
  double s = 0;
  for (int th = 0; th < THREADS; th++) for (int i = 0; i < 10; i++) s += dir[th][i];
  if (s != 45 * THREADS) return 4;
  upc_barrier;
  shared [] double *loc = dir[(MYTHREAD + 1) % THREADS];
  for (int i = 0; i < 9; i++) loc[i] = loc[i + 1] + get(loc, i);
  upc_barrier;
  anon[MYTHREAD].b = 4; anon[MYTHREAD].a = anon[MYTHREAD].b++ + 1;
  en = B2; zc = 3; en++;
  if (anon[MYTHREAD].a != 5 || anon[MYTHREAD].b != 5) return 5;
  int x = 5; lp[MYTHREAD] = &x; *lp[MYTHREAD] += 2; if (x != 7) return 6;
  struct S ss = {3, arr}; ss.p += 2; if (*ss.p != 7 || sizeof ss != 17) return 7;
  if (mat(5, (shared [] double (*)[5]) dir[MYTHREAD], 1, 4) != dir[MYTHREAD][9]) return 8;
  if (*fptr(arr, 2) != 7) return 9;
  shared int *ps[2] = { arr, fp(arr, 1) }; vf(1, ps[0], arr[0]);
  if (ps[1] - ps[0] != 1) return 10;
  switch (arr[2]) { case 7: x = 1; break; case 3: { shared int *z = arr; x = *z; } default: x = 0; }
  do { shared int *z = arr; x += *z; } while (arr[0] != 0 && x < 3);
  for (shared int *z = arr, *e = arr + 4; z < e; z++) x++;
  if (x != 5) return 11;
  { static int cnt; cnt++; struct { shared int *a; int b; } l = { .b = 3, .a = &arr[2] }; if (l.a[0] != 7) return 12; }
  const char *fn = __func__; (void)fn; (void)argc;
  upc_forall (int i = 0; i < 4*THREADS; i++; arr + i) { struct tree q; q.key = arr[i]; arr[i] = q.key < 0 ? 0 : q.key; }
  upc_barrier;
  { upc_forall (int i = 0; i < 10; i++; i) {
      if (i == 2) { upc_forall (int k = 0; k < 3; k++; &arr[k]) { arr[k] += 0; } } } }
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
