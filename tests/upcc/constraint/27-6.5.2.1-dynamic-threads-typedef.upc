// The rules hold through typedefs and for pointers to arrays.
typedef shared int T[THREADS];
T a[THREADS];  // expect-error: with dynamic THREADS, THREADS may appear only once in the type of shared array 'a'
T b[3];
typedef shared int U[10];
U c;  // expect-error: with dynamic THREADS the size of shared array 'c' must contain THREADS exactly once; use -T for a fixed number of threads, or '[]' to keep it on one thread
shared int (**p)[THREADS][THREADS];  // expect-error: with dynamic THREADS, THREADS may appear only once in the type of shared array 'p'
shared int (*q)[10];
