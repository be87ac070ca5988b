// Declarations that only the static THREADS environment allows, also where they are types of pointers and casts.
shared void *q;
typedef shared int (*t)[THREADS][13][THREADS];  // expect-error: with dynamic THREADS, THREADS may appear only once in the type of shared array 't'
void f(void) {
  shared void *p = (shared int (*)[THREADS][THREADS])q;  // expect-error: with dynamic THREADS, THREADS may appear only once in the type of a shared array
}
