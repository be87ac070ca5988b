/* flags: -O0 */
shared int a[10 * THREADS];
shared [4] double b[16 * THREADS];
shared [] int *p;
struct node { int v; unsigned bits : 3; shared [] struct node *next; };
shared struct node n;
int read(int i) { return a[i] + (int)b[i] + *p + n.bits; }
void write(int i) {
  a[i] = 1;
  a[i] += 2;
  b[i]++;
  n.bits = 5;
  p = p + 1;
  n.next = 0;
}
int test(shared int *q) { return q && q != a ? *(int *)q : sizeof(a); }
