// With static THREADS, THREADS is an integer constant: everything above is allowed.
// options: -T4
shared int f[10 + THREADS];
shared [] int e[THREADS];
shared int g[10];
shared int h[THREADS][4 * THREADS];
shared int i[THREADS * THREADS];
shared int j[THREADS * 100 * 20];
shared int (**p)[THREADS][THREADS];
_Static_assert(THREADS == 4, "");
int private_array[THREADS];
enum { count = THREADS };
