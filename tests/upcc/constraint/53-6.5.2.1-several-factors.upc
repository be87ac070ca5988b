// options: -Wpedantic
// The specification allows one constant beside THREADS.
shared int a[10 * THREADS];
shared int b[THREADS * 100 * 20];  // expect-warning: UPC forbids several factors beside THREADS in the array size of 'b' [-Wpedantic]
shared int c[2 * (24 * THREADS)];  // expect-warning: UPC forbids several factors beside THREADS in the array size of 'c' [-Wpedantic]
shared int d[2 * 0 * THREADS];  // expect-error: THREADS is multiplied by a factor that is not positive in the array size of 'd'
shared int e[3 * THREADS + 1];  // expect-error: with dynamic THREADS a shared array size of 'e' must be THREADS alone or THREADS times integer constants; use -T for a fixed number of threads
