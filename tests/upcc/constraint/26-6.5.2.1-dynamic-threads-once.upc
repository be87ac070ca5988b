// With dynamic THREADS a definitely blocked array has THREADS exactly once, alone or times positive constants.
shared int a[10 * THREADS];
shared int b[THREADS * (100 * 20)];
shared int c[THREADS][4];
shared int d[3][THREADS * 4][5];
shared [] int e[10];
shared int f[10 + THREADS];  // expect-error: with dynamic THREADS a shared array size of 'f' must be THREADS alone or THREADS times integer constants; use -T for a fixed number of threads
shared int g[10];  // expect-error: with dynamic THREADS the size of shared array 'g' must contain THREADS exactly once; write 'g[10 * THREADS]', use -T for a fixed number of threads, or '[]' to keep it on one thread
shared int h[THREADS][4 * THREADS];  // expect-error: with dynamic THREADS, THREADS may appear only once in the type of shared array 'h'
shared int i[THREADS * THREADS];  // expect-error: with dynamic THREADS a shared array size of 'i' may use THREADS only once; use -T for a fixed number of threads
shared int j[THREADS * 100 * 20], m[2 * (24 * THREADS)];
shared int k[0 * THREADS];  // expect-error: THREADS is multiplied by a factor that is not positive in the array size of 'k'
shared int l[-3 * THREADS];  // expect-error: THREADS is multiplied by a factor that is not positive in the array size of 'l'
shared [2] int n[ 4 ][5], o[2 + 3];  // expect-error: with dynamic THREADS the size of shared array 'n' must contain THREADS exactly once; write 'n[4 * THREADS][5]', use -T for a fixed number of threads, or '[]' to keep it on one thread  // expect-error: with dynamic THREADS the size of shared array 'o' must contain THREADS exactly once; write 'o[(2 + 3) * THREADS]', use -T for a fixed number of threads, or '[]' to keep it on one thread
shared int q[(2 + 3)];  // expect-error: with dynamic THREADS the size of shared array 'q' must contain THREADS exactly once; write 'q[(2 + 3) * THREADS]', use -T for a fixed number of threads, or '[]' to keep it on one thread
shared int r[(2) + (3)];  // expect-error: with dynamic THREADS the size of shared array 'r' must contain THREADS exactly once; write 'r[((2) + (3)) * THREADS]', use -T for a fixed number of threads, or '[]' to keep it on one thread
typedef int five[5];
shared five u;  // expect-error: with dynamic THREADS the size of shared array 'u' must contain THREADS exactly once; use -T for a fixed number of threads, or '[]' to keep it on one thread
const int rows = 4;
shared int v[rows * THREADS];  // expect-error: with dynamic THREADS a shared array size of 'v' must be THREADS alone or THREADS times integer constants: 'rows' is a variable, though const; make it a macro or an enumeration constant
shared int w[0];  // expect-error: with dynamic THREADS the size of shared array 'w' must contain THREADS exactly once; use -T for a fixed number of threads, or '[]' to keep it on one thread
