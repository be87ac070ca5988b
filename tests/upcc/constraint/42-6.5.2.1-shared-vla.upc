// The size of a shared object is known when it is translated; a pointer may refer to a shared VLA.
void f(int n) {
  static shared int a[n];  // expect-error: storage size of 'a' isn't constant
  shared [] int (*p)[n] = 0;
  shared int (*q)[n * THREADS];  // expect-error: with dynamic THREADS a shared array size of 'q' must be THREADS alone or THREADS times integer constants; use -T for a fixed number of threads
}
shared int b[] = {1, 2};  // expect-error: with dynamic THREADS the size of shared array 'b' must contain THREADS exactly once; use -T for a fixed number of threads, or '[]' to keep it on one thread
shared [] int c[] = {1, 2};
shared int d[];  // expect-error: array size missing in 'd'
