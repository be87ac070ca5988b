// Every construct of UPC 1.3 once.
#include <stddef.h>
shared int counter;
strict shared int flag;
relaxed shared int data;
shared int cyclic[10 * THREADS];
shared [4] double blocked[4 * THREADS][2];
shared [] char indefinite[100];
shared [0] char also_indefinite[100];
shared [*] float even[7 * THREADS];
shared int *p;
shared [4] double *shared q;
shared [] int *shared [2] pointers[2 * THREADS];
int *shared private_pointer_in_shared;
shared void *generic;
const shared int constant = 5;
shared const volatile int *cvp;
typedef shared [3] int T3;
T3 through_typedef[3 * THREADS];
typedef int S[10];
shared [3] S of_arrays[3 * THREADS];
struct node { shared [] struct node *next; int value : 7; int more; double a[3]; };
shared struct node nodes[THREADS];
shared [] struct node *head;
shared int *returns(shared int *a, shared [] char b[], shared void *c);
extern shared int declared_elsewhere[];
shared int initialised = 3;
shared int *to_shared = &cyclic[3], *middle = cyclic + 5;
shared [] int list[] = {1, 2, 3};
_Static_assert(upc_blocksizeof(cyclic) == 1 && upc_blocksizeof(blocked) == 4 && upc_blocksizeof(indefinite) == 0, "");
_Static_assert(upc_elemsizeof(blocked) == 8 && upc_localsizeof(cyclic) == 40 && upc_elemsizeof(T3) == 4, "");
int use(int n) {
  static shared int block_scope;
  int i, sum = 0;
  upc_forall (i = 0; i < 10 * THREADS; i++; &cyclic[i]) cyclic[i] = i;
  upc_forall (int k = 0; k < n; k++; k) { if (k == 3) continue; sum += k; }
  upc_forall (i = 0; i < n; i++; continue) upc_forall (int j = 0; j < n; j++; &blocked[j]) blocked[j][0] += j;
  upc_forall (;;;) ;
  upc_notify;
  upc_wait;
  upc_notify n;
  upc_wait n + 1;
  upc_barrier;
  upc_barrier 'x';
  upc_fence;
  { 
#pragma upc strict
    data = 1; counter++;
    {
#pragma upc relaxed
      counter += 2;
    }
  }
  p = &counter; p = cyclic; p = &cyclic[2]; p++; p += n; p = p - 1; sum += p - cyclic; sum += *p + p[3] + 2[p];
  generic = p; p = generic; generic = q; generic = 0; p = NULL; if (!p || p == NULL || p != 0 || p == generic) sum++;
  if (p < cyclic || p >= middle) sum--;
  q = &blocked[1][0]; q = blocked[2]; shared [4] double (*row)[2] = blocked + 1; row = &blocked[3]; sum += (*row)[1];
  head = nodes[0].next; head->value = 3; nodes[MYTHREAD].value++; head->next->a[1] = 2.0;
  shared [] double *da = &head->a[1]; da = nodes[1].a;
  shared [] int *m = &nodes[1].more; struct node copy = nodes[0]; nodes[1] = copy; nodes[0] = nodes[1];
  int *local = (int *)&cyclic[MYTHREAD]; struct node *ln = (struct node *)&nodes[MYTHREAD]; (void)local; (void)ln;
  m = (shared [] int *)p; p = (shared int *)m; p = (shared int *)generic; p = (shared int *)0;
  long bits = (long)p; (void)bits;
  sum += sizeof(cyclic) + sizeof cyclic[0] + upc_localsizeof(even) + MYTHREAD * THREADS;
  counter += 1; counter *= 2; counter <<= 1; counter = data = 3; counter = n ? counter : 2;
  flag = !flag; sum += -counter + ~counter;
  pointers[0] = m; *pointers[1] = 5; private_pointer_in_shared = &sum; block_scope++;
  int (*f)(int) = use; shared int *(*g)(shared int *, shared [] char *, shared void *) = returns;
  p = g(p, indefinite, q); sum += f(1);
  int vla[THREADS], copy_of = (int)counter;
  shared [] int (*pv)[n] = (shared [] int (*)[n])generic; sum += vla[0] + (*pv)[0] + copy_of;
  for (i = 0; i < n && counter; i++) { while (flag) ; do ; while (flag); switch (counter) { case 1: break; } }
  return counter + (counter ? p == generic ? 1 : 2 : 3, counter);
}
